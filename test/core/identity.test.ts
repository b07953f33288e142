import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CountedAttempt, checkShares, createSignInThrottle, type SignInThrottle } from '../../core/identity/sign-in-throttle.ts';
import { isEmailAddress, passwordProblem } from '../../core/identity/user.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { NOON } from '../../testing/samples.ts';

/** Enters a wrong password. @returns seconds to wait; 0 if the password may be checked */
function fail(throttle: SignInThrottle, name: string, address: string, now = NOON, generation?: string): number {
  const decision = throttle.begin({ name, address, generation }, now);
  if (decision.allowed) throttle.failed(decision.attempt);
  return decision.allowed ? 0 : decision.retryAfterSeconds;
}

/** Returns the seconds to wait, without counting an attempt. */
function wait(throttle: SignInThrottle, name: string, address: string, now = NOON): number {
  const decision = throttle.begin({ name, address }, now);
  if (!decision.allowed) return decision.retryAfterSeconds;
  throttle.takeBack(decision.attempt);
  return 0;
}

describe('sign-in throttle', () => {
  test('slows a name down after five failures: one attempt after a minute, and after five minutes at most', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) expect(fail(throttle, 'ann', '192.0.2.1')).toBe(0);
    expect(wait(throttle, 'bob', '192.0.2.1')).toBe(0);
    let now = NOON;
    for (const seconds of [60, 120, 240, 300, 300, 300]) {
      expect([fail(throttle, 'ann', '192.0.2.2', now + 1), fail(throttle, 'ann', '192.0.2.2', now + seconds * 1_000 - 1)]).toEqual([seconds, 1]);
      now += seconds * 1_000;
      expect(fail(throttle, 'ann', '192.0.2.2', now)).toBe(0);
    }
    expect(wait(throttle, 'ann', '192.0.2.1', now + 3_600_000)).toBe(0);
  });

  test('gives a guesser with any number of addresses at most 300 attempts a day at a name, however they are spread', () => {
    // How long the guesser waits beyond what is asked: mostly not at all.
    const pauses = fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 7_200 })), { minLength: 20, maxLength: 40 });
    fc.assert(
      fc.property(pauses, (seconds) => {
        const throttle = createSignInThrottle();
        const begun: number[] = [];
        for (let [now, n] = [NOON, 0]; now < NOON + 2 * DAY_MS; n += 1) {
          const waitSeconds = fail(throttle, 'ann', `192.0.2.${n % 250}`, now);
          expect(waitSeconds).toBeLessThanOrEqual(300);
          if (waitSeconds === 0) begun.push(now);
          now += 1_000 * (waitSeconds + (waitSeconds > 0 ? (seconds[n % seconds.length] ?? 0) : 0));
        }
        for (const [n, at] of begun.entries()) expect((begun[n + 300] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThan(DAY_MS);
      }),
      { numRuns: 50 },
    );
  });

  test('counts attempts before they are checked: out of 200 concurrent attempts, five are allowed', () => {
    const throttle = createSignInThrottle();
    const decisions = Array.from({ length: 200 }, (_, n) => throttle.begin({ name: 'ann', address: `192.0.2.${n}` }, NOON));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  test('blocks an address after fifty failures, whichever names it tries', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 50; times += 1) fail(throttle, `name ${times}`, '192.0.2.1');
    expect(wait(throttle, 'somebody', '192.0.2.1')).toBe(900);
    expect(wait(throttle, 'somebody', '192.0.2.2')).toBe(0);
  });

  test('counts a correct password as a failure of neither the name nor the address', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 60; times += 1) {
      const decision = throttle.begin({ name: 'ann', address: '192.0.2.1' }, NOON);
      if (!decision.allowed) throw new Error(`refused after ${times}`);
      throttle.succeeded(decision.attempt);
    }
    for (let times = 0; times < 4; times += 1) fail(throttle, 'ann', '192.0.2.1');
    expect(wait(throttle, 'ann', '192.0.2.1')).toBe(0);
  });

  test("forgets a name's failures once its user signs in", () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 4; times += 1) fail(throttle, 'ann', '192.0.2.1');
    const decision = throttle.begin({ name: 'ann', address: '192.0.2.1' }, NOON);
    if (decision.allowed) throttle.succeeded(decision.attempt);
    for (let times = 0; times < 4; times += 1) fail(throttle, 'ann', '192.0.2.1');
    expect(wait(throttle, 'ann', '192.0.2.1')).toBe(0);
  });

  test('does not clear attempts that are still being checked after a correct password', () => {
    const throttle = createSignInThrottle();
    let checked = 0;
    for (let round = 0; round < 10; round += 1) {
      const decisions = Array.from({ length: 5 }, () => throttle.begin({ name: 'ann', address: '192.0.2.1' }, NOON));
      checked += decisions.filter(({ allowed }) => allowed).length;
      const [first] = decisions;
      if (first?.allowed) throttle.succeeded(first.attempt);
    }
    // Each of the ten correct attempts was allowed; four from the first round stay counted.
    expect(checked).toBe(10 + 4);
    const device = () => throttle.begin({ name: 'ann', address: '192.0.2.1', device: 'own' }, NOON);
    const [right, ...rest] = [device(), device(), device(), device(), device()];
    if (right?.allowed) throttle.succeeded(right.attempt);
    expect([...rest, device(), device()].map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false]);
  });

  test('does not count guesses at an old password against a new one, even on a known device', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) fail(throttle, 'ann', `192.0.2.${times}`, NOON, '0');
    for (let times = 0; times < 5; times += 1) throttle.begin({ name: 'ann', address: '192.0.2.1', device: 'own', generation: '0' }, NOON);
    const allowed = (generation: string, device?: string) => throttle.begin({ name: 'ann', address: '192.0.2.9', generation, device }, NOON).allowed;
    expect([allowed('0'), allowed('1'), allowed('0', 'own'), allowed('1', 'own')]).toEqual([false, true, false, true]);
  });

  test("lets an attempt proceed only within its address's share of checks and the single check of its name or device", () => {
    const throttle = createSignInThrottle();
    const keys = (attempt: Partial<CountedAttempt>) => {
      const decision = throttle.begin({ name: 'ann', address: '2001:db8:1:2::3', ...attempt }, NOON);
      return decision.allowed ? checkShares(decision.attempt) : [];
    };
    const [address, name] = keys({});
    expect([address, name]).toMatchObject([
      { concurrent: 1, inFlight: 3 },
      { concurrent: 1, inFlight: 1 },
    ]);
    expect(keys({ device: 'own' })[0]).toEqual(address);
    expect(new Set([name, keys({ device: 'own' })[1], keys({ name: 'bob' })[1]].map((share) => share?.key)).size).toBe(3);
  });

  test('uncounts an attempt that was not checked, and keeps the others', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 4; times += 1) fail(throttle, 'ann', '192.0.2.1');
    for (let times = 0; times < 9; times += 1) expect(wait(throttle, 'ann', '192.0.2.1')).toBe(0);
    expect([fail(throttle, 'ann', '192.0.2.1'), fail(throttle, 'ann', '192.0.2.1')]).toEqual([0, 60]);
  });

  test('allows attempts at once when the clock is set back: failures from the future do not count', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) fail(throttle, 'ann', '192.0.2.1');
    for (const back of [3_600_000, 400 * 86_400_000]) expect(wait(throttle, 'ann', '192.0.2.1', NOON - back)).toBe(0);
  });

  test('does not block a known device for failures elsewhere; the device has five attempts of its own', () => {
    const throttle = createSignInThrottle();
    // This holds even if the strangers use the same address, which may be that of a whole office.
    for (let times = 0; times < 60; times += 1) fail(throttle, times < 10 ? 'ann' : `name ${times}`, '192.0.2.1');
    const fromDevice = (device: string) => throttle.begin({ name: 'ann', address: '192.0.2.1', device }, NOON);
    const own = fromDevice('own');
    if (own.allowed) throttle.succeeded(own.attempt);
    expect([own.allowed, wait(throttle, 'ann', '192.0.2.1')]).toEqual([true, 900]);
    const guesses = Array.from({ length: 200 }, () => fromDevice('stolen'));
    expect(guesses.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect([fromDevice('stolen'), fromDevice('own').allowed]).toEqual([{ allowed: false, retryAfterSeconds: 900 }, true]);
  });

  test('does not count failures on a known device against the name, and forgets them when the clock is set back', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 9; times += 1) throttle.begin({ name: 'ann', address: '192.0.2.1', device: 'own' }, NOON);
    expect(wait(throttle, 'ann', '192.0.2.1')).toBe(0);
    expect(throttle.begin({ name: 'ann', address: '192.0.2.1', device: 'own' }, NOON - 3_600_000).allowed).toBe(true);
  });

  test('counts IPv6 addresses by /64, and IPv4-mapped ones as IPv4', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 50; times += 1) fail(throttle, `name ${times}`, `2001:db8:1:2::${times}`);
    expect(wait(throttle, 'somebody', '2001:db8:1:2:ffff::1')).toBe(900);
    expect(wait(throttle, 'somebody', '2001:db8:1:3::1')).toBe(0);
    for (let times = 0; times < 50; times += 1) fail(throttle, `name ${times}`, '192.0.2.7');
    expect(wait(throttle, 'somebody', '::ffff:192.0.2.7')).toBe(900);
    expect(wait(throttle, 'somebody', '::ffff:c000:207')).toBe(900);
  });
});

