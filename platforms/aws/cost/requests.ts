// What a request to the catalogue costs. docs/operations.md, "What it costs", prints the formula and the table; a test compares them.

import { PRICES } from './prices.ts';
import { MEMORY_MB } from './stage-facts.ts';

export interface RequestKind {
  /** As in the table of docs/operations.md. */
  readonly label: string;
  /** Write units for admission. */
  readonly admission: number;
  readonly reads: number;
  /** Write units besides admission. */
  readonly writes: number;
  /** Kilobytes that leave AWS: head and body, measured on one machine. */
  readonly responseKb: number;
}

export const REQUEST_KINDS = {
  list: { label: 'list, 20 animals', admission: 1, reads: 1, writes: 0, responseKb: 2.3 },
  filter: { label: 'list with a filter', admission: 1, reads: 0.5, writes: 0, responseKb: 2.3 },
  get: { label: 'get', admission: 1, reads: 1, writes: 0, responseKb: 0.6 },
  create: { label: 'create', admission: 1, reads: 0, writes: 2, responseKb: 0.5 },
  idempotent: { label: 'create with `Idempotency-Key`', admission: 1, reads: 0, writes: 5, responseKb: 0.5 },
  refused: { label: 'refused, repeated from memory', admission: 0, reads: 0, writes: 0, responseKb: 0.5 },
  keyless: { label: 'no key, or a malformed one', admission: 0, reads: 0, writes: 0, responseKb: 0.5 },
  unknown: { label: 'an unknown key', admission: 1, reads: 0, writes: 0, responseKb: 0.5 },
} as const satisfies Readonly<Record<string, RequestKind>>;

export type RequestKindName = keyof typeof REQUEST_KINDS;

/** Shares of the kinds, from 0 to 1; kinds that are left out have none. */
export type RequestMix = Readonly<Partial<Record<RequestKindName, number>>>;

/** Logs of a request: its line, its metrics and its line in the access log. */
export const LOG_KB_PER_REQUEST = 1.4;
/** X-Ray records the first request of each second, and this share of the others (X-Ray Developer Guide, "Configuring sampling rules"). */
export const TRACED_SHARE = 0.05;

/** Million GB-s for a million calls of a function that take `ms` milliseconds each. */
export function gbSecondsPerCall(memoryMb: number, ms: number): number {
  return ((memoryMb / 1_024) * ms) / 1_000;
}

/** US dollars for a million requests of a kind, without data transfer. @param ms mean duration of the function, in milliseconds */
export function costPerMillion(kind: RequestKindName, ms: number): number {
  const { admission, reads, writes } = REQUEST_KINDS[kind];
  return (
    PRICES.httpApiRequests.usd +
    PRICES.lambdaRequests.usd +
    PRICES.lambdaGbSeconds.usd * gbSecondsPerCall(MEMORY_MB.catalogue, ms) +
    PRICES.writeUnits.usd * (admission + writes) +
    PRICES.readUnits.usd * reads +
    PRICES.logsIngested.usd * LOG_KB_PER_REQUEST +
    PRICES.traces.usd * TRACED_SHARE
  );
}

/** S3 requests for a missing page: CloudFront's own, up to four lookups, and `404.html`. */
export const READS_PER_MISSING_PAGE = 6;
export const MISSING_PAGE_MS = 80;
export const LOG_KB_PER_MISSING_PAGE = 0.5;

/** US dollars for a million missing pages that are not in CloudFront's cache, besides what CloudFront charges. */
export function costPerMillionMissingPages(): number {
  return (
    PRICES.lambdaRequests.usd +
    PRICES.lambdaGbSeconds.usd * gbSecondsPerCall(MEMORY_MB.failover, MISSING_PAGE_MS) +
    PRICES.objectReads.usd * READS_PER_MISSING_PAGE +
    PRICES.logsIngested.usd * LOG_KB_PER_MISSING_PAGE +
    PRICES.traces.usd * TRACED_SHARE
  );
}
