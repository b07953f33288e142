// Published files in the data folder, after a full disk and after a killed process.

import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createFolderSiteStore, createFolderUploads } from '../../adapters/sites/folder.ts';
import { sweepDeployments } from '../../adapters/sites/sweep.ts';
import type { UploadTarget } from '../../core/projects/ports.ts';
import { parseUploadPath } from '../../core/projects/uploads.ts';
import { StoreFault } from '../../core/refusal.ts';
import { siteStoreContract } from '../../testing/site-store.ts';
import { storeFaultContract } from '../../testing/store-faults.ts';
import { uploadStoreContract } from '../../testing/upload-store.ts';
import { makeFolder, testFolder } from '../support/folders.ts';

const DEPLOYMENT = { id: 'dpl_1', projectId: 'prj_1' };

siteStoreContract(test, () => createFolderSiteStore(testFolder()), { name: 'folder' });

const { path: uploadFolder, remove: removeUploadFolder } = makeFolder();
afterAll(removeUploadFolder);

uploadStoreContract(
  test,
  async () => {
    const uploads = createFolderUploads(uploadFolder);
    const send = async ({ url }: UploadTarget, content: Buffer) => {
      const target = parseUploadPath(url);
      return target !== undefined && (await uploads.receive(target.deployment, target.at, Readable.from([content]))) === 'stored';
    };
    return { uploads, sites: createFolderSiteStore(uploadFolder), send };
  },
  { name: 'folder' },
);
storeFaultContract(
  test,
  async () => {
    const folder = testFolder();
    // A symbolic link to itself: neither a file nor absent.
    symlinkSync('sites', join(folder, 'sites'));
    symlinkSync('uploads', join(folder, 'uploads'));
    return { stores: { sites: createFolderSiteStore(folder), uploads: createFolderUploads(folder) }, says: 'ELOOP' };
  },
  { name: 'folder', ports: ['sites', 'uploads'] },
);

test('a name that no file system accepts is not found', async () => {
  const sites = createFolderSiteStore(testFolder());
  await sites.put(DEPLOYMENT, 'a', Readable.from([Buffer.from('x')]), 1);
  for (const name of ['x'.repeat(300), 'a/b']) expect(await sites.get(DEPLOYMENT, name)).toBeUndefined();
});

test('a file that cannot be stored is a StoreFault that names it, and leaves nothing behind', async () => {
  const folder = testFolder();
  const sites = createFolderSiteStore(folder);
  await sites.put(DEPLOYMENT, 'a', Readable.from([Buffer.from('x')]), 1);
  // A file where a folder is needed.
  await expect(sites.put(DEPLOYMENT, 'a/b.html', Readable.from([Buffer.from('x')]), 1)).rejects.toMatchObject({
    name: 'StoreFault',
    message: expect.stringContaining("a/b.html can't be stored"),
  });
  const full = new Readable({
    read() {
      this.destroy(Object.assign(new Error('write'), { code: 'ENOSPC' }));
    },
  });
  await expect(sites.put(DEPLOYMENT, 'c.html', full, 1)).rejects.toThrow(
    new StoreFault('unavailable', "c.html can't be stored: no space is left on the disk"),
  );
  expect(readdirSync(join(folder, 'sites/prj_1/dpl_1'))).toEqual(['a']);
});

test('deployments without a project are swept, unless they may still be in progress', async () => {
  const folder = testFolder();
  const now = Date.now();
  for (const [name, ageMs] of [
    ['prj_1/dpl_known', 9e6],
    ['prj_1/dpl_killed', 9e6],
    ['prj_1/dpl_young', 1_000],
    ['prj_1/dpl_upload', 9e6],
    ['prj_gone/dpl_1', 9e6],
  ] as const) {
    const file = join(folder, 'sites', name, 'index.html');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'x');
    utimesSync(dirname(file), (now - ageMs) / 1_000, (now - ageMs) / 1_000);
  }
  const projects = { getDeployment: async ({ id }: { id: string }) => (id === 'dpl_known' ? ({ id } as never) : undefined) };
  // It has a day, and a queue of its own.
  const removals = { ofProject: async (projectId: string) => [{ projectId, deploymentId: 'dpl_upload', dueAt: now + 1, bytes: 1 }] };
  expect(await sweepDeployments(folder, { projects, removals }, now)).toBe(2);
  expect(readdirSync(join(folder, 'sites/prj_1')).sort()).toEqual(['dpl_known', 'dpl_upload', 'dpl_young']);
  expect(readdirSync(join(folder, 'sites/prj_gone'))).toEqual([]);
  expect(await sweepDeployments(testFolder(), { projects, removals }, now)).toBe(0);
});
