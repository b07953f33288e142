// The command line without an operator's credentials: `petstore login`, then owners' commands with `--url`.

import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect } from '../support/children.ts';
import { command, commandJson } from '../support/command-line.ts';
import { makeFolder } from '../support/folders.ts';
import { follow, logIn, openPrinted } from '../support/login.ts';
import { type ServerProcess, startCli, startServerProcess, UNFINISHED } from '../support/processes.ts';
import { ageSignIns, Browser, submit } from '../support/sign-in.ts';

const folder = makeFolder();
const home = makeFolder();
const environment = { XDG_CONFIG_HOME: home.path };
const credentials = join(home.path, 'petstore/credentials.json');
let server: ServerProcess;
let demo = { email: '', password: '' };
let accountId = '';

const newFolder = () => mkdtempSync(join(home.path, 'f-'));

/** A folder without a database: these commands must need none. */
const NOWHERE = '/nonexistent';
const remote = (...args: string[]) => command(NOWHERE, ['--url', server.url, ...args], environment);
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await remote(...args, '--json');
  if (code !== 0 && code !== UNFINISHED) throw new Error(`petstore ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
const operator = <T>(...args: string[]) => commandJson<T>(folder.path, args);

function makeSite(files: Readonly<Record<string, string>>): string {
  const site = { path: newFolder() };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(site.path, name, '..'), { recursive: true });
    writeFileSync(join(site.path, name), content);
  }
  return site.path;
}

/** Two people change a project's configuration, one of them at the command line: by file, and in an editor. */
async function editsInTurn(projectId: string, host: string, base: string): Promise<void> {
  const site = makeSite({
    'mine.json': JSON.stringify({ domains: { redirects: [] } }),
    'theirs.json': JSON.stringify({ domains: { primary: host } }),
  });
  const [mine, theirs] = [join(site, 'mine.json'), join(site, 'theirs.json')];
  expect((await remote('config', 'put', projectId, mine, '--base', base)).code).toBe(0);
  const logs = join(makeSite({ 'l.json': JSON.stringify({ domains: { primary: host }, logs: { access: true } }) }), 'l.json');
  for (const put of [remote, (...args: string[]) => command(folder.path, args)]) {
    const overtaken = await put('config', 'put', projectId, logs, '--base', base);
    const said = `the configuration in the meantime, and nothing was stored: the primary domain is not set, and was ${host}\n`;
    expect([overtaken.code, overtaken.stderr]).toEqual([1, expect.stringContaining(said)]);
  }
  // What a base leaves out has the API's defaults: nobody has changed it.
  const partial = join(makeSite({ 'p.json': JSON.stringify({ domains: {} }) }), 'p.json');
  expect(await remote('config', 'put', projectId, mine, '--base', partial)).toMatchObject({ code: 0, stderr: '' });
  const wrong = join(makeSite({ 'w.json': '{"domain":{}}' }), 'w.json');
  expect((await remote('config', 'put', projectId, mine, '--base', wrong)).stderr).toContain('--base domains: missing');
  expect((await remote('config', 'put', projectId, '-', '--base', '-')).stderr).toContain('only one of the two files can be standard input');
  const edited = (editor: string) => command(NOWHERE, ['--url', server.url, 'config', 'edit', projectId], { ...environment, EDITOR: editor });
  expect(await edited(`cp ${theirs}`)).toMatchObject({ code: 0, stdout: `Project ${projectId}: 0 redirects\n` });
  expect(await edited('false')).toMatchObject({ code: 1, stderr: expect.stringContaining('false ended with 1; nothing was changed') });
  expect(await edited('')).toMatchObject({ code: 1, stderr: expect.stringContaining('neither VISUAL nor EDITOR names an editor') });
  // While the editor is open, an operator changes it.
  const meanwhile = `PETSTORE_DATA=${folder.path} ${process.execPath} ${join(import.meta.dirname, '../../cli/petstore.ts')} config put ${projectId} ${mine}`;
  const late = await edited(`${meanwhile} && cp ${logs}`);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining(`the primary domain is not set, and was ${host}`)]);
  const [kept = ''] = /\S+\.json(?=;)/.exec(late.stderr) ?? [];
  expect(await json('config', 'put', projectId, kept)).toEqual({ domains: { primary: host, redirects: [] }, logs: { access: true } });
  rmSync(dirname(kept), { recursive: true });
}

beforeAll(async () => {
  server = await startServerProcess(folder.path);
  const [, email = '', password = ''] = /(\S+@petstore\.test) {2}(\S+)/.exec(server.stdout()) ?? [];
  demo = { email, password };
  const signedIn = await logIn(server.url, demo, environment);
  expect([signedIn.code, signedIn.stderr]).toEqual([0, expect.stringContaining('Sign in here:')]);
  expect(JSON.parse(signedIn.stdout)).toEqual({ url: server.url, email: demo.email });
  expect(signedIn.lastPage).toContain('You are signed in. You can close this page.');
  accountId = (await json<{ accountId: string }[]>('accounts', 'list'))[0]?.accountId ?? '';
});

afterAll(async () => {
  await server.stop();
  folder.remove();
  home.remove();
});

describe('petstore login', () => {
  test('keeps the session where nobody else can read it', () => {
    expect(statSync(credentials).mode & 0o777).toBe(0o600);
    expect(statSync(join(credentials, '..')).mode & 0o777).toBe(0o700);
    expect(existsSync(`${credentials}.lock`)).toBe(false);
  });

  test('asks for the password although the browser is signed in, and says for what', async () => {
    const browser = new Browser();
    for (let times = 0; times < 2; times += 1) {
      const child = startCli(NOWHERE, ['login', '--url', server.url, '--no-browser'], { XDG_CONFIG_HOME: newFolder() });
      const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
      const closed = once(child, 'close');
      const page = await openPrinted(browser, stderr);
      expect(page).toContain('/oidc/sign-in/');
      const form = await browser.fetch(page);
      expect(await form.text()).toContain('petstore command line');
      // Browsers apply form-action to redirects as well.
      expect(form.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:*");
      expect((await submit(browser, page, demo.email, 'wrong')).status).toBe(401);
      await follow(browser, await submit(browser, page, demo.email, demo.password), page);
      await closed;
      expect(stdout()).toBe(`Signed in to ${server.url} as ${demo.email}\n`);
    }
  });

  test('answers only the page that signs in, and only with the state that it asked for', async () => {
    const child = startCli(NOWHERE, ['login', '--url', server.url, '--no-browser'], { XDG_CONFIG_HOME: newFolder() });
    const stderr = collect(child.stderr);
    const closed = once(child, 'close');
    const browser = new Browser();
    const page = await openPrinted(browser, stderr);
    const asked = new URL(/https?:\S+/.exec(stderr())?.[0] ?? '').searchParams;
    const callback = asked.get('redirect_uri') ?? '';
    expect(callback).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(asked.get('code_challenge_method')).toBe('S256');
    for (const wrong of [callback, `${callback}?code=x&state=guess`, callback.replace('/callback', `/other?state=${asked.get('state')}`)])
      expect((await fetch(wrong)).status).toBe(404);
    // It is still waiting.
    await follow(browser, await submit(browser, page, demo.email, demo.password), page);
    expect(await closed).toEqual([0, null]);
  });

  test('reports what the provider says, and a code that is not the one', async () => {
    for (const [query, said] of [
      ['error=access_denied&error_description=not+today', /could not sign in: not today/],
      ['code=stolen', /could not sign in: /],
    ] as const) {
      const child = startCli(NOWHERE, ['login', '--url', server.url, '--no-browser'], { XDG_CONFIG_HOME: newFolder() });
      const stderr = collect(child.stderr);
      const closed = once(child, 'close');
      await openPrinted(new Browser(), stderr);
      const asked = new URL(/https?:\S+/.exec(stderr())?.[0] ?? '').searchParams;
      await fetch(`${asked.get('redirect_uri')}?${query}&state=${asked.get('state')}&iss=${encodeURIComponent(`${server.url}/oidc`)}`);
      expect(await closed).toEqual([1, null]);
      expect(stderr()).toMatch(said);
    }
  });

  test.each([
    [['login'], 2, /name the installation: petstore --url/],
    [['--url', 'pets.example.com', 'login'], 2, /--url: got "pets.example.com"; allowed: the address of a dashboard/],
    [['--url', 'http://pets.example.com', 'login'], 2, /http only on this computer/],
    [['--url', 'https://ann:secret@pets.example.com', 'login'], 2, /got a user name or password/],
    [['--url', 'http://127.0.0.1:1', 'login'], 1, /http:\/\/127.0.0.1:1: no answer .*check the address/],
    [['--url', 'https://pets.example.com', 'projects', 'list'], 1, /you are not signed in to https:\/\/pets.example.com; run petstore login --url/],
    [['--url', 'https://pets.example.com', '--stage', 'staging', 'projects', 'list'], 2, /cannot be used with/],
  ])('petstore %j ends with %i', async (args, code, message) => {
    const finished = await command(NOWHERE, args, environment);
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(finished.stderr).not.toContain('secret');
  });

  test('names a damaged file, and what to do', async () => {
    const broken = { path: newFolder() };
    mkdirSync(join(broken.path, 'petstore'));
    writeFileSync(join(broken.path, 'petstore/credentials.json'), '{');
    const { code, stderr } = await command(NOWHERE, ['--url', server.url, 'projects', 'list'], { XDG_CONFIG_HOME: broken.path });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/credentials.json is damaged; delete it and run petstore login again/)]);
  });

  test('is asked for again by what needs a recent sign-in', async () => {
    const own = { XDG_CONFIG_HOME: newFolder() };
    const file = join(own.XDG_CONFIG_HOME, 'petstore/credentials.json');
    await logIn(server.url, demo, own);
    const issue = () => command(NOWHERE, ['--url', server.url, 'keys', 'issue', '--account', accountId, '--name', 'Till'], own);
    ageSignIns(folder.path, 3_601);
    // The next command renews the token.
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"expiresAt": \d+/, '"expiresAt": 0'));
    const said = `this needs a sign-in within the last hour, and yours is older; sign in again; run petstore login --url ${server.url}\n`;
    const refused = await issue();
    ageSignIns(folder.path, -3_601);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(said)]);
    await logIn(server.url, demo, own);
    expect((await issue()).code).toBe(0);
    // The command line signs in as browsers do: with the password alone, no second factor is required of others.
    const { code, stderr } = await remote('accounts', 'require-second-factor', accountId);
    expect([code, stderr]).toEqual([1, expect.stringContaining('set up a second factor yourself first, and sign in again with it')]);
  });

  test('is renewed once by many commands at the same time, and ends with petstore logout', async () => {
    const own = { XDG_CONFIG_HOME: newFolder() };
    const file = join(own.XDG_CONFIG_HOME, 'petstore/credentials.json');
    await logIn(server.url, demo, own);
    const read = () => JSON.parse(readFileSync(file, 'utf8'));
    const before = read();
    writeFileSync(file, JSON.stringify({ [server.url]: { ...before[server.url], accessToken: 'expired', expiresAt: 0 } }));
    const list = () => command(NOWHERE, ['--url', server.url, 'accounts', 'list', '--json'], own);
    const answers = await Promise.all([list(), list(), list()]);
    expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual([0, 0, 0].map((code) => [code, '']));
    expect(read()[server.url].refreshToken).not.toBe(before[server.url].refreshToken);
    const stolen = read();
    const listStolen = async () => {
      const headers = { authorization: `Bearer ${stolen[server.url].accessToken}` };
      return (await fetch(`${server.url}/dashboard/v1/accounts`, { headers })).status;
    };
    expect(stolen[server.url].expiresAt).toBeGreaterThan(Date.now() + 60_000);
    expect(await listStolen()).toBe(200);
    const { stdout } = await command(NOWHERE, ['logout', '--url', server.url, '--json'], own);
    expect(JSON.parse(stdout)).toEqual({ url: server.url, wasSignedIn: true });
    expect((await list()).stderr).toContain('you are not signed in');
    // The session has ended at the provider and at the service, too: tokens that have not expired are refused.
    expect(await listStolen()).toBe(401);
    writeFileSync(file, JSON.stringify({ [server.url]: { ...stolen[server.url], expiresAt: 0 } }));
    expect((await list()).stderr).toContain(`your session with ${server.url} has ended; run petstore login --url ${server.url}`);
    expect((await command(NOWHERE, ['logout', '--url', server.url], own)).stdout).toContain('You were not signed in');
  });
});

describe('with --url, an owner', () => {
  test('works with projects and deployments, with the same answers as an operator', async () => {
    const created = await json<{ projectId: string; deploymentId: string }>('projects', 'create', '--account', accountId, '--name', 'Remote');
    const { projectId } = created;
    const site = makeSite({ 'index.html': '<h1>Hello</h1>', 'docs/a b.txt': 'text', '.env': 'SECRET=1' });
    const published = await json<{ deploymentId: string }>('projects', 'deploy', projectId, site);
    expect(published).toEqual({ deploymentId: expect.stringMatching(/^dpl_/), files: 2, bytes: 18, skipped: 1 });
    expect(await json('projects', 'deployments', projectId)).toEqual(await operator('projects', 'deployments', projectId));
    expect(await json('projects', 'list', '--account', accountId)).toEqual(await operator('projects', 'list', '--account', accountId));
    expect(await json<object[]>('projects', 'list')).toContainEqual(expect.objectContaining({ projectId, deploymentId: published.deploymentId }));
    expect(await json('projects', 'rollback', projectId)).toEqual({ projectId, deploymentId: created.deploymentId });
    expect(await json('projects', 'rename', projectId, '--name', 'Renamed')).toEqual({ projectId, name: 'Renamed' });
    expect(await json('projects', 'delete-deployment', projectId, published.deploymentId, '--yes')).toMatchObject({ deleted: true });
    expect(await json('projects', 'delete', projectId, '--yes')).toEqual({ projectId, deleted: true });
    expect((await remote('projects', 'deploy', projectId, site)).stderr).toContain(`no project "${projectId}" among yours`);
    expect((await remote('projects', 'create', '--account', accountId, '--name', 'A', '--empty')).stderr).toContain(
      '--empty: not possible with --url',
    );
  });

  test('works with domains, from adding one to a live one', async () => {
    const { projectId, target } = await json<{ projectId: string; target: string }>('projects', 'create', '--account', accountId, '--name', 'Live');
    const host = 'www.remote.test';
    expect(await json('domains', 'add', 'https://WWW.Remote.test/x?y', '--project', projectId)).toMatchObject({
      host,
      records: [{ label: 'www', value: target }],
    });
    expect(await json('domains', 'verify', host)).toMatchObject({ state: 'verifying', diagnosis: { code: 'not_found' } });
    expect(await json('domains', 'publish', host)).toMatchObject({ host, records: [{ type: 'CNAME', name: host, value: target }] });
    await json('domains', 'verify', host);
    const { stdout } = await remote('domains', 'watch', host, '--json');
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ host, state: 'live' });
    // Of a domain that is live, it says what is and what comes.
    const verified = await remote('domains', 'verify', host);
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringMatching(/^www\.remote\.test: live\n {2}certificate from .+, valid until .+; renewed automatically from .+\nnext check at .+\n$/),
    ]);
    // The check has been made.
    expect(Date.parse(/next check at (.*)$/m.exec(verified.stdout)?.[1] ?? '')).toBeGreaterThan(Date.now());
    expect(await json('domains', 'list', projectId)).toEqual(await operator('domains', 'list', projectId));
    expect(await json('domains', 'show', host)).toEqual(await operator('domains', 'show', host));
    const configuration = join(makeSite({ 'c.json': JSON.stringify({ domains: { primary: host, redirects: [] } }) }), 'c.json');
    expect(await json('config', 'put', projectId, configuration)).toEqual({ domains: { primary: host, redirects: [] } });
    expect(JSON.parse((await remote('config', 'get', projectId)).stdout)).toEqual({ domains: { primary: host, redirects: [] } });
    await editsInTurn(projectId, host, configuration);
    expect((await remote('domains', 'remove', host, '--yes')).stderr).toContain('is in use: it is the primary domain');
    expect(await json('domains', 'remove', host, '--with-redirects', '--yes')).toMatchObject({ state: 'removing' });
    expect((await remote('domains', 'show', 'www.nobody.test')).stderr).toContain('no domain "www.nobody.test"');
  });

  test('works with keys, usage and members', async () => {
    const issued = await json<{ keyId: string; key: string }>('keys', 'issue', '--account', accountId, '--name', 'Till', '--expires', '90d');
    expect(issued).toEqual({ keyId: expect.stringMatching(/^key_/), key: expect.stringMatching(/^petstore_test_/) });
    expect(await json('keys', 'list', '--account', accountId)).toEqual(await operator('keys', 'list', '--account', accountId));
    const change = { keyId: issued.keyId, name: 'Counter', scopes: ['pets:read'], expiresAt: expect.stringMatching(/Z$/) };
    const { keyId } = issued;
    expect(await json('keys', 'set', keyId, '--name', 'Counter', '--scopes', 'pets:read', '--expires', '30d')).toEqual(change);
    expect(await json('keys', 'set', keyId, '--expires', 'never')).toEqual({ ...change, expiresAt: null });
    expect((await remote('keys', 'set', keyId, '--expires', '36h')).stderr).toContain('whole days');
    expect(await json('keys', 'pause', keyId)).toEqual({ keyId, pausedAt: expect.any(String) });
    expect(await json('keys', 'resume', keyId)).toEqual({ keyId, pausedAt: null });
    const rotated = await json<{ keyId: string }>('keys', 'rotate', issued.keyId, '--grace', '1h');
    expect(rotated).toMatchObject({ oldKeyId: issued.keyId, bannedUntil: null });
    expect((await remote('keys', 'unban', rotated.keyId)).stderr).toContain(`key ${rotated.keyId} is not banned`);
    expect(await json('keys', 'revoke', rotated.keyId, '--yes')).toEqual({ keyId: rotated.keyId, revoked: true });
    const revoked = await json('keys', 'list', '--account', accountId, '--revoked');
    expect(revoked).toMatchObject([{ keyId: rotated.keyId, createdBy: { email: expect.any(String) }, revokedBy: { email: expect.any(String) } }]);
    expect(revoked).toEqual(await operator('keys', 'list', '--account', accountId, '--revoked'));
    expect((await remote('keys', 'revoke', 'key_x', '--yes')).stderr).toContain('no key "key_x"');
    expect((await remote('keys', 'issue', '--account', accountId, '--expires', '36h')).stderr).toContain('whole days');
    expect(await json('usage', '--account', accountId)).toMatchObject({ accountId, plan: 'pro', bans: [] });
    const { userId } = await operator<{ userId: string }>('users', 'create', 'ben@petstore.test');
    await operator('accounts', 'add-member', accountId, userId, '--role', 'member');
    expect(await json('accounts', 'members', accountId)).toContainEqual({ userId, email: 'ben@petstore.test', role: 'member' });
    expect(await json('accounts', 'set-role', accountId, 'Ben@petstore.test', '--role', 'owner')).toEqual({ accountId, userId, role: 'owner' });
    expect(await json('accounts', 'remove-member', accountId, 'ben@petstore.test')).toEqual({ accountId, userId });
    const sent = await json<{ invitationId: string; link: string }>('accounts', 'invite', accountId, 'Cat@petstore.test');
    expect(sent).toMatchObject({ email: 'cat@petstore.test', role: 'member', mailed: false, invitedBy: { email: expect.any(String) } });
    expect(sent.link).toMatch(new RegExp(`^${server.url}/invitation#petstore_invite_`));
    expect(await json('accounts', 'invitations', accountId)).toEqual(await operator('accounts', 'invitations', accountId));
    expect(await json('accounts', 'withdraw-invitation', accountId, 'cat@petstore.test')).toEqual({ accountId, invitationId: sent.invitationId });
    expect((await remote('accounts', 'withdraw-invitation', accountId, 'cat@petstore.test')).stderr).toContain('no invitation');
    expect((await remote('accounts', 'invite', accountId, 'cat')).stderr).toContain('an email address, such as ann@example.com');
    expect(await json('accounts', 'create', '--name', 'Second', '--plan', 'free')).toEqual({ accountId: expect.stringMatching(/^acc_/) });
    expect((await remote('accounts', 'create', '--name', 'A', '--plan', 'pro')).stderr).toContain('allowed with --url: free');
  });

  test.each([[['users', 'list']], [['accounts', 'set-plan', 'acc_x', '--plan', 'free']], [['sandbox-dns', 'list']]])(
    'cannot run %j, which is for operators',
    async (args) => {
      const { code, stderr } = await remote(...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('--url: this command is for operators')]);
    },
  );
});

