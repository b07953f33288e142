// Moments as the reader's own clock and language have them.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function localTime(iso: string): string {
  return format.format(new Date(iso));
}
