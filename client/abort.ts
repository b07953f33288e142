// Ends calls when their callers' signals abort.

export interface CallOptions {
  /** Ends the call, whether it is waiting or in flight: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when `start` calls its argument or the signal is aborted, whichever is first; then nothing listens to the signal any more. */
export function doneOrAborted(signal: AbortSignal | undefined, start: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal?.removeEventListener('abort', done);
      resolve();
    };
    signal?.addEventListener('abort', done);
    start(done);
    if (signal?.aborted) done();
  });
}

/** Returns a signal for one request, which ends after this time or with the call. */
export function requestSignal(timeoutMs: number, signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}
