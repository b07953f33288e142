// The timers of domains, when a step fails and when the clock is set back.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainWork } from '../../functions/domains/steps.ts';
import { startDomainTimers } from '../../local/domain-timers.ts';
import { runProgram } from '../support/processes.ts';
import { NOON } from '../support/samples.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a domain whose step failed is tried again after 5 s, also when the clock is set back meanwhile', async () => {
  let now = NOON;
  const tries: number[] = [];
  const faults: unknown[] = [];
  const failing = {
    clock: () => now,
    domains: {
      dueDomains: async () => [{ id: 'dom_1' } as Domain],
      getDomain: async () => {
        tries.push(Date.now());
        throw new Error('storage is away');
      },
    },
    edge: { made: async () => [], hosts: async () => [] },
  } as unknown as DomainWork;
  const timers = startDomainTimers(failing, (error) => faults.push(error));
  await vi.advanceTimersByTimeAsync(300);
  now -= 400 * 86_400_000;
  await vi.advanceTimersByTimeAsync(4_500);
  expect(tries).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tries).toHaveLength(2);
  expect(faults).toHaveLength(2);
  await timers.stop();
});

test.each([
  [[], 0],
  [['--stray'], 3],
])('a step that throws in a callback ends alone; a fault of no step ends the process (%j)', async (args, code) => {
  vi.useRealTimers();
  const finished = await runProgram('throwing-steps.ts', args);
  const [line = '', stray] = finished.stdout.trim().split('\n');
  expect([finished.code, stray]).toEqual([code, code === 0 ? undefined : 'stray: of nobody']);
  expect(JSON.parse(line)).toEqual({
    seen: ['good', 'late', 'rejection', 'socket', 'timer'],
    faults: expect.arrayContaining(['late', 'rejection', 'socket', 'timer']),
  });
});
