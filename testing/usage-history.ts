// What every UsageStore's history must show when several processes count an account's requests, fail to write the history, or end at any moment.

import { expect } from 'expect';
import fc from 'fast-check';
import { DAYS_SHOWN, HOURS_SHOWN, MINUTES_SHOWN } from '../core/limits/history.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/limits/windows.ts';
import { NOON } from './samples.ts';
import { type AccessStores, contractSuite, type Make, makeAccount, type SuiteOptions, type TestFunction } from './suite.ts';

/** One of the service's processes. */
export interface UsageProcess extends AccessStores {
  /** Resolves once the process has no background work left. */
  settle(): Promise<void>;
  /** Sets what happens to the process's later writes to the history: `lost` ones are not carried out; `unanswered` ones are, but get no answer. */
  historyWrites(are: HistoryWrites): void;
}

export type HistoryWrites = 'done' | 'lost' | 'unanswered';

export interface UsageProcesses {
  /** Starts a process on the same storage. */
  start(): UsageProcess;
}

const PROCESSES = 3;
/** How far a clock is behind. The clocks of two machines differ by less than a minute. */
const BEHIND_MS = [0, 20_000, 59_999];

const step = fc.record({
  pauseMs: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, 1_000, 25_000, MINUTE_MS, 3 * MINUTE_MS) },
    { weight: 2, arbitrary: fc.constantFrom(9 * MINUTE_MS, HOUR_MS - 1_000, 5 * HOUR_MS) },
    { weight: 1, arbitrary: fc.constantFrom(DAY_MS, 8 * DAY_MS, 31 * DAY_MS) },
  ),
  process: fc.nat({ max: PROCESSES - 1 }),
  requests: fc.integer({ min: 1, max: 3 }),
  refusals: fc.constantFrom(0, 0, 0, 5),
  historyWrites: fc.constantFrom<HistoryWrites>('done', 'done', 'done', 'lost', 'unanswered'),
  /** Whether the process then ends abruptly, and another one takes its place. */
  ends: fc.constantFrom(false, false, false, true),
  settles: fc.boolean(),
});

export interface UsageHistoryOptions extends SuiteOptions {
  /** Number of random histories tried, each with its own account. @default 20 */
  readonly runs?: number;
}

/** Declares the suite: one test, up to two minutes with a slow store. @param make returns a way to start processes that share storage; called once */
export function usageHistoryContract(runner: TestFunction, make: Make<UsageProcesses>, options: UsageHistoryOptions = {}): void {
  const test = contractSuite(runner, 'Usage history contract', options, { setUp: make });

  test('shows every request once, in its window, whatever becomes of the processes that counted it', async (processes) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const running = Array.from({ length: PROCESSES }, () => processes.start());
        const reader = processes.start();
        const { account, key } = await makeAccount(reader, { perMinute: 1_000, perDay: 100_000 });
        const admitted: number[] = [];
        const refused: number[] = [];
        let now = NOON;
        for (const { pauseMs, process: at, requests, refusals, historyWrites, ends, settles } of steps) {
          now += pauseMs;
          const process = running[at] as UsageProcess;
          const its = now - (BEHIND_MS[at] ?? 0);
          process.historyWrites(historyWrites);
          const answers = await Promise.all(
            Array.from({ length: requests }, () => process.usage.admit({ accountId: account.id, digest: key.digest }, its)),
          );
          expect(answers.every(({ kind }) => kind === 'admitted')).toBe(true);
          admitted.push(...answers.map(() => its));
          if (refusals > 0) await process.usage.countRefusals(account.id, refusals, its);
          refused.push(...Array<number>(refusals).fill(its));
          if (settles) await process.settle();
          if (ends) running[at] = processes.start();
          expect(await shown(now)).toEqual(expected(now));
        }
        await Promise.all(running.map((process) => process.settle()));
        expect(await shown(now)).toEqual(expected(now));

        async function shown(at: number) {
          const history = (await reader.usage.usage(account.id, at))?.history;
          return { minutes: used(history?.minutes), hours: used(history?.hours), days: used(history?.days) };
        }
        function expected(at: number) {
          return {
            minutes: counted(admitted, refused, { windowMs: MINUTE_MS, shown: MINUTES_SHOWN, now: at }),
            hours: counted(admitted, refused, { windowMs: HOUR_MS, shown: HOURS_SHOWN, now: at }),
            days: counted(admitted, refused, { windowMs: DAY_MS, shown: DAYS_SHOWN, now: at }),
          };
        }
      }),
      { numRuns: options.runs ?? 20 },
    );
  });
}

type Counts = Record<string, readonly [admitted: number, refused: number]>;

function used(windows: readonly { readonly startsAt: number; readonly admitted: number; readonly refused: number }[] = []): Counts {
  return Object.fromEntries(
    windows.flatMap(({ startsAt, admitted, refused }) =>
      admitted + refused > 0 ? [[new Date(startsAt).toISOString(), [admitted, refused] as const] as const] : [],
    ),
  );
}

function counted(
  admitted: readonly number[],
  refused: readonly number[],
  { windowMs, shown, now }: { readonly windowMs: number; readonly shown: number; readonly now: number },
): Counts {
  const current = Math.floor(now / windowMs);
  const within = (times: readonly number[], window: number) => times.filter((at) => Math.floor(at / windowMs) === window).length;
  const windows = new Set([...admitted, ...refused].map((at) => Math.floor(at / windowMs)).filter((window) => window > current - shown));
  return Object.fromEntries(
    [...windows].map((window) => [new Date(window * windowMs).toISOString(), [within(admitted, window), within(refused, window)] as const]),
  );
}
