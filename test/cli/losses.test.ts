// What can't be undone asks first: every command is in one of two lists, and those that ask take nothing without an answer.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import type { CommandContext } from '../../cli/context.ts';
import { command, commandJson } from '../support/command-line.ts';
import { makeFolder } from '../support/folders.ts';
import { type ServerProcess, startServerProcess } from '../support/processes.ts';

/** A change here is a decision: what can't be undone asks. */
const ASKING = [
  'accounts delete',
  'domains remove',
  'keys revoke',
  'pets remove',
  'projects delete',
  'projects delete-deployment',
  'users remove',
  'users remove-factors',
];
/** They change or show what can be changed back, or add something. */
const OTHERS = [
  ...['create', 'rename', 'list', 'set-plan', 'update-limits', 'add-member', 'members', 'set-role', 'remove-member', 'invite', 'invitations'].map(
    of('accounts'),
  ),
  ...['withdraw-invitation', 'suspend', 'resume', 'require-second-factor'].map(of('accounts')),
  ...['list', 'export'].map(of('audit')),
  ...['get', 'put', 'edit'].map(of('config')),
  ...['add', 'list', 'show', 'verify', 'watch', 'publish'].map(of('domains')),
  ...['issue', 'list', 'rotate', 'unban', 'set', 'pause', 'resume'].map(of('keys')),
  ...['import', 'export'].map(of('pets')),
  ...['list', 'approve', 'decline'].map(of('plan-requests')),
  ...['create', 'list', 'traffic', 'rename', 'deploy', 'deployments', 'pin', 'unpin', 'rollback'].map(of('projects')),
  ...['set', 'unset', 'list'].map(of('sandbox-dns')),
  ...['create', 'list', 'password', 'sign-out'].map(of('users')),
  ...['backup', 'completion', 'cost', 'dashboard publish', 'doctor', 'login', 'logout', 'mails preview', 'man', 'move', 'restore', 'start', 'usage'],
];

function of(parent: string) {
  return (name: string) => `${parent} ${name}`;
}

/** The commands that do something, by their names. */
async function commands(): Promise<ReadonlyMap<string, Command>> {
  const program = new Command('petstore');
  for (const load of Object.values(COMMANDS)) (await load())(program, {} as CommandContext);
  const found = new Map<string, Command>();
  const walk = (command: Command, name: string) => {
    if (command.commands.length === 0) found.set(name, command);
    for (const each of command.commands) walk(each, `${name} ${each.name()}`.trim());
  };
  walk(program, '');
  return found;
}

test('no option says one default and has another', async () => {
  for (const [name, command] of await commands())
    for (const { flags, description, defaultValue } of command.options)
      expect(`${name} ${flags}: ${defaultValue === undefined ? '' : description}`).not.toContain('default');
});

test('every command either can be undone, or asks', async () => {
  const all = await commands();
  expect([...all.keys()].sort()).toEqual([...ASKING, ...OTHERS].sort());
  const canSayYes = [...all].filter(([, { options }]) => options.some(({ long }) => long === '--yes')).map(([name]) => name);
  // A move asks only to be taken back (test/package/postgres-move.packed.ts).
  const asking = canSayYes.filter((name) => name !== 'move');
  expect(asking.sort()).toEqual(ASKING);
  for (const name of ASKING) {
    const command = all.get(name);
    expect(command?.options.map(({ long }) => long)).toEqual(expect.arrayContaining(['--yes', '--dry-run', '--json']));
    expect(command?.description()).toContain("can't be undone");
  }
});

