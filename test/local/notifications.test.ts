// Emails to owners from the embedded service, as a process with a real SMTP server.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { smtpError, startSmtpServer } from '../support/smtp.ts';
import { failInTest, startTestServer } from '../support/test-processes.ts';

const FROM = 'no-reply@pets.example.com';

/** A service with a second user, whom the command line adds to the first account, with these settings. */
async function addSecondMember(settings: Readonly<Record<string, string>>) {
  const folder = testFolder();
  const service = await startTestServer(folder, settings);
  const cli = (...args: string[]) => runCliJson<unknown>(folder, args, 'a password that is long\n');
  const [account] = (await cli('accounts', 'list')) as { accountId: string }[];
  await cli('users', 'create', 'ann@example.com');
  await cli('accounts', 'add-member', String(account?.accountId), 'ann@example.com');
  return { folder, service, accountId: String(account?.accountId) };
}

test('all members get an email about a new one, once, and an address that is refused delays no one', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.stop);
  let refused = 0;
  smtp.behave({
    recipient: (address) => {
      if (address !== 'ann@example.com' || refused > 0) return;
      refused += 1;
      throw smtpError(550, 'no such user');
    },
  });
  const settings = { PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: FROM, PETSTORE_URL: 'https://pets.example.com' };
  const { accountId, service } = await addSecondMember(settings);
  await expect.poll(() => smtp.mails.length).toBe(1);
  const [mail] = smtp.mails;
  expect(mail).toMatchObject({ from: FROM, to: ['demo@petstore.test'], subject: 'An account has a new member' });
  expect(mail?.text).toContain('ann@example.com is now a member of the account “Demo”');
  expect(mail?.text).toContain(`https://pets.example.com/accounts/${accountId}/projects`);
  // About who may do what: only with a sign-in.
  expect([mail?.unsubscribe, mail?.unsubscribePost]).toEqual(['<https://pets.example.com/notifications>', '']);
  expect(await service.stop()).toBe(0);
  expect(service.stdout() + service.stderr()).toContain('a message was refused permanently');
  expect(smtp.mails).toHaveLength(1);
});

test('a mail server that hangs delays no stop, and what it did not accept is sent after the next start', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.stop);
  const hangs = Promise.withResolvers<void>();
  smtp.behave({ content: () => hangs.promise });
  const settings = { PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: FROM, PETSTORE_URL: 'https://pets.example.com' };
  const { folder, service } = await addSecondMember(settings);
  await expect.poll(() => smtp.contents.length).toBe(1);
  const begun = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(service.stdout() + service.stderr()).toContain('SMTP : the service stops');
  smtp.behave({});
  const database = new DatabaseSync(join(folder, DATABASE_FILE));
  // As if a minute had passed.
  database.exec('UPDATE notifications SET due_at = 1 WHERE due_at IS NOT NULL');
  database.close();
  const next = await startTestServer(folder, settings);
  await expect.poll(() => smtp.mails.length).toBe(2);
  expect(await next.stop()).toBe(0);
  hangs.resolve();
});

test('who is removed by the operator gets no email, and the others get one with what they have made', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.stop);
  const settings = { PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: FROM, PETSTORE_URL: 'https://pets.example.com' };
  const { folder, accountId, service } = await addSecondMember(settings);
  await expect.poll(() => smtp.mails.length).toBe(2);
  const database = new DatabaseSync(join(folder, DATABASE_FILE), { timeout: 10_000 });
  // As if issued in the dashboard.
  const { name } = database
    .prepare("UPDATE api_keys SET created_by = (SELECT id FROM users WHERE email = 'ann@example.com') RETURNING name")
    .get() as {
    name: string;
  };
  database.close();
  await runCliJson(folder, ['accounts', 'remove-member', accountId, 'ann@example.com']);
  await expect.poll(() => smtp.mails.length).toBe(3);
  const mail = smtp.mails.at(-1);
  expect(mail).toMatchObject({ to: ['demo@petstore.test'], subject: 'A member was removed from the account' });
  expect(mail?.text).toContain('The operator has removed ann@example.com from the account “Demo”.');
  expect(mail?.text).toContain(`still work: the key “${name}”.`);
  expect(mail?.text).toContain(`https://pets.example.com/accounts/${accountId}/keys`);
  expect(await service.stop()).toBe(0);
  expect(smtp.mails).toHaveLength(3);
});

