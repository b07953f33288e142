// The move of an installation: what it refuses, and that it ends equal.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { IDENTITY_KEYS_FILE } from '../../adapters/files/data-folder.ts';
import { createFolderSiteStore, createFolderUploads } from '../../adapters/sites/folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { isMoving } from '../../core/ports.ts';
import type { StoredRecord } from '../../core/records/kinds.ts';
import { compareKeys } from '../../core/records/synchronize.ts';
import { StoreFault } from '../../core/refusal.ts';
import { stopChanges } from '../../platforms/embedded/changes.ts';
import {
  adaptersTarget,
  countAll,
  lockMove,
  type MoveOptions,
  type MovePorts,
  type MoveSource,
  moveInstallation,
  openMoveSource,
  openMoveTarget,
} from '../../platforms/embedded/move.ts';
import { sampleProject } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';

/** An installation with an account, a project and a deployment of two files. */
async function makeSource() {
  const dataFolder = testFolder();
  const stores = openSqliteStores(dataFolder);
  onTestFinished(() => stores.close());
  writeFileSync(join(dataFolder, IDENTITY_KEYS_FILE), `keys of ${dataFolder}`);
  const account = sampleAccount();
  const project = sampleProject({ accountId: account.id });
  await stores.accounts.createAccount(account);
  await stores.projects.createProject(project);
  const deploy = async (id: string, names: readonly string[]) => {
    for (const name of names) {
      const path = join(dataFolder, 'sites', project.id, id, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, `content of ${name}`);
    }
    await stores.projects.deploy({ id, projectId: project.id, createdAt: NOON, files: names.length, bytes: 30 });
  };
  await deploy('dpl_1', ['a/b.html', 'a-b.html']);
  const source = openMoveSource(dataFolder);
  onTestFinished(() => source.close());
  return { source, stores, account, project, deploy };
}

/** A place to move to, in memory and a folder. */
function makeTarget() {
  const folder = testFolder();
  const kinds = new Map<string, StoredRecord[]>();
  const keys = new Map<string, string>();
  const [sites, uploads] = [createFolderSiteStore(folder), createFolderUploads(folder)];
  const stored = (kind: string) => kinds.get(kind) ?? [];
  const ports = {
    records: {
      isEmpty: async () => stored('accounts').length === 0,
      page: async (kind, after) => stored(kind).filter((record) => after === undefined || compareKeys(kind, record, after) > 0),
      put: async (kind, records) => {
        const others = stored(kind).filter((each) => !records.some((record) => compareKeys(kind, record, each) === 0));
        kinds.set(
          kind,
          [...others, ...records].sort((one, other) => compareKeys(kind, one, other)),
        );
      },
      remove: async (kind, records) => {
        kinds.set(
          kind,
          stored(kind).filter((each) => !records.some((record) => compareKeys(kind, record, each) === 0)),
        );
      },
    },
    installation: {
      keys: async (name: string, fresh?: string) => {
        if (fresh !== undefined && !keys.has(name)) keys.set(name, fresh);
        return keys.get(name);
      },
    },
    sites: {
      ...sites,
      put: async (deployment, name, content, bytes) => {
        await sites.put(deployment, name, content, bytes);
        kinds.set(
          'site_files',
          [...stored('site_files'), [deployment.projectId, deployment.id, name, BigInt(bytes)]].sort((a, b) => compareKeys('site_files', a, b)),
        );
      },
    },
    uploads: {
      ...uploads,
      remove: async (files) => {
        kinds.set(
          'site_files',
          stored('site_files').filter(([, id]) => id !== files.deploymentId),
        );
        return uploads.remove(files);
      },
    },
  } as MovePorts;
  return { ports, keys, stored };
}

/** Moves an installation to adapters. */
const moveTo = (source: MoveSource, ports: MovePorts, options: MoveOptions) => moveInstallation(source, adaptersTarget(source, ports), options);

const clock = () => NOON;
const allow = () => expect.unreachable();
const markMoved = () => {};

test('everything is there at the end, also what changed on the way; until then no service starts there', async () => {
  const { source, stores, account, project, deploy } = await makeSource();
  const { ports, stored } = makeTarget();
  expect(await countAll(source)).toMatchObject({ accounts: 1, projects: 1, deployments: 1, site_files: 2, pets: 0 });
  await moveTo(source, ports, { clock });
  expect([await isMoving(ports.installation), stored('accounts').length, stored('site_files').length]).toEqual([true, 1, 2]);
  // The second deployment takes the place of the first, which is removed.
  await deploy('dpl_2', ['index.html']);
  await stores.projects.setCurrentDeployment(project.id, 'dpl_2', NOON);
  await stores.projects.deleteDeployment({ projectId: project.id, id: 'dpl_1' }, NOON);
  const moved = await moveTo(source, ports, {
    clock,
    changes: { stop: async () => void (await stores.accounts.rename(account.id, 'Late')), allow, markMoved },
  });
  expect(moved.filter(({ source: from, target: to }) => from !== to)).toEqual([]);
  expect(stored('accounts').map(([, name]) => name)).toEqual(['Late']);
  expect(stored('site_files')).toEqual([[project.id, 'dpl_2', 'index.html', 21n]]);
  const file = await ports.sites.get({ projectId: project.id, id: 'dpl_2' }, 'index.html');
  expect(file && (await text(file.read()))).toBe('content of index.html');
  expect(await isMoving(ports.installation)).toBe(false);
});

