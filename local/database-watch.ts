// Notices that the database was deleted or replaced under the running service. SQLite goes on writing to the file that it has open, which
// nobody will ever read: what is answered 201 then is lost.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/** The file is looked at this often, in milliseconds. */
const LOOK_MS = 500;

/**
 * @param onLost called once, when the file is gone or is another one
 * @returns ends the watch
 */
export function watchDatabase(file: string, onLost: () => void): () => void {
  const opened = statSync(file);
  const timer = setInterval(async () => {
    const now = await stat(file).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : opened));
    if (now?.ino === opened.ino && now.dev === opened.dev) return;
    clearInterval(timer);
    onLost();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
