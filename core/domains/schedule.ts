// The intervals between checks, and between attempts to get a certificate. They grow, because a check every minute for 48 hours would exceed the
// 25,000 events that a Step Functions execution may have: 165 checks in 48 hours are about 1,500 events. Most schedules have no end, because
// most problems may resolve themselves, so checks and attempts continue until the domain is removed.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../limits/windows.ts';

const SECOND_MS = 1_000;

export type Schedule = readonly { readonly everySeconds: number; readonly times: number }[];

const FOREVER = Number.POSITIVE_INFINITY;

/** Builds a schedule from rows: each interval in seconds, and how many times it is used. Bundlers drop unused schedules: @__NO_SIDE_EFFECTS__ */
function every(...rows: readonly (readonly [everySeconds: number, times: number])[]): Schedule {
  return rows.map(([everySeconds, times]) => ({ everySeconds, times }));
}

/** DNS: propagation takes up to 48 hours (specification, section 4). After that, every 6 hours for two weeks, then once a week. */
export const DNS_SCHEDULE = every([30, 10], [60, 25], [300, 18], [900, 40], [1_800, 72], [21_600, 56], [604_800, FOREVER]);
/** The number of checks in the first 48 hours. */
export const DNS_CHECKS_IN_48_HOURS = 165;

/** Certificates that an authority is processing: most take minutes; a request expires after 72 hours. */
export const CERTIFICATE_SCHEDULE = every([15, 8], [30, 16], [60, 20], [300, 34], [1_800, 137]);

/**
 * Between attempts to get a certificate, after a failure of the authority, of the platform, or of unknown cause; similar to CertMagic's table. An
 * attempt takes only a few requests, and an order in progress is continued, so even a large installation stays far below any authority's limits.
 */
const RETRY_SCHEDULE = every([60, 1], [120, 2], [300, 1], [600, 3], [1_200, 4], [1_800, 4], [3_600, 6], [10_800, 8], [21_600, FOREVER]);
/** After a CAA record has forbidden a certificate. Let's Encrypt allows 5 failed validations an hour for each name. */
const CAA_SCHEDULE = every([900, 1], [3_600, 1], [21_600, 1], [86_400, FOREVER]);
/** After a failed validation; the first failure may be due to a restart during the validation. */
const VALIDATION_SCHEDULE = every([60, 1], [900, 1], [3_600, 1], [21_600, 1], [86_400, FOREVER]);
/** While the authority refuses the operator's account. At most an hour apart, so that all domains continue soon after the operator has acted. */
const ACCOUNT_SCHEDULE = every([300, 6], [3_600, FOREVER]);
/** After a rate limit, if the authority does not say when to try again. */
const LIMIT_SCHEDULE = every([3_600, 6], [21_600, FOREVER]);
/** While the authority refuses the name itself: the refusal may be withdrawn, or may have been a mistake. */
const REFUSED_SCHEDULE = every([3_600, 1], [21_600, 1], [604_800, FOREVER]);

/** While the name is in use elsewhere. At most an hour apart, because once the name is released, nothing serves it until the next attempt. */
const IN_USE_SCHEDULE: Schedule = ACCOUNT_SCHEDULE;

/** While the order budget is used up. The interval is short, so that an owner gains nothing by trying more often. */
const QUEUE_SCHEDULE = every([60, FOREVER]);

export const ATTEMPT_SCHEDULES = {
  authority_unavailable: RETRY_SCHEDULE,
  rate_limited: LIMIT_SCHEDULE,
  queued: QUEUE_SCHEDULE,
  validation: VALIDATION_SCHEDULE,
  caa: CAA_SCHEDULE,
  account: ACCOUNT_SCHEDULE,
  name_refused: REFUSED_SCHEDULE,
  name_in_use: IN_USE_SCHEDULE,
  name_in_use_here: IN_USE_SCHEDULE,
  edge_not_ready: RETRY_SCHEDULE,
  timed_out: RETRY_SCHEDULE,
  other: RETRY_SCHEDULE,
} as const satisfies Readonly<Record<string, Schedule>>;

/** Number of consecutive refusals of a name after which its owner is notified that the name gets no certificate. */
export const REFUSALS_TO_REPORT = 3;
/** The longest wait that an authority may ask for. Let's Encrypt's longest limit is a week. */
export const MAX_RETRY_AFTER_MS = 7 * DAY_MS;

/** No check is further away than this, except one that was scheduled while the clock was wrong. */
export const LONGEST_WAIT_MS = MAX_RETRY_AFTER_MS + HOUR_MS;

/** Checks whether the edge serves the domain. Attaching takes seconds on one machine and minutes on CloudFront. */
export const LIVE_SCHEDULE = every([2, 5], [15, 20], [60, 60]);

/** Checks whether the teardown is done. CloudFront takes minutes to disable a domain everywhere, and then deletes it. Nothing must be left behind. */
export const TEARDOWN_SCHEDULE = every([5, 6], [30, 20], [300, FOREVER]);

/** The time after which a certificate that has not been issued is late (specification, section 4). */
export const LATE_AFTER_MS = 30 * MINUTE_MS;

/** A served domain's record is checked once a day. */
export const LIVE_CHECK_MS = DAY_MS;
/** How soon the record is checked again after our own resolvers failed. */
export const SECOND_LOOK_MS = 30 * MINUTE_MS;
/** While a served domain's record is wrong: soon a second time, then hourly to notice a fix, later rarely because the domain may have moved away. */
export const MISS_SCHEDULE = every([1_800, 2], [3_600, 48], [21_600, FOREVER]);
/** Number of consecutive misses after which the domain is degraded and its owner is notified. */
export const MISSES_TO_DEGRADE = 2;
/** How long a fault at a third party, such as the DNS provider, must last before the owner is notified. */
export const FOREIGN_FAULT_MS = DAY_MS;

/** How long a removed domain's tombstone is stored, so that no one can take over a name whose DNS still points here. */
export const TOMBSTONE_MS = 30 * DAY_MS;

/** Returns the wait after a check. @param checks number of checks made, at least 1 @returns milliseconds; undefined if the schedule has ended */
export function waitAfter(schedule: Schedule, checks: number): number | undefined {
  let before = 0;
  for (const { everySeconds, times } of schedule) {
    before += times;
    if (checks <= before) return everySeconds * SECOND_MS;
  }
  return undefined;
}

/** Returns the length of a whole schedule, in milliseconds; Infinity if it has no end. */
export function lengthOf(schedule: Schedule): number {
  return schedule.reduce((sum, { everySeconds, times }) => sum + everySeconds * times, 0) * SECOND_MS;
}