test('a mail program turns a kind of emails off, for one user, without a sign-in; who only opens the link does not', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.stop);
  const settings = { PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, PETSTORE_MAIL_FROM: FROM, PETSTORE_URL: 'https://pets.example.com' };
  const { folder, accountId, service } = await addSecondMember(settings);
  await expect.poll(() => smtp.mails.length).toBe(2);
  const stores = openSqliteStores(folder);
  const event = { kind: 'plan_decided', plan: 'pro', approved: true, reason: '' } as const;
  const decide = (id: string) => stores.outbox.add({ id, accountId, at: Date.now(), event });
  await decide('first');
  await expect.poll(() => smtp.mails.length).toBe(4);
  const mail = smtp.mails.find(({ to, subject }) => to[0] === 'ann@example.com' && subject.includes('plan'));
  expect(mail?.unsubscribePost).toBe('List-Unsubscribe=One-Click');
  const url = (mail?.unsubscribe ?? '').slice(1, -1);
  expect(url).toMatch(/^https:\/\/pets\.example\.com\/dashboard\/v1\/unsubscribe\?user=/);
  const here = url.replace('https://pets.example.com', service.url);
  const page = await fetch(here);
  expect([page.status, page.headers.get('set-cookie'), await page.text()]).toEqual([200, null, expect.stringContaining('<button>')]);
  const ann = new URL(url).searchParams.get('user') ?? '';
  expect(await stores.notificationSettings.mutedBy(ann)).toEqual([]);
  const posted = await fetch(here, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
  expect(posted.status).toBe(200);
  expect((await fetch(`${here}x`, { method: 'POST' })).status).toBe(404);
  expect(await stores.notificationSettings.mutedBy(ann)).toEqual(['plan_decided']);
  await decide('second');
  await expect.poll(() => smtp.mails.length).toBe(5);
  await stores.close();
  expect(await service.stop()).toBe(0);
  expect(smtp.mails.slice(4).map(({ to }) => to)).toEqual([['demo@petstore.test']]);
});

test('without a mail server, nothing is stored for one, and the log has the number of emails that are dropped', async () => {
  const { folder, service } = await addSecondMember({ PETSTORE_SMTP_URL: 'smtp://127.0.0.1:1', PETSTORE_MAIL_FROM: FROM });
  await service.stop();
  const next = await startTestServer(folder);
  await next.stop();
  expect(next.stdout() + next.stderr()).toContain('mail: dropped the unsent emails of 1 notifications');
  const database = new DatabaseSync(join(folder, DATABASE_FILE));
  expect([database.prepare('SELECT count(*) AS n FROM members').get(), database.prepare('SELECT count(*) AS n FROM notifications').get()]).toEqual([
    { n: 2 },
    { n: 0 },
  ]);
  database.close();
});

test('a mail server that can’t be one is refused at the start, without its password', async () => {
  const { code, stderr } = await failInTest(testFolder(), { PETSTORE_SMTP_URL: 'smtp://ann:secret@mail.example.com:0' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('PETSTORE_SMTP_URL: got something else; allowed: the URL of an SMTP server')]);
  expect(stderr).toContain('PETSTORE_MAIL_FROM: missing');
  expect(stderr).not.toContain('secret');
});

test('settings of a mail server that an adapter takes the place of are named at the start', async () => {
  const folder = testFolder();
  const file = join(folder, 'petstore.config.mjs');
  const mailer = "{ name: 'acme-mail', provides: ['mailer'], open: async () => ({ ports: { mailer: { send: async () => {} } } }) }";
  writeFileSync(file, `export default { adapters: [${mailer}] };`);
  const mail = { PETSTORE_SMTP_URL: 'smtp://127.0.0.1:1', PETSTORE_MAIL_FROM: FROM };
  const both = await startTestServer(join(folder, 'both'), { PETSTORE_CONFIG: file, ...mail });
  await both.stop();
  expect(both.stderr()).toBe(
    'petstore: PETSTORE_SMTP_URL, PETSTORE_MAIL_FROM: not used, because the adapter acme-mail sends emails; remove these settings, or the adapter\n',
  );
  for (const environment of [{ PETSTORE_CONFIG: file }, mail] as Record<string, string>[]) {
    const one = await startTestServer(join(folder, 'one'), environment);
    await one.stop();
    expect(one.stderr()).toBe('');
  }
});
