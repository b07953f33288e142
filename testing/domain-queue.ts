// What every DomainQueue must do with the domains in its store.

import { expect } from 'expect';
import type { AccountStore } from '../core/access/ports.ts';
import { newDomain } from '../core/domains/domain.ts';
import type { DomainStore } from '../core/domains/ports.ts';
import type { DomainQueue } from '../core/domains/queue.ts';
import type { ProjectStore } from '../core/projects/ports.ts';
import { makeProject } from './projects.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface DomainQueueWorld {
  readonly accounts: AccountStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore & DomainQueue;
  /** The same queue in another process, if several work on it. @default only one process does */
  readonly elsewhere?: DomainQueue;
}

/** Declares the suite for an adapter. @param make returns stores on the same storage; called once; the suite then stores two accounts */
export function domainQueueContract(runner: TestFunction, make: Make<DomainQueueWorld>, options: SuiteOptions = {}): void {
  let stores: DomainQueueWorld;

  // Two accounts with four domains each. In each account, an owner is waiting for every domain except the last, and the first is due first.
  const test = contractSuite(runner, 'DomainQueue contract', options, {
    setUp: once(async () => {
      stores = await make();
      for (const account of ['A', 'B']) {
        const project = await makeProject(stores);
        for (let n = 0; n < 4; n += 1) {
          const fields = { id: `${account}${n}`, host: `${account}${n}.dev`, projectId: project.id, accountId: project.accountId };
          const waiting = { since: NOON, checks: n < 3 ? 0 : 1, nextCheckAt: NOON - 10 + n };
          await stores.domains.addDomain({ ...newDomain(fields, NOON), state: { name: 'verifying', diagnosis: undefined, ...waiting } });
        }
      }
    }),
  });

  const queued = async (waitedFor: boolean, more: { now?: number; perAccount?: number; except?: string[]; limit?: number } = {}) =>
    (await stores.domains.queuedDomains({ waitedFor, now: NOON, limit: 9, perAccount: 9, except: [], ...more })).map(({ id }) => id);

  test('returns domains with a waiting owner separately from the others, longest-waiting first', async () => {
    expect(await queued(true)).toEqual(['A0', 'B0', 'A1', 'B1', 'A2', 'B2']);
    expect(await queued(false)).toEqual(['A3', 'B3']);
  });

  test('returns only due domains', async () => {
    expect(await queued(true, { now: NOON - 11 })).toEqual([]);
    expect(await queued(true, { now: NOON - 9 })).toEqual(['A0', 'B0', 'A1', 'B1']);
  });

  test('returns at most the given share for each account, not counting excluded domains', async () => {
    expect(await queued(true, { perAccount: 2 })).toEqual(['A0', 'B0', 'A1', 'B1']);
    expect(await queued(true, { except: ['A0', 'B1'], perAccount: 1 })).toEqual(['B0', 'A1']);
  });

  test('only one of several processes gets a domain', async () => {
    const { domains, elsewhere } = stores;
    if (elsewhere === undefined) return;
    expect([await domains.claim?.('A0'), await domains.claim?.('A0'), await elsewhere.claim?.('A0')]).toEqual([true, true, false]);
    // The other process does not find it either.
    const theirs = await elsewhere.queuedDomains({ waitedFor: true, now: NOON, limit: 9, perAccount: 9, except: [] });
    expect([theirs.map(({ id }) => id), await queued(true, { limit: 1 })]).toEqual([['B0', 'A1', 'B1', 'A2', 'B2'], ['A0']]);
    // Releasing a domain that it has not claimed changes nothing.
    await elsewhere.release?.('A0');
    expect(await elsewhere.claim?.('A0')).toBe(false);
    await domains.release?.('A0');
    expect([await elsewhere.claim?.('A0'), await domains.claim?.('A0')]).toEqual([true, false]);
    await elsewhere.release?.('A0');
    const claims = await Promise.all([domains, elsewhere, domains, elsewhere].map((queue) => queue.claim?.('B0')));
    expect(claims[0] !== claims[1] && claims[0] === claims[2] && claims[1] === claims[3]).toBe(true);
    for (const queue of [domains, elsewhere]) await queue.release?.('B0');
    expect(await domains.claim?.('dom_none')).toBe(false);
  });

  test('limits the total across all accounts', async () => {
    expect(await queued(true, { limit: 1 })).toEqual(['A0']);
    expect(await queued(true, { limit: 3, perAccount: 2 })).toEqual(['A0', 'B0', 'A1']);
  });
}
