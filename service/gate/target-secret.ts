// The secret with which a URL target recognizes the gate's requests. It can be replaced at any time, because the gate reads it again every few minutes.

export interface TargetSecretOptions {
  /** Reads the secret. Rejects if there is none. */
  readonly read: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Gets the reason why the secret could not be read. */
  readonly onFault: (error: unknown) => void;
}

/** Returns the secret, read at most `REREAD_MS` ago; the last one if reading it again failed, and undefined if it could never be read. */
export type TargetSecret = () => Promise<string | undefined>;

/** The longest time until a replaced secret is used, in milliseconds. */
export const REREAD_MS = 5 * 60_000;
/** Without any secret, all requests fail, so it is read again soon. But not for each request: Parameter Store allows 40 reads a second. */
export const RETRY_MS = 1_000;

/** Possible in a header, and too long to guess. */
const PATTERN = /^[\x21-\x7e]{16,1024}$/;

/** Creates the secret, which is read when it is first used. */
export function createTargetSecret({ read, clock, onFault }: TargetSecretOptions): TargetSecret {
  let secret: string | undefined;
  let readAgainAt = Number.NEGATIVE_INFINITY;
  // Concurrent requests share one read.
  let reading: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    try {
      secret = checked(await read());
    } catch (error) {
      onFault(error);
    }
    readAgainAt = clock() + (secret === undefined ? RETRY_MS : REREAD_MS);
    reading = undefined;
  }

  return async () => {
    if (clock() >= readAgainAt) reading ??= refresh();
    await reading;
    return secret;
  };
}

/** Returns the secret. @throws Error that does not contain the value, because errors are logged */
function checked(value: string): string {
  if (!PATTERN.test(value)) throw new Error(`the secret has ${value.length} characters; allowed: 16 to 1024 visible ASCII characters, no spaces`);
  return value;
}
