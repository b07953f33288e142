// Requests that concern the same thing, such as one account, share a transaction: while one is running, further requests wait for the next. So an
// account uses at most one connection, and many requests of a busy account share the cost of a commit.

interface Waiting<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** Maximum number of inputs in a batch. */
  readonly limit: number;
}

/**
 * Returns a function that passes inputs with the same key to `flush` together: those of one turn of the event loop, and those that arrive while an
 * earlier batch with this key is running. Keys don't wait for each other.
 *
 * @param flush returns the outputs in the order of the inputs; if it rejects, all callers of the batch get the error
 */
export function batchedByKey<I, O>(
  keyOf: (input: I) => string,
  flush: (key: string, inputs: readonly I[]) => Promise<readonly O[]>,
  { limit }: BatchOptions,
): (input: I) => Promise<O> {
  /** The keys for which a batch is running or about to run. */
  const queues = new Map<string, Waiting<I, O>[]>();

  async function run(key: string, queue: Waiting<I, O>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, limit);
      try {
        const outputs = await flush(
          key,
          batch.map(({ input }) => input),
        );
        for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as O);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(key);
  }

  return (input) =>
    new Promise((resolve, reject) => {
      const key = keyOf(input);
      const waiting = queues.get(key);
      if (waiting !== undefined) {
        waiting.push({ input, resolve, reject });
        return;
      }
      const queue = [{ input, resolve, reject }];
      queues.set(key, queue);
      setImmediate(() => void run(key, queue));
    });
}
