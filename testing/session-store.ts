// What every SessionStore must do.

import { expect } from 'expect';
import { memberAdded, memberRemoved, memberRoleSet, type SignInEvent, signInEvent } from '../core/audit/changes.ts';
import type { Change } from '../core/audit/entry.ts';
import type { Session, SessionStore } from '../core/identity/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

type Client = Session['client'];

export interface SessionStoreWorld {
  readonly sessions: SessionStore;
  /** Milliseconds since 1970. */
  readonly clock: { now: number };
  /** Signs a user in with a browser: to the dashboard, the command line, or both. */
  signIn(userId: string, browser: string, clients: readonly Client[]): Promise<void>;
  /** Renews a session's tokens, or stores what a request in progress has renewed. */
  renew(userId: string, browser: string, client: Client): Promise<void>;
  /** Adds an entry to the audit log. */
  record(change: Change): Promise<void>;
  /** Whether the sign-in's tokens are accepted. */
  isAccepted(userId: string, browser: string, client: Client): Promise<boolean>;
  isRenewedAccepted(browser: string, client: Client): Promise<boolean>;
  /** Whether the browser is signed in at the provider, so that no password is requested. */
  isBrowserAccepted(browser: string): Promise<boolean>;
  /** Writes the browser's session back, as a request that is still in progress would. */
  keepBrowser(userId: string, browser: string, client: Client): Promise<void>;
}

