// The shape of a row in the table of the control API's operations.

import type * as z from 'zod';
import type { Role } from '../../../core/access/permissions.ts';
import type { HttpMethod } from '../../http/router.ts';

/** An operation in the table, by its id. */
export interface ControlRow {
  readonly method: HttpMethod;
  /** Below the prefix; parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** @default none */
  readonly body?: z.ZodType;
  /** @default MAX_BODY_BYTES */
  readonly maxBodyBytes?: number;
  /** @default none */
  readonly query?: z.ZodObject;
  readonly status: 200 | 201;
  readonly result: z.ZodType;
  /** Whether the operation works without a signed-in user. @default false */
  readonly open?: boolean;
  /** The role that the user needs in the account that the path names, or that owns what the path names. @default member */
  readonly role?: Role;
  /** Whether members may request it for themselves, if the path names them as `userId`. @default false */
  readonly orSelf?: boolean;
  /** Whether a deploy token may request it, for its own project, below DEPLOY_PREFIX. @default false */
  readonly deploys?: boolean;
  /** Whether the result is a list in pages: `query` is `pageQuery`, and the header `Link` names the next page. @default false */
  readonly paged?: boolean;
  /** Whether the operation creates something and is safe to repeat with an Idempotency-Key. @default false */
  readonly creates?: boolean;
}

/** Whether the operation is refused while the account that its path names, or that owns what its path names, is suspended. */
export function isRefusedBySuspension({ method, path }: Pick<ControlRow, 'method' | 'path'>): boolean {
  return method !== 'GET' && method !== 'DELETE' && path.includes('{');
}
