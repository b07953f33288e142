// What visitors of a site cost.

import { PRICES } from './prices.ts';

/** Reads of the edge map for each request: the host, and its project. */
export const MAP_READS = 2;

/** Returns the list price of what visitors caused, in US dollars: CloudFront's requests and data, the function in front of the cache, and the edge map. */
export function visitorsUsd(requests: number, bytes: number): number {
  const perMillion = PRICES.cdnRequests.usd + PRICES.cdnFunctions.usd + MAP_READS * PRICES.mapReads.usd;
  return (requests * perMillion) / 1e6 + (bytes * PRICES.cdnDataOut.usd) / 1e9;
}
