// The control API's operations, which the dashboard uses, in one table, by resource.

import * as z from 'zod';
import { normalPath } from '../../core/http/request-form.ts';
import type { Operation } from '../http/router.ts';
import { CONTROL_PREFIX, type ControlRow, type ControlRows, DEPLOY_PREFIX, type ResourceRows, resource, type Unchanged } from './operation.ts';
import { ACCOUNT_OPERATIONS } from './resources/accounts.ts';
import { DEPLOY_TOKEN_OPERATIONS } from './resources/deploy-tokens.ts';
import { DEPLOYMENT_OPERATIONS } from './resources/deployments.ts';
import { DOMAIN_OPERATIONS } from './resources/domains.ts';
import { KEY_OPERATIONS } from './resources/keys.ts';
import { MEMBER_OPERATIONS } from './resources/members.ts';
import { OPERATOR_OPERATIONS } from './resources/operator.ts';
import { PROJECT_OPERATIONS } from './resources/projects.ts';
import { SANDBOX_OPERATIONS } from './resources/sandbox.ts';
import { USER_OPERATIONS } from './resources/user.ts';

export const CONTROL_OPERATIONS = {
  ...resource('meta', {
    getOpenApi: {
      route: 'GET /openapi.json',
      summary: 'This document.',
      description: 'The OpenAPI document of this API. Needs no token.',
      response: 'An OpenAPI 3.1 document.',
      result: z.record(z.string(), z.unknown()),
      example: { response: { openapi: '3.1.0', info: { title: 'Petstore control API', version: '1.0.0' }, paths: {} } },
      open: true,
    },
  } as const satisfies ResourceRows),
  ...USER_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...MEMBER_OPERATIONS,
  ...KEY_OPERATIONS,
  ...PROJECT_OPERATIONS,
  ...DEPLOYMENT_OPERATIONS,
  ...DEPLOY_TOKEN_OPERATIONS,
  ...DOMAIN_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  ...OPERATOR_OPERATIONS,
} as const satisfies ControlRows;

export type ControlOperationId = keyof typeof CONTROL_OPERATIONS;

export interface ControlOperation extends Operation<ControlOperationId> {
  readonly open: boolean;
}

/** The operations in the engine's form, with ids and full paths. */
export const OPERATIONS: readonly ControlOperation[] = (Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][]).flatMap(
  ([id, { method, path, body, maxBodyBytes, query, open = false, deploys = false }]) =>
    [CONTROL_PREFIX, ...(deploys ? [DEPLOY_PREFIX] : [])].map((prefix) => ({
      id,
      method,
      path: `${prefix}${path}`,
      body,
      maxBodyBytes,
      query,
      open,
    })),
);

/** Returns the GET operation that has the same response as an operation that changes something; undefined if there is none. */
export function readOf(row: ControlRow): ControlRow | undefined {
  return Object.values<ControlRow>(CONTROL_OPERATIONS).find(
    ({ method, path, result }) => method === 'GET' && row.method !== 'GET' && result === row.result && `${row.path}/`.startsWith(`${path}/`),
  );
}

/** Returns the path of the resource that an operation's response represents, with its ETag; undefined if no GET has the same response. */
export function representedPath(row: ControlRow, path: string): string | undefined {
  const read = readOf(row);
  const further = read && row.path.split('/').length - read.path.split('/').length;
  const segments = normalPath(path).split('/');
  return further === undefined ? undefined : segments.slice(0, segments.length - further).join('/');
}

/** Whether a path is for deploy tokens. */
export function isForDeployTokens(path: string): boolean {
  return path.startsWith(`${DEPLOY_PREFIX}/`);
}

/** A response. */
export type ControlResult<Id extends ControlOperationId> = Unchanged<z.infer<(typeof CONTROL_OPERATIONS)[Id]['result']>>;
