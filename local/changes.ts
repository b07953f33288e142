// The service while its installation is being moved: it refuses requests that would change something, ends background work, and waits for work in
// progress. Then it releases the lock for changes, for which the move is waiting.

import type { Logger } from '@aws-lambda-powertools/logger';
import type { Changes } from '../core/ports.ts';
import { areStopped, beginChanges, isUnfinished, stopText } from '../platforms/embedded/changes.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';

/** How often the service checks whether to stop changes or to allow them, in milliseconds. */
const POLL_MS = 200;

/** Ends work; resolves once everything in progress is done. */
type End = () => Promise<unknown>;

/** Coordinates a service's changes to its data folder. */
export interface ServiceChanges extends Changes {
  /** Returns a signal that is aborted when changes are stopped, and replaced once they are allowed again. */
  stopping(): AbortSignal;
  /** Resolves when all followed work has ended. */
  followed(): Promise<void>;
  /** Runs background work whenever changes are allowed: ends it when they are stopped, and starts it again later. Rejects if it can't be started. */
  run(start: () => End | Promise<End>): Promise<void>;
  /** Ends all background work. Can be called repeatedly. */
  end(): Promise<void>;
  /** Ends everything; another process may then change the folder. */
  close(): Promise<void>;
}

interface Part {
  readonly start: () => Promise<End>;
  /** The latest start or end, each of which waits for the previous one. Resolves with the function that ends the part, if it runs. */
  turn: Promise<End | undefined>;
}

/**
 * Registers the service for changes to a data folder, once they are allowed, as they always are if an adapter stores the installation.
 * @param kind as for beginChanges @param onFault called if background work can't be started again
 */
export function openChanges(
  { settings: { dataFolder }, isShared, setReadOnly }: Pick<DataFolder, 'settings' | 'isShared' | 'setReadOnly'>,
  kind: Parameters<typeof beginChanges>[1],
  logger: Pick<Logger, 'warn'>,
  onFault: (error: unknown) => void,
): ServiceChanges {
  const parts: Part[] = [];
  const inProgress = new Set<Promise<unknown>>();
  let release = isShared ? () => {} : beginChanges(dataFolder, kind);
  let isStopped = release === undefined;
  let isEnded = false;
  let isReported = false;
  let stopping = new AbortController();

  const followed = async () => void (await Promise.allSettled(inProgress));
  const startPart = (part: Part) => {
    part.turn = part.turn.then(part.start, part.start);
  };
  const endParts = async () => {
    for (const part of parts)
      part.turn = part.turn.then(
        async (end) => void (await end?.()),
        () => undefined,
      );
    await Promise.all(parts.map(({ turn }) => turn));
  };

  function stop(): void {
    isStopped = true;
    logger.warn(stopText(dataFolder));
    const controller = stopping;
    controller.abort();
    Promise.all([followed(), endParts()]).then(() => {
      // Changes may have been allowed again meanwhile.
      if (isEnded || controller !== stopping) return;
      setReadOnly(true);
      release?.();
      release = undefined;
    }, onFault);
  }

  function allow(): void {
    release ??= beginChanges(dataFolder, kind);
    if (release === undefined) return;
    setReadOnly(false);
    isStopped = false;
    isReported = false;
    stopping = new AbortController();
    logger.warn(`${dataFolder} accepts changes again`);
    for (const part of parts) {
      startPart(part);
      part.turn.catch(onFault);
    }
  }

  /** Logs once that the move did not finish, because no other process says what to do. */
  function reportUnfinished(): void {
    if (isReported || !isStopped || !isUnfinished(dataFolder)) return;
    isReported = true;
    logger.warn(stopText(dataFolder));
  }

  if (isStopped) {
    setReadOnly(true);
    isReported = isUnfinished(dataFolder);
    logger.warn(stopText(dataFolder));
  }
  const timer = setInterval(() => {
    try {
      if (isShared) return;
      if (areStopped(dataFolder) === isStopped) reportUnfinished();
      else if (isStopped) allow();
      else stop();
    } catch (error) {
      onFault(error);
    }
  }, POLL_MS);

  const end = () => {
    isEnded = true;
    clearInterval(timer);
    return endParts();
  };
  return {
    isStopped: () => isStopped,
    stopping: () => stopping.signal,
    follow: (work) => {
      inProgress.add(work);
      const forget = () => inProgress.delete(work);
      work.then(forget, forget);
      return work;
    },
    followed,
    run: async (start) => {
      const part: Part = { start: async () => start(), turn: Promise.resolve(undefined) };
      parts.push(part);
      if (!isStopped) startPart(part);
      await part.turn;
    },
    end,
    close: async () => {
      await end();
      release?.();
    },
  };
}
