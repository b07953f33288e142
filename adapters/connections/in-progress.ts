// What stopping waits for: responses, and connections that another server has taken over.

export interface InProgress {
  /** Counts work until it emits `close`. */
  begin(work: NodeJS.EventEmitter): void;
  /** Resolves when nothing is in progress. */
  ended(): Promise<void>;
}

/** Creates an empty count. */
export function createInProgress(): InProgress {
  let open = 0;
  let end = () => {};
  return {
    begin: (work) => {
      open += 1;
      work.once('close', () => {
        open -= 1;
        if (open === 0) end();
      });
    },
    ended: () =>
      new Promise<void>((resolve) => {
        end = resolve;
        if (open === 0) resolve();
      }),
  };
}
