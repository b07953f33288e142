// A progress bar on standard error, where that is a terminal.

import { SingleBar } from 'cli-progress';

export interface Progress {
  update(bytes: number, records: number): void;
  stop(): void;
}

export function createProgress(totalBytes: number): Progress {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar({ format: '{bar} {percentage} % | {records} animals | {duration_formatted}', stream: process.stderr, hideCursor: true });
  bar.start(Math.max(totalBytes, 1), 0, { records: 0 });
  return { update: (bytes, records) => bar.update(Math.min(bytes, totalBytes), { records }), stop: () => bar.stop() };
}
