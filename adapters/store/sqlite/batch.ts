// Group commit: requests that arrive in the same turn of the event loop share one transaction, and each is answered after the commit. Under load, a
// commit costs the same for fifty requests as for one.

interface Waiting<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Returns a function that collects inputs until the end of the turn and then calls `flush` once with all of them.
 *
 * @param flush returns the outputs in the order of the inputs; if it rejects, all callers of the batch get the error
 */
export function batched<I, O>(flush: (inputs: readonly I[]) => Promise<readonly O[]>): (input: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];

  async function run(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const outputs = await flush(batch.map(({ input }) => input));
      batch.forEach(({ resolve }, index) => {
        resolve(outputs[index] as O);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(run);
      waiting.push({ input, resolve, reject });
    });
}
