// The part of the bill that grows with custom domains and their visitors.

import {
  CERTIFICATE_SCHEDULE,
  DNS_SCHEDULE,
  LIVE_CHECK_MS,
  LIVE_SCHEDULE,
  type Schedule,
  TEARDOWN_SCHEDULE,
  waitAfter,
} from '../../../core/domains/schedule.ts';
import { kmsRequests, type Line, logLines, MILLION, MONTH_HOURS } from './catalogue-lines.ts';
import { EDGE_SWEEPS } from './fixed-lines.ts';
import { PRICES } from './prices.ts';
import { gbSecondsPerCall, LOG_KB_PER_MISSING_PAGE, MISSING_PAGE_MS, READS_PER_MISSING_PAGE, TRACED_SHARE } from './requests.ts';
import { MEMORY_MB, STATES_PER_WAIT, STATES_TO_LIVE, STATES_TO_REMOVED, STEPS_TO_LIVE, STEPS_TO_REMOVED } from './stage-facts.ts';
import { ASSUMED, type Usage } from './usage.ts';

const MINUTE_MS = 60_000;
/** CloudFront SaaS Manager: the first tenants are free, and one price covers the next. */
const FREE_TENANTS = 10;
const BASE_TENANTS = 200;
/** Keys in a page of the edge map: the API's maximum, which adapters/edge/key-value-map.ts requests. */
export const KEYS_PER_PAGE = 50;
/**
 * Calls of the KeyValueStore API: attach (describe, update), detach (describe, get, update) and a deployment (describe, update), each with what two
 * hourly sweeps repeat, with others in the same update (and get for a host that is gone).
 */
const MAP_CALLS = { attach: 2 + 1, detach: 3 + 3, deployment: 2 + 1 } as const;
/** Once a week, each project is published again, with others in the same update: at least with half of those that are looked at (`AT_ONCE` in service/workflow/sweep-orphans.ts). */
const WEEKLY_MAP_CALLS = 2;
const PUBLISHED_AT_ONCE = 16 / 2;
const WEEKS = MONTH_HOURS / 24 / 7;
/**
 * Units of storage for a step or a daily check. Reads: the domain, its account and project, its claims. Writes: the domain in a transaction (2), its
 * entry in the index of due domains, which moves (2), and the lock of the host in the same transaction (2).
 */
const STEP_UNITS = { reads: 6, writes: 6 } as const;
/**
 * Units of storage for a notification to one or two members: it is added (4 in a transaction, with the index), claimed, marked, and finished, each with
 * its entry in the index; names, members and settings are read.
 */
const NOTIFICATION_UNITS = { reads: 10, writes: 14 } as const;
/** Of a domain's life: it is live, and it is removed. */
const NOTIFICATIONS_PER_LIFE = 2;
/** Of the sweep of the edge, for each domain: its claims, its project and the domain of its tenant. */
const EDGE_SWEEP_READS = 4;
/** Log files of both distributions in an hour with visits (CloudFront Developer Guide: "up to several times an hour"). */
const LOG_FILES_PER_HOUR = 12;

/** Reads of the edge map for each request: the host, and its project. */
const MAP_READS = 2;

/** Returns the list price of what visitors caused, in US dollars: CloudFront's requests and data, the function in front of the cache, and the edge map. */
export function visitorsUsd(requests: number, bytes: number): number {
  const perMillion = PRICES.cdnRequests.usd + PRICES.cdnFunctions.usd + MAP_READS * PRICES.mapReads.usd;
  return (requests * perMillion) / MILLION + (bytes * PRICES.cdnDataOut.usd) / 1e9;
}

/** Returns the number of waits until `minutes` have passed, or the schedule has ended. */
export function waitsWithin(schedule: Schedule, minutes: number): number {
  let waits = 0;
  for (let passed = 0; passed < minutes * MINUTE_MS; waits += 1) {
    const wait = waitAfter(schedule, waits + 1);
    if (wait === undefined) break;
    passed += wait;
  }
  return waits;
}

/** Waits of a domain's workflow: until it is live, and until it is removed. */
const WAITS =
  waitsWithin(DNS_SCHEDULE, ASSUMED.dnsMinutes) +
  waitsWithin(CERTIFICATE_SCHEDULE, ASSUMED.certificateMinutes) +
  waitsWithin(LIVE_SCHEDULE, ASSUMED.edgeMinutes) +
  waitsWithin(TEARDOWN_SCHEDULE, ASSUMED.teardownMinutes);

/** State transitions of a domain's life, with one for the start of each execution. */
export const TRANSITIONS_PER_LIFE = 2 + STATES_TO_LIVE + STATES_TO_REMOVED + STATES_PER_WAIT * WAITS;
/** Calls of the function for the steps. */
const STEPS_PER_LIFE = STEPS_TO_LIVE + STEPS_TO_REMOVED + WAITS;

/** State transitions in a month of a domain whose record never appears: up to CheckDns and its choice at first, and again after each wait. */
export const TRANSITIONS_WITHOUT_RECORD = 5 + STATES_PER_WAIT * waitsWithin(DNS_SCHEDULE, MONTH_HOURS * 60);

