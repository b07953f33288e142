#!/usr/bin/env node
// Entry point of the command line. Nothing is imported statically, so that an older Node gets to the check of its version.

try {
  await import('../platforms/node-version.ts');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
await import('../platforms/compile-cache.ts');
await import('./main.ts');

// Makes this a module, in which await is allowed.
export {};
