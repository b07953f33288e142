#!/usr/bin/env node
// Entry point of the command line. Nothing is imported statically, so that an older Node gets to the check of its version.

if (process.argv[2] === 'backup') {
  // Requests come first. As early as possible: on Linux, priorities are this thread's, and those of threads that start later. Where there is no ionice,
  // the disk is shared equally.
  const [{ constants, setPriority }, { spawnSync }] = await Promise.all([import('node:os'), import('node:child_process')]);
  setPriority(constants.priority.PRIORITY_LOW);
  spawnSync('ionice', ['-c', '3', '-p', String(process.pid)], { stdio: 'ignore' });
}
try {
  await import('../platforms/node-version.ts');
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
await import('../platforms/compile-cache.ts');
// Makes files that a command creates in the data folder readable only by their owner.
process.umask(0o077);
const { run } = await import('./main.ts');
process.exitCode = await run(process.argv.slice(2), { environment: process.env, stdout: process.stdout, stderr: process.stderr });

// Makes this a module, in which await is allowed.
export {};
