// What every FactorStore must do.

import { expect } from 'expect';
import { type FactorStore, hasSecondFactor, MOST_PASSKEYS, type Passkey } from '../core/identity/factors.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns a store without factors; called for each test */
export function factorStoreContract(runner: TestFunction, make: Make<FactorStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'FactorStore contract', options, { setUp: make });

  test('passkeys are found as they were stored, by user and by id', async (factors) => {
    expect(await factors.addPasskey(passkey('a'))).toBe(true);
    expect(await factors.addPasskey(passkey('a', 0, 'usr_2'))).toBe(false);
    expect(await factors.passkey('a')).toEqual(passkey('a'));
    expect([(await factors.factorsOf('usr_1')).passkeys, (await factors.factorsOf('usr_2')).passkeys]).toEqual([[passkey('a')], []]);
    expect(hasSecondFactor(await factors.factorsOf('usr_1'))).toBe(true);
    expect([await factors.removePasskey('usr_2', 'a'), await factors.removePasskey('usr_1', 'a')]).toEqual([false, true]);
    expect(await factors.passkey('a')).toBeUndefined();
  });

  test('a user has at most the allowed number of passkeys, even if many are added at once', async (factors) => {
    const added = await Promise.all(Array.from({ length: MOST_PASSKEYS + 5 }, (_, n) => factors.addPasskey(passkey(`p${n}`))));
    expect(added.filter(Boolean)).toHaveLength(MOST_PASSKEYS);
  });

  for (const [first, counters, expected] of [
    [0, [0, 0, 1, 1, 2], [true, true, true, false, true]],
    [5, [5, 4, 6, 6], [false, false, true, false]],
  ] as const)
    test(`the counters ${counters} of a passkey that begins at ${first} are accepted: ${expected}`, async (factors) => {
      await factors.addPasskey(passkey('a', first));
      const used: boolean[] = [];
      for (const counter of counters) used.push(await factors.usePasskey('a', counter, NOON + 1));
      expect(used).toEqual(expected);
      expect((await factors.passkey('a'))?.usedAt).toBe(NOON + 1);
    });

  test("a time step's code can be used once, and earlier codes can no longer be used", async (factors) => {
    await factors.setTotp('usr_1', Uint8Array.of(1), 10);
    expect(new Uint8Array((await factors.factorsOf('usr_1')).totp ?? [])).toEqual(Uint8Array.of(1));
    const used: boolean[] = [];
    for (const step of [10, 11, 11, 9, 12]) used.push(await factors.useTotp('usr_1', step));
    expect(used).toEqual([false, true, false, false, true]);
    expect((await Promise.all([factors.useTotp('usr_1', 13), factors.useTotp('usr_1', 13)])).toSorted()).toEqual([false, true]);
    expect(await factors.useTotp('usr_2', 20)).toBe(false);
  });

  test('a recovery code can be used once, and new codes replace the old ones', async (factors) => {
    await factors.setRecoveryCodes('usr_1', ['a', 'b']);
    const used = await Promise.all([factors.useRecoveryCode('usr_1', 'a'), factors.useRecoveryCode('usr_1', 'a')]);
    expect(used.toSorted()).toEqual([false, true]);
    expect(await factors.useRecoveryCode('usr_2', 'b')).toBe(false);
    await factors.setRecoveryCodes('usr_1', ['c']);
    expect([await factors.useRecoveryCode('usr_1', 'b'), (await factors.factorsOf('usr_1')).recoveryCodes]).toEqual([false, 1]);
  });

  test('recovery codes are deleted with the last factor', async (factors) => {
    const codes = async () => (await factors.factorsOf('usr_1')).recoveryCodes;
    await factors.addPasskey(passkey('a'));
    await factors.setTotp('usr_1', Uint8Array.of(1), 1);
    await factors.setRecoveryCodes('usr_1', ['a']);
    await factors.removeTotp('usr_1');
    expect(await codes()).toBe(1);
    await factors.removePasskey('usr_1', 'a');
    expect(await codes()).toBe(0);
    await factors.setTotp('usr_1', Uint8Array.of(1), 1);
    await factors.setRecoveryCodes('usr_1', ['b']);
    await factors.removeTotp('usr_1');
    expect(await codes()).toBe(0);
  });

  test('all factors of a user can be removed', async (factors) => {
    await factors.addPasskey(passkey('a'));
    await factors.setTotp('usr_1', Uint8Array.of(1), 1);
    await factors.setRecoveryCodes('usr_1', ['a']);
    expect([await factors.removeAll('usr_1'), await factors.removeAll('usr_1')]).toEqual([true, false]);
    expect(await factors.factorsOf('usr_1')).toEqual({ passkeys: [], totp: undefined, recoveryCodes: 0 });
  });
}

function passkey(id: string, counter = 0, userId = 'usr_1'): Passkey {
  const transports = ['internal', 'hybrid'];
  return { ...{ id, userId, name: 'Phone', counter, transports }, publicKey: Uint8Array.of(1, 2, 3), createdAt: NOON, usedAt: undefined };
}
