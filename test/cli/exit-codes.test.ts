// How commands end: the table of docs/command-line.md, row by row.

import { once } from 'node:events';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../cli/context.ts';
import { collect } from '../support/children.ts';
import { makeFolder, testFolder } from '../support/folders.ts';
import { type Finished, runCli, runCliJson, type ServerProcess, startCli, startServerProcess } from '../support/processes.ts';
import { petBody } from '../support/samples.ts';

const HOST = 'www.exit-codes.test';
const folder = makeFolder();
let server: ServerProcess;
let accountId = '';
let projectId = '';

const petstore = (...args: string[]) => runCli(folder.path, args);
const json = <T>(...args: string[]) => runCliJson<T>(folder.path, args);

beforeAll(async () => {
  server = await startServerProcess(folder.path);
  accountId = (await json<{ accountId: string }>('accounts', 'create', '--name', 'Exit codes', '--plan', 'pro')).accountId;
  projectId = (await json<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Shop')).projectId;
  await json('domains', 'add', HOST, '--project', projectId);
});

afterAll(async () => {
  await server?.stop();
  folder.remove();
});

interface Way {
  readonly code: number;
  readonly run: () => Promise<Finished>;
  /** In what it prints. */
  readonly says: string;
}

/** Each example of the table, by its command. */
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  'keys revoke': [
    {
      code: EXIT_CODES.done,
      run: async () => {
        const { keyId } = await json<{ keyId: string }>('keys', 'issue', '--account', accountId, '--name', 'Till');
        await json('keys', 'revoke', keyId, '--yes');
        return petstore('keys', 'revoke', keyId, '--yes');
      },
      says: 'evoked',
    },
  ],
  'domains show': [{ code: EXIT_CODES.failed, run: () => petstore('domains', 'show', 'www.nobody.test'), says: 'no domain "www.nobody.test"' }],
  doctor: [
    {
      code: EXIT_CODES.failed,
      // The running service has the ports.
      run: () => runCli('/nonexistent', ['doctor']),
      says: 'problem',
    },
  ],
  'projects delete': [
    {
      code: EXIT_CODES.usage,
      run: async () => {
        const empty = await json<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Empty');
        return petstore('projects', 'delete', empty.projectId);
      },
      says: '--yes: missing',
    },
  ],
  'pets import': [
    {
      code: EXIT_CODES.unfinished,
      run: () => runCli(folder.path, ['pets', 'import', '-'], `${petBody({ name: 'Rex' })}\n{}`),
      says: '1 imported, 0 already present, 1 rejected, of 2 lines',
    },
  ],
  backup: [
    {
      code: EXIT_CODES.unfinished,
      run: () => {
        const [copy, backups] = [join(testFolder(), 'data'), join(testFolder(), 'backups')];
        cpSync(folder.path, copy, { recursive: true });
        rmSync(join(copy, 'sites'), { recursive: true });
        return runCli(copy, ['backup', backups]);
      },
      says: 'the backup is incomplete, so no older one was removed',
    },
  ],
  'domains verify': [{ code: EXIT_CODES.unfinished, run: () => petstore('domains', 'verify', HOST), says: 'to do (owner)' }],
  'domains watch': [
    { code: EXIT_CODES.unfinished, run: () => petstore('domains', 'watch', HOST), says: 'to do (owner)' },
    { code: EXIT_CODES.timedOut, run: () => petstore('domains', 'watch', HOST, '--timeout', '1s'), says: 'to do (owner)' },
  ],
};

/** Code and commands of each row. */
const ROWS = (/## Exit codes\n(.*?)\n## /s.exec(readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8'))?.[1] ?? '')
  .split('\n')
  .flatMap((line) => {
    const [, code, , examples = ''] = line.split('|').map((cell) => cell.trim());
    return /^\d+$/.test(code ?? '')
      ? [{ code: Number(code), commands: [...examples.matchAll(/`([a-z][a-z ]+)`/g)].map(([, command]) => command ?? '') }]
      : [];
  });

describe('commands end as docs/command-line.md says', () => {
  test('which has each code, and each example that is tried here', () => {
    expect(ROWS.map(({ code }) => code)).toEqual(Object.values(EXIT_CODES));
    const tried = Object.entries(WAYS).flatMap(([command, ways]) => ways.map(({ code }) => `${code} ${command}`));
    expect(tried.toSorted()).toEqual(ROWS.flatMap(({ code, commands }) => commands.map((command) => `${code} ${command}`)).toSorted());
  });

  for (const [command, ways] of Object.entries(WAYS))
    for (const { code, run, says } of ways)
      test(`${code}: ${command}`, async () => {
        const { code: ended, stdout, stderr } = await run();
        expect([ended, `${stdout}${stderr}`]).toEqual([code, expect.stringContaining(says)]);
      });

  test('0: a domain that is served, after its records are set', async () => {
    const host = 'www.served.test';
    await json('domains', 'add', host, '--project', projectId);
    await json('domains', 'publish', host);
    expect((await petstore('domains', 'verify', host)).code).toBe(EXIT_CODES.done);
    expect(await petstore('domains', 'watch', host)).toMatchObject({ code: EXIT_CODES.done, stdout: expect.stringContaining(`${host}: live`) });
  });

  test('1: what only the service does, while it is stopped', async () => {
    await json('domains', 'verify', HOST);
    const copy = makeFolder();
    cpSync(folder.path, copy.path, { recursive: true, filter: (path) => !path.endsWith('service.json') });
    for (const [given, says] of [
      [['domains', 'verify', HOST], 'only the running service checks domains'],
      [['domains', 'watch', HOST], 'only the running service checks domains'],
      [['accounts', 'delete', accountId, '--with-projects', '--yes'], 'domains, which only the running service removes; nothing was changed'],
    ] as const) {
      const { code, stderr } = await runCli(copy.path, given);
      expect([code, stderr]).toEqual([EXIT_CODES.failed, expect.stringContaining(says)]);
    }
    copy.remove();
  });

  test.each([
    [['keys', 'list', '--json'], "required option '--account <id>' not specified"],
    [['keys', 'lost', '--json'], "unknown command 'lost'"],
    [['keys', 'list', '--account', 'acc_1', '--lost', '--json'], "unknown option '--lost'"],
    [['--stage', 'A stage', 'keys', 'list', '--account', 'acc_1', '--json'], "option '--stage <stage>' argument 'A stage' is invalid."],
    [['keys', '--json'], "unknown option '--json'"],
  ])('2: a mistake in the command, with --json: one line: %j', async (args, says) => {
    const { code, stdout, stderr } = await petstore(...args);
    expect([code, stdout, stderr.split('\n').length]).toEqual([EXIT_CODES.usage, '', 2]);
    expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining(says) });
  });

  test('1: a domain that is removed while it is watched', async () => {
    const host = 'www.removed.test';
    await json('domains', 'add', host, '--project', projectId);
    const watching = startCli(folder.path, ['domains', 'watch', host, '--timeout', '1h']);
    const stderr = collect(watching.stderr);
    // It has looked once.
    await once(watching.stdout as Readable, 'data');
    await json('domains', 'remove', host, '--yes');
    const [code] = await once(watching, 'close');
    expect([code, stderr()]).toEqual([EXIT_CODES.failed, `petstore: ${host}: someone has removed the domain\n`]);
  });
});
