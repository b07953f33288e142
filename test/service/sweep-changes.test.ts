// What has changed is published again, whatever became of its publication.

import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { goneLive } from '../../core/domains/served.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import type { Project } from '../../core/projects/project.ts';
import { publishChanges } from '../../service/workflow/sweep-changes.ts';
import { makeProject, nextNumber } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testInstallation } from '../support/folders.ts';
import { STORE_ARN } from '../support/memory-aws/key-value-store.ts';
import { MemoryAws } from '../support/memory-aws.ts';

const HOUR_MS = 3_600_000;
let stores: SqliteStores;
let now = NOON;
let sweeps = createMemorySweepStore();
const aws = new MemoryAws();
const map = createKeyValueMap(aws.keyValueStore, STORE_ARN);
const faults: unknown[] = [];

/** One hourly run. @returns publications that were attempted */
async function publish(edge: object = map): Promise<number | undefined> {
  const run = { store: sweeps, id: `run${now}`, clock: () => now, remainingMs: () => 240_000 };
  const report = await publishChanges({ ...stores, changes: stores.audit, edge } as unknown as SweepWork, run, (fault) => faults.push(fault));
  return report?.published;
}

beforeEach(() => {
  stores = openSqliteStores(testInstallation(), { clock: () => now });
  onTestFinished(() => stores.close());
  aws.keys.clear();
  sweeps = createMemorySweepStore();
  faults.length = 0;
});

/** A project with a deployment and a live domain, of which nothing is at the edge. */
async function makeSite(): Promise<{ readonly project: Project; readonly host: string; readonly account: string }> {
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  const project = await makeProject(stores, { accountId: account.id });
  await stores.projects.deploy({ id: `dpl_${project.id}`, projectId: project.id, createdAt: now, files: 1, bytes: 1 });
  const host = `h${nextNumber()}.dev`;
  const domain = newDomain({ id: `dom_${host}`, host, projectId: project.id, accountId: account.id }, now);
  await stores.domains.addDomain(domain);
  await stores.domains.saveDomain(goneLive(domain, 'c', now), domain);
  return { project, host, account: account.id };
}

test('a deployment and a domain whose publication was lost are served; the second run leaves them alone', async () => {
  const { project, host } = await makeSite();
  now += 1;
  expect(await publish()).toBe(2);
  expect(Object.fromEntries(aws.keys)).toEqual({ [project.id]: `dpl_${project.id}`, [host]: project.id });
  // Once more, because the publication may have failed again.
  now += HOUR_MS + 1;
  expect(await publish()).toBe(2);
  const calls = aws.calls;
  now += HOUR_MS + 1;
  expect([await publish(), aws.calls]).toEqual([0, calls]);
});

test('a run after days of failures begins where the last one ended', async () => {
  await publish();
  now += HOUR_MS;
  const { project } = await makeSite();
  now += 72 * HOUR_MS;
  expect(await publish()).toBe(2);
  expect(aws.keys.get(project.id)).toBe(`dpl_${project.id}`);
});

test('a suspension whose publication was lost stops everything, also without a domain, and a resumption starts it again', async () => {
  const { project, host, account } = await makeSite();
  now += 1;
  await publish();
  now += 2 * HOUR_MS;
  await stores.accounts.setSuspension(account, { since: now, reason: 'unpaid' });
  now += 1;
  await publish();
  expect(Object.fromEntries(aws.keys)).toEqual({});
  now += 2 * HOUR_MS;
  await stores.accounts.setSuspension(account, undefined);
  now += 1;
  await publish();
  expect(Object.fromEntries(aws.keys)).toEqual({ [project.id]: `dpl_${project.id}`, [host]: project.id });
});

test('a removed domain and a deleted project are refused, and what fails does not keep the others back', async () => {
  const [gone, left] = [await makeSite(), await makeSite()];
  now += 1;
  await publish();
  now += 2 * HOUR_MS;
  const domain = await stores.domains.getDomain(`dom_${gone.host}`);
  if (domain === undefined) throw new Error('no domain');
  await stores.domains.saveDomain({ ...domain, state: { name: 'removing', since: now, checks: 0, nextCheckAt: now } }, domain);
  await stores.projects.deleteProject(gone.project, now);
  await stores.projects.deploy({ id: 'dpl_next', projectId: left.project.id, createdAt: now, files: 1, bytes: 1 });
  const failing = {
    publish: async (...args: Parameters<typeof map.publish>) => {
      if (args[0].id === gone.project.id && args[2] === undefined) throw new Error('poisoned');
      await map.publish(...args);
    },
  };
  now += 1;
  expect(await publish(failing)).toBe(4);
  expect([faults, aws.keys.get(gone.host), aws.keys.get(left.project.id)]).toEqual([[new Error('poisoned')], undefined, 'dpl_next']);
  now += 1;
  expect(await publish()).toBe(3);
  expect(aws.keys.has(gone.project.id)).toBe(false);
});
