// A domain from "add" to "removed", as its owner manages it: with the command line, a record in the sandbox's DNS, and a page over TLS.

import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { command, commandJson } from '../support/command-line.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli, type ServerProcess, startServerProcess } from '../support/processes.ts';

interface ShownDomain {
  host: string;
  state: string;
  diagnosis: { code: string; seen: string; fix: string; actor: string } | null;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const folder = makeFolder();
let server: ServerProcess;
let edge: { https: number; http: number };
let project: { projectId: string; target: string };

const petstore = <T>(...args: string[]) => commandJson<T>(folder.path, args);

async function refusal(...args: string[]): Promise<string> {
  const { code, stderr } = await command(folder.path, [...args, '--json']);
  expect(code).toBe(1);
  return JSON.parse(stderr).error;
}

/** A page at the edge, requested by name, with only the development root trusted. */
function get(host: string, path = '/', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(join(folder.path, 'development-ca.pem'));
    const request = httpsRequest(
      { host: '127.0.0.1', port: edge.https, servername: host, path, ca, headers: { host, ...headers }, agent: false },
      (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      },
    );
    request.once('error', reject);
    request.end();
  });
}

/** Waits until the domain is live or someone must act. */
async function watch(host: string, ...options: string[]): Promise<ShownDomain> {
  const { stdout } = await command(folder.path, ['domains', 'watch', host, '--json', ...options]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
}

/** Makes one of the project's domains live. */
async function goLive(host: string, { projectId, target } = project): Promise<void> {
  await petstore('sandbox-dns', 'set', host, 'CNAME', target);
  await petstore('domains', 'add', host, '--project', projectId);
  await petstore('domains', 'verify', host);
  expect(await watch(host)).toMatchObject({ state: 'live' });
}

async function makeProject(account: string): Promise<{ projectId: string; target: string }> {
  const made = await petstore<{ projectId: string; target: string }>('projects', 'create', '--account', account, '--name', 'Shop', '--empty');
  const site = join(folder.path, `site-${made.projectId}`);
  mkdirSync(join(site, 'docs'), { recursive: true });
  writeFileSync(join(site, 'index.html'), `<h1>${made.projectId}</h1>`);
  writeFileSync(join(site, 'docs/index.html'), '<h1>Docs</h1>');
  await petstore('projects', 'deploy', made.projectId, site);
  return made;
}

async function makeAccount(plan: string): Promise<string> {
  return (await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Owner', '--plan', plan)).accountId;
}

beforeAll(async () => {
  server = await startServerProcess(folder.path);
  const [, https = '', http = ''] = /custom domains at https:\/\/[\d.]+:(\d+) and http:\/\/[\d.]+:(\d+)/.exec(server.stdout()) ?? [];
  edge = { https: Number(https), http: Number(http) };
  project = await makeProject(await makeAccount('pro'));
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

// Concurrent, because each test has its own names and spends most of the time waiting.
describe.concurrent('custom domain', () => {
  test('goes from added to live to removed', async ({ expect }) => {
    const host = 'www.first.test';
    const added = await petstore<{ records: unknown[] }>('domains', 'add', host, '--project', project.projectId);
    expect(added.records).toEqual([{ type: 'CNAME', name: host, label: 'www', value: project.target, ttl: 3_600 }]);

    expect(await petstore('domains', 'verify', host)).toMatchObject({ state: 'verifying', diagnosis: { code: 'not_found', actor: 'owner' } });
    await expect(get(host)).rejects.toThrow();
    await petstore('sandbox-dns', 'set', host, 'CNAME', 'elsewhere.test');
    expect(await petstore('domains', 'verify', host)).toMatchObject({ diagnosis: { code: 'wrong_target' } });

    await petstore('sandbox-dns', 'set', host, 'CNAME', project.target);
    await petstore('domains', 'verify', host);
    expect(await watch(host)).toMatchObject({ state: 'live' });

    const page = await get(host);
    expect([page.status, page.body]).toEqual([200, `<h1>${project.projectId}</h1>`]);
    expect(page.headers['strict-transport-security']).toMatch(/max-age=\d{8}/);

    const removed = await petstore<ShownDomain>('domains', 'remove', host, '--yes');
    expect(['removing', 'removed']).toContain(removed.state);
    await expect
      .poll(() =>
        get(host).then(
          () => 'served',
          () => 'refused',
        ),
      )
      .toBe('refused');
    await expect.poll(() => refusal('domains', 'show', host), { interval: 250 }).toContain('no domain');
    // The project can add it again.
    expect(await petstore('domains', 'add', host, '--project', project.projectId)).toMatchObject({ state: 'awaiting_dns' });
  });

  test('needs ALIAS and TXT records at an apex', async () => {
    const host = 'apex-shop.test';
    const { records } = await petstore<{ records: { type: string; name: string; value: string }[] }>(
      'domains',
      'add',
      host,
      '--project',
      project.projectId,
    );
    expect(records.map(({ type, name }) => [type, name])).toEqual([
      ['ALIAS', host],
      ['TXT', `_petstore.${host}`],
    ]);
    const [alias, txt] = records;
    await petstore('sandbox-dns', 'set', host, 'ALIAS', alias?.value ?? '');
    expect(await petstore('domains', 'verify', host)).toMatchObject({ diagnosis: { code: 'ownership_required' } });
    await petstore('sandbox-dns', 'set', `_petstore.${host}`, 'TXT', txt?.value ?? '');
    await petstore('domains', 'verify', host);
    expect(await watch(host)).toMatchObject({ state: 'live' });
    expect((await get(host)).status).toBe(200);
  });

  test("redirects as its project's configuration says", async () => {
    await Promise.all(['www.moved.test', 'old.moved.test'].map((host) => goLive(host)));
    const configure = (value: unknown) => runCli(folder.path, ['config', 'put', project.projectId, '-', '--json'], JSON.stringify(value));
    const circle = await configure({ domains: { redirects: [{ from: 'old.moved.test', to: 'old.moved.test' }] } });
    expect([circle.code, circle.stderr]).toEqual([1, expect.stringContaining('the domain itself')]);
    const put = await configure({
      domains: { primary: 'www.moved.test', redirects: [{ from: 'old.moved.test', to: 'www.moved.test', status: 308 }] },
    });
    expect(put.stderr).toBe('');
    const moved = await get('old.moved.test', '/docs?x=1');
    expect([moved.status, moved.headers.location]).toEqual([308, `https://www.moved.test:${edge.https}/docs?x=1`]);
    const { stdout } = await command(folder.path, ['config', 'get', project.projectId]);
    expect(JSON.parse(stdout).domains.primary).toBe('www.moved.test');
  });

  test('goes to the project that proves it, if two claim it', async () => {
    const host = 'www.contested.test';
    const other = await makeProject(await makeAccount('business'));
    await petstore('domains', 'add', host, '--project', project.projectId);
    await petstore('domains', 'add', host, '--project', other.projectId);
    expect(await refusal('domains', 'show', host)).toContain('claimed by several projects');
    await petstore('sandbox-dns', 'set', host, 'CNAME', other.target);
    await petstore('domains', 'verify', host, '--project', other.projectId);
    expect(await watch(host, '--project', other.projectId)).toMatchObject({ state: 'live' });
    expect((await get(host)).body).toContain(other.projectId);
    // The other project's owner is shown how to prove the claim.
    expect(await petstore('domains', 'verify', host, '--project', project.projectId)).toMatchObject({ diagnosis: { code: 'wrong_target' } });
    await petstore('sandbox-dns', 'set', host, 'CNAME', project.target);
    const asked = await petstore<ShownDomain>('domains', 'verify', host, '--project', project.projectId);
    expect(asked.diagnosis).toMatchObject({ code: 'ownership_required', fix: expect.stringContaining('another account has this name') });
  });

  test('is suspended within five minutes of a change to a plan without domains, and is listed by set-plan', async ({ expect }) => {
    const account = await makeAccount('pro');
    const project = await makeProject(account);
    await goLive('www.downgraded.test', project);
    const changed = await petstore<{ endingDomains: { host: string; endsBy: string }[] }>('accounts', 'set-plan', account, '--plan', 'free');
    expect(changed.endingDomains).toEqual([{ host: 'www.downgraded.test', endsBy: expect.any(String) }]);
    expect(Date.parse(changed.endingDomains[0]?.endsBy ?? '') - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    await expect
      .poll(() => petstore('domains', 'show', 'www.downgraded.test'))
      .toMatchObject({
        state: 'suspended',
        advice: { code: 'suspended_plan', actor: 'owner' },
      });
    await expect(get('www.downgraded.test')).rejects.toThrow();
  });

  test.each([
    ['a plan without domains', 'free', true, /custom domains need a paid plan: got plan free/],
    ['a project without a deployment', 'pro', false, /has no deployment yet/],
  ])('%s is refused', async (_, plan, deploy, message) => {
    const account = await makeAccount(plan);
    const { projectId } = deploy
      ? await makeProject(account)
      : await petstore<{ projectId: string }>('projects', 'create', '--account', account, '--name', 'New', '--empty');
    expect(await refusal('domains', 'add', 'www.refused.test', '--project', projectId)).toMatch(message);
  });

  test.each([
    ['co.uk', /^domain: got "co\.uk"; allowed: a name below co\.uk/],
    ['shop.edge.petstore.test', /^domain: got .*; allowed: a name that is yours/],
    ['printer.local', /^domain: got .* is reserved/],
    ['a..b', /^domain: got "a\.\.b"/],
    ['аррӏе.com', /^domain: got .*looks like/],
  ])('%s is refused', async (host, message) => {
    expect(await refusal('domains', 'add', host, '--project', project.projectId)).toMatch(message);
  });
});

describe('the end of an account', () => {
  test('it is suspended with its keys and its sites, resumed, and deleted with everything', async () => {
    const host = 'www.ended.test';
    const accountId = await makeAccount('pro');
    const own = await makeProject(accountId);
    await goLive(host, own);
    const issue = async (name: string) => (await petstore<{ key: string }>('keys', 'issue', '--account', accountId, '--name', name)).key;
    const [key, other] = [await issue('Till'), await issue('Other')];
    const ask = async (key: string) => {
      const response = await fetch(`${server.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    const isServed = (name: string) =>
      get(name).then(
        ({ status }) => status === 200,
        () => false,
      );
    expect([await ask(key), await isServed(host), await isServed(own.target)]).toEqual([[200, undefined], true, true]);

    expect(await refusal('accounts', 'suspend', accountId, '--reason', ' ')).toContain('allowed: 1 to 500 characters');
    const stopped = await petstore<object>('accounts', 'suspend', accountId, '--reason', 'unpaid since May');
    expect(stopped).toMatchObject({ accountId, reason: 'unpaid since May', domains: [{ host }] });
    expect([await ask(key), await isServed(host), await isServed(own.target)]).toEqual([[403, 'account_suspended'], false, false]);
    expect(await petstore('domains', 'show', host)).toMatchObject({ state: 'suspended', advice: { code: 'suspended_by_operator' } });
    expect(await refusal('domains', 'verify', host)).toContain('unpaid since May');
    const site = join(folder.path, `site-${own.projectId}`);
    for (const words of [
      ['projects', 'create', '--account', accountId, '--name', 'Another'],
      ['projects', 'deploy', own.projectId, site],
      ['projects', 'rollback', own.projectId],
    ])
      expect(await refusal(...words)).toContain('unpaid since May; contact the operator');
    // A second time: the same, with the new reason.
    expect(await petstore('accounts', 'suspend', accountId, '--reason', 'and June')).toMatchObject({ reason: 'and June', domains: [] });

    expect(await petstore('accounts', 'resume', accountId)).toMatchObject({ accountId, domains: [{ host }] });
    expect(await isServed(own.target)).toBe(true);
    expect(await watch(host)).toMatchObject({ state: 'live' });
    expect(await isServed(host)).toBe(true);
    // Not the key that was just refused, which the service remembers for a minute.
    expect(await ask(other)).toEqual([200, undefined]);

    expect(await refusal('accounts', 'delete', accountId, '--yes')).toContain(`has a project, ${own.projectId} (Shop): delete it first`);
    const deleted = await petstore('accounts', 'delete', accountId, '--with-projects', '--yes');
    expect(deleted).toEqual({ accountId, deleted: true, domains: [host], projects: [own.projectId] });
    expect([(await ask(other))[0], await isServed(host), await isServed(own.target)]).toEqual([401, false, false]);
    expect(await petstore<{ accountId: string }[]>('accounts', 'list')).not.toContainEqual(expect.objectContaining({ accountId }));
    expect(await refusal('accounts', 'delete', accountId, '--yes')).toContain('no account');
    const audit = await petstore<{ action: string }[]>('audit', 'list', '--limit', '200');
    const actions = audit.filter((entry) => JSON.stringify(entry).includes(accountId)).map(({ action }) => action);
    for (const action of ['account.suspended', 'account.resumed', 'project.deleted', 'account.deleted']) expect(actions).toContain(action);
  });
});

describe.concurrent('edge', () => {
  test('redirects plain HTTP to HTTPS only for served hosts', async () => {
    const host = 'www.plain.test';
    await goLive(host);
    const ask = async (name: string) => {
      const request = httpRequest({ host: '127.0.0.1', port: edge.http, path: '/a?b', headers: { host: name }, agent: false }).end();
      const [response] = await once(request, 'response');
      response.resume();
      return [response.statusCode, response.headers.location];
    };
    expect(await ask(host)).toEqual([301, `https://${host}:${edge.https}/a?b`]);
    expect(await ask('www.nobody.test')).toEqual([404, undefined]);
  });

  test('serves a new deployment from the next request on, and an earlier one after a rollback', async () => {
    const host = 'www.release.test';
    const own = await makeProject(await makeAccount('pro'));
    await goLive(host, own);
    const site = join(folder.path, 'second');
    mkdirSync(site);
    writeFileSync(join(site, 'index.html'), 'second');
    writeFileSync(join(site, '.env'), 'SECRET=1');
    expect(await petstore('projects', 'deploy', own.projectId, site)).toMatchObject({ files: 1, skipped: 1 });
    expect((await get(host)).body).toBe('second');
    expect((await get(host, '/.env')).status).toBe(404);
    expect((await get(host, '/docs/')).status).toBe(404);
    await petstore('projects', 'rollback', own.projectId);
    expect((await get(host)).body).toContain(own.projectId);
    expect((await get(host, '/docs/')).body).toBe('<h1>Docs</h1>');
    expect(await refusal('projects', 'rollback', own.projectId)).toContain('no deployment before the current one');
  });
});
