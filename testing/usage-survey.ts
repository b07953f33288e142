// What every UsageSurvey must do.

import { expect } from 'expect';
import type { AccountStore } from '../core/access/ports.ts';
import type { UsageStore } from '../core/limits/ports.ts';
import { DAY_MS } from '../core/limits/windows.ts';
import type { UsageSurvey } from '../core/notifications/ports.ts';
import { NOON, sampleAccount, sampleKey } from './samples.ts';
import { allPages, contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface UsageSurveyWorld {
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
  readonly survey: UsageSurvey;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once */
export function usageSurveyContract(runner: TestFunction, make: Make<UsageSurveyWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'UsageSurvey contract', options, { setUp: make });

  test('finds every account that was used, in pages, with its day and its bans', async ({ accounts, usage, survey }) => {
    const used = await Promise.all(
      Array.from({ length: 250 }, async (_, n) => {
        const account = sampleAccount({ perMinute: 100, perDay: 10 + n });
        const { text: _text, ...key } = sampleKey(account.id);
        await accounts.createAccount(account);
        await accounts.addKey(key, 10, NOON);
        expect((await usage.admit({ accountId: account.id, digest: key.digest }, NOON)).kind).toBe('admitted');
        return { account, key };
      }),
    );
    const [first] = used;
    if (first === undefined) throw new Error('no account');
    const request = { accountId: first.account.id, digest: first.key.digest };
    await usage.admit(request, NOON);
    await usage.countRefusals(first.account.id, 3, NOON);
    const ban = { since: NOON, until: NOON + 300_000, level: 1 };
    await usage.ban(request, ban);
    const all = async (now: number) => new Map((await allPages((after) => survey.usagePage(now, after))).map((each) => [each.accountId, each]));
    const today = await all(NOON + 1);
    expect(today.get(first.account.id)).toEqual({ accountId: first.account.id, day: { used: 2, limit: 10 }, bans: [{ keyId: first.key.id, ban }] });
    for (const { account } of used.slice(1))
      expect(today.get(account.id)).toEqual({ accountId: account.id, day: { used: 1, limit: account.limits.perDay }, bans: [] });
    expect((await all(NOON + DAY_MS)).get(first.account.id)?.day).toEqual({ used: 0, limit: 10 });
  });
}
