// Changes to a CloudFront KeyValueStore. It has one version for all its keys, and rejects an update that is not based on the current version. Of
// several uncoordinated writers, only one succeeds at a time, so writers in one process share updates, and processes take turns.

import { randomUUID } from 'node:crypto';
import {
  type CloudFrontKeyValueStoreClient,
  ConflictException,
  DescribeKeyValueStoreCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { EdgeFault } from '../../core/domains/ports.ts';
import type { SweepStore } from '../../core/domains/queue.ts';
import { StoreFault } from '../../core/refusal.ts';

/** Keys per UpdateKeys call (API reference). */
const BATCH = 50;
const PATIENCE_MS = 22_000;
/** Upper bound on the random pause after a conflict, in milliseconds: begins at `first`, and doubles with each conflict up to `longest`. */
const PAUSES_MS = { first: 100, longest: 2_000 };

/** Values by key; a key whose value is undefined is to be deleted. */
export type Wanted = ReadonlyMap<string, string | undefined>;

export interface KeyValueChanges {
  /**
   * Changes keys; of several calls, the last one wins. @throws EdgeFault if the store fails or stays busy; some keys may have been changed
   * @param wanted returns the values that the call's keys should have now; `written` has those that this call has written so far. Called, perhaps
   * several times, after the store's version was read: if another writer changes the store afterwards, the update is rejected
   */
  apply(wanted: (written: Wanted) => Promise<Wanted>): Promise<void>;
}

/** Makes processes write one at a time. Without turns, their updates conflict more often, but none is lost. */
export interface Turns {
  /** Waits for a turn. @param patienceMs how long to wait, in milliseconds @returns a function that ends the turn; undefined if none came in time */
  take(patienceMs: number): Promise<(() => Promise<unknown>) | undefined>;
}

export interface ChangeOptions {
  /** @default there is no other process */
  readonly turns?: Turns;
  /** How long a change is attempted, in milliseconds. @default 22,000: less than the time limit of a control API request */
  readonly patienceMs?: number | undefined;
  /** Milliseconds since an arbitrary moment; never set back. @default the process's clock */
  readonly elapsed?: () => number;
  /** @param ms milliseconds */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Returns a number of at least 0 and less than 1. */
  readonly random?: () => number;
}

interface Writer {
  readonly wanted: (written: Wanted) => Promise<Wanted>;
  readonly written: Map<string, string | undefined>;
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Faults of other storage that was read for the change are passed on unchanged. */
function faultOf(error: unknown): StoreFault {
  return error instanceof StoreFault ? error : new EdgeFault(`the edge map: ${error}`, { cause: error });
}

/** Creates a store's `KeyValueChanges`. */
export function createKeyValueChanges(client: CloudFrontKeyValueStoreClient, storeArn: string, options: ChangeOptions = {}): KeyValueChanges {
  const {
    turns,
    patienceMs = PATIENCE_MS,
    elapsed = () => performance.now(),
    wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random = Math.random,
  } = options;
  let writers: Writer[] = [];
  /** Functions to be called once the turn has ended. Each settles the promise of a writer whose changes are done. */
  const outcomes: (() => void)[] = [];
  let isWorking = false;
  let conflicts = 0;
  /** Number of writers whose changes are still to be written one at a time, because their shared update failed. */
  let alone = 0;

  async function work(): Promise<void> {
    isWorking = true;
    while (writers.length > 0) {
      const [first] = writers as [Writer];
      try {
        const endTurn = turns === undefined ? async () => {} : await turns.take(first.until - elapsed());
        if (endTurn === undefined) giveUp(first);
        // A turn that can't be released expires.
        else await round().finally(() => endTurn().catch(() => {}));
      } catch (error) {
        // Any fault rejects all waiting writers.
        for (const writer of writers) end(writer, error);
      }
      for (const tell of outcomes.splice(0)) tell();
    }
    isWorking = false;
  }

  async function round(): Promise<void> {
    const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
    // The values are read after the version, so that the update fails if anything changes from now on.
    const batch = writers.slice(0, alone > 0 ? 1 : BATCH);
    alone = Math.max(0, alone - 1);
    const changed = new Map<string, string | undefined>();
    const shares = await Promise.all(batch.map(async (writer) => ({ writer, changes: await changesOf(writer) })));
    const included = shares.filter(({ changes }) => {
      for (const [key, value] of changes) if (changed.has(key) || changed.size < BATCH) changed.set(key, value);
      return [...changes.keys()].some((key) => changed.has(key));
    });
    if (changed.size === 0) return;
    const [puts, deletes] = [[...changed].filter(([, value]) => value !== undefined), [...changed].filter(([, value]) => value === undefined)];
    try {
      await client.send(
        new UpdateKeysCommand({
          KvsARN: storeArn,
          IfMatch: ETag,
          Puts: puts.map(([Key, Value]) => ({ Key, Value })),
          Deletes: deletes.map(([Key]) => ({ Key })),
        }),
      );
    } catch (error) {
      if (error instanceof ConflictException) return pause(batch);
      if (included.length > 1) alone = included.length;
      else for (const { writer } of included) end(writer, error);
      return;
    }
    conflicts = 0;
    for (const { writer, changes } of included) {
      for (const key of changes.keys()) if (changed.has(key)) writer.written.set(key, changed.get(key));
      // The others continue in the next round, with the values that are current then.
      if ([...changes.keys()].every((key) => changed.has(key))) end(writer);
    }
  }

  /** Returns the changes that a writer still needs. A writer that needs none, or fails, is done. */
  async function changesOf(writer: Writer): Promise<Wanted> {
    try {
      const wanted = await writer.wanted(writer.written);
      const changes = new Map([...wanted].filter(([key, value]) => !writer.written.has(key) || writer.written.get(key) !== value));
      if (changes.size === 0) end(writer);
      return changes;
    } catch (error) {
      end(writer, error);
      return new Map();
    }
  }

  async function pause(batch: readonly Writer[]): Promise<void> {
    for (const writer of batch) if (writer.until <= elapsed()) giveUp(writer);
    await wait(random() * Math.min(PAUSES_MS.longest, PAUSES_MS.first * 2 ** conflicts));
    conflicts += 1;
  }

  const giveUp = (writer: Writer) => end(writer, new EdgeFault(`other writers have kept the edge map busy for ${patienceMs / 1_000} s`));

  function end(writer: Writer, error?: unknown): void {
    writers = writers.filter((other) => other !== writer);
    outcomes.push(() => (error === undefined ? writer.resolve() : writer.reject(faultOf(error))));
  }

  return {
    apply: (wanted) =>
      new Promise((resolve, reject) => {
        writers.push({ wanted, written: new Map(), until: elapsed() + patienceMs, resolve, reject });
        if (!isWorking) void work();
      }),
  };
}

/** Maximum length of a turn, in milliseconds, in case its process dies. If a process exceeds it, its update may be rejected. */
const TURN_MS = 5_000;
/** Maximum pause before another attempt, in milliseconds. */
const PAUSE_MS = 150;

/** Creates a lock with which all processes that use the same store take turns. @param clock milliseconds since 1970 */
export function createTurns(
  store: Pick<SweepStore, 'take' | 'save'>,
  clock: () => number,
  { wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)), random = Math.random }: Pick<ChangeOptions, 'wait' | 'random'> = {},
): Turns {
  return {
    take: async (patienceMs) => {
      const id = randomUUID();
      for (const until = clock() + patienceMs; ; ) {
        const now = clock();
        if ((await store.take('publishing', id, now, now + TURN_MS)) !== undefined) return () => store.save('publishing', id, {}, 0);
        if (clock() >= until) return undefined;
        await wait(random() * PAUSE_MS);
      }
    },
  };
}
