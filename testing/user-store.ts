// What every UserStore must do.

import { expect } from 'expect';
import type { UserStore } from '../core/identity/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface UserWorld {
  readonly users: UserStore;
  /** Signs the user in, which creates a session. */
  signIn(userId: string): Promise<void>;
  /** Whether a session of the user is still accepted. */
  isSignedIn(userId: string): Promise<boolean>;
  /** Makes the user a member of an account. */
  join(userId: string): Promise<void>;
  memberships(userId: string): Promise<number>;
}

const PASSWORD = 'pässword of ann';
const ANN = { id: 'usr_1', email: 'ann@example.com' };
const BOB = { id: 'usr_2', email: 'bob@example.com' };

/** Declares the suite for an adapter. @param make returns a store without users, and a way to sign users in; called for each test */
export function userStoreContract(runner: TestFunction, make: Make<UserWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'UserStore contract', options, {
    setUp: async () => {
      const world = await make();
      expect(await world.users.add(ANN, PASSWORD)).toBe(true);
      return world;
    },
  });

  test('an email address belongs to only one user, ignoring case', async ({ users }) => {
    expect(await users.add({ id: 'usr_3', email: 'Ann@Example.com' }, 'other password')).toBe(false);
    expect(await users.add({ id: 'usr_4', email: 'Bob@Example.com' }, 'other password')).toBe(true);
    expect([await users.get('usr_1'), await users.get('usr_4'), await users.get('usr_9')]).toEqual([ANN, { ...BOB, id: 'usr_4' }, undefined]);
    expect([await users.byEmail('ANN@example.com'), await users.byEmail('nobody@example.com')]).toEqual([ANN, undefined]);
    expect(await users.list()).toEqual([ANN, { ...BOB, id: 'usr_4' }]);
    // The second user can't sign in with this address either.
    expect([await users.check(ANN.email, PASSWORD), await users.check(ANN.email, 'other password')]).toEqual([ANN, undefined]);
  });

  test('only one of several concurrent additions of an address is stored', async ({ users }) => {
    const added = await Promise.all(Array.from({ length: 4 }, (_, n) => users.add({ ...BOB, id: `usr_b${n}` }, 'password of bob')));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect((await users.byEmail(BOB.email))?.id).toBe(`usr_b${added.indexOf(true)}`);
  });

  test('only the right password is accepted, in any Unicode normal form', async ({ users }) => {
    expect(await users.check('ann@EXAMPLE.com', PASSWORD)).toEqual(ANN);
    expect(await users.check(ANN.email, PASSWORD.normalize('NFD'))).toEqual(ANN);
    expect(await users.check(ANN.email, 'password of ann')).toBeUndefined();
    expect(await users.check('nobody@example.com', '')).toBeUndefined();
  });

  test("a password check beyond the caller's share is refused, and other callers' checks are not", async ({ users }) => {
    const share = { key: 'here', concurrent: 1, inFlight: 1 };
    const results = await Promise.all([users.check(ANN.email, PASSWORD, [share]), users.check(ANN.email, PASSWORD, [share])]);
    expect(results).toEqual([ANN, 'busy']);
    expect(await users.check(ANN.email, PASSWORD, [share])).toEqual(ANN);
  });

  test('a new password replaces the old one, and ends all sessions', async (world) => {
    const { users } = world;
    await world.signIn(ANN.id);
    const before = await users.sessionGeneration(ANN.id);
    await users.setPassword(ANN.id, 'a new password');
    expect([await users.check(ANN.email, PASSWORD), await users.check(ANN.email, 'a new password')]).toEqual([undefined, ANN]);
    expect([await world.isSignedIn(ANN.id), (await users.sessionGeneration(ANN.id)) === before]).toEqual([false, false]);
  });

  test("one user's sessions end, and other users' sessions stay", async (world) => {
    const { users } = world;
    await users.add(BOB, 'password of bob');
    await world.signIn(ANN.id);
    await world.signIn(BOB.id);
    expect([await world.isSignedIn(ANN.id), await world.isSignedIn(BOB.id)]).toEqual([true, true]);
    const generations = [await users.sessionGeneration(ANN.id)];
    for (let times = 0; times < 2; times += 1) {
      await users.endSessions(ANN.id);
      generations.push(await users.sessionGeneration(ANN.id));
    }
    expect([await world.isSignedIn(ANN.id), await world.isSignedIn(BOB.id)]).toEqual([false, true]);
    // A session from an earlier generation is never accepted as a session from a later generation.
    expect(new Set(generations).size).toBe(3);
    await world.signIn(ANN.id);
    expect(await world.isSignedIn(ANN.id)).toBe(true);
  });

  test('removing a user removes their sessions and memberships, and can be repeated', async (world) => {
    const { users } = world;
    await users.add(BOB, 'password of bob');
    for (const { id } of [ANN, BOB]) {
      await world.signIn(id);
      await world.join(id);
    }
    for (let times = 0; times < 2; times += 1) {
      await users.remove(ANN.id);
      expect([await users.get(ANN.id), await users.byEmail(ANN.email), await users.sessionGeneration(ANN.id)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect([await world.isSignedIn(ANN.id), await world.memberships(ANN.id)]).toEqual([false, 0]);
    }
    expect(await users.check(ANN.email, PASSWORD)).toBeUndefined();
    expect([await users.list(), await world.isSignedIn(BOB.id), await world.memberships(BOB.id)]).toEqual([[BOB], true, 1]);
    expect(await users.add({ ...ANN, id: 'usr_5' }, PASSWORD)).toBe(true);
  });

  test('an unknown user gets no password and no sessions', async ({ users }) => {
    await users.setPassword('usr_9', 'a new password');
    await users.endSessions('usr_9');
    expect([await users.get('usr_9'), await users.sessionGeneration('usr_9'), await users.list()]).toEqual([undefined, undefined, [ANN]]);
  });
}
