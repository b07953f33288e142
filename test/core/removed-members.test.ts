// What the others are notified of when a member goes. On the stores of one machine.

import { randomBytes } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { NEVER, OPERATOR } from '../../core/access/account.ts';
import { removeMember } from '../../core/access/accounts.ts';
import { credentialsOf } from '../../core/access/credentials.ts';
import { createDeployToken } from '../../core/access/deploy-tokens.ts';
import { memberRemoved } from '../../core/notifications/notification.ts';
import { nextNumber, sampleProject } from '../../testing/projects.ts';
import { NOON, sampleAccount, sampleKey } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';

let stores: SqliteStores;
const account = sampleAccount();

beforeEach(async () => {
  stores = openSqliteStores(testFolder());
  onTestFinished(() => stores.close());
  await setOutboxOpen(stores.database, true);
  await stores.accounts.createAccount(account);
  for (const userId of ['usr_ann', 'usr_bob']) await stores.members.addMember(account.id, userId, 'owner');
});

const addKey = (name: string, createdBy: string, expiresAt: number = NEVER) => {
  const { text: _, ...key } = sampleKey(account.id);
  return stores.accounts.addKey({ ...key, name, createdBy, expiresAt }, 50, NOON);
};
const addToken = async (name: string, createdBy: string) => {
  const project = sampleProject({ id: `prj_${String(nextNumber()).padStart(10, '0')}`, accountId: account.id, name: 'Site' });
  await stores.projects.createProject(project);
  const request = { projectId: project.id, name, createdBy, lifetimeDays: 1, now: NOON };
  expect(await createDeployToken(stores.deployTokens, randomBytes, request)).toMatchObject({ ok: true });
  return project;
};
const remove = (userId: string, by: string, revokes = false) => removeMember(stores, account.id, userId, { by, revokes, now: NOON });
const notified = async () => (await stores.outbox.ofAccount(account.id)).map(({ notification }) => notification);

test('the notification has who went, by whom, and what they made that still works', async () => {
  await addKey('till', 'usr_bob');
  await addKey('expired', 'usr_bob', NOON);
  await addKey('of another', 'usr_ann');
  const project = await addToken('CI', 'usr_bob');
  await addToken('of another', 'usr_ann');
  expect(await remove('usr_bob', 'usr_ann')).toEqual({ ok: true });
  const made = [{ name: 'till' }, { name: 'CI', project: project.name }];
  const event = { kind: 'member_removed', userId: 'usr_bob', by: 'usr_ann', made, more: 0, revoked: false };
  expect(await notified()).toEqual([{ id: `member_removed:${account.id}:usr_bob:${NOON}`, accountId: account.id, at: NOON, event }]);
  // They are no member any more, and the last owner stays.
  expect(await remove('usr_bob', 'usr_ann')).toMatchObject({ code: 'not_found' });
  expect(await remove('usr_ann', 'usr_ann')).toMatchObject({ code: 'conflict' });
  expect(await notified()).toHaveLength(1);
});

test('names stay in it when what they name is revoked; ten are named', async () => {
  for (let n = 1; n <= 12; n += 1) await addKey(`key ${n}`, 'usr_bob');
  await addToken('CI', 'usr_bob');
  expect(await remove('usr_bob', OPERATOR, true)).toEqual({ ok: true });
  expect(await credentialsOf(stores, account.id, 'usr_bob', NOON)).toEqual([]);
  const [notification] = await notified();
  expect(notification?.event).toMatchObject({
    by: OPERATOR,
    more: 3,
    revoked: true,
    made: Array(10).fill({ name: expect.stringMatching(/^key \d/) }),
  });
});

test('however long names are, an entry is small', async () => {
  const made = Array(500).fill({ name: '\u{10000}'.repeat(100), project: '\u{10000}'.repeat(100) });
  const notification = memberRemoved(account.id, { userId: 'usr_bob', by: 'usr_ann', made, revoked: false }, NOON);
  expect(Buffer.byteLength(JSON.stringify(notification))).toBeLessThan(10_000);
});
