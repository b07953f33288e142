// A log entry as one line of JSON.

/** What terminals act upon, and what some readers take for the end of a line. JSON escapes the others itself. */
const CONTROL = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Values of an entry; undefined ones are left out. */
export type LogEntry = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns the entry with the end of its line. Whatever the values contain, it is one line of printable characters, and the same values when it is parsed. */
export function logLine(entry: LogEntry): string {
  const text = JSON.stringify(entry);
  return `${text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
