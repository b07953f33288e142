// Formats times, given in ISO 8601, in the reader's time zone and language.

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
// The days used for limits are UTC days, whatever the time zone.
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Date and time, with seconds. */
export const localTime = (iso: string) => moment.format(new Date(iso));
/** Date and time, without seconds. */
export const localMinute = (iso: string) => minute.format(new Date(iso));
/** Time of day, without seconds. */
export const localTimeOfDay = (iso: string) => clock.format(new Date(iso));
/** Month and day, in UTC. */
export const utcDayText = (iso: string) => utcDay.format(new Date(iso));
/** The reader's time zone, such as `Europe/Berlin`. */
export const timeZone = () => clock.resolvedOptions().timeZone;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** How long it is until then, such as `in 6 days`: days rounded, less than a day rounded down. @param now milliseconds since 1970 */
export function daysUntil(iso: string, now: number): string {
  const left = Math.max(0, Date.parse(iso) - now);
  if (left >= DAY_MS) return relative.format(Math.round(left / DAY_MS), 'day');
  return left >= HOUR_MS ? relative.format(Math.floor(left / HOUR_MS), 'hour') : relative.format(Math.floor(left / MINUTE_MS), 'minute');
}
