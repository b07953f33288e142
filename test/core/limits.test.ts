import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NEVER } from '../../core/access/account.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import { addressGroup, addressQuota } from '../../core/limits/address.ts';
import { type AccountState, type AdmissionState, admit } from '../../core/limits/admit.ts';
import { type Ban, isInForce, nextBan } from '../../core/limits/ban.ts';
import { decide } from '../../core/limits/decide.ts';
import { addRateLimitHeaders, draftRateLimitHeaders, headerQuota, retryAfterSeconds } from '../../core/limits/headers.ts';
import { afterStorage, answerFromMemory, STRIKES_TO_BAN } from '../../core/limits/refusal-record.ts';
import { USAGE_WINDOWS, usageCsv, usageView } from '../../core/limits/usage-view.ts';
import { DAY_MS, MINUTE_MS } from '../../core/limits/windows.ts';
import { NOON } from '../../testing/samples.ts';

const MIDNIGHT = Date.UTC(2026, 10, 22);
const REQUEST = { accountId: 'acc_A', digest: 'key' };

function makeState(fields: Partial<AccountState> = {}): AdmissionState {
  const account: AccountState = {
    plan: 'free',
    limits: { perMinute: 2, perDay: 5 },
    keys: new Map([['key', { scopes: ['pets:read'], expiresAt: NEVER }]]),
    bans: new Map(),
    minutes: new Map(),
    days: new Map(),
    ...fields,
  };
  return { accounts: new Map([['acc_A', account]]), records: new Map() };
}

/** Sends requests at these moments, one after another. */
function run(moments: readonly number[], state = makeState()) {
  let current = state;
  const decisions = moments.map((now) => {
    const result = admit(current, REQUEST, now);
    current = result.state;
    return result.decision;
  });
  return { decisions, kinds: decisions.map(({ kind }) => kind), state: current };
}

/** An account on plan Free with one key. */
const BASE = { plan: 'free', limits: { perMinute: 60, perDay: 1_000 }, key: { scopes: [], expiresAt: NEVER }, ban: undefined } as const;

const times = (count: number, now: number) => Array.from({ length: count }, () => now);

