// What all contract suites share. They run in any test runner, because all they need is a function that declares a test. Tests run one after another,
// in any order. Some take seconds, or up to a minute with a slow store; a runner that allows less needs a higher limit, as in
// `(name, run) => test(name, run, 60_000)`.

import { expect } from 'expect';
import type { Limits } from '../core/access/plans.ts';
import type { Page } from '../core/page.ts';
import type { Stores } from '../core/ports.ts';
import { NOON, sampleAccount, sampleKey, withoutText } from './samples.ts';

/** A runner's function that declares a test: `test` from vitest, from `node:test`, or from another runner. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/**
 * Returns what a suite tests. Each suite says how often it calls this function, and what must exist. Storage must be unshared and empty, unless the
 * suite says otherwise, because ids and names are the same in each run. Anything that the suite does not stop must be stopped by a hook. A rejection
 * fails the test that needed the result. Adapters may be instances of classes; worlds are plain objects, whose functions don't use `this`.
 */
export type Make<World> = () => World | Promise<World>;

/** @typeParam Gap what an adapter may declare that it can't do; by default nothing */
export interface SuiteOptions<Gap extends string = never> {
  /** Name of the adapter, for the names of its tests. @default no name */
  readonly name?: string;
  /** What the adapter can't do; tests that require it are left out, or expect less. @default it can do everything */
  readonly declares?: readonly Gap[];
}

/** Declares one test of a suite. @param run gets the result of the suite's `setUp` */
export type SuiteTest<World> = (name: string, run: (world: World) => Promise<void>) => void;

/**
 * Begins a suite.
 *
 * @param title the start of all tests' names: `PetStore contract, SQLite: returns an animal as created`
 * @param parts `setUp` runs before each test, `tearDown` after each, even if the test fails; `gaps` are the names that the adapter may declare
 * @throws RangeError if the adapter declares anything else, before any test is declared
 */
export function contractSuite<World, Gap extends string = never>(
  runner: TestFunction,
  title: string,
  { name, declares = [] }: SuiteOptions<Gap>,
  parts: { readonly setUp: Make<World>; readonly tearDown?: (world: World) => Promise<void> | void; readonly gaps?: readonly Gap[] },
): SuiteTest<World> {
  const { setUp, tearDown, gaps = [] } = parts;
  const unknown = declares.filter((gap) => !gaps.includes(gap));
  if (unknown.length > 0) {
    const allowed = gaps.length === 0 ? 'nothing can be declared' : `allowed: ${gaps.join(', ')}`;
    throw new RangeError(`${title}: an adapter can't declare ${unknown.map((gap) => `"${gap}"`).join(', ')}; ${allowed}`);
  }
  const prefix = name === undefined ? title : `${title}, ${name}`;
  return (what, run) => {
    runner(`${prefix}: ${what}`, async () => {
      const world = await setUp();
      try {
        await run(world);
      } finally {
        await tearDown?.(world);
      }
    });
  };
}

/** Returns a set-up that runs once, when the first test of the suite needs it. If it fails, all tests of the suite fail with its error. */
export function once<World>(make: Make<World>): () => Promise<World> {
  let made: Promise<World> | undefined;
  return () => {
    made ??= (async () => make())();
    return made;
  };
}

/** Returns all items of a list. @param read returns one page */
export async function allPages<Item>(read: (after: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await read(after);
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
}

export type AccessStores = Pick<Stores, 'accounts' | 'usage'>;

/** Creates an account with these limits and one key, and functions that send requests with this key. */
export async function makeAccount(stores: AccessStores, limits: Limits = { perMinute: 3, perDay: 5 }) {
  const account = sampleAccount(limits);
  expect(await stores.accounts.createAccount(account)).toBe(true);
  const key = sampleKey(account.id);
  expect(await stores.accounts.addKey(withoutText(key), 10, NOON)).toBe('added');
  return { account, key, kind: async (now = NOON, digest = key.digest) => (await stores.usage.admit({ accountId: account.id, digest }, now)).kind };
}
