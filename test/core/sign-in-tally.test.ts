import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSignInTally, type UnsuccessfulAttempt } from '../../core/identity/sign-in-throttle.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { NOON } from '../../testing/samples.ts';

const attempt = (about: Partial<UnsuccessfulAttempt> = {}): UnsuccessfulAttempt => ({
  ...{ action: 'sign_in.failed', userId: 'usr_ann', method: 'password', agent: 'Firefox on Windows', address: '192.0.2.1' },
  ...about,
});

test('records the first attempt at once, and those that follow within a minute when it is over', () => {
  const tally = createSignInTally();
  expect(tally.add(attempt(), NOON)).toMatchObject([
    { action: 'sign_in.failed', subject: 'usr_ann', actor: { kind: 'visitor', address: '192.0.2.1' }, details: { method: 'password' } },
  ]);
  for (let n = 1; n <= 4; n += 1) expect(tally.add(attempt(), NOON + n)).toEqual([]);
  expect(tally.due(NOON + 59_999)).toEqual([]);
  expect(tally.due(NOON + 60_000).map(({ details }) => details?.count)).toEqual([4]);
  expect([tally.due(NOON + 120_000), tally.add(attempt(), NOON + 130_000).length]).toEqual([[], 1]);
});

test('tells actions, methods, users and addresses apart, an IPv6 address by its /64', () => {
  const tally = createSignInTally();
  const others: Partial<UnsuccessfulAttempt>[] = [
    {},
    { action: 'sign_in.refused' },
    { method: 'code' },
    { userId: 'usr_bob' },
    { userId: undefined },
  ];
  const addresses: Partial<UnsuccessfulAttempt>[] = [{ address: '2001:db8::1' }, { address: '2001:db8:0:1::1' }];
  expect([...others, ...addresses].map((about) => tally.add(attempt(about), NOON).length)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(tally.add(attempt({ address: '2001:db8::2' }), NOON)).toEqual([]);
});

test('records what waits when it ends, and goes on when the clock is set back', () => {
  const tally = createSignInTally();
  tally.add(attempt(), NOON);
  tally.add(attempt(), NOON);
  expect(tally.due(NOON, true).map(({ details }) => details)).toEqual([{ method: 'password', agent: 'Firefox on Windows' }]);
  expect(tally.add(attempt(), NOON - DAY_MS)).toHaveLength(1);
});

test('a name without a user leaves nothing of what was entered', () => {
  expect(createSignInTally().add(attempt({ userId: undefined }), NOON)).toEqual([
    {
      action: 'sign_in.failed',
      subject: 'no user',
      actor: { kind: 'visitor', address: '192.0.2.1' },
      details: { method: 'password', agent: 'Firefox on Windows' },
    },
  ]);
});

test('strangers with any number of addresses leave at most 100 entries a day for a user, and 1,000 for names without one; all are counted', () => {
  const tally = createSignInTally();
  const recorded = { user: 0, noUser: 0, attempts: 0 };
  const take = (entries: ReturnType<typeof tally.due>) => {
    for (const { subject, details } of entries) {
      recorded[subject === 'no user' ? 'noUser' : 'user'] += 1;
      recorded.attempts += Number(details?.count ?? 1);
    }
  };
  for (let n = 0; n < 12_000; n += 1) {
    const address = `2001:db8:${(n % 5_000).toString(16)}::1`;
    take(tally.add(attempt({ address, userId: n % 2 === 0 ? undefined : 'usr_ann' }), NOON + n * 100));
    if (n % 600 === 0) take(tally.due(NOON + n * 100));
  }
  expect(recorded).toMatchObject({ user: 100, noUser: 1_000 });
  // The next day, one entry for each has the others.
  const rest = tally.due(NOON + DAY_MS);
  expect(rest.map(({ actor }) => actor?.address)).toEqual([undefined, undefined]);
  take(rest);
  expect(recorded.attempts).toBe(12_000);
});

test('records each attempt once, whenever it is asked', () => {
  const step = fc.record({ later: fc.nat(90_000), address: fc.nat(3), user: fc.nat(2), asks: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const tally = createSignInTally();
      let [now, recorded] = [NOON, 0];
      const take = (entries: ReturnType<typeof tally.due>) => {
        for (const { details } of entries) recorded += Number(details?.count ?? 1);
      };
      for (const { later, address, user, asks } of steps) {
        now += later;
        take(tally.add(attempt({ address: `192.0.2.${address}`, userId: user === 0 ? undefined : `usr_${user}` }), now));
        if (asks) take(tally.due(now));
      }
      take(tally.due(now + DAY_MS, true));
      expect(recorded).toBe(steps.length);
    }),
  );
});
