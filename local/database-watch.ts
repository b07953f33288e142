// Detects that the database was deleted or replaced while the service runs. SQLite keeps writing to the open file, which no one will ever read:
// everything answered with 201 from then on would be lost.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Interval between checks, in milliseconds. */
const CHECK_INTERVAL_MS = 500;

/**
 * Watches the database file.
 *
 * @param onLost called once, if the file is deleted or replaced
 * @returns a function that ends the watch
 */
export function watchDatabase(file: string, onLost: () => void): () => void {
  const opened = statSync(file);
  const timer = setInterval(async () => {
    const now = await stat(file).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : opened));
    if (now?.ino === opened.ino && now.dev === opened.dev) return;
    clearInterval(timer);
    onLost();
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}
