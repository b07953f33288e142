// The edge's addresses. They are remembered between lookups because a CDN returns only a few of many each time.

import { BoundedMap } from '../../core/bounded-map.ts';
import type { Addresses } from '../../core/domains/dns-facts.ts';

/** How long an address counts as the edge's after it was last seen, in milliseconds, and how many are remembered. */
const EDGE_MEMORY_MS = 3_600_000;
const EDGE_MEMORY = 1_000;

/** Remembers up to 1,000 addresses of the edge for an hour each. */
export class EdgeAddresses {
  /** When each address was last seen, by `performance.now()`. */
  readonly #seen = new BoundedMap<string, number>(EDGE_MEMORY);

  remember(seen: readonly Addresses[]): void {
    for (const address of seen.flatMap(({ a, aaaa }) => [...a, ...aaaa])) this.#seen.set(address, performance.now());
  }

  /** Returns the given addresses that the edge had within the last hour. */
  partOf({ a, aaaa }: Addresses): Addresses {
    const isRecent = (address: string) => (this.#seen.get(address) ?? Number.NEGATIVE_INFINITY) > performance.now() - EDGE_MEMORY_MS;
    return { a: a.filter(isRecent), aaaa: aaaa.filter(isRecent) };
  }
}
