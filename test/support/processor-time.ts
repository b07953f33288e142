// What a program and the processes that it has started have used of the processor.

import { readFileSync } from 'node:fs';

/** Of a clock tick of /proc, on every Linux that Node runs on (proc_pid_stat(5)). */
const TICK_MS = 10;

/** Returns milliseconds: of the process, of its descendants, and of those that have ended and were waited for. */
export function processorMs(pid: number): number {
  // After the name, which may contain spaces: the state is the third field, utime to cstime are the 14th to the 17th.
  const [, fields = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const own = fields
    .split(' ')
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + processorMs(Number(child)), own);
}
