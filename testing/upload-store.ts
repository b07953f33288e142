// What every UploadStore must do.

import { createHash } from 'node:crypto';
import { expect } from 'expect';
import { type Manifest, type ManifestFile, sortedManifest } from '../core/projects/manifest.ts';
import type { DeploymentName, SiteStore, UploadStore, UploadTarget } from '../core/projects/ports.ts';
import { nextNumber } from './projects.ts';
import { allPages, contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface UploadWorld {
  readonly uploads: UploadStore;
  /** Where published files are read from. */
  readonly sites: Pick<SiteStore, 'get'>;
  /** Sends content to a target, as a client does. @returns whether it was stored */
  send(target: UploadTarget, content: Buffer): Promise<boolean>;
}

/** Declares the suite for an adapter. @param make returns an upload store with the site store for its files; called once */
export function uploadStoreContract(runner: TestFunction, make: Make<UploadWorld>, options: SuiteOptions = {}): void {
  let world: UploadWorld;
  let uploads: UploadStore;

  const test = contractSuite(runner, 'UploadStore contract', options, {
    setUp: once(async () => {
      world = await make();
      ({ uploads } = world);
    }),
  });

  const contentOf = (file: string) => Buffer.from(`content of ${file}`);
  const manifestOf = (...names: readonly string[]): Manifest =>
    sortedManifest(
      names.map((each): ManifestFile => {
        const content = contentOf(each);
        return { name: each, bytes: content.byteLength, sha256: createHash('sha256').update(content).digest('hex') };
      }),
    );
  const newDeployment = (projectId = `prj_upload${nextNumber()}`): DeploymentName => ({ id: `dpl_upload${nextNumber()}`, projectId });

  async function begin(manifest: Manifest, deployment = newDeployment()): Promise<DeploymentName> {
    await uploads.begin(deployment, manifest);
    return deployment;
  }

  const missing = (deployment: DeploymentName, manifest: Manifest): Promise<readonly UploadTarget[]> =>
    allPages((after) => uploads.targets(deployment, manifest, after));

  async function sendAll(deployment: DeploymentName, manifest: Manifest): Promise<void> {
    for (const target of await missing(deployment, manifest)) expect(await world.send(target, contentOf(target.name))).toBe(true);
  }

  async function read(deployment: DeploymentName, file: string): Promise<string | undefined> {
    const found = await world.sites.get(deployment, file);
    if (found === undefined) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of found.read()) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  test('keeps the manifest until the upload has ended', async () => {
    const manifest = manifestOf('index.html', 'a/ä b+c.txt');
    const deployment = await begin(manifest);
    expect(await uploads.manifest(deployment)).toEqual(manifest);
    expect(await uploads.manifest(newDeployment(deployment.projectId))).toBeUndefined();
    for (let times = 0; times < 2; times += 1) await uploads.end(deployment);
    expect(await uploads.manifest(deployment)).toBeUndefined();
  });

  test("another project's upload is not found by its id", async () => {
    const manifest = manifestOf('index.html');
    const deployment = await begin(manifest);
    expect(await uploads.manifest(deployment)).toEqual(manifest);
    expect(await uploads.manifest({ ...deployment, projectId: 'prj_uploadthief' })).toBeUndefined();
  });

  test('an upload that is removed while it is read is gone', async () => {
    const manifest = manifestOf('index.html');
    const deployment = await begin(manifest);
    const removed = uploads.remove({ projectId: deployment.projectId, deploymentId: deployment.id });
    await Promise.all([removed, ...Array.from({ length: 10 }, () => uploads.manifest(deployment))]);
    for (let calls = 0; !(await uploads.remove({ projectId: deployment.projectId, deploymentId: deployment.id })) && calls < 10; calls += 1);
    expect(await uploads.manifest(deployment)).toBeUndefined();
  });

  test('stores each file where published files are read from, whatever its name', async () => {
    const names = ['index.html', 'docs/index.html', 'docs.html', 'about.html', 'a/ä b+c.txt', '100%.txt', '𝒳/深.txt'];
    const manifest = manifestOf(...names);
    const deployment = await begin(manifest);
    expect(new Set((await missing(deployment, manifest)).map((target) => target.name))).toEqual(new Set(names));
    expect(new Set(await uploads.missing(deployment, manifest, 100))).toEqual(new Set(names));
    expect(await uploads.missing(deployment, manifest, 2)).toHaveLength(2);
    await sendAll(deployment, manifest);
    expect(await missing(deployment, manifest)).toEqual([]);
    expect(await uploads.missing(deployment, manifest, 100)).toEqual([]);
    for (const each of names) expect(await read(deployment, each)).toBe(`content of ${each}`);
  });

  test('an upload that was interrupted continues with the files that are missing', async () => {
    const manifest = manifestOf(...Array.from({ length: 1_203 }, (_, n) => `f${n}.txt`));
    const deployment = await begin(manifest);
    const first = await uploads.targets(deployment, manifest);
    expect(first.items.length).toBeLessThan(1_000);
    for (const target of first.items) await world.send(target, contentOf(target.name));
    const left = (await missing(deployment, manifest)).map((target) => target.name);
    expect(left).toHaveLength(manifest.length - first.items.length);
    expect(left.filter((each) => first.items.some((target) => target.name === each))).toEqual([]);
  });

  const others: readonly (readonly [what: string, change: (content: Buffer) => Buffer])[] = [
    ['other content of the same size', (content) => Buffer.alloc(content.byteLength, 'x')],
    ['less', (content) => content.subarray(1)],
    ['more', (content) => Buffer.concat([content, content])],
    ['nothing', () => Buffer.alloc(0)],
  ];
  for (const [what, change] of others)
    test(`${what} is not stored`, async () => {
      const manifest = manifestOf('photo.png');
      const deployment = await begin(manifest);
      const [target] = await missing(deployment, manifest);
      if (target === undefined) throw new Error('no target');
      expect(await world.send(target, change(contentOf('photo.png')))).toBe(false);
      expect(await missing(deployment, manifest)).toHaveLength(1);
      expect(await read(deployment, 'photo.png')).toBeUndefined();
      expect(await world.send(target, contentOf('photo.png'))).toBe(true);
    });

  test("removes a deployment's files, or all of a project's, and no others", async () => {
    const manifest = manifestOf('index.html', 'a/b.txt');
    const first = await begin(manifest);
    const second = await begin(manifest, newDeployment(first.projectId));
    const others = [await begin(manifest, newDeployment(`${first.projectId}0`)), await begin(manifest, { ...first, projectId: 'prj_uploadother' })];
    for (const deployment of [first, second, ...others]) await sendAll(deployment, manifest);
    const removeAll = async (deploymentId: string | undefined) => {
      for (let calls = 0; !(await uploads.remove({ projectId: first.projectId, deploymentId })); calls += 1) expect(calls).toBeLessThan(100);
    };
    for (let times = 0; times < 2; times += 1) await removeAll(first.id);
    expect([await uploads.manifest(first), await read(first, 'index.html')]).toEqual([undefined, undefined]);
    expect(await read(second, 'a/b.txt')).toBe('content of a/b.txt');
    for (let times = 0; times < 2; times += 1) await removeAll(undefined);
    expect([await uploads.manifest(second), await read(second, 'index.html')]).toEqual([undefined, undefined]);
    for (const other of others) expect(await read(other, 'index.html')).toBe('content of index.html');
  });
}