describe('what goes', () => {
  const folder = makeFolder();
  let server: ServerProcess;
  let args: Record<string, readonly string[]> = {};
  let accountId = '';
  let refused: readonly (readonly [args: readonly string[], why: string])[] = [];

  beforeAll(async () => {
    server = await startServerProcess(folder.path);
    const json = <T>(...given: string[]) => commandJson<T>(folder.path, given);
    ({ accountId } = await json<{ accountId: string }>('accounts', 'create', '--name', 'Corner Shop', '--plan', 'pro'));
    const { userId } = await json<{ userId: string }>('users', 'create', 'ann@petstore.test');
    await json('accounts', 'add-member', accountId, userId);
    const { keyId } = await json<{ keyId: string }>('keys', 'issue', '--account', accountId, '--name', 'Till');
    const { projectId, deploymentId } = await json<{ projectId: string; deploymentId: string }>(
      ...['projects', 'create', '--account', accountId, '--name', 'Site'],
    );
    const site = join(folder.path, 'site');
    mkdirSync(site);
    writeFileSync(join(site, 'index.html'), 'newer');
    const { deploymentId: current } = await json<{ deploymentId: string }>('projects', 'deploy', projectId, site);
    await json('domains', 'add', 'www.corner-shop.test', '--project', projectId);
    const empty = await json<{ projectId: string }>('projects', 'create', '--account', accountId, '--name', 'Empty');
    const key = /petstore_test_\w+/.exec(server.stdout())?.[0];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const pet = await (await fetch(`${server.url}/v1/pets`, { method: 'POST', headers, body: '{"name":"Bella","categoryId":7}' })).json();
    args = {
      'accounts delete': [accountId, '--with-projects'],
      'domains remove': ['www.corner-shop.test'],
      'keys revoke': [keyId],
      'pets remove': [String((pet as { id: number }).id)],
      'projects delete': [empty.projectId],
      'projects delete-deployment': [projectId, deploymentId],
      'users remove': ['ann@petstore.test'],
      'users remove-factors': ['ann@petstore.test'],
    };
    const { keyId: revoked } = await json<{ keyId: string }>('keys', 'issue', '--account', accountId, '--name', 'Revoked');
    await json('keys', 'revoke', revoked, '--yes');
    refused = [
      [['accounts', 'delete', accountId], 'has 2 projects'],
      [['accounts', 'delete', 'acc_none'], 'there is no account "acc_none"'],
      [['keys', 'revoke', revoked], `there is no key "${revoked}" that is not revoked`],
      [['projects', 'delete', projectId], 'has domains, which must be removed first: www.corner-shop.test'],
      [['projects', 'delete-deployment', projectId, current], `deployment ${current} is current`],
      [['projects', 'delete-deployment', projectId, 'dpl_none'], 'has no deployment "dpl_none"'],
    ];
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  const run = (name: string, ...more: string[]) => command(folder.path, [...name.split(' '), ...(args[name] ?? []), ...more]);
  /** Everything that the commands could take. */
  const all = async () =>
    Promise.all(
      [
        ['accounts', 'list'],
        ['users', 'list'],
        ['keys', 'list', '--account', accountId],
        ['projects', 'list', '--account', accountId],
      ].map((each) => commandJson(folder.path, each)),
    );

  test.each(ASKING)('%s takes nothing without an answer, and says what it would take', async (name) => {
    const before = await all();
    expect(await run(name)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/This will .*\. It can't be undone\.\n(?:.*\n)*.*--yes: missing/),
    });
    const dry = await run(name, '--dry-run', '--yes');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Would /) });
    const shown = JSON.parse((await run(name, '--dry-run', '--json')).stdout);
    expect(shown).toMatchObject({ dryRun: true, deed: expect.any(String) });
    for (const kind of Object.keys(shown)) expect(kind).toMatch(/^[a-zA-Z]+$/);
    expect(await all()).toEqual(before);
  });

  test('a dry run says why nothing would go', async () => {
    for (const [given, why] of refused) {
      const { code, stdout, stderr } = await command(folder.path, [...given, '--dry-run']);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^petstore: --dry-run: nothing would be deleted: /)]);
      expect(stderr).toContain(why);
    }
  });

  test('an account names its keys, members, projects and domains', async () => {
    expect((await run('accounts delete', '--dry-run')).stdout).toMatch(
      /^Would delete account acc_\w+ \(Corner Shop\)\n {2}keys: Till \(petstore_test_.*\n {2}members: ann@petstore\.test\n {2}projects: Site \(prj_\w+\), Empty \(prj_\w+\)\n {2}other domains: www\.corner-shop\.test\n$/,
    );
  });

  test('a user names the accounts that have no owner then', async () => {
    expect((await run('users remove', '--dry-run')).stdout).toContain(`  accounts without owner: ${accountId}\n`);
  });

  /** Answers the question in a terminal, which `script` makes. */
  async function answer(text: string, ...command: string[]): Promise<string> {
    const line = [process.execPath, join(import.meta.dirname, '../../cli/petstore.ts'), ...command].join(' ');
    const child = spawn('script', ['-qec', line, '/dev/null'], { env: { ...process.env, PETSTORE_DATA: folder.path } });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (/to continue: /.test(said) && !child.stdin.writableEnded) child.stdin.end(text);
    });
    await once(child, 'close');
    return said;
  }

  test('a terminal is asked for the name; any other answer, and none, changes nothing; who repeats it is told so', async () => {
    const issue = ['keys', 'issue', '--account', accountId, '--name', 'Kiosk'];
    const { keyId } = await commandJson<{ keyId: string }>(folder.path, issue);
    const isThere = async () => JSON.stringify(await commandJson(folder.path, ['keys', 'list', '--account', accountId])).includes(keyId);
    expect(await answer('kiosk\n', 'keys', 'revoke', keyId)).toContain('the name does not match; nothing was changed');
    expect(await answer('\u0004', 'keys', 'revoke', keyId)).toContain('the name does not match; nothing was changed');
    expect(await isThere()).toBe(true);
    expect(await answer('Kiosk\n', 'keys', 'revoke', keyId)).toContain('is revoked');
    expect(await isThere()).toBe(false);
    expect(await command(folder.path, ['keys', 'revoke', keyId, '--yes'])).toMatchObject({ code: 0, stdout: expect.stringContaining('is revoked') });
  });
});

test('a command in a folder without an installation makes none', async () => {
  const folder = makeFolder();
  try {
    const { code, stderr } = await command(folder.path, ['accounts', 'create', '--name', 'Shop', '--plan', 'free']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `petstore: PETSTORE_DATA: there is no installation in ${folder.path}; name the folder of one, or start the service there once, which creates one\n`,
    });
    expect((await command(folder.path, ['accounts', 'list'])).code).toBe(1);
  } finally {
    folder.remove();
  }
});