/** Declares the suite for an adapter. @param make returns an adapter that knows `usr_ann` and `usr_bob`, neither signed in; called for each test */
export function sessionStoreContract(runner: TestFunction, make: Make<SessionStoreWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'SessionStore contract', options, {
    setUp: async () => {
      const world = await make();
      const list = (userId = 'usr_ann') => world.sessions.listSessions(userId);
      return {
        world,
        list,
        idOf: async (client: Client) => {
          const session = (await list()).find((each) => each.client === client);
          if (session === undefined) throw new Error(`no session of the ${client}`);
          return session.id;
        },
        dashboard: (browser: string, userId = 'usr_ann') => world.isAccepted(userId, browser, 'dashboard'),
      };
    },
  });

  test("lists a user's sessions with client and times, most recently used first, without expired ones", async ({ world, list }) => {
    const { clock } = world;
    const begun = clock.now;
    await world.signIn('usr_ann', 'laptop', ['dashboard']);
    await world.signIn('usr_bob', 'desk', ['dashboard']);
    clock.now += 60_000;
    await world.signIn('usr_ann', 'phone', ['command_line']);
    clock.now += 60_000;
    await world.renew('usr_ann', 'laptop', 'dashboard');
    const common = { id: expect.any(String), agent: expect.any(String) };
    expect(await list()).toEqual([
      { ...common, client: 'dashboard', begunAt: begun, usedAt: begun + 120_000 },
      { ...common, client: 'command_line', begunAt: begun + 60_000, usedAt: begun + 60_000 },
    ]);
    expect([await list('usr_bob'), await list('usr_nobody')]).toMatchObject([[{ begunAt: begun }], []]);
    clock.now = begun + 3_600_000;
    expect((await list()).map(({ client }) => client)).toEqual(['command_line']);
  });

  test("lists a user's sign-ins and attempts to sign in, newest first, and no other user's", async ({ world }) => {
    const common = { method: 'passkey', agent: 'Firefox on Windows', address: '192.0.2.1', count: 1 } as const;
    const event: SignInEvent = { ...common, action: 'sign_in.succeeded', userId: 'usr_ann' };
    const at = world.clock.now;
    await world.record(signInEvent(event));
    await world.record(signInEvent({ ...event, userId: 'usr_bob' }));
    await world.record({ action: 'user.password_set', subject: 'usr_ann' });
    world.clock.now += 60_000;
    await world.record(signInEvent({ ...event, action: 'sign_in.failed', address: undefined, count: 3 }));
    await world.record(signInEvent({ ...event, action: 'sign_in.reset_requested', method: undefined }));
    expect(await world.sessions.listSignIns('usr_ann', 9)).toEqual([
      { ...common, outcome: 'reset_requested', at: at + 60_000, method: undefined },
      { ...common, outcome: 'failed', at: at + 60_000, address: undefined, count: 3 },
      { ...common, outcome: 'succeeded', at },
    ]);
    expect(await world.sessions.listSignIns('usr_ann', 1)).toMatchObject([{ outcome: 'reset_requested' }]);
  });

  test('if asked, lists only what happened since the user last joined an account; everything if that time is unknown', async ({ world }) => {
    const member = { userId: 'usr_ann', role: 'member' } as const;
    const event = { userId: 'usr_ann', method: 'password', agent: 'Firefox on Windows', address: '192.0.2.1' } as const;
    const signInOf = (count: number) => world.record(signInEvent({ ...event, action: 'sign_in.succeeded', count }));
    const counts = async (accountId: string) => (await world.sessions.listSignIns('usr_ann', 9, accountId)).map(({ count }) => count);
    await signInOf(1);
    await world.record(memberAdded('acc_1', member));
    await signInOf(2);
    await world.record(memberRemoved('acc_1', 'usr_ann'));
    await world.record(memberAdded('acc_2', member));
    await signInOf(3);
    expect(await counts('acc_1')).toEqual([3, 2]);
    await world.record(memberAdded('acc_1', member));
    await signInOf(4);
    await world.record(memberAdded('acc_1', { ...member, userId: 'usr_bob' }));
    await world.record(memberRoleSet('acc_1', { ...member, role: 'owner' }));
    expect([await counts('acc_1'), await counts('acc_2'), await counts('acc_3')]).toEqual([[4], [4, 3], [4, 3, 2, 1]]);
    expect((await world.sessions.listSignIns('usr_ann', 1, 'acc_2')).map(({ count }) => count)).toEqual([4]);
  });

  test("ends one session and its browser's sign-in, even if a request in progress stores it again", async ({ world, list, idOf, dashboard }) => {
    await world.signIn('usr_ann', 'laptop', ['dashboard']);
    const id = await idOf('dashboard');
    await world.signIn('usr_ann', 'phone', ['dashboard']);
    expect(await world.sessions.endSession('usr_bob', id)).toBe(false);
    expect(await dashboard('laptop')).toBe(true);
    expect([await world.sessions.endSession('usr_ann', id), await world.sessions.endSession('usr_ann', id)]).toEqual([true, false]);
    await world.renew('usr_ann', 'laptop', 'dashboard');
    await world.keepBrowser('usr_ann', 'laptop', 'dashboard');
    expect([await dashboard('laptop'), await world.isRenewedAccepted('laptop', 'dashboard'), await world.isBrowserAccepted('laptop')]).toEqual([
      false,
      false,
      false,
    ]);
    expect([await dashboard('phone'), await world.isBrowserAccepted('phone'), (await list()).length]).toEqual([true, true, 1]);
  });

  test('ends a command line alone, or together with its browser', async ({ world, list, dashboard }) => {
    for (const browser of ['laptop', 'phone']) await world.signIn('usr_ann', browser, ['dashboard', 'command_line']);
    const [one] = (await list()).filter(({ client }) => client === 'command_line');
    expect(await world.sessions.endSession('usr_ann', one?.id ?? '')).toBe(true);
    const commandLines = async () => Promise.all(['laptop', 'phone'].map((browser) => world.isAccepted('usr_ann', browser, 'command_line')));
    expect((await commandLines()).toSorted()).toEqual([false, true]);
    expect([await dashboard('laptop'), await dashboard('phone')]).toEqual([true, true]);
    for (const { id, client } of await list()) if (client === 'dashboard') await world.sessions.endSession('usr_ann', id);
    expect([await commandLines(), await list(), await world.isBrowserAccepted('laptop')]).toEqual([[false, false], [], false]);
  });

  test('ends a browser together with the command line if only the command line has used it', async ({ world, idOf }) => {
    await world.signIn('usr_ann', 'laptop', ['command_line']);
    expect(await world.sessions.endSession('usr_ann', await idOf('command_line'))).toBe(true);
    expect([await world.isAccepted('usr_ann', 'laptop', 'command_line'), await world.isBrowserAccepted('laptop')]).toEqual([false, false]);
  });

  test('ends all sessions but one, which stays signed in with its browser', async ({ world, list, idOf, dashboard }) => {
    await world.signIn('usr_ann', 'laptop', ['dashboard', 'command_line']);
    const here = await idOf('dashboard');
    await world.signIn('usr_ann', 'phone', ['dashboard', 'command_line']);
    await world.signIn('usr_bob', 'desk', ['dashboard']);
    await world.sessions.endOtherSessions('usr_ann', here);
    expect((await list()).map(({ id }) => id)).toEqual([here]);
    expect([await dashboard('laptop'), await world.isBrowserAccepted('laptop')]).toEqual([true, true]);
    expect([await dashboard('phone'), await world.isBrowserAccepted('phone')]).toEqual([false, false]);
    for (const browser of ['laptop', 'phone']) expect(await world.isAccepted('usr_ann', browser, 'command_line')).toBe(false);
    expect(await dashboard('desk', 'usr_bob')).toBe(true);
  });

  test('a command line that ends all other sessions stays signed in, as does the browser where it signed in', async ({ world, idOf, dashboard }) => {
    await world.signIn('usr_ann', 'laptop', ['dashboard', 'command_line']);
    const here = await idOf('command_line');
    await world.signIn('usr_ann', 'phone', ['dashboard']);
    await world.sessions.endOtherSessions('usr_ann', here);
    expect([await world.isAccepted('usr_ann', 'laptop', 'command_line'), await world.isBrowserAccepted('laptop')]).toEqual([true, true]);
    expect([await dashboard('phone'), await world.isBrowserAccepted('phone')]).toEqual([false, false]);
  });
}
