// Files that only their owner may read, from their first byte on.

import { closeSync, openSync } from 'node:fs';

/**
 * Creates an empty file, unless it exists.
 *
 * An existing file is never opened: closing any descriptor of it would release all of this process's locks on it (POSIX, fcntl), including those of an
 * open connection to a database. The next process to exit would then believe it is the last one and delete the log, with whatever is not in the main
 * file yet (https://sqlite.org/howtocorrupt.html, section 2.2).
 *
 * @throws Error with a message for operators, if it can't be created
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new Error(`${file} can't be written: ${message}`, { cause: error });
  }
}
