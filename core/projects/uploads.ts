// Publishing by upload: the client announces names, sizes and digests, sends the files that are missing, and publishes them all at once. An upload
// can be continued after any interruption; one that is not published within a day is removed. Times are in milliseconds since 1970.

import type { RandomBytes } from '../access/base62.ts';
import { type DeploymentLimits, planOf } from '../access/plans.ts';
import type { AccountStore } from '../access/ports.ts';
import { DAY_MS } from '../limits/windows.ts';
import type { Page } from '../page.ts';
import { type ActionRefusal, type ActionResult, refused } from '../refusal.ts';
import { joinFaults } from '../text.ts';
import { newDeploymentId, type ProjectPorts, publishedLast } from './actions.ts';
import { type Manifest, type ManifestFile, manifestProblems, mebibytes, sortedManifest } from './manifest.ts';
import type { DeploymentName, FileRemoval, FileRemovalStore, UploadStore, UploadTarget } from './ports.ts';
import type { Project } from './project.ts';

export interface UploadPorts extends ProjectPorts {
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly uploads: UploadStore;
  readonly removals: FileRemovalStore;
}

/** How long an upload may take, in milliseconds. */
export const UPLOAD_MS = DAY_MS;
/** Together, a project's deployments may be this many times as large as the largest allowed one, which bounds storage use. */
const DEPLOYMENTS_STORED = 20;
/** Maximum number of a project's uploads that are not published yet. */
export const MOST_UPLOADS = 10;

export interface Upload {
  readonly deploymentId: string;
  readonly projectId: string;
  readonly expiresAt: number;
  readonly files: number;
  readonly bytes: number;
}

/** Begins an upload. */
export async function beginUpload(
  ports: UploadPorts,
  project: Project,
  files: readonly ManifestFile[],
  randomBytes: RandomBytes,
  now: number,
): Promise<ActionResult<{ upload: Upload }>> {
  const account = await ports.accounts.getAccount(project.accountId);
  if (account === undefined) return refused('conflict', 'the account no longer exists');
  const problems = manifestProblems(files, planOf(account.plan).deployment);
  if (problems.length > 0) return refused('invalid_request', joinFaults(problems.map((problem) => `files: ${problem}`)));
  const deployment = { id: newDeploymentId(randomBytes), projectId: project.id };
  const manifest = sortedManifest(files);
  // The removal is scheduled first, so that concurrent uploads count one another, and nothing is stored permanently, whatever follows.
  const expiresAt = now + UPLOAD_MS;
  const removal = { projectId: project.id, deploymentId: deployment.id, dueAt: expiresAt, bytes: sizeOf(manifest) };
  await ports.removals.schedule(removal);
  const refusal = await boundRefusal(ports, project, planOf(account.plan).deployment, now);
  if (refusal !== undefined) {
    await ports.removals.finish(removal);
    return refusal;
  }
  await ports.uploads.begin(deployment, manifest);
  return { ok: true, upload: uploadOf(deployment, manifest, expiresAt) };
}

/** Refuses an upload (whose removal is already scheduled) if the project has too many uploads or too much data. */
async function boundRefusal(
  { projects, removals }: Pick<UploadPorts, 'projects' | 'removals'>,
  { id }: Project,
  limits: DeploymentLimits,
  now: number,
): Promise<ActionRefusal | undefined> {
  const open = (await removals.ofProject(id)).filter(({ dueAt }) => dueAt > now);
  if (open.length > MOST_UPLOADS)
    return refused(
      'conflict',
      `project ${id} has ${MOST_UPLOADS} uploads that are not published, the maximum; publish or cancel one, such as ${open[0]?.deploymentId}, or wait: each ends a day after it began`,
    );
  const most = DEPLOYMENTS_STORED * limits.bytes;
  if ((await projects.bytesStored(id)) <= most) return undefined;
  return refused(
    'conflict',
    `project ${id} would exceed the maximum of ${mebibytes(most)} for deployments and uploads; delete some that you no longer need: their space is freed within two hours`,
  );
}

/** Returns a page of the requests still to be sent. @param after `next` of the previous page. @default the first page */
export async function uploadTargets(
  ports: Pick<UploadPorts, 'uploads' | 'removals'>,
  deployment: DeploymentName,
  after: string | undefined,
  now: number,
): Promise<ActionResult<{ page: Page<UploadTarget> }>> {
  const manifest = await openManifest(ports, deployment, now);
  if (manifest === undefined) return noUpload(deployment);
  return { ok: true, page: await ports.uploads.targets(deployment, manifest, after) };
}

