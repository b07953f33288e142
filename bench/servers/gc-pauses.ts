// Imported by a server before its own script: on SIGUSR2, writes its garbage collection pauses since the last signal to BENCH_GC_FILE.

import { renameSync, writeFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';

export interface GcPauses {
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

let pauses: number[] = [];
const observer = new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration)));
observer.observe({ entryTypes: ['gc'] });

const file = process.env.BENCH_GC_FILE ?? '';
process.on('SIGUSR2', () => {
  const seen: GcPauses = { count: pauses.length, totalMs: pauses.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(0, ...pauses) };
  pauses = [];
  writeFileSync(`${file}.new`, JSON.stringify(seen));
  renameSync(`${file}.new`, file);
});
