// What every ProviderStore must do.

import { expect } from 'expect';
import type { ProviderRecord, ProviderStore } from '../core/identity/ports.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty store; called for each test */
export function providerStoreContract(runner: TestFunction, make: Make<ProviderStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'ProviderStore contract', options, { setUp: make });
  const stored = async (store: ProviderStore, ids: readonly string[], model = 'RefreshToken') => {
    const found = await Promise.all(ids.map(async (id) => (await store.find(model, id)) !== undefined));
    return ids.filter((_, n) => found[n]);
  };

  test('a record is found by its model and id, or by its uid, as it was last stored', async (store) => {
    await store.put(record({ id: 'a', model: 'Session', uid: 'u', payload: '{"n":1}' }), NOON, {});
    const next = record({ id: 'a', model: 'Session', uid: 'v', payload: '{"n":2}', expiresAt: undefined });
    await store.put(next, NOON, {});
    const found = { payload: '{"n":2}', expiresAt: undefined };
    expect([await store.find('Session', 'a'), await store.findByUid('Session', 'v')]).toEqual([found, found]);
    expect([await store.find('Grant', 'a'), await store.findByUid('Session', 'u'), await store.findByUid('Grant', 'v')]).toEqual(Array(3));
    for (let times = 0; times < 2; times += 1) await store.remove('Session', 'a');
    expect(await store.find('Session', 'a')).toBeUndefined();
  });

  test("a user's latest records of a model are kept; other records are not touched", async (store) => {
    for (let n = 0; n < 4; n += 1) await store.put(record({ id: `t${n}`, expiresAt: NOON + 100 + n }), NOON, { kept: 2 });
    await store.put(record({ id: 'other', userId: 'usr_2' }), NOON, { kept: 0 });
    await store.put(record({ id: 't9', model: 'Grant' }), NOON, { kept: 0 });
    expect(await stored(store, ['t0', 't1', 't2', 't3', 'other'])).toEqual(['t1', 't2', 't3', 'other']);
    expect(await stored(store, ['t9'], 'Grant')).toEqual(['t9']);
  });

  test('storing removes what has expired', async (store) => {
    await store.put(record({ id: 'old', expiresAt: NOON }), NOON - 10, {});
    expect(await stored(store, ['old'])).toEqual(['old']);
    await store.put(record({ id: 'new', expiresAt: NOON + 10 }), NOON + 1, {});
    expect(await stored(store, ['old', 'new'])).toEqual(['new']);
  });

  test('a record can be used only once, even by concurrent calls; the user’s other used records are deleted', async (store) => {
    for (const id of ['a', 'b', 'c']) await store.put(record({ id, expiresAt: NOON + id.charCodeAt(0) }), NOON, {});
    const use = (id: string) => store.consume({ model: 'RefreshToken', id, userId: 'usr_1', payload: '{"consumed":1}' }, 1);
    expect((await Promise.all([use('a'), use('a'), use('a')])).filter(Boolean)).toEqual([true]);
    expect((await store.find('RefreshToken', 'a'))?.payload).toBe('{"consumed":1}');
    expect([await use('b'), await use('c'), await use('a'), await use('nothing')]).toEqual([true, true, false, false]);
    expect(await stored(store, ['a', 'b', 'c'])).toEqual(['b', 'c']);
  });
}

function record(fields: Partial<ProviderRecord>): ProviderRecord {
  const none = { grantId: undefined, uid: undefined, agent: undefined };
  return { ...none, model: 'RefreshToken', id: 'a', userId: 'usr_1', expiresAt: NOON + 1_000, payload: '{}', ...fields };
}
