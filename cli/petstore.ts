#!/usr/bin/env node
// Entry point of the command line. Nothing is imported statically, so that the version check works in an older Node.

if (process.argv[2] === 'backup') {
  // Lowers this process's priority, because the service's requests come first. Done early, because on Linux this only affects this thread and threads
  // started later. Without ionice, the disk is shared equally.
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
// Files that a command creates in the data folder must be readable only by their owner.
process.umask(0o077);
const { run } = await import('./main.ts');
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader, such as head, has what it needs.
  if (code === 'EPIPE') return;
  const text = `the output can't be written: ${message}; free up space, or write it elsewhere`;
  console.error(process.argv.includes('--json') ? JSON.stringify({ error: text }) : `petstore: ${text}`);
  process.exitCode = 1;
});
process.stderr.on('error', () => {});
const ended = await run(process.argv.slice(2), { environment: process.env, stdout: process.stdout, stderr: process.stderr });
process.exitCode ??= ended;

// Makes this file a module, so that top-level await is allowed.
export {};