describe('admit', () => {
  test('counts in clock windows: the last moment of a minute and the first of the next count separately', () => {
    expect(run([NOON - 1, NOON - 1, NOON - 1, NOON, NOON, NOON]).kinds).toEqual([
      'admitted',
      'admitted',
      'limited',
      'admitted',
      'admitted',
      'limited',
    ]);
  });

  test('refuses until the window that resets last has reset', () => {
    const { decisions } = run([NOON, NOON, NOON]);
    expect(decisions[2]).toMatchObject({ kind: 'limited', retryAt: NOON + MINUTE_MS });
    const day = run([0, 1, 2, 3, 4].map((minute) => NOON + minute * MINUTE_MS));
    expect(admit(day.state, REQUEST, NOON + 5 * MINUTE_MS).decision).toMatchObject({ kind: 'limited', retryAt: MIDNIGHT });
  });

  test('never admits more than either limit, nor fewer than possible, while no key is banned', () => {
    const limit = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(limit, limit, fc.array(fc.integer({ min: 0, max: 3 * MINUTE_MS }), { maxLength: 40 }), (perMinute, perDay, offsets) => {
        const moments = offsets.toSorted((a, b) => a - b).map((offset) => NOON + offset);
        const { decisions } = run(moments, makeState({ limits: { perMinute, perDay } }));
        const admitted = moments.filter((_, index) => decisions[index]?.kind === 'admitted');
        const perWindow = Map.groupBy(admitted, (now) => Math.floor(now / MINUTE_MS));
        for (const inWindow of perWindow.values()) expect(inWindow.length).toBeLessThanOrEqual(perMinute);
        expect(admitted.length).toBeLessThanOrEqual(perDay);
        if (decisions.every(({ kind }) => kind !== 'banned')) {
          const asked = [...Map.groupBy(moments, (now) => Math.floor(now / MINUTE_MS)).values()];
          expect(admitted.length).toBe(
            Math.min(
              perDay,
              asked.reduce((sum, inWindow) => sum + Math.min(perMinute, inWindow.length), 0),
            ),
          );
        }
      }),
    );
  });

  test('treats a missing key, an expired key and a key without an account as unknown', () => {
    const expired = new Map([['key', { scopes: [], expiresAt: NOON }]]);
    expect(admit(makeState({ keys: expired }), REQUEST, NOON).decision).toEqual({ kind: 'unknown_key' });
    expect(admit(makeState({ keys: expired }), REQUEST, NOON - 1).decision.kind).toBe('admitted');
    expect(admit(makeState(), { ...REQUEST, digest: 'other' }, NOON).decision).toEqual({ kind: 'unknown_key' });
    expect(admit(makeState(), { ...REQUEST, accountId: 'acc_B' }, NOON).decision).toEqual({ kind: 'unknown_key' });
  });

  test('notices an upgrade within 60 seconds of a refusal', () => {
    const { state } = run([
      ...times(2, NOON - DAY_MS),
      ...times(2, NOON),
      ...[1, 2, 3].map((minute) => NOON + minute * MINUTE_MS),
      NOON + 4 * MINUTE_MS,
    ]);
    const account = state.accounts.get('acc_A') as AccountState;
    const upgraded = { ...state, accounts: new Map([['acc_A', { ...account, limits: { perMinute: 9, perDay: 99 } }]]) };
    expect(admit(upgraded, REQUEST, NOON + 5 * MINUTE_MS - 1).decision.kind).toBe('limited');
    expect(admit(upgraded, REQUEST, NOON + 5 * MINUTE_MS).decision.kind).toBe('admitted');
  });

  test("a suspended account's requests are counted like others, and end in 429", () => {
    const suspended = makeState({ suspended: true });
    const { decisions, kinds } = run([...times(3, NOON), ...times(3, NOON + MINUTE_MS), NOON + 2 * MINUTE_MS, NOON + 2 * MINUTE_MS], suspended);
    expect(kinds).toEqual(['suspended', 'suspended', 'limited', 'suspended', 'suspended', 'limited', 'suspended', 'limited']);
    expect(decisions.map((each) => (each.kind === 'unknown_key' ? [] : [each.quotas.minute.remaining, each.quotas.day.remaining]))).toEqual([
      [1, 4],
      [0, 3],
      [0, 3],
      [1, 2],
      [0, 1],
      [0, 1],
      [1, 0],
      [1, 0],
    ]);
    const banned = makeState({ suspended: true, bans: new Map([['key', { since: NOON, until: NOON + 1_000, level: 1 }]]) });
    expect(run([NOON, NOON + 1_000], banned).kinds).toEqual(['banned', 'suspended']);
  });

  test('the end of a suspension takes effect with the next request', () => {
    const { state } = run([NOON], makeState({ suspended: true }));
    const account = state.accounts.get('acc_A') as AccountState;
    const resumed = { ...state, accounts: new Map([['acc_A', { ...account, suspended: false }]]) };
    expect(admit(resumed, REQUEST, NOON).decision.kind).toBe('admitted');
  });

  const pausedKey = (paused: boolean) => new Map([['key', { scopes: ['pets:read'], expiresAt: NEVER, paused }]] as const);

  test("a paused key's requests are refused, whatever else applies to it, and count in no window", () => {
    const bans = new Map([['key', { since: NOON, until: NOON + 1_000, level: 1 }]]);
    for (const fields of [{}, { suspended: true }, { bans }, { limits: { perMinute: 0, perDay: 0 } }])
      expect(run([NOON, NOON + 5_000], makeState({ ...fields, keys: pausedKey(true) })).kinds).toEqual(['paused', 'paused']);
    const { decisions, state } = run(times(9, NOON), makeState({ keys: pausedKey(true) }));
    expect(decisions.at(-1)).toMatchObject({ plan: 'free', quotas: { minute: { limit: 2, remaining: 2 }, day: { remaining: 5 } } });
    expect(state.accounts.get('acc_A')?.minutes.size).toBe(0);
  });

  test('the end of a pause takes effect within 5 seconds, and no refusal is repeated with the quota of an earlier minute', () => {
    const resumedAfter = (pausedAt: number, askedAt: number) => {
      const { state } = run([pausedAt], makeState({ keys: pausedKey(true) }));
      const account = { ...(state.accounts.get('acc_A') as AccountState), keys: pausedKey(false) };
      return admit({ ...state, accounts: new Map([['acc_A', account]]) }, REQUEST, askedAt).decision.kind;
    };
    expect([resumedAfter(NOON, NOON + 4_999), resumedAfter(NOON, NOON + 5_000)]).toEqual(['paused', 'admitted']);
    expect([resumedAfter(NOON - 2, NOON - 1), resumedAfter(NOON - 2, NOON)]).toEqual(['paused', 'admitted']);
  });

  test('tolerates a clock that is set back', () => {
    expect(run([NOON, NOON, NOON, NOON - 10 * MINUTE_MS, NOON - 400 * DAY_MS]).kinds.slice(0, 3)).toEqual(['admitted', 'admitted', 'limited']);
  });
});

