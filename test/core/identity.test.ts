import { describe, expect, test } from 'vitest';
import { createSignInThrottle } from '../../core/sign-in-throttle.ts';
import { isEmailAddress, passwordProblem } from '../../core/user.ts';
import { NOON } from '../support/samples.ts';

describe('the throttle of sign-in', () => {
  test('closes the door to a name after five failures, for a quarter of an hour', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) {
      expect(throttle.waitSeconds('ann', '192.0.2.1', NOON)).toBe(0);
      throttle.failed('ann', '192.0.2.1', NOON);
    }
    expect(throttle.waitSeconds('ann', '192.0.2.2', NOON + 5)).toBe(900);
    expect(throttle.waitSeconds('bob', '192.0.2.1', NOON)).toBe(0);
    expect(throttle.waitSeconds('ann', '192.0.2.1', NOON + 900_000)).toBe(0);
  });

  test('and to an address after fifty, whatever names it tries', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 50; times += 1) throttle.failed(`name ${times}`, '192.0.2.1', NOON);
    expect(throttle.waitSeconds('somebody', '192.0.2.1', NOON)).toBe(900);
    expect(throttle.waitSeconds('somebody', '192.0.2.2', NOON)).toBe(0);
  });

  test('forgets what a name mistyped once it is in', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) throttle.failed('ann', '192.0.2.1', NOON);
    throttle.succeeded('ann');
    expect(throttle.waitSeconds('ann', '192.0.2.1', NOON)).toBe(0);
  });

  test('lets in at once when the clock is set back: what it remembers from the future counts for nothing', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) throttle.failed('ann', '192.0.2.1', NOON);
    for (const back of [3_600_000, 400 * 86_400_000]) expect(throttle.waitSeconds('ann', '192.0.2.1', NOON - back)).toBe(0);
  });

  test('counts an address of IPv6 by its /64, and IPv4 within IPv6 as IPv4', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 50; times += 1) throttle.failed(`name ${times}`, `2001:db8:1:2::${times}`, NOON);
    expect(throttle.waitSeconds('somebody', '2001:db8:1:2:ffff::1', NOON)).toBe(900);
    expect(throttle.waitSeconds('somebody', '2001:db8:1:3::1', NOON)).toBe(0);
    for (let times = 0; times < 50; times += 1) throttle.failed(`name ${times}`, '192.0.2.7', NOON);
    expect(throttle.waitSeconds('somebody', '::ffff:192.0.2.7', NOON)).toBe(900);
    expect(throttle.waitSeconds('somebody', '::ffff:c000:207', NOON)).toBe(900);
  });
});

describe('users', () => {
  test.each([
    ['ann@example.com', true],
    ['ann', false],
    ['', false],
    [`${'a'.repeat(250)}@b.co`, false],
  ])('%s is an address: %s', (text, is) => {
    expect(isEmailAddress(text)).toBe(is);
  });

  test.each([
    ['short', /got 5 characters; allowed: 12 to 256/],
    ['x'.repeat(257), /got 257/],
  ])('%s is no password', (password, problem) => {
    expect(passwordProblem(password)).toMatch(problem);
  });

  test('twelve characters are one', () => {
    expect(passwordProblem('correct hors')).toBeUndefined();
  });
});
