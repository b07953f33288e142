// Formats times, given in ISO 8601, in the reader's time zone and language.

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
// The days used for limits are UTC days, regardless of the reader's time zone.
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Date. */
export const localDay = (iso: string) => day.format(new Date(iso));
/** Date and time, with seconds. */
export const localTime = (iso: string) => moment.format(new Date(iso));
/** Date and time, without seconds. */
export const localMinute = (iso: string) => minute.format(new Date(iso));
/** Time of day, without seconds. */
export const localTimeOfDay = (iso: string) => clock.format(new Date(iso));
/** Month and day, in UTC. */
export const utcDayText = (iso: string) => utcDay.format(new Date(iso));
/** Returns the reader's time zone, such as `Europe/Berlin`. */
export const timeZone = () => clock.resolvedOptions().timeZone;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/**
 * Returns how long ago something was (`3 hours ago`), or how far ahead it is (`in 6 days`); beyond a week, the date. @param now milliseconds since
 * 1970
 * @param isAhead whether it may be in the future; if not, a time after `now` is shown as just now. @default false
 */
export function fromNow(iso: string, now: number, isAhead = false): string {
  const ms = isAhead ? Date.parse(iso) - now : Math.min(0, Date.parse(iso) - now);
  if (Math.abs(ms) < MINUTE_MS) return ms > 0 ? `in ${Math.ceil(ms / 1_000)} s` : 'just now';
  // The service's clock is known only to the second, so a time exactly one week ahead may come out as slightly more than a week.
  if (Math.abs(ms) > 7 * DAY_MS + MINUTE_MS) return localDay(iso);
  const [unit, size] =
    Math.abs(ms) < HOUR_MS ? (['minute', MINUTE_MS] as const) : Math.abs(ms) < DAY_MS ? (['hour', HOUR_MS] as const) : (['day', DAY_MS] as const);
  // A remaining time is rounded down, except that days are rounded to the nearest, so a week minus a second is shown as `in 7 days`.
  return relative.format(unit === 'day' && ms > 0 ? Math.round(ms / size) : Math.trunc(ms / size), unit);
}
