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
