import { describe, expect, test } from 'vitest';
import { createSettledClock, FOLLOWED_MS, LASTED_MS, type SettledClockOptions } from '../../core/settled-clock.ts';
import { NOON } from '../../testing/samples.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

/** A machine whose clock can be wrong; `pass` lets time pass. */
function machine(options: Partial<SettledClockOptions> = {}) {
  const state = { passed: 0, wrongBy: 0 };
  const jumps: number[] = [];
  const settled = createSettledClock({
    clock: () => NOON + state.passed + state.wrongBy,
    elapsed: () => state.passed,
    onJump: (ahead) => jumps.push(ahead),
    ...options,
  });
  const pass = (milliseconds: number) => {
    for (let left = milliseconds; left > 0; left -= MINUTE_MS) {
      state.passed += Math.min(left, MINUTE_MS);
      settled();
    }
    return settled() - NOON - state.passed;
  };
  return { state, jumps, settled, pass };
}

describe('a settled clock', () => {
  test('goes with a clock that is right, or a little wrong', () => {
    const { state, jumps, pass } = machine();
    expect(pass(DAY_MS)).toBe(0);
    state.wrongBy = FOLLOWED_MS - 1;
    expect([pass(MINUTE_MS), jumps]).toEqual([FOLLOWED_MS - 1, []]);
  });

  test('ignores a year that passes', () => {
    const { state, jumps, pass } = machine();
    state.wrongBy = YEAR_MS;
    expect(pass(20_000)).toBe(0);
    state.wrongBy = 0;
    expect([pass(DAY_MS), jumps]).toEqual([0, [YEAR_MS]]);
  });

  test('follows a jump that lasts, to where it is least', () => {
    const { state, jumps, pass } = machine();
    state.wrongBy = YEAR_MS;
    expect(pass(LASTED_MS / 2)).toBe(0);
    state.wrongBy = 2 * DAY_MS;
    expect(pass(LASTED_MS / 2 + 2 * MINUTE_MS)).toBe(2 * DAY_MS);
    expect(jumps).toEqual([YEAR_MS]);
  });

  test('goes back with a clock that is set back, at once', () => {
    const { state, jumps, pass } = machine();
    state.wrongBy = -2 * DAY_MS;
    expect([pass(MINUTE_MS), jumps]).toEqual([-2 * DAY_MS, []]);
  });

  test('an hour more each hour is followed', () => {
    const { state, pass } = machine();
    for (let hour = 1; hour <= 24; hour += 1) {
      state.wrongBy += FOLLOWED_MS;
      pass(3_600_000);
    }
    expect(pass(2 * LASTED_MS)).toBe(24 * FOLLOWED_MS);
  });

  test('continues after a restart, and does not begin with a clock that is wrong then', () => {
    const wrong = machine({ clock: () => NOON + YEAR_MS, last: [NOON, 0] });
    expect([wrong.settled(), wrong.jumps]).toEqual([NOON, [YEAR_MS]]);
    // After a boot: the machine may have been off for some days.
    const off = machine({ clock: () => NOON + 3 * DAY_MS, last: [NOON, 0], tolerance: 7 * DAY_MS });
    expect([off.settled(), off.jumps]).toEqual([NOON + 3 * DAY_MS, []]);
  });

  test('follows a jump that has lasted over restarts, however often they come', () => {
    let passed = 0;
    let [last, aheadForMs]: [readonly [number, number], number | undefined] = [[NOON, 0], undefined];
    const ahead: boolean[] = [];
    for (let start = 0; start < 3; start += 1) {
      const settled = createSettledClock({ clock: () => NOON + passed + 3 * DAY_MS, elapsed: () => passed, last, aheadForMs });
      for (const end = passed + LASTED_MS / 2 + MINUTE_MS; passed < end; passed += MINUTE_MS) settled();
      ahead.push(settled() > NOON + DAY_MS);
      last = [settled(), passed];
      aheadForMs = settled.aheadForMs();
    }
    expect(ahead).toEqual([false, true, true]);
    expect(aheadForMs).toBeUndefined();
  });

  test('needs nobody who is told', () => {
    const state = { ahead: 0 };
    const settled = createSettledClock({ clock: () => NOON + state.ahead, elapsed: () => 0 });
    state.ahead = YEAR_MS;
    expect([settled(), settled()]).toEqual([NOON, NOON]);
  });
});