/** Publishes an upload whose files are all stored: all are served from the next request on. Can be repeated. */
export async function publishUpload(
  ports: UploadPorts,
  project: Project,
  deploymentId: string,
  now: number,
): Promise<ActionResult<{ project: Project }>> {
  const deployment = { id: deploymentId, projectId: project.id };
  const manifest = await openManifest(ports, deployment, now);
  if ((await ports.projects.getDeployment(deployment)) !== undefined) {
    // Already published; the manifest is still there if publishing was interrupted.
    await ports.uploads.end(deployment);
    return { ok: true, project: (await ports.projects.getProject(project.id)) ?? project };
  }
  if (manifest === undefined) return noUpload(deployment);
  const missing = await ports.uploads.missing(deployment, manifest, MOST_NAMED);
  if (missing.length > 0)
    return refused(
      'conflict',
      `${missing.length === MOST_NAMED ? 'at least ' : ''}${missing.length} of ${manifest.length} files are not uploaded, such as ${missing[0]}; send them, and publish again`,
    );
  const complete = { ...deployment, createdAt: now, files: manifest.length, bytes: sizeOf(manifest) };
  // A concurrent request may have published it, or it was canceled while its files were checked.
  const isPublished = (await ports.projects.deploy(complete, 'upload')) || (await ports.projects.getDeployment(deployment)) !== undefined;
  if (!isPublished) return noUpload(deployment);
  await ports.uploads.end(deployment);
  return publishedLast(ports, project.id, now);
}

/** Whether an upload can be continued: it is not published, canceled or expired. */
export async function isOpen({ removals }: Pick<UploadPorts, 'removals'>, { projectId, id }: DeploymentName, now: number): Promise<boolean> {
  // Until it is published, an upload has a removal that is scheduled for later.
  return (await removals.ofProject(projectId)).some(({ deploymentId, dueAt }) => deploymentId === id && dueAt > now);
}

async function openManifest(ports: Pick<UploadPorts, 'uploads' | 'removals'>, deployment: DeploymentName, now: number) {
  const [manifest, open] = await Promise.all([ports.uploads.manifest(deployment), isOpen(ports, deployment, now)]);
  return open ? manifest : undefined;
}

/** Removes an upload that is not published. Its files are removed soon after. */
export async function cancelUpload(
  ports: Pick<UploadPorts, 'uploads' | 'removals'>,
  deployment: DeploymentName,
  now: number,
): Promise<ActionResult<object>> {
  const scheduled = (await ports.removals.ofProject(deployment.projectId)).find(({ deploymentId }) => deploymentId === deployment.id);
  if (scheduled === undefined) return noUpload(deployment);
  await ports.removals.schedule({ ...scheduled, dueAt: now });
  return { ok: true };
}

/** Maximum number of missing files to search for; one is enough to refuse. */
const MOST_NAMED = 100;

/**
 * Removes files that are due. A removal that fails does not stop the others; it is retried the next time.
 *
 * @returns the number of removals that are done
 * @throws the first fault, after all other removals were tried
 */
export async function removeFiles(ports: Pick<UploadPorts, 'uploads' | 'removals'>, now: number, isTimeLeft: () => boolean): Promise<number> {
  const faults: unknown[] = [];
  let done = 0;
  let after: string | undefined;
  do {
    const { items, next } = await ports.removals.list(after);
    for (const removal of items) {
      if (removal.dueAt > now || !isTimeLeft()) continue;
      try {
        if (await removeDue(ports, removal, now, isTimeLeft)) done += 1;
      } catch (error) {
        faults.push(error);
      }
    }
    after = next;
  } while (after !== undefined && isTimeLeft());
  if (faults.length > 0) throw faults[0];
  return done;
}

/** @returns whether the removal is done */
async function removeDue(
  { uploads, removals }: Pick<UploadPorts, 'uploads' | 'removals'>,
  removal: FileRemoval,
  now: number,
  isTimeLeft: () => boolean,
): Promise<boolean> {
  const begunAt = await removals.begin(removal, now);
  if (begunAt === undefined) return false;
  let isRemoved = false;
  while (!isRemoved && isTimeLeft()) isRemoved = await uploads.remove(removal);
  // While targets are valid, requests that were signed earlier may still store files.
  if (!isRemoved || now < begunAt + uploads.targetsValidMs) return false;
  await removals.finish(removal);
  return true;
}

function uploadOf({ id, projectId }: DeploymentName, manifest: Manifest, expiresAt: number): Upload {
  return { deploymentId: id, projectId, expiresAt, files: manifest.length, bytes: sizeOf(manifest) };
}

function sizeOf(manifest: Manifest): number {
  return manifest.reduce((sum, { bytes }) => sum + bytes, 0);
}

function noUpload({ id, projectId }: DeploymentName): ActionRefusal {
  return refused('not_found', `project ${projectId} has no upload ${JSON.stringify(id)}; it may have expired: begin a new one`);
}

// Paths below the control API's base path that accept uploaded files, on a single machine.

export interface UploadPath {
  readonly deployment: DeploymentName;
  /** The file's position in the manifest. */
  readonly at: number;
}

/** Returns the path that accepts a file. */
export function uploadPath({ deployment: { projectId, id }, at }: UploadPath): string {
  return `/projects/${projectId}/uploads/${id}/files/${at}`;
}

/** Parses an upload path. @returns undefined for any other path */
export function parseUploadPath(path: string): UploadPath | undefined {
  const [, projectId, id, at] = /^\/projects\/([0-9A-Za-z_]+)\/uploads\/([0-9A-Za-z_]+)\/files\/(\d{1,6})$/.exec(path) ?? [];
  return projectId === undefined || id === undefined ? undefined : { deployment: { projectId, id }, at: Number(at) };
}
