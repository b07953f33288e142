// Files that no project needs are removed: uploads that were given up, and all files of a project that was deleted.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { deleteProject, rollBack } from '../../core/projects/actions.ts';
import { MOST_DEPLOYMENTS_LISTED } from '../../core/projects/ports.ts';
import type { Project } from '../../core/projects/project.ts';
import { beginUpload, cancelUpload, publishUpload, removeFiles, UPLOAD_MS, uploadTargets } from '../../core/projects/uploads.ts';
import { type DataFolder, openDataFolder } from '../../platforms/embedded/folder.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { makeProject } from '../../testing/projects.ts';
import { NOON } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';

let path: string;
let folder: DataFolder;
const FILE = { name: 'index.html', bytes: 1, sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' };
const isTimeLeft = () => true;

beforeEach(() => {
  path = testFolder();
  const parsed = parseSettings({ PETSTORE_DATA: path });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const opened = openDataFolder(parsed.settings);
  folder = opened;
  onTestFinished(() => opened.close());
});

async function upload(now = NOON) {
  return uploadFile(await makeProject(folder), now);
}

async function uploadTo(project: Project, now: number) {
  const uploaded = await uploadFile(project, now);
  expect(await publishUpload(folder, project, uploaded.deploymentId, now)).toMatchObject({ ok: true });
  return uploaded;
}

async function uploadFile(project: Project, now: number) {
  const begun = await beginUpload(folder, project, [FILE], randomBytes, now);
  if (!begun.ok) throw new Error(begun.message);
  const { deploymentId } = begun.upload;
  expect(await folder.uploads.receive({ projectId: project.id, id: deploymentId }, 0, Readable.from([Buffer.from('x')]))).toBe('stored');
  return { project, deploymentId, file: join(path, 'sites', project.id, deploymentId, 'index.html') };
}

test('an upload that is not published within a day is removed, and can not be published any more', async () => {
  const { project, deploymentId, file } = await upload();
  const published = await upload();
  expect(await publishUpload(folder, published.project, published.deploymentId, NOON)).toMatchObject({ ok: true });
  expect(await removeFiles(folder, NOON + UPLOAD_MS - 1, isTimeLeft)).toBe(0);
  expect(existsSync(file)).toBe(true);
  expect(await removeFiles(folder, NOON + UPLOAD_MS, isTimeLeft)).toBe(1);
  expect([existsSync(file), existsSync(published.file)]).toEqual([false, true]);
  expect(await publishUpload(folder, project, deploymentId, NOON + UPLOAD_MS)).toMatchObject({ ok: false, code: 'not_found' });
  expect(await removeFiles(folder, NOON + 10 * UPLOAD_MS, isTimeLeft)).toBe(0);
});

test('an upload that was canceled, or has expired, can neither be continued nor published, although its files are still there', async () => {
  const canceled = await upload();
  const deployment = { projectId: canceled.project.id, id: canceled.deploymentId };
  expect(await uploadTargets(folder, deployment, undefined, NOON)).toMatchObject({ ok: true });
  expect(await cancelUpload(folder, deployment, NOON)).toEqual({ ok: true });
  const expired = await upload();
  for (const [{ project, deploymentId, file }, now] of [
    [canceled, NOON],
    [expired, NOON + UPLOAD_MS],
  ] as const) {
    expect(existsSync(file)).toBe(true);
    expect(await uploadTargets(folder, { projectId: project.id, id: deploymentId }, undefined, now)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await publishUpload(folder, project, deploymentId, now)).toMatchObject({ ok: false, code: 'not_found' });
    expect((await folder.projects.getProject(project.id))?.currentDeploymentId).toBeUndefined();
  }
  await removeFiles(folder, NOON + UPLOAD_MS, isTimeLeft);
});

test('the files of a deleted project are removed, its uploads in progress too', async () => {
  const { project, deploymentId, file } = await upload();
  await publishUpload(folder, project, deploymentId, NOON);
  await beginUpload(folder, project, [FILE], randomBytes, NOON);
  expect(await deleteProject(folder, project, NOON)).toEqual({ ok: true });
  expect(existsSync(file)).toBe(true);
  expect(await removeFiles(folder, NOON, () => false)).toBe(0);
  expect(await removeFiles(folder, NOON, isTimeLeft)).toBe(1);
  expect([existsSync(join(path, 'sites', project.id)), existsSync(join(path, 'uploads', project.id))]).toEqual([false, false]);
  expect(await removeFiles(folder, NOON + UPLOAD_MS, isTimeLeft)).toBe(1);
  expect(await folder.removals.ofProject(project.id)).toEqual([]);
});

test('what is being removed can not be published, although the clock was set back', async () => {
  const { project, deploymentId, file } = await upload();
  const [removal] = await folder.removals.ofProject(project.id);
  if (removal === undefined) throw new Error('no removal');
  expect(await folder.removals.begin(removal, NOON + UPLOAD_MS)).toBe(NOON + UPLOAD_MS);
  expect(await publishUpload(folder, project, deploymentId, NOON)).toMatchObject({ ok: false });
  expect(await removeFiles(folder, NOON + UPLOAD_MS, isTimeLeft)).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test('an upload that is removed while its files are checked is not published', async () => {
  const { project, deploymentId, file } = await upload();
  const uploads = {
    ...folder.uploads,
    missing: async (...asked: Parameters<typeof folder.uploads.missing>) => {
      const missing = await folder.uploads.missing(...asked);
      expect(await removeFiles(folder, NOON + UPLOAD_MS, isTimeLeft)).toBe(1);
      return missing;
    },
  };
  expect(await publishUpload({ ...folder, uploads }, project, deploymentId, NOON)).toMatchObject({ ok: false, code: 'not_found' });
  expect([existsSync(file), (await folder.projects.getProject(project.id))?.currentDeploymentId]).toEqual([false, undefined]);
});

test('publishing is safe to repeat, at once and after a crash', async () => {
  const { project, deploymentId } = await upload();
  const publish = () => publishUpload(folder, project, deploymentId, NOON);
  expect((await Promise.all([publish(), publish(), publish()])).map(({ ok }) => ok)).toEqual([true, true, true]);
  // The process died before the upload had ended.
  await folder.uploads.begin({ projectId: project.id, id: deploymentId }, [FILE]);
  expect(await publish()).toMatchObject({ ok: true });
  expect(await folder.uploads.manifest({ projectId: project.id, id: deploymentId })).toBeUndefined();
  expect(await folder.projects.listDeployments(project.id)).toHaveLength(1);
});

test('while requests that were signed before are valid, a removal is repeated', async () => {
  const { file } = await upload();
  const signed = { ...folder, uploads: { ...folder.uploads, targetsValidMs: 1_000 } };
  expect(await removeFiles(signed, NOON + UPLOAD_MS, isTimeLeft)).toBe(0);
  expect(existsSync(file)).toBe(false);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'late');
  expect(await removeFiles(signed, NOON + UPLOAD_MS + 1_000, isTimeLeft)).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test('of any number of deployments, the sweep keeps the last ten, the pinned ones and the one that is served', async () => {
  const { project, deploymentId, file } = await upload();
  await publishUpload(folder, project, deploymentId, NOON);
  const ids = Array.from({ length: MOST_DEPLOYMENTS_LISTED + 50 }, (_, n) => `dpl_${project.id}_${n}`);
  for (const [n, id] of ids.entries()) await folder.projects.deploy({ id, projectId: project.id, createdAt: NOON + 1 + n, files: 1, bytes: 1 });
  await folder.projects.setPinned({ projectId: project.id, id: deploymentId }, true);
  await folder.projects.setCurrentDeployment(project.id, String(ids[7]), NOON + 2);
  const stored = () => folder.database.prepare('SELECT id FROM deployments WHERE project_id = ? ORDER BY created_at').all(project.id);
  await folder.sweepFiles(Date.now(), () => false);
  expect(stored()).toHaveLength(ids.length + 1);
  await folder.sweepFiles(Date.now(), isTimeLeft);
  expect(stored().map(({ id }) => id)).toEqual([deploymentId, ids[6], ids[7], ...ids.slice(-10)]);
  expect(existsSync(file)).toBe(true);
  expect(await folder.removals.ofProject(project.id)).toEqual([]);
});

test('publishing removes what it pushes out of the last ten, with its files, but nothing that is pinned', async () => {
  const { project, deploymentId, file } = await upload();
  await publishUpload(folder, project, deploymentId, NOON);
  const second = await uploadTo(project, NOON + 1);
  await folder.projects.setPinned({ projectId: project.id, id: second.deploymentId }, true);
  const files = [];
  for (let n = 2; n < 12; n += 1) files.push((await uploadTo(project, NOON + n)).file);
  expect((await folder.projects.listDeployments(project.id)).map(({ createdAt }) => createdAt - NOON)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await folder.removals.ofProject(project.id)).toMatchObject([{ deploymentId, bytes: 1 }]);
  expect(await rollBack(folder, (await folder.projects.getProject(project.id)) ?? project, deploymentId, NOON + 12)).toMatchObject({ ok: false });
  expect(await removeFiles(folder, NOON + 12, isTimeLeft)).toBe(1);
  expect([file, second.file, ...files].map(existsSync)).toEqual([false, ...Array(11).fill(true)]);
});

test('what killed uploads have left is removed after an hour, and nothing of an upload that goes on', async () => {
  const { project, deploymentId } = await upload(Date.now());
  const uploads = join(path, 'uploads', project.id);
  const names = [`${deploymentId}-3-1.partial`, 'dpl_gone.json', 'dpl_gone.json.partial'];
  for (const name of names) writeFileSync(join(uploads, name), 'half');
  await folder.sweepFiles(Date.now(), isTimeLeft);
  expect(readdirSync(uploads).sort()).toEqual([`${deploymentId}.json`, ...names].sort());
  for (const name of readdirSync(uploads)) utimesSync(join(uploads, name), 1, 1);
  await folder.sweepFiles(Date.now(), isTimeLeft);
  expect(readdirSync(uploads)).toEqual([`${deploymentId}.json`]);
});

test('compressed forms are removed with their deployment', async () => {
  const [kept, given] = [await upload(Date.now()), await upload()];
  const formsOf = ({ file }: typeof kept) => dirname(file.replace('/sites/', '/compressed/'));
  for (const each of [kept, given]) {
    mkdirSync(formsOf(each), { recursive: true });
    writeFileSync(join(formsOf(each), 'digest.br'), 'form');
  }
  await folder.sweepFiles(Date.now(), isTimeLeft);
  expect([kept, given].map((each) => [existsSync(each.file), existsSync(formsOf(each))])).toEqual([
    [true, true],
    [false, false],
  ]);
});

test('a removal that fails is reported, and does not stop the others', async () => {
  const [poisoned, other] = [await upload(), await upload()];
  const failing = {
    ...folder.uploads,
    remove: (files: Parameters<typeof folder.uploads.remove>[0]) =>
      files.projectId === poisoned.project.id ? Promise.reject(new Error('poisoned')) : folder.uploads.remove(files),
  };
  await expect(removeFiles({ ...folder, uploads: failing }, NOON + UPLOAD_MS, isTimeLeft)).rejects.toThrow('poisoned');
  expect([existsSync(poisoned.file), existsSync(other.file)]).toEqual([true, false]);
  expect(await removeFiles(folder, NOON + UPLOAD_MS, isTimeLeft)).toBe(1);
  expect(existsSync(poisoned.file)).toBe(false);
});
