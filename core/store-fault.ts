// The error that every store rejects with.

/** A storage fault: a timeout, throttling, a full disk, a malformed item. The message is for logs, not for callers. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  /** `unavailable` may be temporary; `corrupt` means that stored data can't be understood. */
  readonly kind: 'unavailable' | 'corrupt';

  constructor(kind: 'unavailable' | 'corrupt', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
