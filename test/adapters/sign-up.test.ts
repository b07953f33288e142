// Signing up with an invitation, where something else happens while the password is hashed, and links for a new password that a server refuses.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createReset } from '../../adapters/identity/reset.ts';
import { createSignUp, type FindInvitation } from '../../adapters/identity/sign-up.ts';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { Invitation } from '../../core/access/invitation.ts';
import { MailRefusal } from '../../core/notifications/ports.ts';
import { NOON } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';
import { QUICK_PASSWORDS } from '../support/samples.ts';

const INVITATION: Invitation = {
  ...{ id: 'inv_1', accountId: 'acc_1', email: 'ben@example.com', role: 'member', invitedBy: 'usr_ann', mailed: true },
  ...{ createdAt: NOON, expiresAt: NOON + 1, digests: [] },
};
const FOUND = { invitation: INVITATION, accountName: 'My shop' };

let users: ReturnType<typeof createSqliteUserStore>;

beforeEach(() => {
  const stores = openSqliteStores(testFolder());
  onTestFinished(() => stores.close());
  users = createSqliteUserStore(stores.database, undefined, QUICK_PASSWORDS);
});

/** Sends the form. @returns the status and the page, or where it redirects to */
async function choosePassword(find: FindInvitation, users: Parameters<typeof createSignUp>[0]['users']): Promise<[number, string]> {
  const signUp = createSignUp({ users, find, newUserId: () => 'usr_ben', userOf: async () => undefined, origin: 'https://pets.example.com' });
  const server = createServer((request, response) => void signUp(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const body = new URLSearchParams({ token: 'petstore_invite_1', password: 'a password of twelve' });
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, redirect: 'manual' });
  return [answer.status, answer.headers.get('location') ?? (await answer.text())];
}

test('creates the user, says so, and leads to the sign-in page', async () => {
  const [status, page] = await choosePassword(async () => FOUND, users);
  expect([status, page]).toEqual([200, expect.stringContaining('Sign in as ben@example.com')]);
  expect(page).toContain('href="https://pets.example.com/invitation?sign-in"');
  expect(await users.check('ben@example.com', 'a password of twelve')).toEqual({ id: 'usr_ben', email: 'ben@example.com' });
});

test('an address that gets a user meanwhile keeps its password, and the page says so', async () => {
  const overtaken = {
    ...users,
    add: async (...[user, password]: Parameters<typeof users.add>) => {
      await users.add({ ...user, id: 'usr_other' }, 'the password of the other');
      return users.add(user, password);
    },
  };
  expect(await choosePassword(async () => FOUND, overtaken)).toEqual([409, expect.stringContaining('ben@example.com already has a password.')]);
  expect(await users.check('ben@example.com', 'the password of the other')).toMatchObject({ id: 'usr_other' });
});

test('an invitation that is withdrawn meanwhile leaves no user', async () => {
  let withdrawn = false;
  const withdrawnMeanwhile = {
    ...users,
    add: async (...given: Parameters<typeof users.add>) => {
      withdrawn = true;
      return users.add(...given);
    },
  };
  const find = async () => (withdrawn ? undefined : FOUND);
  expect(await choosePassword(find, withdrawnMeanwhile)).toEqual([404, expect.stringContaining('Ask for a new invitation.')]);
  expect(users.list()).toEqual([]);
});

/** Asks for a link, which the server refuses each time, with a message that quotes it. @returns how often it was sent, after an hour, and the log */
async function refusedLinks(refusal: (link: string) => Error, onAttempt: (attempt: number) => unknown = () => {}) {
  let sent = 0;
  const logged: string[] = [];
  const fail = (error: unknown) => {
    throw error;
  };
  const { forgot } = createReset({
    ...{ users, origin: 'https://pets.example.com', randomBytes, clock: () => NOON, onFault: fail },
    mailer: {
      send: async ({ text }) => {
        sent += 1;
        await onAttempt(sent);
        throw refusal(/\S+#\S+/.exec(text)?.[0] ?? '');
      },
    },
    ...{ devices: {} as never, log: { unsuccessful: () => {} } as never, throttle: { begin: () => ({ allowed: true }) } as never },
    warn: (message, { reason }) => void logged.push(`${message}: ${reason}`),
  });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const request = Object.assign(Readable.from([Buffer.from('email=ann%40example.com')]), { method: 'POST', headers: {} });
  await forgot(request as never, { writeHead: () => {}, end: () => {} } as never, '192.0.2.1');
  for (let minute = 0; minute < 60; minute += 1) {
    await vi.advanceTimersByTimeAsync(60_000);
    await new Promise(setImmediate);
  }
  return { sent, logged };
}

test('a link for a new password that is refused for now is sent again, and is never logged', async () => {
  await users.add({ id: 'usr_ann', email: 'ann@example.com' }, 'a password of twelve');
  const { sent, logged } = await refusedLinks(
    (link) => new MailRefusal(`SMTP DATA: Message failed: 451 try again later: ${link.slice(0, -9)}= ${link.slice(-9)}`, false),
  );
  const line = (next: string) => `a link for a new password was not accepted, and is ${next}: SMTP DATA: Message failed: 451 …`;
  expect([sent, logged]).toEqual([4, [1, 5, 10].map((minutes) => line(`sent again in ${minutes} min`)).concat(line('not sent again'))]);
});

test('a link for a new password is not sent again after a permanent refusal, or once it is useless', async () => {
  await users.add({ id: 'usr_ann', email: 'ann@example.com' }, 'a password of twelve');
  const permanent = await refusedLinks(() => new MailRefusal('SMTP RCPT TO: 550 no such user', true));
  expect(permanent).toEqual({
    sent: 1,
    logged: ['a link for a new password was not accepted, and is not sent again: SMTP RCPT TO: 550 no such user'],
  });
  const used = await refusedLinks(
    () => new MailRefusal('SMTP CONN: connect ECONNREFUSED', false),
    (attempt) => attempt === 2 && users.remove('usr_ann'),
  );
  expect([used.sent, used.logged.length]).toEqual([2, 2]);
});
