// The property that checks adapters against the pure model (core/limits/admit.ts): for random histories of requests, clock changes, plan changes,
// suspensions, pauses, changed scopes and revocations, the admitter on the adapter makes the same decisions. Some clients continue until they are
// banned, some bans are lifted, and clocks are set back.

import { expect } from 'expect';
import fc from 'fast-check';
import type { KeyRecord } from '../core/access/account.ts';
import { SCOPES, type Scope } from '../core/access/plans.ts';
import { type AccountState, type AdmissionState, admit } from '../core/limits/admit.ts';
import { isLiftable, lifted } from '../core/limits/ban.ts';
import { createAdmitter } from '../service/admission/admitter.ts';
import { NOON, REVOKED, sampleAccount, sampleKey } from './samples.ts';
import { type AccessStores, contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

type Step =
  | { readonly kind: 'requests'; readonly key: number; readonly times: number; readonly behindMs: number }
  | { readonly kind: 'loop'; readonly key: number; readonly times: number; readonly pauseMs: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'plan'; readonly perMinute: number; readonly perDay: number }
  | { readonly kind: 'expire'; readonly key: number; readonly inMs: number }
  | { readonly kind: 'lift'; readonly key: number }
  | { readonly kind: 'suspend'; readonly suspended: boolean }
  | { readonly kind: 'pause'; readonly key: number; readonly paused: boolean }
  | { readonly kind: 'scopes'; readonly key: number; readonly scopes: readonly Scope[] }
  | { readonly kind: 'revoke'; readonly key: number };

const KEYS = 3;
const key = fc.integer({ min: 0, max: KEYS - 1 });

const step: fc.Arbitrary<Step> = fc.oneof(
  // A machine's clock may lag by less than a window.
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('requests'),
      key,
      times: fc.integer({ min: 1, max: 12 }),
      behindMs: fc.constantFrom(0, 0, 0, 1, 500, 30_000, 59_999),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      ms: fc.constantFrom(1, 999, 20_000, 60_000, 61_000, 300_000, 900_000, 86_400_000, -500, -3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('plan'), perMinute: fc.integer({ min: 1, max: 6 }), perDay: fc.integer({ min: 1, max: 15 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire'), key, inMs: fc.constantFrom(-1, 0, 1, 60_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('loop'), key, times: fc.integer({ min: 100, max: 180 }), pauseMs: fc.constantFrom(100, 160, 250) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lift'), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('suspend'), suspended: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause'), key, paused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('scopes'), key, scopes: fc.constantFrom<readonly Scope[]>(['pets:read'], SCOPES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke'), key }) },
);

export interface AdmissionModelOptions extends SuiteOptions {
  /** Number of random histories tried, each with its own account. @default 60 */
  readonly runs?: number;
}

/** Declares the property for an adapter. @param make returns an account store and a usage store on the same storage; called once */
export function admissionModelProperty(runner: TestFunction, make: Make<AccessStores>, options: AdmissionModelOptions = {}): void {
  const test = contractSuite(runner, 'admission model', options, { setUp: once(make) });

  test('makes the same decisions as the model in every history', async (stores) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await runHistory(stores, steps);
      }),
      { numRuns: options.runs ?? 60 },
    );
  });
}

async function runHistory(stores: AccessStores, steps: readonly Step[]): Promise<void> {
  const account = sampleAccount({ perMinute: 3, perDay: 8 });
  await stores.accounts.createAccount(account);
  const keys = Array.from({ length: KEYS }, () => sampleKey(account.id));
  for (const { text: _, ...record } of keys) await stores.accounts.addKey(record, 10, NOON);
  const admitter = createAdmitter(stores.usage, () => {});

  let owner: AccountState = {
    plan: 'enterprise',
    limits: account.limits,
    keys: new Map(keys.map(({ digest, scopes, expiresAt }) => [digest, { scopes, expiresAt }])),
    bans: new Map(),
    minutes: new Map(),
    days: new Map(),
  };
  let model: AdmissionState = { accounts: new Map([[account.id, owner]]), records: new Map() };
  const change = (changed: Partial<AccountState>) => {
    owner = { ...(model.accounts.get(account.id) as AccountState), ...changed };
    model = { ...model, accounts: new Map([[account.id, owner]]) };
  };
  const ask = async (index: number, at: number) => {
    const request = { accountId: account.id, digest: (keys[index] as (typeof keys)[number]).digest };
    const expected = admit(model, request, at);
    model = expected.state;
    expect(await admitter.admit(request, at)).toEqual(expected.decision);
  };
  let now = NOON;

  for (const each of steps) {
    const current = model.accounts.get(account.id) as AccountState;
    switch (each.kind) {
      case 'wait':
        now += each.ms;
        break;
      case 'plan': {
        const limits = { perMinute: each.perMinute, perDay: each.perDay };
        await stores.accounts.setPlan(account.id, 'enterprise', limits);
        change({ limits });
        break;
      }
      case 'expire': {
        const { id, digest } = keys[each.key] as (typeof keys)[number];
        await stores.accounts.expireKey(id, now + each.inMs);
        const known = current.keys.get(digest);
        if (known !== undefined) change({ keys: new Map(current.keys).set(digest, { ...known, expiresAt: now + each.inMs }) });
        break;
      }
      case 'pause':
      case 'scopes': {
        const { id, digest } = keys[each.key] as (typeof keys)[number];
        const read = await stores.accounts.getKey(id);
        if (read === undefined) break;
        const { pausedAt, ...others } = read;
        const next: KeyRecord =
          each.kind === 'scopes' ? { ...read, scopes: each.scopes } : each.paused ? { ...others, pausedAt: pausedAt ?? now } : others;
        expect(await stores.accounts.changeKey(next, read)).toBe(true);
        const { scopes, expiresAt } = next;
        change({ keys: new Map(current.keys).set(digest, { scopes, expiresAt, paused: next.pausedAt !== undefined }) });
        break;
      }
      case 'revoke': {
        const { id, digest } = keys[each.key] as (typeof keys)[number];
        await stores.accounts.revokeKey(id, REVOKED);
        const left = new Map(current.keys);
        const bans = new Map(current.bans);
        left.delete(digest);
        bans.delete(digest);
        change({ keys: left, bans });
        break;
      }
      case 'lift': {
        const { id, digest } = keys[each.key] as (typeof keys)[number];
        const ban = current.bans.get(digest);
        expect(await stores.accounts.liftBan(id, now)).toBe(isLiftable(ban, now));
        if (isLiftable(ban, now)) change({ bans: new Map(current.bans).set(digest, lifted(ban)) });
        break;
      }
      case 'suspend':
        await stores.accounts.setSuspension(account.id, each.suspended ? { since: now, reason: 'not paid' } : undefined);
        change({ suspended: each.suspended });
        break;
      case 'loop':
        for (let n = 0; n < each.times; n += 1) {
          await ask(each.key, now);
          now += each.pauseMs;
        }
        break;
      case 'requests':
        for (let n = 0; n < each.times; n += 1) await ask(each.key, now - each.behindMs);
    }
  }
}
