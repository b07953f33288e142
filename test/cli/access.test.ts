// The command line as its users run it, as processes on a data folder, while a server runs.

import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { digestOf } from '../../core/access/api-key.ts';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { DAYS_SHOWN, HOURS_SHOWN, MINUTES_SHOWN } from '../../core/limits/history.ts';
import { command, commandJson } from '../support/command-line.ts';
import { atADayWithTime } from '../support/day.ts';
import { makeFolder, testInstallation } from '../support/folders.ts';
import { runCli, runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

const folder = makeFolder();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess(folder.path);
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

const json = <T>(...args: string[]) => commandJson<T>(folder.path, args);
const text = (...args: string[]) => command(folder.path, args);
const makeAccount = async (...plan: string[]) =>
  (await json<{ accountId: string }>('accounts', 'create', '--name', 'Shop', '--plan', ...plan)).accountId;
const statusOf = async (key: string) => (await fetch(`${server.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;

test('projects traffic says where visits are counted, and what a day is', async () => {
  expect((await text('projects', 'traffic')).stderr).toContain('visits are counted per project only on AWS: add --stage NAME');
  for (const day of ['2026-02-30', 'yesterday', '2020-01-01'])
    expect((await text('projects', 'traffic', '--from', day)).stderr).toMatch(new RegExp(`${day}.*allowed: one of the last 400 days, such as`));
  const [today, tomorrow] = [0, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)) as [string, string];
  expect((await text('projects', 'traffic', '--from', tomorrow, '--to', today)).stderr).toContain(`--from: got ${tomorrow}; allowed: no day after`);
});

test('a command waits for its standard input', async () => {
  const later = async (input: string) => {
    await setTimeout(2_000);
    return input;
  };
  const create = ['users', 'create', 'late@example.com', '--password-stdin'];
  expect(await runCli(folder.path, create, later('a long enough password\n'))).toMatchObject({ code: 0, stderr: '' });
  const [{ accountId } = { accountId: '' }] = await json<{ accountId: string }[]>('accounts', 'list');
  const { projectId } = await json<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Late');
  expect(await runCli(folder.path, ['config', 'put', projectId, '-'], later('{"domains": {}}'))).toMatchObject({ code: 0, stderr: '' });
});

test('help with a command is about that command', async () => {
  for (const args of [
    ['help', 'domains', 'add'],
    ['domains', 'add', '--help'],
    ['domains', 'help', 'add'],
  ])
    expect(await text(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: petstore domains add [options] <host>') });
  expect((await text('help', 'domains')).stdout).toContain('Usage: petstore domains [options] [command]');
});

test.each(['Dev', 'dev--1', 'my-aws'])('--stage %s is refused, with what is allowed', async (name) => {
  const { code, stderr } = await text('--stage', name, 'accounts', 'list');
  expect(code).toBe(2);
  expect(stderr).toMatch(/--stage <stage>.*allowed: (1 to 20 lower-case letters|a name without "aws")/);
});

describe('accounts', () => {
  test('are created, listed and changed', async () => {
    const accountId = await makeAccount('free');
    expect(accountId).toMatch(/^acc_[0-9A-Za-z]{10}$/);
    expect(await json('accounts', 'set-plan', accountId, '--plan', 'enterprise', '--per-minute', '5', '--per-day', '50')).toEqual({
      accountId,
      plan: 'enterprise',
      perMinute: 5,
      perDay: 50,
      endingDomains: [],
    });
    const second = (...more: string[]) => json('accounts', 'require-second-factor', accountId, ...more);
    expect([await second('--off'), await second()]).toEqual([false, true].map((secondFactorRequired) => ({ accountId, secondFactorRequired })));
    expect(await json('accounts', 'list')).toContainEqual({
      accountId,
      name: 'Shop',
      plan: 'enterprise',
      perMinute: 5,
      perDay: 50,
      suspension: null,
      secondFactorRequired: true,
      createdAt: expect.any(String),
    });
    expect((await text('accounts', 'list')).stdout).toMatch(new RegExp(`^ACCOUNT +NAME +PLAN[\\s\\S]*\\n${accountId} +Shop +enterprise`));
  });

  test.each([
    [['accounts', 'create', '--name', 'A', '--plan', 'gold'], 2, new RegExp(`Allowed choices are ${PLAN_NAMES.join(', ')}`)],
    [['accounts', 'require-second-factor', 'acc_0000000000'], 1, /no account "acc_0000000000"/],
    [['--stage', 'staging', 'accounts', 'require-second-factor', 'acc_0000000000'], 1, /on AWS, the setting <STAGE>_MFA requires a second factor/],
    [['accounts', 'create', '--plan', 'free'], 2, /required option '--name <name>'/],
    [['accounts', 'create', '--name', ' ', '--plan', 'free'], 1, /name: got " "; allowed: 1 to 100 characters/],
    [['accounts', 'create', '--name', 'A', '--plan', 'enterprise'], 1, /needs both limits.*--per-minute, --per-day/],
    [['accounts', 'create', '--name', 'A', '--plan', 'free', '--per-day', '5'], 1, /only plan enterprise/],
    [
      ['accounts', 'create', '--name', 'A', '--plan', 'enterprise', '--per-minute', '0', '--per-day', '5'],
      2,
      /allowed: an integer from 1 to 1000000000/,
    ],
    [['accounts', 'set-plan', 'acc_0', '--plan', 'free'], 1, /no account "acc_0"; petstore accounts list/],
    [['keys', 'issue', '--account', 'acc_0'], 1, /no account "acc_0"/],
    [['keys', 'issue', '--account', 'acc_0', '--expires', '5y'], 2, /allowed: an integer with s, m, h or d/],
    [['keys', 'issue', '--account', 'acc_0', '--scopes', 'all'], 2, /allowed: pets:read,pets:write/],
    [['keys', 'issue', '--account', 'acc_0', '--name', ''], 1, /name: got ""/],
    [['keys', 'list', '--account', 'acc_0'], 1, /no account/],
    [['keys', 'rotate', 'key_0'], 1, /no key "key_0"/],
    [['keys', 'revoke', 'key_0', '--yes'], 1, /no key "key_0"/],
    [['usage', '--account', 'acc_0'], 1, /no account/],
    [['pets', 'import', '/nowhere.jsonl'], 1, /file "\/nowhere\.jsonl": can't be read/],
    [['pets', 'import', '/'], 1, /not a file/],
    [['pets', 'export', '--format', 'csv', '--json'], 1, /can't be combined/],
    [['nonsense'], 2, /unknown command 'nonsense'/],
  ])('%j is refused with exit code %i', async (args, code, message) => {
    const finished = await text(...args);
    expect(finished.stderr).toMatch(message);
    expect(finished.code).toBe(code);
  });

  test('every command has help, and a failure with --json is JSON', async () => {
    for (const command of [['accounts', 'create'], ['keys', 'rotate'], ['usage'], ['pets', 'import']]) {
      const help = await text(...command, '--help');
      expect([help.code, help.stdout]).toEqual([0, expect.stringMatching(/Usage: petstore[\s\S]*--json/)]);
    }
    const failed = await text('usage', '--account', 'acc_0', '--json');
    expect([failed.code, JSON.parse(failed.stderr)]).toEqual([1, { error: expect.stringContaining('no account') }]);
  });

  test('invalid settings are refused', async () => {
    const wrong = await command('', ['accounts', 'list']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('PETSTORE_DATA: got ""')]);
    const unusable = await command('/dev/null/x', ['accounts', 'list']);
    expect([unusable.code, unusable.stderr]).toEqual([1, expect.stringContaining('there is no installation in /dev/null/x')]);
  });
});

describe('keys', () => {
  test('are changed, paused and resumed, with effect on the running server', async () => {
    const account = await makeAccount('free');
    const { keyId, key } = await json<{ keyId: string; key: string }>('keys', 'issue', '--account', account);
    const set = (...more: string[]) => json('keys', 'set', keyId, ...more);
    const expiresAt = expect.stringMatching(/Z$/);
    expect(await set('--name', 'Till', '--expires', '36h')).toEqual({ keyId, name: 'Till', scopes: ['pets:read', 'pets:write'], expiresAt });
    expect(await set('--scopes', 'pets:write')).toEqual({ keyId, name: 'Till', scopes: ['pets:write'], expiresAt });
    expect(await statusOf(key)).toBe(403);
    expect(await set('--scopes', 'pets:read', '--expires', 'never')).toEqual({ keyId, name: 'Till', scopes: ['pets:read'], expiresAt: null });
    expect(await statusOf(key)).toBe(200);
    const shown = await text('keys', 'set', keyId, '--name', 'Counter');
    expect(shown.stdout).toBe(`Key ${keyId}: Counter, pets:read, expires never\n`);
    expect((await text('keys', 'set', keyId)).stderr).toContain('nothing to change; allowed: one or more of --name, --scopes, --expires');
    expect(await json('keys', 'pause', keyId)).toEqual({ keyId, pausedAt: expiresAt });
    expect(await statusOf(key)).toBe(403);
    expect(await json('keys', 'list', '--account', account)).toMatchObject([{ keyId, state: 'paused', pausedAt: expiresAt }]);
    expect((await text('keys', 'list', '--account', account)).stdout).toContain('paused since ');
    expect((await text('keys', 'pause', keyId)).stdout).toContain(`Key ${keyId} is paused; it works again after: petstore keys resume ${keyId}`);
    expect(await json('keys', 'resume', keyId)).toEqual({ keyId, pausedAt: null });
    await expect.poll(() => statusOf(key), { interval: 500 }).toBe(200);
    expect((await text('keys', 'resume', keyId)).stdout).toBe(`Key ${keyId} works again within 5 seconds\n`);
    expect((await text('keys', 'pause', 'key_0')).stderr).toContain('no key "key_0"');
    const actions = await json<{ action: string }[]>('audit', 'list', '--subject', keyId);
    expect(actions.map(({ action }) => action)).toEqual([
      ...['key.resumed', 'key.paused', 'key.changed', 'key.changed', 'key.changed', 'key.changed', 'key.issued'],
    ]);
  });

  test('are issued, listed, rotated and revoked, with effect on the running server', async () => {
    const account = await makeAccount('free');
    const issued = await json<{ keyId: string; key: string }>(
      'keys',
      'issue',
      '--account',
      account,
      '--name',
      'CI',
      '--scopes',
      'pets:read',
      '--expires',
      '90d',
    );
    expect(Object.keys(issued)).toEqual(['keyId', 'key']);
    expect(await statusOf(issued.key)).toBe(200);
    const [listed] = await json<{ expiresAt: string; createdAt: string; lastUsedAt: string }[]>('keys', 'list', '--account', account);
    expect(Date.now() - Date.parse(listed?.lastUsedAt ?? '')).toBeLessThan(180_000);
    expect(listed).toMatchObject({ keyId: issued.keyId, name: 'CI', scopes: ['pets:read'], state: 'active' });
    expect(Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.createdAt ?? '')).toBe(90 * 86_400_000);
    const rotated = await json<{ keyId: string; key: string; oldExpiresAt: string }>('keys', 'rotate', issued.keyId, '--grace', '1h');
    expect(Date.parse(rotated.oldExpiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect([await statusOf(issued.key), await statusOf(rotated.key)]).toEqual([200, 200]);
    expect(await json('keys', 'revoke', issued.keyId, '--yes')).toEqual({ keyId: issued.keyId, revoked: true });
    expect([await statusOf(issued.key), await statusOf(rotated.key)]).toEqual([401, 200]);
    const list = (await text('keys', 'list', '--account', account)).stdout;
    expect(list).toContain(rotated.keyId);
    expect(list).toContain(`${rotated.key.slice(0, 18)}…${rotated.key.slice(-4)}`);
    const revoked = await json<object[]>('keys', 'list', '--account', account, '--revoked');
    expect(revoked).toMatchObject([{ keyId: issued.keyId, revokedBy: { userId: null, email: null } }]);
    expect((await text('keys', 'list', '--account', account, '--revoked')).stdout).toMatch(/REVOKED BY\n.*operator/);
  });

  test('are limited in number per account', async () => {
    const account = await makeAccount('free');
    await Promise.all(Array.from({ length: 10 }, () => json('keys', 'issue', '--account', account)));
    expect((await text('keys', 'issue', '--account', account)).stderr).toContain('revoke one first');
  });

  test('usage shows requests and refusals', async () => {
    await atADayWithTime();
    const account = await makeAccount('enterprise', '--per-minute', '1', '--per-day', '9');
    const { key } = await json<{ key: string }>('keys', 'issue', '--account', account);
    for (let n = 0; n < 14; n += 1) await statusOf(key);
    const usage = await json<{ day: { used: number }; bans: unknown[] }>('usage', '--account', account);
    expect(usage).toMatchObject({ accountId: account, plan: 'enterprise', day: { limit: 9, resetAt: expect.stringContaining('T00:00:00.000Z') } });
    expect(usage.day.used).toBeGreaterThanOrEqual(1);
    expect(usage.bans).toEqual([]);
    expect((await text('usage', '--account', account)).stdout).toMatch(/Refused today: [1-9]/);
    const lines = (await text('usage', '--account', account, '--csv')).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + MINUTES_SHOWN + DAYS_SHOWN);
    expect(lines[0]).toBe('window,startsAt,admitted,refused');
    expect(lines.at(-1)).toMatch(/^day,\d{4}-\d\d-\d\dT00:00:00\.000Z,\d+,[1-9]\d*$/);
    for (const [window, name, shown] of [
      ['hour', 'minute', MINUTES_SHOWN],
      ['day', 'hour', HOURS_SHOWN],
      ['month', 'day', DAYS_SHOWN],
    ] as const) {
      const chosen = (await text('usage', '--account', account, '--window', window)).stdout.trimEnd().split('\n');
      expect(chosen).toHaveLength(1 + shown);
      expect(chosen.slice(1).every((line) => line.startsWith(`${name},`))).toBe(true);
      // The refusals were given within two minutes.
      expect(chosen.slice(-2).reduce((sum, line) => sum + Number(line.split(',')[3]), 0)).toBeGreaterThan(0);
    }
    for (const option of [['--csv'], ['--window', 'hour']])
      expect((await text('usage', '--account', account, ...option, '--json')).stderr).toContain("cannot be used with option '--json'");
    expect((await text('usage', '--account', account, '--window', 'week')).stderr).toContain('Allowed choices are hour, day, month');
  });
});

describe('bans', () => {
  async function makeBannedKey() {
    const account = await makeAccount('free');
    const issued = await json<{ key: string; keyId: string }>('keys', 'issue', '--account', account);
    const ban = { since: Date.now(), until: Date.now() + 300_000, level: 1 };
    const stores = openSqliteStores(folder.path);
    await stores.usage.ban({ accountId: account, digest: digestOf(issued.key) }, ban);
    stores.close();
    return { account, ...issued, until: new Date(ban.until).toISOString() };
  }
  const listed = async (account: string) =>
    json<{ keyId: string; state: string; bannedUntil: string | null }[]>('keys', 'list', '--account', account);

  test('are shown by the keys and usage commands, with the time at which they end', async () => {
    const { account, keyId, until } = await makeBannedKey();
    expect(await listed(account)).toMatchObject([{ keyId, state: 'banned', bannedUntil: until }]);
    expect((await text('keys', 'list', '--account', account)).stdout).toContain(`banned until ${until}`);
    expect(await json('usage', '--account', account)).toMatchObject({ bans: [{ keyId, until, level: 1 }] });
    expect((await text('usage', '--account', account)).stdout).toContain(`Key ${keyId} is banned until ${until}`);
  });

  test('can be lifted with a command', async () => {
    const { account, key, keyId, until } = await makeBannedKey();
    expect(await json('keys', 'unban', keyId)).toEqual({ keyId, unbanned: true, wasBannedUntil: until });
    expect([await statusOf(key), await listed(account)]).toMatchObject([200, [{ state: 'active', bannedUntil: null }]]);
    expect((await text('keys', 'unban', keyId)).stderr).toContain(`key ${keyId} is not banned`);
    expect((await text('keys', 'unban', 'key_0')).stderr).toContain('no key "key_0"');
  });

  test('are lifted by an upgrade, but by no other plan change', async () => {
    const { account, key, keyId } = await makeBannedKey();
    await json('accounts', 'set-plan', account, '--plan', 'free');
    expect(await statusOf(key)).toBe(429);
    const upgraded = await text('accounts', 'set-plan', account, '--plan', 'pro');
    expect(upgraded.stdout).toContain(`Key ${keyId} is no longer banned`);
    expect(await listed(account)).toMatchObject([{ state: 'active' }]);
  });

  test("are inherited by a key's successor", async () => {
    const { account, keyId, until } = await makeBannedKey();
    const rotated = await json<{ key: string; keyId: string }>('keys', 'rotate', keyId, '--grace', '0s');
    expect(await listed(account)).toMatchObject([
      { keyId, state: 'expired', bannedUntil: null },
      { keyId: rotated.keyId, state: 'banned', bannedUntil: until },
    ]);
    expect(rotated).toMatchObject({ bannedUntil: until });
    expect(await statusOf(rotated.key)).toBe(429);
  });
});

describe('users', () => {
  test('can be created, listed, given a password, and added to an account', async () => {
    const folder = testInstallation();
    const made = await commandJson<{ userId: string; email: string; password: string }>(folder, ['users', 'create', 'Ann@Example.com']);
    expect(made).toMatchObject({ email: 'ann@example.com', password: expect.stringMatching(/^\w{20}$/) });
    expect((await command(folder, ['users', 'create', 'ann@example.com'])).stderr).toContain('already belongs to a user');
    expect((await command(folder, ['users', 'create', 'ann'])).stderr).toContain('allowed: an email address');
    expect((await runCli(folder, ['users', 'password', 'ann@example.com', '--password-stdin'], 'short\n')).stderr).toContain(
      'this one has 5 characters; choose one with 12 to 256',
    );
    expect((await command(folder, ['users', 'password', 'bob@example.com'])).stderr).toContain('no user');
    const set = await runCliJson(folder, ['users', 'password', 'ann@example.com', '--password-stdin'], 'a long enough one\n');
    expect(set).toEqual({ userId: made.userId, email: 'ann@example.com' });
    expect(await commandJson(folder, ['users', 'list'])).toEqual([{ userId: made.userId, email: 'ann@example.com' }]);
    const { accountId } = await commandJson<{ accountId: string }>(folder, ['accounts', 'create', '--name', 'A', '--plan', 'free']);
    expect(await commandJson(folder, ['accounts', 'add-member', accountId, made.userId])).toEqual({ accountId, userId: made.userId, role: 'owner' });
    // One who is a member already keeps their role.
    expect(await commandJson(folder, ['accounts', 'add-member', accountId, made.userId, '--role', 'member'])).toMatchObject({ role: 'owner' });
    expect(await commandJson(folder, ['accounts', 'members', accountId])).toEqual([{ userId: made.userId, email: made.email, role: 'owner' }]);
    const last = await command(folder, ['accounts', 'set-role', accountId, made.userId, '--role', 'member']);
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('this is the only owner of the account')]);
    expect((await command(folder, ['accounts', 'set-role', accountId, made.userId, '--role', 'chief'])).code).toBe(2);
    expect((await command(folder, ['accounts', 'members', 'acc_nobody'])).stderr).toContain('no account');
    expect((await command(folder, ['accounts', 'add-member', 'acc_nobody', made.userId])).stderr).toContain('no account');
    for (const nobody of ['usr_nobody', 'nobody@example.com'])
      expect((await command(folder, ['accounts', 'add-member', accountId, nobody])).stderr).toContain(`no user "${nobody}"`);
    const invited = await command(folder, ['accounts', 'invite', accountId, 'Ben@example.com', '--role', 'owner']);
    expect(invited.stdout).toMatch(
      /^Invited ben@example\.com as owner of acc_.*\nSend this link yourself, prefixed with the dashboard's address; it is shown only once:\n {2}\/invitation#petstore_invite_\w{58}\n$/,
    );
    const [open] = await commandJson<{ invitationId: string }[]>(folder, ['accounts', 'invitations', accountId]);
    expect(open).toMatchObject({ email: 'ben@example.com', role: 'owner', invitedBy: { userId: null, email: null } });
    expect((await command(folder, ['accounts', 'invitations', accountId])).stdout).toContain('operator');
    expect((await command(folder, ['accounts', 'withdraw-invitation', accountId, 'nobody@example.com'])).stderr).toContain('no invitation');
    expect(await commandJson(folder, ['accounts', 'withdraw-invitation', accountId, String(open?.invitationId)])).toEqual({
      accountId,
      invitationId: open?.invitationId,
    });
    expect((await command(folder, ['accounts', 'invitations', accountId])).stdout).toContain('No open invitations');
    expect(await commandJson(folder, ['accounts', 'remove-member', accountId, made.userId])).toEqual({ accountId, userId: made.userId });
    expect((await command(folder, ['accounts', 'remove-member', accountId, made.userId])).stderr).toContain('is not a member of');
  });
});
