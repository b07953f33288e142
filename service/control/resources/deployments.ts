// A project's deployments, and the uploads from which they are published.

import * as z from 'zod';
import { PLAN_NAMES, planOf } from '../../../core/access/plans.ts';
import { pageByAge } from '../../../core/page.ts';
import { deleteDeployment, rollBack } from '../../../core/projects/actions.ts';
import { MOST_DEPLOYMENTS_LISTED } from '../../../core/projects/ports.ts';
import { pinDeployment, unpinDeployment } from '../../../core/projects/retention.ts';
import { beginUpload, cancelUpload, publishUpload, uploadTargets as uploadTargetsOf } from '../../../core/projects/uploads.ts';
import { DEPLOYMENTS_KEPT, MOST_PINNED } from '../../../core/publishing/kept-deployments.ts';
import { refused } from '../../../core/refusal.ts';
import { PATTERNS } from '../../openapi/schemas.ts';
import type { SitePorts } from '../context.ts';
import * as example from '../examples.ts';
import { answer, CONTROL_PREFIX, DEPLOY_PREFIX, doneOr, type Implementations, ok, okPage, type ResourceRows, resource } from '../operation.ts';
import { deploymentId, pageQuery, project, REPORTS_NOTHING, time } from '../shapes.ts';
import { deploymentView, projectViewWithUrl, uploadView } from '../views.ts';

/** A Lambda function's event can have at most 6 MB. */
const MAX_MANIFEST_BYTES = 4 * 2 ** 20;
const deployment = z
  .object({
    deploymentId,
    current: z.boolean().describe('Whether it is the current deployment'),
    pinned: z.boolean().describe('Whether it is kept until it is unpinned'),
    createdAt: time,
    files: z.int().min(0),
    bytes: z.int().min(0),
  })
  .meta({ id: 'Deployment', description: "One immutable set of a project's files." });
const upload = z
  .object({ deploymentId, expiresAt: time.describe('If it is not published by then, it is deleted'), files: z.int().min(1), bytes: z.int().min(0) })
  .meta({ id: 'Upload', description: 'A deployment whose files are being sent.' });
const uploadTargets = z
  .object({
    targets: z.array(
      z.object({
        name: z.string().describe('The file to send'),
        url: z
          .string()
          .describe('Send the content with PUT. A path without a host is on this service and takes the access token; send it to no other host'),
        headers: z.record(z.string(), z.string()).describe('Send exactly these'),
      }),
    ),
    next: z.string().nullable().describe('For the parameter `after`; null on the last page'),
  })
  .meta({ id: 'UploadTargets', description: 'Requests that send missing files. A file may have several: send them all.' });
const rollBackInput = z
  .strictObject({
    deploymentId: z
      .string('the id of a deployment')
      .optional()
      .meta({ description: 'If omitted, the one before the current one', pattern: PATTERNS.deploymentId }),
  })
  .meta({ id: 'RollBackInput' });
const MOST_FILES = Math.max(...PLAN_NAMES.map((plan) => planOf(plan).deployment.files));
const LARGEST_FILE = Math.max(...PLAN_NAMES.map((plan) => planOf(plan).deployment.fileBytes));
const BYTES_ALLOWED = 'a whole number of bytes';
const uploadInput = z
  .strictObject({
    files: z
      .array(
        z.strictObject({
          name: z
            .string('a file name')
            .meta({ description: 'Relative path with / between segments; the page of a folder is index.html', minLength: 1, maxLength: 994 }),
          bytes: z.int(BYTES_ALLOWED).min(0, BYTES_ALLOWED).meta({ maximum: LARGEST_FILE }),
          sha256: z
            .string('a SHA-256 digest')
            .regex(/^[0-9a-f]{64}$/, 'a SHA-256 digest, 64 lower-case hexadecimal digits')
            .describe('Digest of the content'),
        }),
        'a list of files',
      )
      .min(1, 'at least one file, such as index.html')
      .max(MOST_FILES, `at most ${MOST_FILES} files`),
  })
  .meta({ id: 'UploadInput' });
