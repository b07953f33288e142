// The addresses of the edge. They are remembered beyond a look, because a CDN gives a few of many each time.

import { BoundedMap } from '../../core/bounded-map.ts';
import type { Addresses } from '../../core/domains/dns-facts.ts';

/** How long an address of the edge counts as one, and how many are remembered. */
const EDGE_MEMORY_MS = 3_600_000;
const EDGE_MEMORY = 1_000;

export class EdgeAddresses {
  /** When each was seen last, in milliseconds of this process. */
  readonly #seen = new BoundedMap<string, number>(EDGE_MEMORY);

  remember(seen: readonly Addresses[]): void {
    for (const address of seen.flatMap(({ a, aaaa }) => [...a, ...aaaa])) this.#seen.set(address, performance.now());
  }

  /** Those of the addresses that were the edge's within the last hour. */
  partOf({ a, aaaa }: Addresses): Addresses {
    const isRecent = (address: string) => (this.#seen.get(address) ?? Number.NEGATIVE_INFINITY) > performance.now() - EDGE_MEMORY_MS;
    return { a: a.filter(isRecent), aaaa: aaaa.filter(isRecent) };
  }
}
