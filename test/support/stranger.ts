// Another user of the machine.

import { chmodSync, statSync } from 'node:fs';

export const STRANGER = 12_345;

/** Does something as a user who can't enter a folder: as another one if this is the superuser, whom nothing keeps out. */
export async function asStranger<T>(closed: string, work: () => Promise<T>): Promise<T> {
  const { mode } = statSync(closed);
  chmodSync(closed, process.getuid?.() === 0 ? 0o700 : 0);
  if (process.getuid?.() === 0) process.seteuid?.(STRANGER);
  try {
    return await work();
  } finally {
    if (process.getuid?.() === 0) process.seteuid?.(0);
    chmodSync(closed, mode);
  }
}
