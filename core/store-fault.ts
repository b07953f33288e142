// What every store rejects with: nothing passes in silence.

/** A fault of storage: a timeout, throttling, a full disk, a malformed item. The message is for logs, not for callers. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  /** `unavailable` may pass by itself; `corrupt` means that what is stored can't be understood. */
  readonly kind: 'unavailable' | 'corrupt';

  constructor(kind: 'unavailable' | 'corrupt', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