test('a place that has something else is not touched', async () => {
  const { source } = await makeSource();
  const move = ({ ports }: ReturnType<typeof makeTarget>) => moveTo(source, ports, { clock, changes: { stop: async () => {}, allow, markMoved } });
  const used = makeTarget();
  await used.ports.records.put('accounts', [['acc_other']]);
  await expect(move(used)).rejects.toThrow('there is an installation already');
  expect([used.stored('accounts'), used.keys.size]).toEqual([[['acc_other']], 0]);
  const other = makeTarget();
  await moveTo((await makeSource()).source, other.ports, { clock });
  await expect(move(other)).rejects.toThrow('another installation is being moved there');
  const started = makeTarget();
  started.keys.set('sign-in', '["keys of its own"]');
  await expect(move(started)).rejects.toThrow('there are other keys (sign-in) already');
  const complete = makeTarget();
  await move(complete);
  await complete.ports.records.put('accounts', [['acc_later']]);
  await expect(move(complete)).rejects.toThrow('an installation was moved there at 2026-11-21T10:00:00.000Z');
  // Its own move, whose last answer was lost.
  await stopChanges(source.dataFolder, 'elsewhere');
  await expect(move(complete)).rejects.toThrow('the move was completed at 2026-11-21T10:00:00.000Z: start the hosts there');
  expect(complete.stored('accounts').length).toBe(2);
});

test('if the place fails at the end, changes are made here again, unless it may be complete', async () => {
  const { source } = await makeSource();
  const { ports } = makeTarget();
  let isStopped = false;
  const set = (value: boolean) => {
    isStopped = value;
  };
  const changes = { stop: async () => set(true), allow: () => set(false), markMoved };
  const failing = (broken: Partial<MovePorts>) => moveTo(source, { ...ports, ...broken }, { clock, changes });
  const page: MovePorts['records']['page'] = (kind, after) =>
    isStopped && kind === 'pets' ? Promise.reject(new Error('gone')) : ports.records.page(kind, after);
  await expect(failing({ records: { ...ports.records, page } })).rejects.toThrow('gone');
  expect([isStopped, await isMoving(ports.installation)]).toEqual([false, true]);
  const keys: MovePorts['installation']['keys'] = async (name, fresh) => {
    const stored = await ports.installation.keys(name, fresh);
    if (isStopped) throw new Error('no answer');
    return stored;
  };
  await expect(failing({ installation: { keys } })).rejects.toThrow('no answer');
  expect([isStopped, await isMoving(ports.installation)]).toEqual([true, false]);
});

test('calls that had no answer are repeated, and an installation moves once at a time', async () => {
  const { source } = await makeSource();
  const { ports, stored } = makeTarget();
  let faults = 0;
  const put: MovePorts['records']['put'] = async (kind, records) => {
    await ports.records.put(kind, records);
    faults += 1;
    if (faults === 1) throw new StoreFault('unavailable', 'no answer');
  };
  await moveTo(source, { ...ports, records: { ...ports.records, put } }, { clock });
  expect(stored('accounts').length).toBe(1);
  const release = lockMove(source.dataFolder);
  expect(() => lockMove(source.dataFolder)).toThrow('a move is running');
  release();
  lockMove(source.dataFolder)();
});

test('what can take no installation, and what has none, is named', async () => {
  const folder = testFolder();
  expect(() => openMoveSource(folder)).toThrow('there is no installation in');
  const { source, stores } = await makeSource();
  const configuration = join(folder, 'petstore.config.mjs');
  writeFileSync(configuration, 'export default { adapters: [] };\n');
  await expect(openMoveTarget(source, configuration, clock)).rejects.toThrow('no adapter provides records, installation, sites, uploads');
  stores.database.exec('PRAGMA foreign_keys = OFF; DELETE FROM accounts');
  expect(() => openMoveSource(source.dataFolder)).toThrow('no accounts: they are stored elsewhere');
  stores.database.exec('PRAGMA user_version = 14');
  expect(() => openMoveSource(source.dataFolder)).toThrow('has schema 14');
});
