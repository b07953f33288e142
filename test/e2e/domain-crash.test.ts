// The service is killed with signal 9 around every state that it stores for a domain. The next process reaches the right final state, with one
// certificate, and leaves nothing behind.

import { expect, test } from 'vitest';
import { createSqliteSandboxRecords } from '../../adapters/dns/sandbox.ts';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-edge.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { addDomain, removeDomain, verifyDomain } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { projectTarget } from '../../core/domains/records.ts';
import { EMPTY_CONFIGURATION, type Project } from '../../core/projects/project.ts';
import { sampleAccount } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';
import { runScript } from '../support/processes.ts';

const EDGE = 'edge.petstore.test';
const RULES = { policy: { ours: [EDGE], extraSuffixes: ['test'] }, edge: { host: EDGE } };
const HOST = 'www.killed.test';

async function withStores<T>(folder: string, work: (stores: SqliteStores) => Promise<T>): Promise<T> {
  const stores = openSqliteStores(folder);
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}

const ports = (stores: SqliteStores) => ({ ...stores, edge: createSqliteEdgeMap(stores.database), workflow: { start: async () => {} } });

async function verifying(folder: string): Promise<Domain> {
  return withStores(folder, async (stores) => {
    const account = { ...sampleAccount(), plan: 'pro' as const };
    await stores.accounts.createAccount(account);
    const token = 'abcdefgh23456789';
    const project: Project = {
      id: 'prj_1',
      accountId: account.id,
      name: 'Shop',
      token,
      createdAt: 0,
      currentDeploymentId: undefined,
      configuration: EMPTY_CONFIGURATION,
    };
    await stores.projects.createProject(project);
    await stores.projects.deploy({ id: 'dpl_1', projectId: 'prj_1', createdAt: 0, files: 1, bytes: 1 });
    createSqliteSandboxRecords(stores.database).set({ name: HOST, type: 'CNAME', value: projectTarget(token, EDGE), ttl: 60 }, false);
    const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    const added = await addDomain(ports(stores), { ...project, currentDeploymentId: 'dpl_1' }, HOST, RULES, random, Date.now());
    if (!added.ok) throw new Error(added.message);
    await verifyDomain(ports(stores), added.domain, Date.now());
    return added.domain;
  });
}

const remove = (folder: string, { id }: Domain) =>
  withStores(folder, async (stores) => void (await removeDomain(ports(stores), (await stores.domains.getDomain(id)) as Domain, Date.now())));

/** The state, the certificates and the entry in the edge map. */
const outcome = (folder: string, { id }: Domain) =>
  withStores(folder, async ({ database, domains }) => ({
    state: (await domains.getDomain(id))?.state.name,
    certificates: database
      .prepare('SELECT reference FROM certificates')
      .all()
      .map(({ reference }) => reference),
    served: database
      .prepare('SELECT certificate FROM edge_map')
      .all()
      .map(({ certificate }) => certificate),
  }));

test.each(['before', 'after'])('a domain recovers if the service is killed %s each state is stored, from Verify to live', async (moment) => {
  let kills = 0;
  for (let count = 1; ; count += 1) {
    const folder = testFolder();
    const domain = await verifying(folder);
    const ended = await runScript('crashing-domains.ts', folder, [String(count), moment]);
    if (ended === 0) break;
    expect(ended).toBe('SIGKILL');
    kills += 1;
    expect(await runScript('crashing-domains.ts', folder, ['0'])).toBe(0);
    const reference = `development:${domain.id}-g1`;
    expect(await outcome(folder, domain), `killed ${moment} ${count}`).toEqual({ state: 'live', certificates: [reference], served: [reference] });
  }
  // The stored states: verified, certificate pending, attaching, live.
  expect(kills).toBe(4);
});

test.each(['before', 'after'])('a domain recovers if the service is killed %s the end of the teardown is stored', async (moment) => {
  const folder = testFolder();
  const domain = await verifying(folder);
  expect(await runScript('crashing-domains.ts', folder, ['0'])).toBe(0);
  await remove(folder, domain);
  expect(await outcome(folder, domain)).toMatchObject({ state: 'removing', served: [] });
  expect(await runScript('crashing-domains.ts', folder, ['1', moment])).toBe('SIGKILL');
  expect(await runScript('crashing-domains.ts', folder, ['0'])).toBe(0);
  expect(await outcome(folder, domain)).toEqual({ state: 'removed', certificates: [], served: [] });
});
