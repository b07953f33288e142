// Moments as the reader's own clock and language have them. All are given in ISO 8601.

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
// A day of the limits is a day of UTC, wherever the reader is.
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

export const localTime = (iso: string) => moment.format(new Date(iso));
export const localMinute = (iso: string) => minute.format(new Date(iso));
export const localClock = (iso: string) => clock.format(new Date(iso));
export const dayOfUtc = (iso: string) => utcDay.format(new Date(iso));
