// The size of a fault: full with FAULTS=full (CONTRIBUTING.md), otherwise one that goes through the same in seconds.

const isFull = process.env.FAULTS === 'full';

/** Returns one of both. */
export function sized<T>(full: T, small: T): T {
  return isFull ? full : small;
}

/** Prints what was measured at full size. */
export function report(what: string, figures: Readonly<Record<string, unknown>>): void {
  if (isFull) console.log(what, figures);
}