/** Returns the rows of custom domains and of the sites on them. */
export function domainLines(usage: Usage): readonly Line[] {
  const { domains, newDomains, siteRequests, siteGb } = usage;
  const steps = newDomains * STEPS_PER_LIFE;
  const transitions = newDomains * TRANSITIONS_PER_LIFE;
  const checks = (domains * MONTH_HOURS * 3_600_000) / LIVE_CHECK_MS;
  const edgeChecks = domains * EDGE_SWEEPS;
  const notifications = newDomains * NOTIFICATIONS_PER_LIFE;
  const missing = siteRequests * ASSUMED.missingPageShare;
  const deployments = domains * ASSUMED.deploymentsPerDomain;
  // Each domain has a key, and at most one project.
  const pages = Math.max(0, Math.ceil((2 * domains) / KEYS_PER_PAGE) - 1);
  const gbSeconds =
    steps * gbSecondsPerCall(MEMORY_MB.steps, ASSUMED.stepMs) +
    checks * gbSecondsPerCall(MEMORY_MB.sweep, ASSUMED.checkMs) +
    edgeChecks * gbSecondsPerCall(MEMORY_MB.sweep, ASSUMED.edgeSweepMs) +
    missing * gbSecondsPerCall(MEMORY_MB.failover, MISSING_PAGE_MS);
  return [
    { what: 'CloudFront: tenants, up to 200', price: 'tenantsBase', quantity: domains > FREE_TENANTS ? 1 : 0 },
    { what: 'CloudFront: tenants above 200', price: 'tenants', quantity: Math.max(0, domains - BASE_TENANTS) },
    { what: 'CloudFront: requests', price: 'cdnRequests', quantity: siteRequests / MILLION },
    { what: 'CloudFront: data to visitors', price: 'cdnDataOut', quantity: siteGb },
    { what: 'CloudFront: function', price: 'cdnFunctions', quantity: siteRequests / MILLION },
    { what: 'Edge map: reads', price: 'mapReads', quantity: (MAP_READS * siteRequests) / MILLION },
    {
      what: 'Edge map: calls for domains and deployments',
      price: 'mapCalls',
      quantity: (newDomains * (MAP_CALLS.attach + MAP_CALLS.detach) + deployments * MAP_CALLS.deployment) / 1_000,
    },
    {
      what: 'Edge map: calls of the sweep',
      price: 'mapCalls',
      quantity: (EDGE_SWEEPS * pages + (WEEKS * WEEKLY_MAP_CALLS * domains) / PUBLISHED_AT_ONCE) / 1_000,
    },
    { what: 'Step Functions', price: 'stateTransitions', quantity: transitions / 1_000 },
    { what: 'Lambda: steps and missing pages', price: 'lambdaRequests', quantity: (steps + missing) / MILLION },
    { what: 'Lambda: steps, checks, missing pages', price: 'lambdaGbSeconds', quantity: gbSeconds / MILLION },
    { what: 'DynamoDB: reads', price: 'readUnits', quantity: ((steps + checks) * STEP_UNITS.reads + edgeChecks * EDGE_SWEEP_READS) / MILLION },
    { what: 'DynamoDB: writes', price: 'writeUnits', quantity: ((steps + checks) * STEP_UNITS.writes) / MILLION },
    { what: 'DynamoDB: reads for notifications', price: 'readUnits', quantity: (notifications * NOTIFICATION_UNITS.reads) / MILLION },
    { what: 'DynamoDB: writes for notifications', price: 'writeUnits', quantity: (notifications * NOTIFICATION_UNITS.writes) / MILLION },
    { what: 'S3: storage', price: 'objectStorage', quantity: (domains * ASSUMED.siteMbPerDomain) / 1_000 },
    { what: 'S3: uploads', price: 'objectWrites', quantity: (deployments * ASSUMED.filesPerDeployment) / 1_000 },
    { what: 'S3: logs of visits', price: 'objectWrites', quantity: Math.min(siteRequests, MONTH_HOURS * LOG_FILES_PER_HOUR) / 1_000 },
    { what: 'DynamoDB: writes for visits', price: 'writeUnits', quantity: Math.min(siteRequests, domains * MONTH_HOURS) / MILLION },
    { what: 'S3: reads', price: 'objectReads', quantity: (siteRequests * ASSUMED.cacheMissShare + missing * READS_PER_MISSING_PAGE) / MILLION },
    ...logLines(
      'Domains',
      (steps * ASSUMED.logKbPerStep + transitions * ASSUMED.logKbPerTransition + missing * LOG_KB_PER_MISSING_PAGE) / 1e6,
      usage,
    ),
    // An execution is one trace.
    { what: 'X-Ray: traces', price: 'traces', quantity: (2 * newDomains + missing * TRACED_SHARE) / MILLION },
    // The CNAME below the edge name, where Route 53 has it; resolvers cache it.
    { what: 'Route 53: queries for targets', price: 'dnsQueries', quantity: (siteRequests * ASSUMED.cacheMissShare) / MILLION },
    { what: 'KMS: key of the table', price: 'kmsRequests', quantity: kmsRequests(1, steps) },
  ];
}
