// The contract suites outside of vitest, and what they do with what an adapter declares.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createMemoryNotificationSettings, createMemoryOutbox } from '../adapters/store/memory/outbox.ts';
import { createMemoryMinuteCounter, createMemorySweepStore } from '../adapters/store/memory/single-process.ts';
import { createMemoryStores } from '../adapters/store/memory/stores.ts';
import { accountStoreContract } from '../testing/account-store.ts';
import { admissionModelProperty } from '../testing/admission-model.ts';
import { leaseStoreContract } from '../testing/lease-store.ts';
import { minuteCounterContract } from '../testing/minute-counter.ts';
import { notificationOutboxContract } from '../testing/notification-outbox.ts';
import { notificationSettingsContract } from '../testing/notification-settings.ts';
import { petStoreContract } from '../testing/pet-store.ts';
import { contractSuite, once } from '../testing/suite.ts';
import { sweepStoreContract } from '../testing/sweep-store.ts';
import { usageStoreContract } from '../testing/usage-store.ts';

const FILE = join(import.meta.dirname, 'support/suites-in-node.ts');

/** Runs the file with `node --test`. @returns the exit code, and the names of the tests that passed and failed */
async function runInNode(adapter: string) {
  const env = { ...process.env, ADAPTER: adapter };
  const run = promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', FILE], { env });
  const { code, stdout } = await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const named = (result: string) => [...stdout.matchAll(new RegExp(`^ *${result} \\d+ - (.* contract, .*)$`, 'gm'))].map(([, name]) => name);
  return { code, passed: named('ok'), failed: named('not ok') };
}

/** The tests that a suite declares. */
function declared(declare: (runner: (name: string, run: () => Promise<void>) => void) => void) {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  declare((name, run) => void tests.push({ name, run }));
  return tests;
}

const DIGITS = 'PetStore contract, memory: returns an animal as created, to the last digit';
const HISTORY = [
  'UsageStore contract, memory: shows the last hour, day and 30 days, including refusals, and nothing older',
  'UsageStore contract, memory: counts refusals that are reported late in the windows in which they were given',
];
const NO_HISTORY = 'UsageStore contract, memory: shows windows without counts, and refusals use up no quota';

test('suites run with node --test', async () => {
  const { code, passed, failed } = await runInNode('complete');
  const all = [
    ...declared((runner) => petStoreContract(runner, () => createMemoryStores().pets, { name: 'memory' })),
    ...declared((runner) => usageStoreContract(runner, createMemoryStores, { name: 'memory' })),
  ];
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  expect(passed).toEqual(all.map(({ name }) => name));
  expect(passed).toEqual(expect.arrayContaining([DIGITS, ...HISTORY]));
});

test('a broken adapter fails there, in the tests of what is broken', async () => {
  const { code, failed } = await runInNode('broken');
  expect(code).toBe(1);
  expect(failed).toContain(DIGITS);
  expect(failed.filter((name) => name?.startsWith('UsageStore'))).toEqual(HISTORY);
});

test('what an adapter declares is not expected of it, and everything else is', async () => {
  const [complete, { code, passed, failed }] = [await runInNode('complete'), await runInNode('declared')];
  expect({ code, failed }).toEqual({ code: 0, failed: [] });
  expect(new Set(passed)).toEqual(new Set([...complete.passed.filter((name) => !HISTORY.includes(String(name))), NO_HISTORY]));
});

test('an adapter that keeps a history fails if it declares that it keeps none', async () => {
  const [weaker] = declared((runner) => usageStoreContract(runner, createMemoryStores, { name: 'memory', declares: ['history'] })).filter(
    ({ name }) => name === NO_HISTORY,
  );
  await expect(weaker?.run()).rejects.toThrow();
});

test('an unknown declaration is an error before any test is declared', () => {
  const tests: string[] = [];
  const runner = (name: string) => tests.push(name);
  const declares = ['histroy', 'bans'] as never[];
  expect(() => usageStoreContract(runner, createMemoryStores, { declares })).toThrow(
    'UsageStore contract: an adapter can\'t declare "histroy", "bans"; allowed: history',
  );
  expect(() => petStoreContract(runner, () => createMemoryStores().pets, { declares })).toThrow('nothing can be declared');
  expect(tests).toEqual([]);
});

test('names have the adapter only if it has a name', () => {
  const named = (options: { name?: string }) => {
    const [first] = declared((runner) => petStoreContract(runner, () => createMemoryStores().pets, options));
    return first?.name.replace(/: .*/, '');
  };
  expect([named({ name: 'SQLite' }), named({})]).toEqual(['PetStore contract, SQLite', 'PetStore contract']);
});

test('what is set up is torn down after each test, even if the test fails; what is made once is made by the first test', async () => {
  const events: string[] = [];
  const tests = declared((runner) => {
    const suite = contractSuite(runner, 'suite', {}, { setUp: () => events.push('set up'), tearDown: (n) => void events.push(`tear down ${n}`) });
    suite('fails', () => Promise.reject(new Error('as it should')));
  });
  expect(events).toEqual([]);
  await expect(tests[0]?.run()).rejects.toThrow('as it should');
  expect(events).toEqual(['set up', 'tear down 1']);

  let made = 0;
  const make = once(() => {
    made += 1;
    if (made === 1) throw new Error('not made');
  });
  expect(made).toBe(0);
  for (const call of [make(), make()]) await expect(call).rejects.toThrow('not made');
  expect(made).toBe(1);
});

/** The adapter, with methods that fail if they are called without it, as those of a class may. */
function asInstance<Adapter extends object>(adapter: Adapter): Adapter {
  const instance = new Proxy(adapter, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return function (this: unknown, ...values: unknown[]): unknown {
        if (this !== instance) throw new Error(`${String(name)} is called without its adapter`);
        return member.apply(target, values);
      };
    },
  });
  return instance;
}

test('adapters may be instances of classes', async () => {
  const stores = () => {
    const { pets, accounts, usage, leases } = createMemoryStores();
    return { pets: asInstance(pets), accounts: asInstance(accounts), usage: asInstance(usage), leases: asInstance(leases) };
  };
  const tests = declared((runner) => {
    petStoreContract(runner, () => stores().pets);
    accountStoreContract(runner, stores, { declares: ['notifications'] });
    usageStoreContract(runner, stores);
    leaseStoreContract(runner, stores, { runs: 2 });
    admissionModelProperty(runner, stores, { runs: 2 });
    minuteCounterContract(runner, () => asInstance(createMemoryMinuteCounter()));
    notificationOutboxContract(runner, () => asInstance(createMemoryOutbox()));
    notificationSettingsContract(runner, () => asInstance(createMemoryNotificationSettings()));
    sweepStoreContract(runner, () => asInstance(createMemorySweepStore()));
  });
  for (const { run } of tests) await run();
});
