// What every AcmeOrders must do.

import { expect } from 'expect';
import type { AcmeOrders, StoredOrder } from '../core/domains/certificate-ports.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface AcmeOrdersWorld {
  readonly orders: AcmeOrders;
  /** The same storage, as used by another process. @default only one process works on orders */
  readonly elsewhere?: AcmeOrders;
}

const DIRECTORY = 'https://ca.test/directory';

/** Declares the suite for an adapter. @param make returns a store without accounts or orders; called for each test */
export function acmeOrdersContract(runner: TestFunction, make: Make<AcmeOrdersWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'AcmeOrders contract', options, { setUp: make });

  test('a directory has one account, whose values can be changed one at a time', async ({ orders }) => {
    expect(await orders.account(DIRECTORY)).toBeUndefined();
    await orders.updateAccount(DIRECTORY, { url: 'none' });
    const made = await Promise.all(['key 1', 'key 2', 'key 3'].map((key) => orders.addAccount(DIRECTORY, key)));
    expect(new Set(made.map(({ privateKey }) => privateKey)).size).toBe(1);
    const none = { url: undefined, pausedUntil: undefined, refused: undefined };
    expect(await orders.account(DIRECTORY)).toEqual({ ...none, privateKey: made[0]?.privateKey });
    await orders.updateAccount(DIRECTORY, { url: 'https://ca.test/1', refused: 'terms' });
    await orders.updateAccount(DIRECTORY, { pausedUntil: NOON, refused: undefined, privateKey: 'key 4' });
    expect(await orders.account(DIRECTORY)).toEqual({ privateKey: 'key 4', url: 'https://ca.test/1', pausedUntil: NOON, refused: undefined });
  });

  test('an order is found as it was first stored, until it is forgotten with its challenges', async ({ orders }) => {
    await orders.keep(order('a'));
    await orders.keep({ ...order('a'), privateKey: 'another' });
    expect(await orders.get('a')).toEqual(order('a'));
    const failure = { failure: 'other', detail: 'no' } as const;
    await orders.update('a', { url: 'https://ca.test/o/1' });
    await orders.update('a', { failure });
    expect(await orders.get('a')).toEqual({ ...order('a'), url: 'https://ca.test/o/1', failure });
    await orders.update('a', { failure: undefined, url: undefined, privateKey: 'fresh' });
    expect(await orders.get('a')).toEqual({ ...order('a'), privateKey: 'fresh' });
    await orders.keepChallenge('www.shop.dev', 'token', 'first');
    await orders.keepChallenge('www.shop.dev', 'token', 'answer');
    expect([await orders.challenge('www.shop.dev', 'token'), await orders.challenge('www.shop.dev', 'other')]).toEqual(['answer', undefined]);
    expect(await orders.answersOf('www.shop.dev')).toEqual(['answer']);
    await orders.forget('a');
    expect([await orders.get('a'), await orders.challenge('www.shop.dev', 'token')]).toEqual([undefined, undefined]);
  });

  test("a domain's orders are deleted, except one", async ({ orders }) => {
    for (const name of ['acme:dom_1-g1', 'acme:dom_1-g2', 'acme:dom_12-g1']) await orders.keep(order(name));
    await orders.deleteAll('acme:dom_1-', 'acme:dom_1-g2');
    expect([await orders.get('acme:dom_1-g1'), (await orders.get('acme:dom_1-g2'))?.reference]).toEqual([undefined, 'acme:dom_1-g2']);
    expect((await orders.get('acme:dom_12-g1'))?.reference).toBe('acme:dom_12-g1');
  });

  test('failures are counted by host and time, each once', async ({ orders }) => {
    for (const [reference, host, at] of [
      ['b', 'a.dev', NOON + 2],
      ['a', 'a.dev', NOON + 1],
      ['a', 'a.dev', NOON + 9],
      ['c', 'b.dev', NOON + 3],
    ] as const)
      await orders.recordFailure({ reference, host }, at);
    expect([await orders.failuresSince('a.dev', NOON), await orders.failuresSince('a.dev', NOON + 1)]).toEqual([[NOON + 1, NOON + 2], [NOON + 2]]);
  });

  test('only one of several processes holds an order', async ({ orders, elsewhere }) => {
    await orders.keep(order('a'));
    expect(await orders.claim('a')).toBe(true);
    if (elsewhere !== undefined) expect(await elsewhere.claim('a')).toBe(false);
    await orders.release('a');
    expect(await (elsewhere ?? orders).claim('a')).toBe(true);
    await (elsewhere ?? orders).release('a');
  });
}

function order(reference: string): StoredOrder {
  return { reference, host: 'www.shop.dev', privateKey: 'key', url: undefined, replaces: undefined, failure: undefined };
}
