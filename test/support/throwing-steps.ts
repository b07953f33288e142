// Runs the domain timers in a separate process, where every step but one throws in a place that no caller can catch. Prints the results.

import { createSocket } from 'node:dgram';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { catchStrayFaults } from '../../service/containment.ts';
import { startDomainTimers, type TimedWork } from '../../service/workflow/timers.ts';
import { emptyEdge } from './sweeps.ts';

const never = new Promise<never>(() => {});
const WAYS: Readonly<Record<string, () => Promise<undefined>>> = {
  timer: () => {
    setTimeout(() => fault('timer'), 1);
    return never;
  },
  socket: () => {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1', () => {
      socket.close();
      fault('socket');
    });
    return never;
  },
  rejection: () => {
    void Promise.reject(new Error('rejection'));
    return never;
  },
  late: async () => {
    setTimeout(() => fault('late'), 50);
    return undefined;
  },
  good: async () => undefined,
};

function fault(name: string): never {
  throw new Error(name);
}

const seen: string[] = [];
const faults: string[] = [];
const onFault = (error: unknown) => faults.push((error as Error).message);
catchStrayFaults((error) => {
  console.log(`stray: ${(error as Error).message}`);
  process.exit(3);
});
const work = {
  clock: Date.now,
  domains: {
    queuedDomains: async ({ except, waitedFor }: { except: string[]; waitedFor: boolean }) =>
      waitedFor
        ? Object.keys(WAYS)
            .filter((id) => !except.includes(id))
            .map((id) => ({ id, accountId: id }) as Domain)
        : [],
    getDomain: (id: string) => {
      if (!seen.includes(id)) seen.push(id);
      return (WAYS[id] as () => Promise<undefined>)();
    },
  },
  edge: emptyEdge,
  authority: {},
  sweeps: createMemorySweepStore(),
} as unknown as TimedWork;
const timers = startDomainTimers(work, onFault);
setTimeout(async () => {
  await timers.stop();
  console.log(JSON.stringify({ seen: seen.sort(), faults: [...new Set(faults)].sort() }));
  if (process.argv.includes('--stray')) setTimeout(() => fault('of nobody'), 1);
}, 1_500);
