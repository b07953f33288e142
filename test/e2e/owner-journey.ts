// An owner's way, without an operator's credentials: signing in with the command line, publishing a folder, adding the domain, and the email that says
// that it is live. The same on both hosts: journey.test.ts is one machine, test/deploy/journey.deployed.ts is AWS.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/folders.ts';
import { type Finished, runCli, UNFINISHED } from '../support/processes.ts';

export interface OwnersHost {
  /** The dashboard's origin. */
  readonly url: string;
  readonly email: string;
  /** A host name for the domain, in a zone that `setCname` edits. */
  readonly domain: string;
  /** Signs in with `petstore login`, as the user with that address. */
  logIn(environment: Readonly<Record<string, string>>): Promise<Finished>;
  /** Runs `petstore` as the operator, who alone can give an account a plan. */
  operate(...args: readonly string[]): Promise<unknown>;
  /** Sets the domain's record, as at its DNS provider. */
  setCname(target: string): Promise<void>;
  /** Returns what visitors get. */
  page(host: string, path: string): Promise<string>;
  /** Subjects of the emails to the owner so far. */
  mails(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Runs the journey. */
export function ownerJourney(start: () => Promise<OwnersHost>): void {
  const home = makeFolder();
  /** A folder without a database: an owner needs none. */
  const nowhere = '/nonexistent';
  const environment = { XDG_CONFIG_HOME: home.path, E2E_OPERATOR: '{}' };
  let host: OwnersHost;

  beforeAll(async () => {
    host = await start();
  });

  afterAll(async () => {
    await host.stop();
    home.remove();
  });

  async function petstore<T>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await runCli(nowhere, ['--url', host.url, ...args, '--json'], '', environment);
    if (code !== 0 && code !== UNFINISHED) throw new Error(`petstore ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  }

  test('an owner signs in, publishes a folder, adds a domain, and gets an email when it is live', async () => {
    const signedIn = await host.logIn(environment);
    expect([signedIn.code, JSON.parse(signedIn.stdout)]).toEqual([0, { url: host.url, email: host.email }]);

    const { accountId } = await petstore<{ accountId: string }>('accounts', 'create', '--name', 'Corner', '--plan', 'free');
    const { projectId, target } = await petstore<{ projectId: string; target: string }>(
      'projects',
      'create',
      '--account',
      accountId,
      '--name',
      'Shop',
    );
    const site = join(home.path, 'site');
    mkdirSync(join(site, 'docs'), { recursive: true });
    writeFileSync(join(site, 'index.html'), '<h1>My shop</h1>');
    writeFileSync(join(site, 'docs/ä b+c.txt'), 'text');
    expect(await petstore('projects', 'deploy', projectId, site)).toMatchObject({ files: 2, bytes: 20 });

    // From the first minute, without a domain.
    expect(await host.page(target, '/')).toBe('<h1>My shop</h1>');

    await expect(petstore('domains', 'add', host.domain, '--project', projectId)).rejects.toThrow(/need a paid plan/);
    await host.operate('accounts', 'set-plan', accountId, '--plan', 'pro');
    const { records } = await petstore<{ records: { type: string; name: string; value: string }[] }>(
      'domains',
      'add',
      ` https://${host.domain.toUpperCase()}/x?y `,
      '--project',
      projectId,
    );
    expect(records).toMatchObject([{ type: 'CNAME', name: host.domain }]);
    expect(await petstore('domains', 'verify', host.domain)).toMatchObject({ state: 'verifying', diagnosis: { code: 'not_found' } });
    await host.setCname(records[0]?.value ?? '');
    // Checks now, unless the next check by itself was faster.
    await runCli(nowhere, ['--url', host.url, 'domains', 'verify', host.domain], '', environment);
    expect(await petstore('domains', 'watch', host.domain, '--timeout', '1h')).toMatchObject({ host: host.domain, state: 'live' });
    expect(await host.page(host.domain, '/')).toBe('<h1>My shop</h1>');
    expect(await host.page(host.domain, `/docs/${encodeURIComponent('ä b+c.txt')}`)).toBe('text');

    await eventually(host.mails, (subjects) => expect(subjects).toContain(`${host.domain} is live`));
    expect((await host.mails()).filter((subject) => subject.includes('is live'))).toHaveLength(1);

    expect(await petstore('domains', 'remove', host.domain, '--yes')).toMatchObject({ state: 'removing' });
    const gone = async () => (await runCli(nowhere, ['--url', host.url, 'domains', 'show', host.domain], '', environment)).stderr;
    await eventually(gone, (text) => expect(text).toContain('no domain'));
    // The project is still at its own address.
    expect(await host.page(target, '/')).toBe('<h1>My shop</h1>');
    expect(await runCli(nowhere, ['logout', '--url', host.url], '', environment)).toMatchObject({ code: 0 });
  });
}
