// The catalogue's part of the bill, which grows with its requests.

import type { PriceName } from './prices.ts';
import { gbSecondsPerCall, LOG_KB_PER_REQUEST, REQUEST_KINDS, type RequestKind, type RequestKindName, TRACED_SHARE } from './requests.ts';
import { LOG_MONTHS, MEMORY_MB, PROBE_SERVICE_METRICS, SERVICE_METRICS } from './stage-facts.ts';
import { ASSUMED, type Usage } from './usage.ts';

/** A row before its price. */
export interface Line {
  readonly what: string;
  readonly price: PriceName;
  /** In the price's units. */
  readonly quantity: number;
}

export const MONTH_HOURS = 730;
const MONTH_SECONDS = MONTH_HOURS * 3_600;
export const MILLION = 1e6;
export const KB_PER_GB = 1e6;

/** Logs of a month: their ingestion, and the storage of all months that are kept. */
export function logLines(what: string, gb: number, { profile }: Usage): readonly Line[] {
  return [
    { what: `${what}: logs written`, price: 'logsIngested', quantity: gb },
    { what: `${what}: logs stored`, price: 'logsStored', quantity: gb * LOG_MONTHS[profile] * ASSUMED.logCompression },
  ];
}

/**
 * Traces of a function's calls in a month: the first call of each second, and a share of the others. Calls are assumed to arrive at random times.
 */
export function tracesOf(calls: number): number {
  const firsts = MONTH_SECONDS * (1 - Math.exp(-calls / MONTH_SECONDS));
  return firsts + (calls - firsts) * TRACED_SHARE;
}

/** Returns the rows of the catalogue's requests. */
export function catalogueLines(usage: Usage): readonly Line[] {
  const { requests, mix, ms, storageGb } = usage;
  const millions = requests / MILLION;
  const sum = (of: (kind: RequestKind) => number) =>
    (Object.entries(mix) as [RequestKindName, number][]).reduce((total, [kind, share]) => total + share * of(REQUEST_KINDS[kind]), 0);
  const copies = (millions * sum(({ admission }) => admission) * ASSUMED.historyWrites) / ASSUMED.requestsPerActiveMinute;
  return [
    { what: 'HTTP API', price: 'httpApiRequests', quantity: millions },
    { what: 'Data to the internet', price: 'dataOut', quantity: (requests * sum(({ responseKb }) => responseKb)) / KB_PER_GB },
    { what: 'Lambda: calls', price: 'lambdaRequests', quantity: millions },
    { what: `Lambda: ${ms} ms each`, price: 'lambdaGbSeconds', quantity: millions * gbSecondsPerCall(MEMORY_MB.catalogue, ms) },
    { what: 'DynamoDB: admission', price: 'writeUnits', quantity: millions * sum(({ admission }) => admission) },
    { what: 'DynamoDB: usage history', price: 'writeUnits', quantity: copies },
    { what: 'DynamoDB: reads', price: 'readUnits', quantity: millions * sum(({ reads }) => reads) },
    { what: 'DynamoDB: writes', price: 'writeUnits', quantity: millions * sum(({ writes }) => writes) },
    { what: 'DynamoDB: storage', price: 'tableStorage', quantity: storageGb },
    { what: 'DynamoDB: point-in-time recovery', price: 'tableBackup', quantity: storageGb },
    ...logLines('Catalogue', (requests * LOG_KB_PER_REQUEST) / KB_PER_GB, usage),
    { what: 'X-Ray: traces', price: 'traces', quantity: tracesOf(requests) / MILLION },
    // Those that the probe causes are fixed.
    { what: 'Metrics of the service', price: 'metrics', quantity: requests > 0 ? SERVICE_METRICS - PROBE_SERVICE_METRICS : 0 },
    // A table's key is cached for each of its callers for five minutes; the function uses three tables.
    { what: 'KMS: keys of the tables', price: 'kmsRequests', quantity: kmsRequests(3, requests) },
  ];
}

/** KMS requests of a month, in ten thousands (DynamoDB Developer Guide, "DynamoDB encryption at rest"). @param pairs of a caller and a table */
export function kmsRequests(pairs: number, calls: number): number {
  return (pairs * Math.min(calls, MONTH_HOURS * 12)) / 10_000;
}
