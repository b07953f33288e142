// Changes of a CloudFront KeyValueStore. It has one version for all its keys, and refuses an update of another version than the current one: of
// writers that know nothing of each other, only one at a time succeeds. Those of a process share their updates, and processes take turns.

import {
  type CloudFrontKeyValueStoreClient,
  ConflictException,
  DescribeKeyValueStoreCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { StoreFault } from '../../core/store-fault.ts';

/** Keys per UpdateKeys call (API reference). */
const BATCH = 50;
/** How long a change is tried, in milliseconds: less than what a request to the control API may take. */
const PATIENCE_MS = 15_000;
/** The pauses after a conflict, in milliseconds: anything up to the first, then up to twice as much each time, at most up to the longest. */
const PAUSES_MS = { first: 100, longest: 2_000 };

/** Values by key. Undefined: the key is to be deleted. */
export type Wanted = ReadonlyMap<string, string | undefined>;

export interface KeyValueChanges {
  /**
   * Changes keys. If several calls change a key, the value of the last call counts.
   *
   * @param wanted computes from what is current the keys that matter; `written` are those that this call has changed. Called after the store's
   * version was read: an update is refused if others have changed the store since
   * @throws StoreFault `unavailable` if other writers keep the store busy; some of the keys may be changed
   */
  apply(wanted: (written: Wanted) => Promise<Wanted>): Promise<void>;
}

/** Has processes write one after another. Without it, they hold each other up; nothing is lost. */
export interface Turns {
  /**
   * Waits for a turn.
   *
   * @param patienceMs how long to wait, in milliseconds
   * @returns ends the turn; undefined if there was none in time
   */
  take(patienceMs: number): Promise<(() => Promise<unknown>) | undefined>;
}

export interface ChangeOptions {
  /** @default there is no other process */
  readonly turns?: Turns;
  /** Milliseconds, from any moment on; never set back. @default the process's */
  readonly elapsed?: () => number;
  /** @param ms milliseconds */
  readonly wait?: (ms: number) => Promise<unknown>;
  /** At least 0, less than 1. */
  readonly random?: () => number;
}

interface Writer {
  readonly wanted: (written: Wanted) => Promise<Wanted>;
  readonly written: Map<string, string | undefined>;
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the changes of a store. */
export function createKeyValueChanges(client: CloudFrontKeyValueStoreClient, storeArn: string, options: ChangeOptions = {}): KeyValueChanges {
  const {
    turns,
    elapsed = () => performance.now(),
    wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random = Math.random,
  } = options;
  let writers: Writer[] = [];
  let isWorking = false;
  let conflicts = 0;
  /** Writers that get an update each, because one that they shared was refused. */
  let alone = 0;

  async function work(): Promise<void> {
    isWorking = true;
    while (writers.length > 0) {
      const [first] = writers as [Writer];
      try {
        const endTurn = turns === undefined ? async () => {} : await turns.take(first.until - elapsed());
        if (endTurn === undefined) giveUp(first);
        else await round().finally(endTurn);
      } catch (error) {
        // Whatever it is, the writers hear of it.
        for (const writer of writers.splice(0)) writer.reject(error);
      }
    }
    isWorking = false;
  }

  async function round(): Promise<void> {
    const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
    // After the version: what changes from now on makes the update fail.
    const batch = writers.slice(0, alone > 0 ? 1 : BATCH);
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
    alone = Math.max(0, alone - 1);
    for (const { writer, changes } of included) {
      for (const key of changes.keys()) if (changed.has(key)) writer.written.set(key, changed.get(key));
      // The others continue with what is current in the next round.
      if ([...changes.keys()].every((key) => changed.has(key))) end(writer);
    }
  }

  /** Returns the changes that a writer still needs. One that needs none is done, and so is one that fails. */
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

  const giveUp = (writer: Writer) =>
    end(writer, new StoreFault('unavailable', `other writers have kept the edge map busy for ${PATIENCE_MS / 1_000} s`));

  function end(writer: Writer, error?: unknown): void {
    writers = writers.filter((other) => other !== writer);
    if (error === undefined) writer.resolve();
    else writer.reject(error);
  }

  return {
    apply: (wanted) =>
      new Promise((resolve, reject) => {
        writers.push({ wanted, written: new Map(), until: elapsed() + PATIENCE_MS, resolve, reject });
        if (!isWorking) void work();
      }),
  };
}
