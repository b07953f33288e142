// Keeps a fault within the work that caused it. A fault in a timer or socket callback can't be handled where the work's promise is awaited, and would
// end the process. Node runs all callbacks in the context in which their work began (AsyncLocalStorage), so a fault can be attributed to its work.

import { AsyncLocalStorage } from 'node:async_hooks';

type OnFault = (error: unknown) => void;

const owners = new AsyncLocalStorage<OnFault>();

/** Runs the work; rejects with its faults, including its callbacks'. @param onFault called with a fault after the work has ended */
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

/** Starts something long-lived, such as a server, which continues after faults in its callbacks. The faults are reported. */
export function containServer<T>(onFault: OnFault, start: () => T): T {
  return owners.run(onFault, start);
}

/**
 * From now on, attributes uncaught faults to the work that caused them, until the returned function is called.
 * @param onStray called with a fault that belongs to no work; the process should then end, because its state is unknown
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
