#!/usr/bin/env node
// Entry point of the command line. Nothing is imported statically, so that an older Node gets to the check of its version.

try {
  await import('../platforms/node-version.ts');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
// Caching compiled code between runs halves the startup time; the cache must be enabled before anything else is loaded.
const { enableCompileCache } = await import('node:module');
enableCompileCache();
await import('./main.ts');

// Makes this a module, in which await is allowed.
export {};