/** A refused request every 200 ms, from this moment on. */
const every200Ms = (count: number, from: number) => Array.from({ length: count }, (_, n) => from + n * 200);
/** When a loop that is refused at NOON sends its next request. */
const NEXT = NOON + 200;
const NO_LIMIT_A_DAY = { perMinute: 2, perDay: 1_000 };
/** Strikes that a 200 ms loop loses before its ban, one each second. */
const FORGOTTEN = 38;

describe('strikes and bans', () => {
  test('a request before Retry-After is a strike, and one strike is forgotten each second', () => {
    const needed = STRIKES_TO_BAN + FORGOTTEN;
    const { kinds, decisions } = run([...times(3, NOON), ...every200Ms(needed, NEXT)]);
    expect(kinds.indexOf('banned')).toBe(3 + needed - 1);
    expect(decisions.at(-1)).toMatchObject({ retryAt: NEXT + (needed - 1) * 200 + 5 * MINUTE_MS });
  });

  test('a burst of requests counts as one strike, and another can follow after 150 ms', () => {
    const bursts = (count: number, apartMs: number) => Array.from({ length: count }, (_, n) => times(3, NEXT + n * apartMs)).flat();
    expect(run([...times(3, NOON), ...bursts(190, 150)]).kinds).toContain('banned');
    expect(run([...times(3, NOON), ...bursts(190, 149)]).kinds).not.toContain('banned');
    expect(run([...times(3, NOON), ...times(10_000, NEXT)]).kinds).not.toContain('banned');
  });

  test('the first 429 of a window is not a strike', () => {
    const moments = Array.from({ length: 60 }, (_, n) => NOON + n * MINUTE_MS).flatMap((minute) => times(3, minute));
    const { state } = run(moments, makeState({ limits: NO_LIMIT_A_DAY }));
    expect(state.records.get('key')?.strikes).toBe(0);
  });

  test('strikes add up across minutes in which some requests are admitted', () => {
    const moments = Array.from({ length: 3 * 300 }, (_, n) => NOON + n * 200);
    expect(run(moments, makeState({ limits: { perMinute: 180, perDay: 9_000 } })).kinds.indexOf('banned')).toBeGreaterThan(300);
  });

  test('a client of a suspended account that continues after 429 is banned', () => {
    const state = makeState({ limits: NO_LIMIT_A_DAY, suspended: true });
    const { kinds } = run([...times(2, NOON), ...every200Ms(STRIKES_TO_BAN + FORGOTTEN + 1, NOON)], state);
    expect([...new Set(kinds)]).toEqual(['suspended', 'limited', 'banned']);
  });

  test('a client that goes on with a paused key is not banned, and keeps the strikes that it had', () => {
    const paused = new Map([['key', { scopes: [], expiresAt: NEVER, paused: true }]]);
    expect(new Set(run(every200Ms(2_000, NOON), makeState({ keys: paused })).kinds)).toEqual(new Set(['paused']));
    const { state } = run([...times(3, NOON), ...every200Ms(100, NEXT)], makeState({ limits: NO_LIMIT_A_DAY }));
    const strikes = state.records.get('key')?.strikes ?? 0;
    const account = { ...(state.accounts.get('acc_A') as AccountState), keys: paused };
    const { state: after, kinds } = run([NOON + MINUTE_MS], { ...state, accounts: new Map([['acc_A', account]]) });
    expect([kinds, strikes > 70, after.records.get('key')?.strikes === strikes]).toEqual([['paused'], true, true]);
  });

  test('one refused request a second never leads to a ban, even for hours', () => {
    const moments = Array.from({ length: 3 * 3_600 }, (_, n) => NOON + n * 1_000);
    expect(run(moments, makeState({ limits: { perMinute: 60, perDay: 60 } })).kinds).not.toContain('banned');
  });

  test('storage is read before a ban, so a recent upgrade prevents it', () => {
    const { state } = run([...times(3, NOON), ...every200Ms(STRIKES_TO_BAN + FORGOTTEN - 1, NEXT)]);
    const account = state.accounts.get('acc_A') as AccountState;
    const upgraded = { ...state, accounts: new Map([['acc_A', { ...account, limits: { perMinute: 500, perDay: 5_000 } }]]) };
    const next = NEXT + (STRIKES_TO_BAN + FORGOTTEN - 1) * 200;
    expect(run([next], state).kinds).toEqual(['banned']);
    expect(run([next, next + 1], upgraded).kinds).toEqual(['admitted', 'admitted']);
  });

  test('strikes that did not lead to a ban decay during silence, after an upgrade and after a fault', () => {
    const { state } = run([...times(3, NOON), ...every200Ms(STRIKES_TO_BAN + FORGOTTEN - 1, NEXT)]);
    const before = state.records.get('key');
    const completing = NEXT + (STRIKES_TO_BAN + FORGOTTEN - 1) * 200;
    // Storage was queried and failed: the record stays as it was.
    const asked = answerFromMemory(before, completing);
    expect([asked.kind, asked.record?.strikes]).toEqual(['ask', expect.any(Number)]);
    const limited = decide({ ...BASE, used: { minute: 60, day: 60 } }, completing + 10_000);
    expect(afterStorage(asked.record, limited, completing + 10_000).ban).toBeUndefined();
    const admitted = afterStorage(asked.record, decide({ ...BASE, used: { minute: 0, day: 0 } }, completing), completing);
    const later = completing + 60_000;
    expect(afterStorage(admitted.record, limited, later).ban).toBeUndefined();
    // Without the silence, this would be a ban.
    expect(afterStorage(asked.record, limited, completing).ban).toMatchObject({ level: 1 });
  });

  test('a ban is repeated while it lasts, without new strikes', () => {
    const { decisions, state } = run([...times(3, NOON), ...every200Ms(200, NEXT)], makeState({ limits: NO_LIMIT_A_DAY }));
    const [ban] = state.accounts.get('acc_A')?.bans.values() ?? [];
    if (ban === undefined) throw new Error('no ban');
    expect(decisions.at(-1)).toMatchObject({ kind: 'banned', retryAt: ban.until });
    const late = run([ban.until - 1, ban.until], state);
    expect(late.kinds).toEqual(['banned', 'admitted']);
    expect(late.state.accounts.get('acc_A')?.bans.get('key')).toEqual(ban);
    const hammering = run(every200Ms(200, ban.since + 1), state);
    expect([hammering.kinds.at(-1), hammering.state.records.get('key')?.strikes]).toEqual(['banned', 0]);
  });

  test('setting the clock back, by an hour or by 400 days, locks no key out', () => {
    const limited = run(times(3, NOON));
    const banned = run([...times(3, NOON), ...every200Ms(200, NEXT)]);
    expect([limited.kinds.at(-1), banned.kinds.at(-1)]).toEqual(['limited', 'banned']);
    for (const { state } of [limited, banned]) {
      for (const back of [3_600_000, 400 * DAY_MS]) expect(run([NOON - back], state).kinds).toEqual(['admitted']);
    }
  });

  test('a revoked key is unknown once storage is read', () => {
    const { state } = run(times(3, NOON));
    const account = state.accounts.get('acc_A') as AccountState;
    const revoked = { ...state, accounts: new Map([['acc_A', { ...account, keys: new Map() }]]) };
    expect(run([NOON, NOON + MINUTE_MS], revoked).kinds).toEqual(['limited', 'unknown_key']);
  });

  test('each ban is twice as long as the last, up to a day; a day without a ban resets the length', () => {
    expect(nextBan(undefined, NOON)).toEqual({ since: NOON, until: NOON + 5 * MINUTE_MS, level: 1 });
    let ban = nextBan(undefined, NOON);
    const minutes: number[] = [];
    for (let n = 0; n < 11; n += 1) {
      minutes.push((ban.until - NOON) / MINUTE_MS);
      ban = nextBan({ ...ban, until: NOON }, NOON);
    }
    expect(minutes).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]);
    expect(nextBan({ since: 0, until: NOON - DAY_MS, level: 7 }, NOON).level).toBe(1);
    expect(nextBan({ since: 0, until: NOON - DAY_MS + 1, level: 7 }, NOON).level).toBe(8);
    expect(nextBan({ since: NOON + DAY_MS, until: NOON + 2 * DAY_MS, level: 7 }, NOON).level).toBe(1);
  });

  test('a ban is in force from its start to its end, allowing for 60 s of clock skew', () => {
    const ban = { since: NOON, until: NOON + 100_000, level: 1 };
    expect([-60_001, -60_000, 0, 99_999, 100_000].map((offset) => isInForce(ban, NOON + offset))).toEqual([false, true, true, true, false]);
    expect(isInForce(undefined, NOON)).toBe(false);
  });
});

