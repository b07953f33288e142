// Tables of the intervals between checks. The intervals grow, because a check every minute for 48 hours would exceed the 25,000 events that a Step
// Functions execution may have. Measured: 165 checks, about 1,500 events.

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

interface Row {
  readonly everySeconds: number;
  readonly times: number;
}

/** DNS: propagation takes up to 48 hours (specification, section 4). */
export const DNS_SCHEDULE: readonly Row[] = [
  { everySeconds: 30, times: 10 },
  { everySeconds: 60, times: 25 },
  { everySeconds: 300, times: 18 },
  { everySeconds: 900, times: 40 },
  { everySeconds: 1_800, times: 72 },
];

/** Certificates: most take minutes; a request expires after 72 hours. */
export const CERTIFICATE_SCHEDULE: readonly Row[] = [
  { everySeconds: 15, times: 8 },
  { everySeconds: 30, times: 16 },
  { everySeconds: 60, times: 20 },
  { everySeconds: 300, times: 842 },
];

/** Checks whether the edge serves the domain. Attaching takes seconds on one machine and minutes on CloudFront. */
export const LIVE_SCHEDULE: readonly Row[] = [
  { everySeconds: 2, times: 5 },
  { everySeconds: 15, times: 20 },
  { everySeconds: 60, times: 60 },
];

/** Checks whether the teardown is done. CloudFront takes minutes to disable a domain everywhere, and only then deletes it. */
export const TEARDOWN_SCHEDULE: readonly Row[] = [
  { everySeconds: 5, times: 6 },
  { everySeconds: 30, times: 20 },
];
/** The interval after that, until the teardown is done: nothing may be left behind. */
export const TEARDOWN_LATER_MS = 300 * SECOND_MS;

/** Interval at which a silent authority is queried again. */
export const SILENT_CHECK_MS = 60 * SECOND_MS;

/** The time after which Re-verify is offered if the certificate has not been issued (specification, section 4). */
export const REVERIFY_AFTER_MS = HOUR_MS / 2;

/** A live domain is checked once a day, and degraded after this many misses in a row. */
export const LIVE_CHECK_MS = 24 * HOUR_MS;
export const MISSES_TO_DEGRADE = 3;

/** How long a removed domain's tombstone is stored, so that no one can take over a name whose DNS still points here. */
export const TOMBSTONE_MS = 30 * 24 * HOUR_MS;

/**
 * How long to wait after a check.
 *
 * @param checks number of checks made, at least 1
 * @returns milliseconds; undefined if the schedule has ended
 */
export function waitAfter(schedule: readonly Row[], checks: number): number | undefined {
  let before = 0;
  for (const { everySeconds, times } of schedule) {
    before += times;
    if (checks <= before) return everySeconds * SECOND_MS;
  }
  return undefined;
}

/** Returns the length of a whole schedule, in milliseconds. */
export function lengthOf(schedule: readonly Row[]): number {
  return schedule.reduce((sum, { everySeconds, times }) => sum + everySeconds * times, 0) * SECOND_MS;
}
