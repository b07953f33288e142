// Several faults in one message. It is one line, because messages are logged, printed, and shown as a sentence.

/** Maximum number of faults in a message; more would not help the reader. */
export const SHOWN_FAULTS = 20;

const SEPARATOR = '. Also: ';

/** Joins fault messages to one message on one line, and abbreviates a long list. */
export function joinFaults(faults: readonly string[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS);
  return (faults.length > shown.length ? [...shown, `${faults.length - shown.length} more`] : shown).join(SEPARATOR);
}

/** Returns the fault messages in a message of joinFaults. */
export function faultsIn(message: string): readonly string[] {
  return message.split(SEPARATOR);
}
