import { describe, expect, test } from 'vitest';
import { createSignInThrottle } from '../../core/sign-in-throttle.ts';
import { isEmailAddress, passwordProblem } from '../../core/user.ts';
import { NOON } from '../support/samples.ts';

describe('the throttle of sign-in', () => {
  test('closes the door to a name after five failures, for a quarter of an hour', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) {
      expect(throttle.waitSeconds('ann', 'a', NOON)).toBe(0);
      throttle.failed('ann', 'a', NOON + times);
    }
    expect(throttle.waitSeconds('ann', 'another address', NOON + 5)).toBe(900);
    expect(throttle.waitSeconds('bob', 'a', NOON)).toBe(0);
    expect(throttle.waitSeconds('ann', 'a', NOON + 900_000)).toBe(0);
  });

  test('and to an address after fifty, whatever names it tries', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 50; times += 1) throttle.failed(`name ${times}`, 'a', NOON);
    expect(throttle.waitSeconds('somebody', 'a', NOON)).toBe(900);
    expect(throttle.waitSeconds('somebody', 'b', NOON)).toBe(0);
  });

  test('forgets what a name mistyped once it is in', () => {
    const throttle = createSignInThrottle();
    for (let times = 0; times < 5; times += 1) throttle.failed('ann', 'a', NOON);
    throttle.succeeded('ann');
    expect(throttle.waitSeconds('ann', 'a', NOON)).toBe(0);
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
