// The size of a fault: full with FAULTS=full (CONTRIBUTING.md), otherwise one that goes through the same in seconds.

import { isInstalled } from '../installed.ts';

const isFull = process.env.FAULTS === 'full';

/** Returns one of both. */
export function sized<T>(full: T, small: T): T {
  return isFull ? full : small;
}

/** Prints what was measured at full size. */
export function report(what: string, figures: Readonly<Record<string, unknown>>): void {
  if (isFull) console.log(what, figures);
}

/** What limits processes, and shows what they use: prlimit, mount namespaces and /proc. */
export const onLinux = isInstalled(process.platform === 'linux');