describe('headers', () => {
  const shown = (minute: number, day: number, ban?: Ban) => {
    const decision = decide({ ...BASE, ban, used: { minute, day } }, NOON);
    if (decision.kind === 'unknown_key') throw new Error('unknown key');
    const headers: Record<string, string> = {};
    addRateLimitHeaders(headers, headerQuota(decision));
    return Object.values(headers);
  };
  const MINUTE_END = String(NOON / 1000 + 60);
  const DAY_END = String(MIDNIGHT / 1000);

  test('show the window with the fewest requests remaining', () => {
    expect(shown(0, 0)).toEqual(['60', '59', MINUTE_END]);
    expect(shown(5, 990)).toEqual(['1000', '9', DAY_END]);
  });

  test('on a refusal, show the refused window that resets last', () => {
    expect(shown(60, 500)).toEqual(['60', '0', MINUTE_END]);
    expect(shown(0, 1_000)).toEqual(['1000', '0', DAY_END]);
    expect(shown(60, 1_000)).toEqual(['1000', '0', DAY_END]);
  });

  test('show that a banned key has no requests remaining until the ban ends', () => {
    expect(shown(1, 1, { since: NOON, until: NOON + 90_500, level: 1 })).toEqual(['60', '0', String(NOON / 1000 + 91)]);
  });

  test('Retry-After is in whole seconds, rounded up, at least 1', () => {
    expect([0, 1, 999, 1_000, 1_001, -5_000].map((ms) => retryAfterSeconds(NOON + ms, NOON))).toEqual([1, 1, 1, 1, 2, 1]);
  });

  test('the draft headers name both windows', () => {
    const decision = decide({ ...BASE, used: { minute: 1, day: 2 } }, NOON + 500);
    expect(decision.kind === 'admitted' && draftRateLimitHeaders(decision.quotas, NOON + 500)).toEqual({
      ratelimit: '"minute";r=58;t=60, "day";r=997;t=50400',
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    });
  });
});

