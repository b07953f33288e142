// Makes one installation's records equal to another's. Both are read in the order of their keys and compared, and only differences are written, so
// the work can be stopped and restarted at any point.

import { createHash, type Hash } from 'node:crypto';
import { RECORD_KINDS, type RecordKindName, type RecordValue, type StoredRecord } from './kinds.ts';

const BATCH = 500;

/** Where the records of one kind are written. */
export interface RecordTarget {
  page(after?: StoredRecord): Promise<readonly StoredRecord[]>;
  put(records: readonly StoredRecord[]): Promise<void>;
  remove(records: readonly StoredRecord[]): Promise<void>;
}

/** What a pass over one kind has found and done. */
export interface Synchronized {
  /** Records of the source. */
  readonly records: number;
  /** Records that were missing at the target, or differed there. */
  readonly written: number;
  /** Records that only the target had. */
  readonly removed: number;
  /** SHA-256, in hexadecimal, of all records in the source, and of those found in the target. Both are equal if nothing was written or removed. */
  readonly source: string;
  readonly target: string;
}

/** @param onProgress called with the number of the source's records read so far */
export async function synchronize(
  kind: RecordKindName,
  source: Iterable<StoredRecord> | AsyncIterable<StoredRecord>,
  target: RecordTarget,
  onProgress: (records: number) => void = () => {},
): Promise<Synchronized> {
  const digests = { source: createHash('sha256'), target: createHash('sha256') };
  const counts = { records: 0, written: 0, removed: 0 };
  const [written, removed]: [StoredRecord[], StoredRecord[]] = [[], []];
  const flush = async (least: number) => {
    if (removed.length >= least) await target.remove(removed.splice(0));
    if (written.length >= least) await target.put(written.splice(0));
  };
  const there = recordsOf(target);
  let next = await there.next();
  /** Moves past the target's records that come before a record of the source. */
  const pass = async (record: StoredRecord | undefined) => {
    for (; !next.done && (record === undefined || compareKeys(kind, next.value, record) < 0); next = await there.next()) {
      textOf(next.value, digests.target);
      removed.push(next.value);
      counts.removed += 1;
      if (removed.length >= BATCH) await flush(BATCH);
    }
  };
  for await (const record of source) {
    await pass(record);
    counts.records += 1;
    const text = textOf(record, digests.source);
    let isEqual = false;
    if (!next.done && compareKeys(kind, next.value, record) === 0) {
      isEqual = textOf(next.value, digests.target) === text;
      next = await there.next();
    }
    if (!isEqual) {
      written.push(record);
      counts.written += 1;
    }
    if (written.length >= BATCH) await flush(BATCH);
    if (counts.records % BATCH === 0) onProgress(counts.records);
  }
  await pass(undefined);
  await flush(1);
  onProgress(counts.records);
  return { ...counts, source: digests.source.digest('hex'), target: digests.target.digest('hex') };
}

async function* recordsOf(target: RecordTarget): AsyncGenerator<StoredRecord, undefined> {
  for (let page = await target.page(); page.length > 0; page = await target.page(page.at(-1))) yield* page;
  return undefined;
}

/** Compares records by key: negative if the first comes before the second. */
export function compareKeys(kind: RecordKindName, first: StoredRecord, second: StoredRecord): number {
  for (let column = 0; column < RECORD_KINDS[kind].key; column += 1) {
    const order = compareValues(first[column] ?? null, second[column] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(first: RecordValue, second: RecordValue): number {
  if (first === second) return 0;
  // Compared as UTF-8, because UTF-16 code units sort characters above U+FFFF differently.
  if (typeof first === 'string' && typeof second === 'string') return Buffer.compare(Buffer.from(first), Buffer.from(second));
  return (first ?? 0n) < (second ?? 0n) ? -1 : 1;
}

/** Returns a record as text, and adds it to the digest. Equal texts mean equal records of a kind, because each column has one type. */
function textOf(record: StoredRecord, digest: Hash): string {
  const text = JSON.stringify(record, (_, value) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  });
  digest.update(text).update('\n');
  return text;
}
