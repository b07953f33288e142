// Keeps compiled code between runs, because compiling takes a third of the CPU time at startup. It takes effect when imported, so it must be imported
// first. The folder belongs to this user: in Node's default, the system's temporary folder, other users could place code for us to run.

import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

// systemd sets the first with CacheDirectory= (systemd.exec(5)); the second is from the XDG Base Directory Specification.
const { CACHE_DIRECTORY = '', XDG_CACHE_HOME = '', NODE_COMPILE_CACHE } = process.env;

// If Node's own variable is set, Node has enabled the cache itself.
if (NODE_COMPILE_CACHE === undefined) enable();

/** Enables the cache. Without a writable folder, Node runs without it. */
function enable(): void {
  try {
    enableCompileCache(
      CACHE_DIRECTORY === '' ? join(isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache'), 'petstore') : CACHE_DIRECTORY,
    );
  } catch {
    // Users without an entry in the user database, as in containers, have no home folder.
  }
}
