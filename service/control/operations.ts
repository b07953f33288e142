// The control API's operations, which the dashboard uses, in one table: paths, inputs and outputs. The OpenAPI document is generated from the
// schemas that validate them.

import * as z from 'zod';
import { normalPath } from '../../core/http/request-form.ts';
import type { Operation } from '../http/router.ts';
import { ACCOUNT_ROWS } from './rows/accounts.ts';
import { DOMAIN_ROWS } from './rows/domains.ts';
import { INVITATION_ROWS } from './rows/invitations.ts';
import { KEY_ROWS } from './rows/keys.ts';
import { PROJECT_ROWS } from './rows/projects.ts';
import type { ControlRow } from './rows/row.ts';
import { USER_ROWS } from './rows/users.ts';

export const CONTROL_PREFIX = '/dashboard/v1';
/** Here pipelines request the operations that a deploy token allows: the layer in front of the API checks users' tokens, and passes these on. */
export const DEPLOY_PREFIX = '/deploy/v1';

export const CONTROL_OPERATIONS = {
  getOpenApi: { method: 'GET', path: '/openapi.json', summary: 'This document.', status: 200, result: z.record(z.string(), z.unknown()), open: true },
  ...USER_ROWS,
  ...ACCOUNT_ROWS,
  ...INVITATION_ROWS,
  ...KEY_ROWS,
  ...PROJECT_ROWS,
  ...DOMAIN_ROWS,
} as const satisfies Readonly<Record<string, ControlRow>>;

export type ControlOperationId = keyof typeof CONTROL_OPERATIONS;

export interface ControlOperation extends Operation<ControlOperationId> {
  readonly open: boolean;
}

/** The operations as the engine needs them: with ids and full paths. */
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

/** Returns the GET that answers the same as an operation that changes something; undefined if there is none. */
export function readOf(row: ControlRow): ControlRow | undefined {
  return Object.values<ControlRow>(CONTROL_OPERATIONS).find(
    ({ method, path, result }) => method === 'GET' && row.method !== 'GET' && result === row.result && `${row.path}/`.startsWith(`${path}/`),
  );
}

/**
 * Returns the path of what an operation's response represents, and has the ETag of; undefined if a GET answers something else.
 *
 * @param path of the request
 */
export function representedPath(row: ControlRow, path: string): string | undefined {
  const read = readOf(row);
  const further = read && row.path.split('/').length - read.path.split('/').length;
  const segments = normalPath(path).split('/');
  return further === undefined ? undefined : segments.slice(0, segments.length - further).join('/');
}

/** Whether a path is one for deploy tokens. */
export function isForDeployTokens(path: string): boolean {
  return path.startsWith(`${DEPLOY_PREFIX}/`);
}

/** The response is the same for all users. */
export type Unchanged<T> = T extends readonly (infer Element)[]
  ? readonly Unchanged<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

/** A response. */
export type ControlResult<Id extends ControlOperationId> = Unchanged<z.infer<(typeof CONTROL_OPERATIONS)[Id]['result']>>;