describe('users', () => {
  test.each([
    ['ann@example.com', true],
    ['ann', false],
    ['', false],
    [`${'a'.repeat(64)}@${'b'.repeat(60)}.co`, true],
    [`${'a'.repeat(65)}@b.co`, false],
    [`a@${'b.'.repeat(126)}co`, false],
  ])('%s is an email address: %s', (text, is) => {
    expect(isEmailAddress(text)).toBe(is);
  });

  const isCommon = (password: string) => password === 'qwertyqwerty';
  test.each([
    ['short', /^has 5 characters; choose one with 12 to 256$/],
    ['x'.repeat(257), /^has 257/],
    ['QwertyQWERTY', /most common/],
    ['ann.smith@example.com', /little more than the email address/],
    ['AnnSmith2024', /little more/],
    ['smithsmithsmith', /little more/],
    ['Petstore2026!', /the name Petstore/],
  ])('refuses the password %s', (password, problem) => {
    expect(passwordProblem(password, 'ann.smith@example.com', isCommon)).toMatch(problem);
  });

  test.each(['correct hors', 'qwertyqwerty1', 'smith and the horse', '🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎'])('accepts the password %s', (password) => {
    expect(passwordProblem(password, 'ann.smith@example.com', isCommon)).toBeUndefined();
  });
});
