// Tables of the intervals between checks, and between attempts at a certificate. The intervals grow, because a check every minute for 48 hours would
// exceed the 25,000 events that a Step Functions execution may have: 165 checks in 48 hours are about 1,500 events. Most tables have no end: whatever
// may resolve itself is tried again until the domain is removed.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../limits/windows.ts';

const SECOND_MS = 1_000;

interface Row {
  readonly everySeconds: number;
  readonly times: number;
}

export type Schedule = readonly Row[];

const FOREVER = Number.POSITIVE_INFINITY;

/** DNS: propagation takes up to 48 hours (specification, section 4). Then every 6 hours for two weeks, and once a week after that. */
export const DNS_SCHEDULE: Schedule = [
  { everySeconds: 30, times: 10 },
  { everySeconds: 60, times: 25 },
  { everySeconds: 300, times: 18 },
  { everySeconds: 900, times: 40 },
  { everySeconds: 1_800, times: 72 },
  { everySeconds: 21_600, times: 56 },
  { everySeconds: 604_800, times: FOREVER },
];
/** The number of checks in the first 48 hours. */
export const DNS_CHECKS_IN_48_HOURS = 165;

/** Certificates that an authority is working on: most take minutes; a request expires after 72 hours. */
export const CERTIFICATE_SCHEDULE: Schedule = [
  { everySeconds: 15, times: 8 },
  { everySeconds: 30, times: 16 },
  { everySeconds: 60, times: 20 },
  { everySeconds: 300, times: 34 },
  { everySeconds: 1_800, times: 137 },
];

/**
 * Between attempts at a certificate, after a failure of the authority, of the platform, or of unknown cause; like CertMagic's table. An attempt is a few
 * requests, and an order in progress is continued, so that even a large installation stays far below any authority's limits.
 */
const RETRY_SCHEDULE: Schedule = [
  { everySeconds: 60, times: 1 },
  { everySeconds: 120, times: 2 },
  { everySeconds: 300, times: 1 },
  { everySeconds: 600, times: 3 },
  { everySeconds: 1_200, times: 4 },
  { everySeconds: 1_800, times: 4 },
  { everySeconds: 3_600, times: 6 },
  { everySeconds: 10_800, times: 8 },
  { everySeconds: 21_600, times: FOREVER },
];
/** After a validation that failed. Let's Encrypt allows 5 failed validations an hour for each name. */
const VALIDATION_SCHEDULE: Schedule = [
  { everySeconds: 900, times: 1 },
  { everySeconds: 3_600, times: 1 },
  { everySeconds: 21_600, times: 1 },
  { everySeconds: 86_400, times: FOREVER },
];
/** While the authority refuses the operator's account. Not longer than an hour: once the operator has acted, everyone's domains go on. */
const ACCOUNT_SCHEDULE: Schedule = [
  { everySeconds: 300, times: 6 },
  { everySeconds: 3_600, times: FOREVER },
];
/** After a rate limit, if the authority does not say when to try again. */
const LIMIT_SCHEDULE: Schedule = [
  { everySeconds: 3_600, times: 6 },
  { everySeconds: 21_600, times: FOREVER },
];
/** While the authority refuses the name itself: the refusal may be withdrawn, or may have been a mistake. */
const REFUSED_SCHEDULE: Schedule = [
  { everySeconds: 3_600, times: 1 },
  { everySeconds: 21_600, times: 1 },
  { everySeconds: 604_800, times: FOREVER },
];

/** While the name is in use elsewhere. At most an hour apart: once the name is released, nothing serves it until the next attempt. */
const IN_USE_SCHEDULE: Schedule = ACCOUNT_SCHEDULE;

/** While others use up the budget of orders: often, so that asking more often than others gains nothing. */
const QUEUE_SCHEDULE: Schedule = [{ everySeconds: 60, times: FOREVER }];

/** By the reason for the failure. */
export const ATTEMPT_SCHEDULES = {
  authority_unavailable: RETRY_SCHEDULE,
  rate_limited: LIMIT_SCHEDULE,
  queued: QUEUE_SCHEDULE,
  validation: VALIDATION_SCHEDULE,
  caa: VALIDATION_SCHEDULE,
  account: ACCOUNT_SCHEDULE,
  name_refused: REFUSED_SCHEDULE,
  name_in_use: IN_USE_SCHEDULE,
  name_in_use_here: IN_USE_SCHEDULE,
  edge_not_ready: RETRY_SCHEDULE,
  timed_out: RETRY_SCHEDULE,
  other: RETRY_SCHEDULE,
} as const satisfies Readonly<Record<string, Schedule>>;

/** Refusals of a name in a row after which its owner is notified that it gets no certificate. */
export const REFUSALS_TO_REPORT = 3;
/** The longest wait that an authority may ask for. Let's Encrypt's longest limit is a week. */
export const MAX_RETRY_AFTER_MS = 7 * DAY_MS;

/** No check is further away than this: a later one was set by a wrong clock. */
export const LONGEST_WAIT_MS = MAX_RETRY_AFTER_MS + HOUR_MS;

/** Checks whether the edge serves the domain. Attaching takes seconds on one machine and minutes on CloudFront. */
export const LIVE_SCHEDULE: Schedule = [
  { everySeconds: 2, times: 5 },
  { everySeconds: 15, times: 20 },
  { everySeconds: 60, times: 60 },
];

/** Checks whether the teardown is done. CloudFront takes minutes to disable a domain everywhere, and only then deletes it. */
export const TEARDOWN_SCHEDULE: Schedule = [
  { everySeconds: 5, times: 6 },
  { everySeconds: 30, times: 20 },
  // Nothing may be left behind.
  { everySeconds: 300, times: FOREVER },
];

/** The time after which a certificate that has not been issued is late (specification, section 4). */
export const LATE_AFTER_MS = 30 * MINUTE_MS;

/** A served domain's record is checked once a day. */
export const LIVE_CHECK_MS = DAY_MS;
/** After our own resolvers failed, the record is checked again this soon. */
export const SECOND_LOOK_MS = 30 * MINUTE_MS;
/** While the record of a served domain is wrong: the second check follows soon, a repair is found soon, and a domain that has moved away costs little. */
export const MISS_SCHEDULE: Schedule = [
  { everySeconds: 1_800, times: 2 },
  { everySeconds: 3_600, times: 48 },
  { everySeconds: 21_600, times: FOREVER },
];
/** Misses in a row after which the domain is degraded, and its owner notified. */
export const MISSES_TO_DEGRADE = 2;
/** How long a fault of someone else, such as the DNS provider, must last until the owner is notified. */
export const FOREIGN_FAULT_MS = DAY_MS;

/** How long a removed domain's tombstone is stored, so that no one can take over a name whose DNS still points here. */
export const TOMBSTONE_MS = 30 * DAY_MS;

/** How long to wait after a check. @param checks number of checks made, at least 1 @returns milliseconds; undefined if the schedule has ended */
export function waitAfter(schedule: Schedule, checks: number): number | undefined {
  let before = 0;
  for (const { everySeconds, times } of schedule) {
    before += times;
    if (checks <= before) return everySeconds * SECOND_MS;
  }
  return undefined;
}

/** Returns the length of a whole schedule, in milliseconds; Infinity for one without an end. */
export function lengthOf(schedule: Schedule): number {
  return schedule.reduce((sum, { everySeconds, times }) => sum + everySeconds * times, 0) * SECOND_MS;
}
