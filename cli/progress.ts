// A progress bar on standard error, if it is a terminal.

export interface Progress {
  /** @param things number of items processed */
  update(bytes: number, things: number): void;
  stop(): void;
}

/** Starts a progress bar. @param kind what is counted besides bytes, such as `animals` */
export async function createProgress(totalBytes: number, kind: string): Promise<Progress> {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({ format: `{bar} {percentage}% | {things} ${kind} | {duration_formatted}`, stream: process.stderr, hideCursor: true });
  bar.start(Math.max(totalBytes, 1), 0, { things: 0 });
  return { update: (bytes, things) => bar.update(Math.min(bytes, totalBytes), { things }), stop: () => bar.stop() };
}
