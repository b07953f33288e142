// A fault ends the work that it comes from, and nothing else. Most faults reject a promise, and are handled where it is awaited; one that is
// thrown in a callback of a timer or a socket can't be, and would end the process. Node keeps the context that work began in for all
// that comes of it (AsyncLocalStorage), so that such a fault can be given to the work that it belongs to.

import { AsyncLocalStorage } from 'node:async_hooks';

type OnFault = (error: unknown) => void;

const owners = new AsyncLocalStorage<OnFault>();

/**
 * Runs the work.
 *
 * @param onFault called with faults that come after its end: they are nobody's result any more
 * @returns what it returns; rejects with its faults, also with those of its callbacks
 */
export function contain<T>(work: () => Promise<T>, onFault: OnFault): Promise<T> {
  return new Promise((resolve, reject) => {
    let ended = false;
    const own: OnFault = (error) => {
      if (ended) onFault(error);
      else reject(error);
      ended = true;
    };
    owners.run(own, () => {
      work().then((result) => {
        ended = true;
        resolve(result);
      }, own);
    });
  });
}

/** Runs what starts something that goes on, such as a server: faults of all its callbacks are reported, and it goes on. */
export function containServer<T>(onFault: OnFault, start: () => T): T {
  return owners.run(onFault, start);
}

/**
 * From now on faults that nothing catches are given to the work that they belong to.
 *
 * @param onStray called with a fault that belongs to none; the process should end then, because nothing is known of its state
 * @returns undoes it
 */
export function catchStrayFaults(onStray: OnFault): () => void {
  const onFault = (error: unknown) => (owners.getStore() ?? onStray)(error);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);
  return () => {
    process.off('uncaughtException', onFault);
    process.off('unhandledRejection', onFault);
  };
}
