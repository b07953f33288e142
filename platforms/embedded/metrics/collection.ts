// Values that are read when someone asks for the metrics, and not counted as things happen.

import type { Family, Registry } from '../../../core/metrics/registry.ts';
import { FAMILIES } from './families.ts';

/** Metrics that are read together, and are all left out if they can't be read. */
export interface Part {
  readonly name: string;
  /** What it sets. */
  readonly families: readonly Family[];
  /** Sets the values. What it throws is counted. */
  readonly collect: (registry: Registry) => Promise<void> | void;
}

/** How long values are used again, in milliseconds, however many scrapers ask. */
const FRESH_MS = 5_000;

/**
 * Creates a function that reads all parts, at most once in 5 s.
 *
 * @param clock milliseconds since 1970
 */
export function createCollection(registry: Registry, parts: readonly Part[], clock: () => number): () => Promise<void> {
  let latest: { readonly at: number; readonly done: Promise<unknown> } | undefined;
  for (const { name } of parts) registry.cell(FAMILIES.collectionErrors, name);

  async function collect({ name, families, collect: read }: Part): Promise<void> {
    // A series that is no longer there, such as a state without domains, must not keep its last value.
    registry.forget(families);
    try {
      await read(registry);
    } catch {
      registry.forget(families);
      registry.cell(FAMILIES.collectionErrors, name).value += 1;
    }
  }

  return async () => {
    const now = clock();
    // A clock that is set back must not keep old values.
    if (latest === undefined || Math.abs(now - latest.at) >= FRESH_MS) latest = { at: now, done: Promise.all(parts.map(collect)) };
    await latest.done;
  };
}
