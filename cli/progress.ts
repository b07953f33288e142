// A progress bar on standard error, where that is a terminal.

import { SingleBar } from 'cli-progress';

export interface Progress {
  /** @param things of the kind that the bar counts beside bytes */
  update(bytes: number, things: number): void;
  stop(): void;
}

/** @param kind what is counted beside bytes, such as `animals` */
export function createProgress(totalBytes: number, kind: string): Progress {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar({ format: `{bar} {percentage} % | {things} ${kind} | {duration_formatted}`, stream: process.stderr, hideCursor: true });
  bar.start(Math.max(totalBytes, 1), 0, { things: 0 });
  return { update: (bytes, things) => bar.update(Math.min(bytes, totalBytes), { things }), stop: () => bar.stop() };
}