const uploadQuery = z.strictObject({
  after: z
    .string('a text')
    .regex(/^\d{1,6}$/, '`next` of the previous page')
    .optional()
    .meta({ description: '`next` of the previous page; if omitted, the first page' }),
});

export const DEPLOYMENT_OPERATIONS = resource('projects', {
  listDeployments: {
    route: 'GET /projects/{projectId}/deployments',
    summary: 'Deployments, newest first.',
    description: `The ${MOST_DEPLOYMENTS_LISTED} newest deployments, newest first, and which of them is current. The last ${DEPLOYMENTS_KEPT} that were served, including the current one, and pinned ones are kept; older ones are deleted when another one is published.`,
    response: 'The deployments.',
    deploys: true,
    query: pageQuery,
    paged: true,
    result: z.array(deployment),
    example: {
      response: [
        { deploymentId: example.deploymentId, current: true, pinned: false, createdAt: example.tuesday, files: 12, bytes: 48_213 },
        { deploymentId: example.earlier, current: false, pinned: true, createdAt: example.monday, files: 2, bytes: 31_877 },
      ],
    },
  },
  rollBack: {
    route: 'POST /projects/{projectId}/rollback',
    summary: 'Makes an earlier deployment current: the given one, or the one before the current one.',
    description: 'Takes effect with the next request. Without an earlier deployment, returns 409.',
    response: 'The project, with its current deployment.',
    body: rollBackInput,
    deploys: true,
    result: project,
    example: { body: { deploymentId: example.earlier }, response: { ...example.project, deploymentId: example.earlier } },
  },
  deleteDeployment: {
    route: 'DELETE /projects/{projectId}/deployments/{deploymentId}',
    summary: 'Deletes a deployment that is neither current nor pinned.',
    description: 'It can no longer be made current, and its files are removed. For the current deployment and for a pinned one, returns 409.',
    response: 'The deployment is deleted.',
    errors: ['conflict'],
    ...REPORTS_NOTHING,
  },
  pinDeployment: {
    route: 'PUT /projects/{projectId}/deployments/{deploymentId}/pin',
    summary: 'Pins a deployment: it is kept until it is unpinned.',
    description: `Of the unpinned deployments, the ${DEPLOYMENTS_KEPT} that were served last are kept. A project has up to ${MOST_PINNED} pinned deployments; at the limit, returns 409.`,
    response: 'The deployment.',
    errors: ['conflict'],
    result: deployment,
    example: { response: { deploymentId: example.earlier, current: false, pinned: true, createdAt: example.monday, files: 2, bytes: 31_877 } },
  },
  unpinDeployment: {
    route: 'DELETE /projects/{projectId}/deployments/{deploymentId}/pin',
    summary: 'Unpins a deployment.',
    description: `With the next publication, it is deleted unless it is current or one of the ${DEPLOYMENTS_KEPT} that were served last.`,
    response: 'The deployment.',
    result: deployment,
    example: { response: { deploymentId: example.earlier, current: false, pinned: false, createdAt: example.monday, files: 2, bytes: 31_877 } },
  },
  beginUpload: {
    route: 'POST /projects/{projectId}/uploads',
    summary: 'Begins a deployment: announces its files.',
    description:
      'Announces the files of a new deployment, with sizes and digests. Then send the files (`listUploadTargets`) and publish them. The plan limits their number and size. A project has at most 10 unpublished uploads, and its deployments total at most 20 times the size allowed for one; beyond these limits, returns 409.',
    response: 'The upload. It is deleted unless it is published within 24 hours.',
    errors: ['conflict'],
    creates: true,
    body: uploadInput,
    maxBodyBytes: MAX_MANIFEST_BYTES,
    deploys: true,
    result: upload,
    example: {
      body: { files: [{ name: 'index.html', bytes: 5, sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' }] },
      response: { deploymentId: example.deploymentId, expiresAt: '2026-03-04T10:15:00.000Z', files: 1, bytes: 5 },
    },
  },
  listUploadTargets: {
    route: 'GET /projects/{projectId}/uploads/{deploymentId}',
    summary: 'A page of requests that send the files that are missing.',
    description:
      'Lists only files that are not stored yet, so an upload that was interrupted continues here. Send each file with PUT to its `url` with its `headers`; several at a time are fine. Content that differs from what was announced is refused. A `url` is valid for an hour.',
    response: 'Requests to send, and the next page.',
    query: uploadQuery,
    deploys: true,
    result: uploadTargets,
    example: {
      response: {
        targets: [{ name: 'index.html', url: `/dashboard/v1/projects/${example.projectId}/uploads/${example.deploymentId}/files/0`, headers: {} }],
        next: null,
      },
    },
  },
  cancelUpload: {
    route: 'DELETE /projects/{projectId}/uploads/{deploymentId}',
    summary: 'Cancels an upload.',
    description: 'Its files are removed soon after, and it no longer counts among the uploads of the project.',
    response: 'The upload is canceled.',
    deploys: true,
    ...REPORTS_NOTHING,
  },
  publishUpload: {
    route: 'POST /projects/{projectId}/uploads/{deploymentId}/publish',
    summary: 'Makes the deployment current, once all of its files are stored.',
    description: 'All files are served from the next request on, together. While files are missing, returns 409. Safe to repeat.',
    response: 'The deployment.',
    errors: ['conflict'],
    deploys: true,
    result: deployment,
    example: { response: { deploymentId: example.deploymentId, current: true, pinned: false, createdAt: example.tuesday, files: 1, bytes: 5 } },
  },
} as const satisfies ResourceRows);

/** Implements the operations on deployments. */
export function deploymentHandlers(ports: SitePorts): Implementations<typeof DEPLOYMENT_OPERATIONS> {
  const { projects, rules, randomBytes, httpsPort } = ports;
  return {
    listDeployments: async ({ project, query }) => {
      const page = pageByAge(await projects.listDeployments(project.id), 'newest first', query);
      return okPage(page, (deployment) => deploymentView(deployment, project));
    },

    rollBack: async ({ project, body, now }) =>
      answer(await rollBack(ports, project, body.deploymentId, now), (back) => projectViewWithUrl(back.project, rules, httpsPort)),

    deleteDeployment: async ({ project, parameters: { deploymentId }, now }) => doneOr(await deleteDeployment(ports, project, deploymentId, now)),

    pinDeployment: async ({ project, parameters: { deploymentId } }) =>
      answer(await pinDeployment(ports, { projectId: project.id, id: deploymentId }), (pinned) => deploymentView(pinned.deployment, project)),

    unpinDeployment: async ({ project, parameters: { deploymentId } }) =>
      answer(await unpinDeployment(ports, { projectId: project.id, id: deploymentId }), (unpinned) => deploymentView(unpinned.deployment, project)),

    beginUpload: async ({ project, body: { files }, now }) =>
      answer(await beginUpload(ports, project, files, randomBytes, now), (begun) => uploadView(begun.upload)),

    listUploadTargets: async ({ project, caller, parameters: { deploymentId }, query: { after }, now }) => {
      const listed = await uploadTargetsOf(ports, { projectId: project.id, id: deploymentId }, after, now);
      if (!listed.ok) return listed;
      const { items, next } = listed.page;
      const prefix = caller.deploysTo === undefined ? CONTROL_PREFIX : DEPLOY_PREFIX;
      return ok({
        targets: items.map((target) => ({ ...target, url: target.url.startsWith('/') ? `${prefix}${target.url}` : target.url })),
        next: next ?? null,
      });
    },

    cancelUpload: async ({ project, parameters: { deploymentId }, now }) =>
      doneOr(await cancelUpload(ports, { projectId: project.id, id: deploymentId }, now)),

    publishUpload: async ({ project, parameters: { deploymentId }, now }) => {
      const published = await publishUpload(ports, project, deploymentId, now);
      if (!published.ok) return published;
      const deployment = await projects.getDeployment({ projectId: project.id, id: deploymentId });
      return deployment === undefined
        ? refused('conflict', `deployment ${deploymentId} was published, but the project was deleted meanwhile`)
        : ok(deploymentView(deployment, published.project));
    },
  };
}
