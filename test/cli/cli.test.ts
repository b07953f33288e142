// The command line as its users run it: processes on a data folder, beside a running server.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, testFolder } from '../support/folders.ts';
import { runCli, runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

interface ImportReport {
  read: number;
  imported: number;
  alreadyThere: number;
  rejected: number;
  problems: { line: number; message: string }[];
}

const folder = makeFolder();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess(folder.path);
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

const json = <T>(...args: string[]) => runCliJson<T>(folder.path, args);
const text = (...args: string[]) => runCli(folder.path, args);
const makeAccount = async (...plan: string[]) =>
  (await json<{ accountId: string }>('accounts', 'create', '--name', 'Shop', '--plan', ...plan)).accountId;
const statusOf = async (key: string) => (await fetch(`${server.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;

describe('accounts', () => {
  test('are made, listed and changed', async () => {
    const accountId = await makeAccount('free');
    expect(accountId).toMatch(/^acc_[0-9A-Za-z]{10}$/);
    expect(await json('accounts', 'set-plan', accountId, '--plan', 'enterprise', '--per-minute', '5', '--per-day', '50')).toEqual({
      accountId,
      plan: 'enterprise',
      perMinute: 5,
      perDay: 50,
    });
    expect(await json('accounts', 'list')).toContainEqual({
      accountId,
      name: 'Shop',
      plan: 'enterprise',
      perMinute: 5,
      perDay: 50,
      createdAt: expect.any(String),
    });
    expect((await text('accounts', 'list')).stdout).toMatch(new RegExp(`^ACCOUNT +NAME +PLAN[\\s\\S]*\\n${accountId} +Shop +enterprise`));
  });

  test.each([
    [['accounts', 'create', '--name', 'A', '--plan', 'gold'], 2, /Allowed choices are free, pro, business, enterprise/],
    [['accounts', 'create', '--plan', 'free'], 2, /required option '--name <name>'/],
    [['accounts', 'create', '--name', ' ', '--plan', 'free'], 1, /--name: got " "; allowed: 1 to 100 characters/],
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
    [['keys', 'issue', '--account', 'acc_0', '--name', ''], 1, /--name: got ""/],
    [['keys', 'list', '--account', 'acc_0'], 1, /no account/],
    [['keys', 'rotate', 'key_0'], 1, /no key "key_0"/],
    [['keys', 'revoke', 'key_0'], 1, /no key "key_0"/],
    [['usage', '--account', 'acc_0'], 1, /no account/],
    [['pets', 'import', '/nowhere.jsonl'], 1, /file "\/nowhere\.jsonl": can't be read/],
    [['pets', 'import', '/'], 1, /is not a file/],
    [['pets', 'export', '--format', 'csv', '--json'], 1, /choose one/],
    [['nonsense'], 2, /unknown command 'nonsense'/],
  ])('%j is refused with %i', async (args, code, message) => {
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

  test('wrong settings are refused', async () => {
    const wrong = await runCli('', ['accounts', 'list']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('PETSTORE_DATA: got ""')]);
    const unusable = await runCli('/dev/null/x', ['accounts', 'list']);
    expect([unusable.code, unusable.stderr]).toEqual([1, expect.stringContaining("can't use /dev/null/x")]);
  });
});

describe('keys', () => {
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
    const [listed] = await json<{ expiresAt: string; createdAt: string }[]>('keys', 'list', '--account', account);
    expect(listed).toMatchObject({ keyId: issued.keyId, name: 'CI', scopes: ['pets:read'], state: 'active' });
    expect(Date.parse(listed?.expiresAt ?? '') - Date.parse(listed?.createdAt ?? '')).toBe(90 * 86_400_000);
    const rotated = await json<{ keyId: string; key: string; oldExpiresAt: string }>('keys', 'rotate', issued.keyId, '--grace', '1h');
    expect(Date.parse(rotated.oldExpiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect([await statusOf(issued.key), await statusOf(rotated.key)]).toEqual([200, 200]);
    expect(await json('keys', 'revoke', issued.keyId)).toEqual({ keyId: issued.keyId, revoked: true });
    expect([await statusOf(issued.key), await statusOf(rotated.key)]).toEqual([401, 200]);
    expect((await text('keys', 'list', '--account', account)).stdout).toContain(rotated.keyId);
  });

  test('are as many as an account may have', async () => {
    const account = await makeAccount('free');
    for (let n = 0; n < 10; n += 1) await json('keys', 'issue', '--account', account);
    expect((await text('keys', 'issue', '--account', account)).stderr).toContain('revoke one first');
  });

  test('usage shows what was used, and bans', async () => {
    const account = await makeAccount('enterprise', '--per-minute', '1', '--per-day', '9');
    const { key, keyId } = await json<{ key: string; keyId: string }>('keys', 'issue', '--account', account);
    for (let n = 0; n < 14; n += 1) await statusOf(key);
    const usage = await json<{ day: { used: number }; bans: unknown[] }>('usage', '--account', account);
    expect(usage).toMatchObject({ accountId: account, plan: 'enterprise', day: { limit: 9, resetAt: expect.stringContaining('T00:00:00.000Z') } });
    expect(usage.day.used).toBeGreaterThanOrEqual(1);
    expect(usage.bans).toEqual([{ keyId, until: expect.any(String), level: 1 }]);
    expect((await text('usage', '--account', account)).stdout).toContain(`Key ${keyId} is banned until`);
  });
});

describe('animals', () => {
  const lines = [
    '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}',
    '',
    '{"name":"Twin","categoryId":1}',
    '{"name":"Twin","categoryId":1}',
  ];
  const exported = async (data: string) => (await runCli(data, ['pets', 'export'])).stdout.trim().split('\n').filter(Boolean);

  test('are imported once, however often the import runs, twins and all', async () => {
    const data = testFolder();
    const file = join(data, 'pets.jsonl');
    writeFileSync(file, `\uFEFF${lines.join('\r\n')}`);
    const run = () => runCliJson<ImportReport>(data, ['pets', 'import', file]);
    expect(await run()).toEqual({ read: 3, imported: 3, alreadyThere: 0, rejected: 0, problems: [] });
    expect(await run()).toEqual({ read: 3, imported: 0, alreadyThere: 3, rejected: 0, problems: [] });
    writeFileSync(file, [...lines, '{"name":"New","categoryId":1}'].join('\n'));
    expect(await run()).toMatchObject({ imported: 1, alreadyThere: 3 });
    const names = (await exported(data)).map((line) => JSON.parse(line).name);
    expect(names.sort()).toEqual(['New', 'Rex', 'Twin', 'Twin']);
    expect((await exported(data)).join()).toContain('"categoryId":9223372036854775807');
    expect(await runCliJson<ImportReport>(data, ['pets', 'import', file, '--source', 'another'])).toMatchObject({ imported: 4 });
  });

  test('bad lines are told by number and left out, or refuse all with --strict', async () => {
    const data = testFolder();
    const input = [
      '{"name":"Good","categoryId":1}',
      '{"name":""',
      '[]',
      '{"categoryId":1}',
      '{"name":"A","categoryId":1,"id":0}',
      '{"name":"B","categoryId":1.5}',
    ].join('\n');
    const strict = await runCli(data, ['pets', 'import', '-', '--strict'], input);
    expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining('5 of 6 lines are bad; nothing was imported')]);
    expect(await exported(data)).toEqual([]);
    const report = await runCliJson<ImportReport>(data, ['pets', 'import', '-'], input);
    expect(report).toMatchObject({ read: 6, imported: 1, rejected: 5 });
    expect(report.problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
    expect(report.problems.at(-1)?.message).toContain('categoryId: got 1.5');
    expect(await runCliJson<ImportReport>(data, ['pets', 'import', '-', '--strict'], '{"name":"Fine","categoryId":1}')).toMatchObject({
      imported: 1,
    });
  });

  test('go out and in again, as JSON lines and as CSV, ids and all', async () => {
    const data = testFolder();
    const names = ['Plain', 'Comma, "quote"', ' spaces ', 'Ünï🐕', "it's"];
    await runCliJson(data, ['pets', 'import', '-'], names.map((name, n) => JSON.stringify({ name, categoryId: n, status: 'pending' })).join('\n'));
    const before = await exported(data);
    for (const format of ['jsonl', 'csv']) {
      const copy = testFolder();
      const file = join(copy, `pets.${format}`);
      writeFileSync(file, (await runCli(data, ['pets', 'export', '--format', format])).stdout);
      expect(await runCliJson<ImportReport>(copy, ['pets', 'import', file])).toMatchObject({ imported: 5, rejected: 0 });
      expect(await runCliJson<ImportReport>(copy, ['pets', 'import', file])).toMatchObject({ alreadyThere: 5 });
      expect(await exported(copy)).toEqual(before);
    }
    expect((await runCli(data, ['pets', 'export', '--status', 'sold'])).stdout).toBe('');
    const { id } = JSON.parse(before[0] ?? '');
    const clash = await runCliJson<ImportReport>(data, ['pets', 'import', '-'], `{"id":${id},"name":"Other","categoryId":1}`);
    expect(clash.problems).toEqual([{ line: 1, message: expect.stringContaining('taken by another animal') }]);
  });

  test('CSV with odd rows is read as far as it goes', async () => {
    const data = testFolder();
    const csv = 'name,categoryId,status\nRex,7,\n"Multi\nline",1,sold\nShort,1\nBad,x,sold\nExtra,1,sold,9\nLast,2,pending\n"open,3,sold\n';
    const report = await runCliJson<ImportReport>(data, ['pets', 'import', '-', '--format', 'csv'], csv);
    expect(report.imported).toBe(2);
    expect(report.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('name: got "Multi\\nline"'),
      'has 2 columns; the head has 3',
      expect.stringContaining('categoryId: got "x"'),
      'has 4 columns; the head has 3',
      expect.stringContaining('not CSV from here on'),
    ]);
  });

  test('a reader that closes the pipe ends the export quietly', async () => {
    const data = testFolder();
    await runCliJson(
      data,
      ['pets', 'import', '-'],
      Array.from({ length: 5_000 }, (_, n) => JSON.stringify({ name: `Animal ${n}`, categoryId: n })).join('\n'),
    );
    const { execFile } = await import('node:child_process');
    const root = join(import.meta.dirname, '../..');
    const result = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const command = `"${process.execPath}" cli/main.ts pets export | head -n 1`;
      execFile('sh', ['-c', command], { cwd: root, env: { ...process.env, PETSTORE_DATA: data } }, (_error, stdout, stderr) =>
        resolve({ stdout, stderr }),
      );
    });
    expect([result.stdout.split('\n').length, result.stderr]).toEqual([2, '']);
  });

  test('the server answers while an import runs', async () => {
    const account = await makeAccount('enterprise', '--per-minute', '1000000', '--per-day', '1000000');
    const { key } = await json<{ key: string }>('keys', 'issue', '--account', account);
    const file = join(folder.path, 'many.jsonl');
    writeFileSync(file, Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ name: `Many ${n}`, categoryId: n })).join('\n'));
    let running = true;
    const importing = json<ImportReport>('pets', 'import', file).finally(() => {
      running = false;
    });
    const statuses = new Set<number>();
    while (running) statuses.add(await statusOf(key));
    expect((await importing).imported).toBe(20_000);
    expect(statuses).toEqual(new Set([200]));
  });
});
