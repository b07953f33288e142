// The control API's operations on projects, their deployments, deploy tokens and configuration.

import * as z from 'zod';
import { configuration } from '../domain-shapes.ts';
import { configurationInput, deployTokenInput, pageQuery, projectInput, rollBackInput, uploadInput, uploadQuery } from '../inputs.ts';
import { deployment, deployToken, done, issuedDeployToken, project, upload, uploadTargets } from '../shapes.ts';
import type { ControlRow } from './row.ts';

/** A Lambda function's event is at most 6 MB. */
const MAX_MANIFEST_BYTES = 4 * 2 ** 20;

export const PROJECT_ROWS = {
  listProjects: {
    method: 'GET',
    path: '/accounts/{accountId}/projects',
    summary: 'Projects, oldest first.',
    query: pageQuery,
    paged: true,
    status: 200,
    result: z.array(project),
  },
  createProject: {
    method: 'POST',
    path: '/accounts/{accountId}/projects',
    summary: 'Creates a project, which serves the API reference until its first deployment.',
    creates: true,
    body: projectInput,
    status: 201,
    result: project,
  },
  getProject: { method: 'GET', path: '/projects/{projectId}', summary: 'A project.', deploys: true, status: 200, result: project },
  renameProject: {
    method: 'PUT',
    path: '/projects/{projectId}',
    summary: 'Gives a project another display name.',
    body: projectInput,
    status: 200,
    result: project,
  },
  deleteProject: {
    method: 'DELETE',
    path: '/projects/{projectId}',
    summary: 'Deletes a project without domains, and its deployments.',
    role: 'owner',
    status: 200,
    result: done,
  },
  listDeployments: {
    method: 'GET',
    path: '/projects/{projectId}/deployments',
    summary: 'Deployments, newest first.',
    deploys: true,
    query: pageQuery,
    paged: true,
    status: 200,
    result: z.array(deployment),
  },
  rollBack: {
    method: 'POST',
    path: '/projects/{projectId}/rollback',
    summary: 'Makes an earlier deployment current: the given one, or the one before the current.',
    body: rollBackInput,
    deploys: true,
    status: 200,
    result: project,
  },
  deleteDeployment: {
    method: 'DELETE',
    path: '/projects/{projectId}/deployments/{deploymentId}',
    summary: 'Deletes a deployment that is not current.',
    status: 200,
    result: done,
  },
  beginUpload: {
    method: 'POST',
    path: '/projects/{projectId}/uploads',
    summary: 'Begins a deployment: announces its files.',
    creates: true,
    body: uploadInput,
    maxBodyBytes: MAX_MANIFEST_BYTES,
    deploys: true,
    status: 201,
    result: upload,
  },
  listUploadTargets: {
    method: 'GET',
    path: '/projects/{projectId}/uploads/{deploymentId}',
    summary: 'A page of requests that send the files that are missing.',
    query: uploadQuery,
    deploys: true,
    status: 200,
    result: uploadTargets,
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/projects/{projectId}/uploads/{deploymentId}',
    summary: 'Cancels an upload.',
    deploys: true,
    status: 200,
    result: done,
  },
  publishUpload: {
    method: 'POST',
    path: '/projects/{projectId}/uploads/{deploymentId}/publish',
    summary: 'Makes the deployment current, once all of its files are stored.',
    deploys: true,
    status: 200,
    result: deployment,
  },
  listDeployTokens: {
    method: 'GET',
    path: '/projects/{projectId}/deploy-tokens',
    summary: 'Deploy tokens, without their texts.',
    status: 200,
    result: z.array(deployToken),
  },
  createDeployToken: {
    method: 'POST',
    path: '/projects/{projectId}/deploy-tokens',
    summary: 'Creates a deploy token; its text is only in this response.',
    creates: true,
    body: deployTokenInput,
    status: 201,
    result: issuedDeployToken,
  },
  revokeDeployToken: {
    method: 'DELETE',
    path: '/projects/{projectId}/deploy-tokens/{tokenId}',
    summary: 'Revokes a deploy token at once.',
    status: 200,
    result: done,
  },
  getConfiguration: {
    method: 'GET',
    path: '/projects/{projectId}/configuration',
    summary: 'The primary domain and the redirects.',
    status: 200,
    result: configuration,
  },
  putConfiguration: {
    method: 'PUT',
    path: '/projects/{projectId}/configuration',
    summary: 'Replaces the configuration.',
    body: configurationInput,
    status: 200,
    result: configuration,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
