// Import and export on separate data folders, and while a server runs; as processes, where standard input and output are part of them.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { PET_FIELD_LIST } from '../../core/pets/fields.ts';
import { command, commandJson } from '../support/command-line.ts';
import { testInstallation } from '../support/folders.ts';
import { commandEnvironment, runCli, runCliJson } from '../support/processes.ts';
import { petBody, sampleNewPet } from '../support/samples.ts';
import { startTestServer } from '../support/test-processes.ts';

interface ImportReport {
  read: number;
  imported: number;
  alreadyThere: number;
  rejected: number;
  problems: { line: number; message: string }[];
}

describe('animals', () => {
  const lines = [
    petBody({ name: 'Rex', categoryId: 9_223_372_036_854_775_807n, status: 'sold' }),
    '',
    petBody({ name: 'Twin' }),
    petBody({ name: 'Twin' }),
  ];
  const exported = async (data: string) => (await runCli(data, ['pets', 'export'])).stdout.trim().split('\n').filter(Boolean);

  test('are removed by the operator, also while the service runs, with an entry that says which', async () => {
    const data = testInstallation();
    const server = await startTestServer(data);
    const { accountId } = await commandJson<{ accountId: string }>(data, ['accounts', 'create', '--name', 'A', '--plan', 'pro']);
    const { key } = await commandJson<{ key: string }>(data, ['keys', 'issue', '--account', accountId]);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const created = await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: petBody({ name: 'Rude\u{1f415}' }) });
    const { id } = (await created.json()) as { id: number };
    expect((await command(data, ['pets', 'remove', String(id)])).stderr).toContain('--yes: missing');
    expect(await commandJson(data, ['pets', 'remove', String(id), '--yes'])).toEqual({ id, removed: true });
    const statuses = await Promise.all([`/${id}`, ''].map(async (path) => (await fetch(`${server.url}/v1/pets${path}`, { headers })).status));
    expect([statuses, await exported(data)]).toEqual([[404, 200], []]);
    expect((await commandJson<object[]>(data, ['audit', 'list']))[0]).toMatchObject({
      ...{ action: 'animal.removed', subject: String(id), actor: { kind: 'operator' }, details: { name: 'Rude🐕' } },
    });
    for (const [given, message] of [
      [String(id), `no animal ${id}`],
      ['0', 'petId: got "0"; allowed: the id of an animal'],
    ] as const) {
      const { code, stderr } = await command(data, ['pets', 'remove', given, '--yes']);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    await server.stop();
  });

  test('are imported once each, duplicates included, however often the import runs', async () => {
    const data = testInstallation();
    const file = join(data, 'pets.jsonl');
    writeFileSync(file, `\uFEFF${lines.join('\r\n')}`);
    const run = () => commandJson<ImportReport>(data, ['pets', 'import', file]);
    expect(await run()).toEqual({ read: 3, imported: 3, alreadyThere: 0, rejected: 0, problems: [] });
    expect(await run()).toEqual({ read: 3, imported: 0, alreadyThere: 3, rejected: 0, problems: [] });
    writeFileSync(file, [...lines, petBody({ name: 'New' })].join('\n'));
    expect(await run()).toMatchObject({ imported: 1, alreadyThere: 3 });
    const names = (await exported(data)).map((line) => JSON.parse(line).name);
    expect(names.sort()).toEqual(['New', 'Rex', 'Twin', 'Twin']);
    expect((await exported(data)).join()).toContain('"categoryId":9223372036854775807');
    expect(await commandJson<ImportReport>(data, ['pets', 'import', file, '--source', 'another'])).toMatchObject({ imported: 4 });
  });

  test('in invalid lines are reported by line number and skipped; with --strict the whole file is refused', async () => {
    const data = testInstallation();
    const input = [
      petBody({ name: 'Good' }),
      '{"name":""',
      '[]',
      '{"categoryId":1}',
      petBody({ name: 'A', id: 0 }),
      petBody({ name: 'B', categoryId: 1.5 }),
    ].join('\n');
    const strict = await runCli(data, ['pets', 'import', '-', '--strict'], input);
    expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining('5 of 6 lines are invalid; nothing was imported')]);
    expect(await exported(data)).toEqual([]);
    const report = await runCliJson<ImportReport>(data, ['pets', 'import', '-'], input);
    expect(report).toMatchObject({ read: 6, imported: 1, rejected: 5 });
    expect(report.problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
    expect(report.problems.at(-1)?.message).toContain('categoryId: got 1.5');
    expect(await runCliJson<ImportReport>(data, ['pets', 'import', '-', '--strict'], petBody({ name: 'Fine' }))).toMatchObject({
      imported: 1,
    });
  });

  test('are exported and imported again, as JSON lines and as CSV, with their ids', async () => {
    const data = testInstallation();
    const names = ['Plain', 'Comma, "quote"', ' spaces ', 'Ünï🐕', "it's"];
    await runCliJson(data, ['pets', 'import', '-'], names.map((name, n) => petBody({ name, categoryId: n, status: 'pending' })).join('\n'));
    const before = await exported(data);
    for (const format of ['jsonl', 'csv']) {
      const copy = testInstallation();
      const file = join(copy, `pets.${format}`);
      writeFileSync(file, (await runCli(data, ['pets', 'export', '--format', format])).stdout);
      expect(await commandJson<ImportReport>(copy, ['pets', 'import', file])).toMatchObject({ imported: 5, rejected: 0 });
      expect(await commandJson<ImportReport>(copy, ['pets', 'import', file])).toMatchObject({ alreadyThere: 5 });
      expect(await exported(copy)).toEqual(before);
    }
    expect((await runCli(data, ['pets', 'export', '--status', 'sold'])).stdout).toBe('');
    const { id } = JSON.parse(before[0] ?? '');
    const clash = await runCliJson<ImportReport>(data, ['pets', 'import', '-'], petBody({ id, name: 'Other' }));
    expect(clash.problems).toEqual([{ line: 1, message: expect.stringContaining('taken by another animal') }]);
  });

  test('in CSV with malformed rows are imported as far as possible', async () => {
    const data = testInstallation();
    const lines = [{ name: 'Rex', status: '' }, { name: '"Multi\nline"' }, 'Short,1', { categoryId: 'x' }, 'extra', {}, { name: '"open' }];
    const columns = PET_FIELD_LIST.map(({ name }) => name);
    const sample: Record<string, unknown> = { ...sampleNewPet() };
    const line = (cells: Record<string, unknown>) => columns.map((name) => cells[name] ?? sample[name]).join(',');
    const textOf = (each: (typeof lines)[number]) => (each === 'extra' ? `${line({})},9` : typeof each === 'string' ? each : line(each));
    const csv = `${columns.join(',')}\n${lines.map(textOf).join('\n')}\n`;
    const report = await runCliJson<ImportReport>(data, ['pets', 'import', '-', '--format', 'csv'], csv);
    expect(report.imported).toBe(2);
    expect(report.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('name: got "Multi\\nline"'),
      `has 2 columns; the header has ${columns.length}`,
      expect.stringContaining('categoryId: got "x"'),
      `has ${columns.length + 1} columns; the header has ${columns.length}`,
      expect.stringContaining('invalid CSV from here on'),
    ]);
  });

  test('in a CSV with a stray quote are imported, except the one with the quote', async () => {
    const data = testInstallation();
    const columns = Object.keys(sampleNewPet());
    const line = (name: string) => Object.values({ ...sampleNewPet(), name }).join(',');
    const csv = [columns.join(','), line('First'), line('Bella "Bell" x'), line('Last')].join('\n');
    const report = await runCliJson<ImportReport>(data, ['pets', 'import', '-', '--format', 'csv'], csv);
    expect(report).toMatchObject({
      read: 3,
      imported: 2,
      problems: [{ line: 3, message: expect.stringContaining('invalid CSV: Invalid Opening Quote') }],
    });
  });

  test('are exported without an error even if the reader closes the pipe', async () => {
    const data = testInstallation();
    await runCliJson(
      data,
      ['pets', 'import', '-'],
      Array.from({ length: 5_000 }, (_, n) => petBody({ name: `Animal ${n}`, categoryId: n })).join('\n'),
    );
    const { execFile } = await import('node:child_process');
    const root = join(import.meta.dirname, '../..');
    const result = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const pipeline = `"${process.execPath}" cli/petstore.ts pets export | head -n 1`;
      execFile('sh', ['-c', pipeline], { cwd: root, env: { ...process.env, PETSTORE_DATA: data } }, (_error, stdout, stderr) =>
        resolve({ stdout, stderr }),
      );
    });
    expect([result.stdout.split('\n').length, result.stderr]).toEqual([2, '']);
  });

  test('can be imported in large numbers (100,000) while the server answers, and are then listed without gaps or duplicates', async () => {
    const data = testInstallation();
    const server = await startTestServer(data);
    const json = <T>(...args: string[]) => runCliJson<T>(data, args);
    const { accountId } = await json<{ accountId: string }>(
      ...'accounts create --name A --plan enterprise --per-minute 1000000 --per-day 1000000'.split(' '),
    );
    const { key } = await json<{ key: string }>('keys', 'issue', '--account', accountId);
    const names = Array.from({ length: 100_000 }, (_, n) => `Animal ${n}`);
    const file = join(data, 'many.jsonl');
    writeFileSync(file, names.map((name, n) => petBody({ name, categoryId: n })).join('\n'));
    let running = true;
    const importing = json<ImportReport>('pets', 'import', file).finally(() => {
      running = false;
    });
    const statuses = new Set<number>();
    while (running) {
      statuses.add((await fetch(`${server.url}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status);
      // Sends requests only as often as a client would: the import needs the machine too.
      await sleep(50);
    }
    expect((await importing).imported).toBe(100_000);
    expect(statuses).toEqual(new Set([200]));

    const walked: string[] = [];
    for await (const { name } of createClient({ baseUrl: server.url, apiKey: key }).allPets({ limit: 100 })) walked.push(name);
    expect(walked).toHaveLength(100_000);
    expect(new Set(walked)).toEqual(new Set(names));
    expect(await server.stop()).toBe(0);
  });
});

test.each([
  [['pets', 'export'], /^petstore: the output can't be written: ENOSPC: .*; free up space, or write it elsewhere\n$/],
  [['accounts', 'list', '--json'], /^\{"error":"the output can't be written: ENOSPC: .*"\}\n$/],
])('%s to a full disk fails with what to do', async (args, expected) => {
  const folder = testInstallation();
  await runCli(folder, ['pets', 'import', '-'], petBody({ name: 'Rex', categoryId: 1 }));
  const shell = ['-c', 'exec "$@" >/dev/full', '-', process.execPath, join(import.meta.dirname, '../../cli/petstore.ts'), ...args];
  const ended = new Promise((resolve) => {
    execFile('sh', shell, { env: commandEnvironment(folder, {}) }, (error, _, stderr) => resolve([error?.code, stderr]));
  });
  expect(await ended).toEqual([1, expect.stringMatching(expected)]);
});