describe('addresses', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:1:2::1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
    ['::ffff:0:192.0.2.7', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1::1.2.3.4', '2001:db8:1:0::/64'],
    ['', 'unknown'],
    ['unknown', 'unknown'],
    ['192.0.2', 'unknown'],
    ['192.0.2.007', 'unknown'],
    [':', 'unknown'],
    [':::', 'unknown'],
    ['1:2:3:4:5:6:7:8:9', 'unknown'],
    ['zz::1', 'unknown'],
    ['%eth0', 'unknown'],
  ])('%s counts as %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  test('are counted without an error, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.%]{0,40}$/)), (text) => {
        expect(addressGroup(text)).toMatch(/^(unknown|[\d.]{7,15}|([0-9a-f]{1,4}:){3}[0-9a-f]{1,4}::\/64)$/);
      }),
    );
  });

  test('count by the first 64 bits of IPv6 only', () => {
    const groups = (count: number) => fc.array(fc.constantFrom('0', '1', 'db8', 'ffff'), { minLength: count, maxLength: count });
    fc.assert(
      fc.property(groups(3), groups(5), groups(5), (network, one, other) => {
        const [left, right] = [one, other].map((rest) => [...network, ...rest].join(':')) as [string, string];
        fc.pre(![left, right].some((address) => address.startsWith('0:0:0:0:0:ffff:')));
        const block = new BlockList();
        block.addSubnet(left, 64, 'ipv6');
        expect(addressGroup(left) === addressGroup(right)).toBe(block.check(right, 'ipv6'));
      }),
    );
  });

  test("have plan Free's limit per minute", () => {
    expect(addressQuota(61, NOON)).toEqual({ limit: 60, remaining: 0, resetAt: NOON + MINUTE_MS });
  });
});