test('an owner asks for a plan; the operator sees it, and approves or declines', async () => {
  const { accountId: own } = await json<{ accountId: string }>('accounts', 'create', '--name', 'Growing', '--plan', 'free');
  const session = JSON.parse(readFileSync(credentials, 'utf8'))[server.url].accessToken;
  const ask = (method: string, body?: object) =>
    fetch(`${server.url}/dashboard/v1/accounts/${own}/plan-request`, {
      method,
      headers: { authorization: `Bearer ${session}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect((await ask('PUT', { plan: 'free' })).status).toBe(409);
  expect((await ask('PUT', { plan: 'gold' })).status).toBe(400);
  expect((await ask('PUT', { plan: 'pro', note: 'two\nlines' })).status).toBe(400);
  expect((await ask('PUT', { plan: 'pro', note: 'for spring' })).status).toBe(200);
  const open = await operator<{ accountId: string }[]>('plan-requests', 'list');
  expect(open).toEqual([
    expect.objectContaining({ accountId: own, name: 'Growing', plan: 'free', wanted: 'pro', note: 'for spring', decision: null }),
  ]);
  expect((await command(folder.path, ['plan-requests', 'list'])).stdout).toMatch(/ACCOUNT +NAME +PLAN +WANTED[\s\S]*for spring/);
  expect(await operator('plan-requests', 'decline', own, '--reason', 'not yet')).toEqual({
    accountId: own,
    plan: 'pro',
    approved: false,
    unbanned: [],
  });
  expect(await operator('plan-requests', 'list')).toEqual([]);
  expect(await operator('plan-requests', 'list', '--all')).toMatchObject([{ accountId: own, decision: { approved: false, reason: 'not yet' } }]);
  await ask('PUT', { plan: 'pro' });
  expect((await command(folder.path, ['plan-requests', 'approve', own])).stdout).toBe(`Account ${own} is now on plan pro\n`);
  expect((await command(folder.path, ['plan-requests', 'approve', own])).stderr).toContain(`account ${own} has no open request`);
  expect(await ((await ask('DELETE')).json() as Promise<object>)).toMatchObject({ plan: 'pro', planRequest: null });
  expect((await remote('plan-requests', 'list')).stderr).toContain('--url: this command is for operators');
});