test('BoundedMap drops the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.has('b'), map.get('c'), map.size]).toEqual([3, false, 4, 2]);
  map.delete('a');
  map.clear();
  expect(map.size).toBe(0);
});

test('usage shows the remaining requests, and bans', () => {
  const quota = { limit: 60, remaining: 20, resetAt: NOON + 30_000 };
  const shown = usageView('acc_1', {
    plan: 'free',
    quotas: { minute: quota, day: quota },
    bans: [{ keyId: 'key_1', ban: { since: NOON - 1, until: NOON, level: 2 } }],
    history: {
      minutes: [{ startsAt: NOON, admitted: 7, refused: 1 }],
      hours: [{ startsAt: NOON, admitted: 8, refused: 2 }],
      days: [{ startsAt: NOON, admitted: 9, refused: 3 }],
    },
  });
  expect(shown).toMatchObject({
    accountId: 'acc_1',
    plan: 'free',
    minute: { used: 40, limit: 60, remaining: 20, resetAt: '2026-11-21T10:00:30.000Z' },
    bans: [{ keyId: 'key_1', until: '2026-11-21T10:00:00.000Z', level: 2 }],
    history: {
      minutes: [{ startsAt: '2026-11-21T10:00:00.000Z', admitted: 7, refused: 1 }],
      hours: [{ startsAt: '2026-11-21T10:00:00.000Z', admitted: 8, refused: 2 }],
      days: [{ startsAt: '2026-11-21T10:00:00.000Z', admitted: 9, refused: 3 }],
    },
  });
  expect(usageCsv(shown).split('\n')).toEqual([
    'window,startsAt,admitted,refused',
    'minute,2026-11-21T10:00:00.000Z,7,1',
    'day,2026-11-21T10:00:00.000Z,9,3',
  ]);
  expect(USAGE_WINDOWS.map((window) => usageCsv(shown, [window]).split('\n')[1])).toEqual([
    'minute,2026-11-21T10:00:00.000Z,7,1',
    'hour,2026-11-21T10:00:00.000Z,8,2',
    'day,2026-11-21T10:00:00.000Z,9,3',
  ]);
});
