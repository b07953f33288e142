// The shape of a control API operation: its row in the table, and its implementation.

import type * as z from 'zod';
import type { Role } from '../../core/access/plans.ts';
import { RECENT_SIGN_IN_SECONDS } from '../../core/identity/sign-in-settings.ts';
import type { Page } from '../../core/page.ts';
import type { Awaitable } from '../../core/ports.ts';
import { type ActionRefusal, type ActionResult, refused } from '../../core/refusal.ts';
import type { HttpMethod } from '../http/router.ts';
import type { NamedIn, OperationInput, ParameterOf } from './context.ts';
import type { ControlErrorCode } from './errors.ts';

export const CONTROL_PREFIX = '/dashboard/v1';
/** The prefix for operations that accept a deploy token. The layer in front of the API checks users' tokens, but lets these requests pass. */
export const DEPLOY_PREFIX = '/deploy/v1';

export const CONTROL_TAGS = {
  user: 'The signed-in user.',
  accounts: 'Accounts, their members, and their quota usage.',
  keys: 'API keys of the catalogue API.',
  projects: 'Projects, their deployments and their configuration.',
  domains: 'Custom domains of projects.',
  sandbox: 'The DNS for trying out domains, if the platform has a sandbox.',
  operator: 'The whole installation, for those who operate it.',
  meta: 'About this API.',
} as const;

/** An operation in the table, by its id. The OpenAPI document is generated from it, including the schemas that validate inputs. */
export interface ControlRow {
  readonly method: HttpMethod;
  /** The path below the prefix, with parameters in braces. */
  readonly path: string;
  readonly tag: keyof typeof CONTROL_TAGS;
  readonly summary: string;
  readonly description: string;
  /** Description of the response. */
  readonly response: string;
  /** Errors in addition to those implied by the other properties. @default none */
  readonly errors?: readonly ControlErrorCode[];
  /** @default none */
  readonly body?: z.ZodType;
  /** @default MAX_BODY_BYTES */
  readonly maxBodyBytes?: number;
  /** @default none */
  readonly query?: z.ZodObject;
  readonly status: 200 | 201;
  readonly result: z.ZodType;
  /** A test checks that it matches the schemas. */
  readonly example: { readonly body?: unknown; readonly response: unknown };
  /** Whether the operation works without a signed-in user. @default false */
  readonly open?: boolean;
  /** Whether only an operator of the installation may request it. The resources in its path may be anyone's. @default false */
  readonly operator?: boolean;
  /** The role that the user needs in the path's account, or in the account that owns the path's resource. @default member */
  readonly role?: Role;
  /** Whether members may request it for themselves, if the path names them as `userId`. @default false */
  readonly orSelf?: boolean;
  /**
   * Whether the user must have signed in within the last hour, because an unlocked computer may be used by others. An object: only if the body has
   * these values. `sometimes`: only if the operation decides so (`isRecent`). @default false
   */
  readonly needsRecentSignIn?: true | 'sometimes' | Readonly<Record<string, unknown>>;
  /** Whether it may be called with a deploy token, for the token's project, below DEPLOY_PREFIX. @default false */
  readonly deploys?: boolean;
  /** Whether the result is a list in pages: `query` is `pageQuery`, and the `Link` header points to the next page. @default false */
  readonly paged?: boolean;
  /** Whether the operation creates something and is safe to repeat with an Idempotency-Key. @default false */
  readonly creates?: boolean;
}

/** A row of a resource's table. Operations that create something respond with 201, all others with 200. */
type ResourceRow = Omit<ControlRow, 'method' | 'path' | 'tag' | 'status'> & { readonly route: `${HttpMethod} /${string}` };

export type ResourceRows = Readonly<Record<string, ResourceRow>>;

type Completed<Row extends ResourceRow, Tag> = Row['route'] extends `${infer Method extends HttpMethod} ${infer Path}`
  ? Omit<Row, 'route'> & {
      readonly method: Method;
      readonly path: Path;
      readonly tag: Tag;
      readonly status: Row extends { readonly creates: true } ? 201 : 200;
    }
  : never;

/** Completes the table of a resource's operations, which all have its tag. */
export function resource<Tag extends keyof typeof CONTROL_TAGS, Rows extends ResourceRows>(
  tag: Tag,
  rows: Rows,
): { readonly [Id in keyof Rows]: Completed<Rows[Id], Tag> } {
  const completed = Object.entries(rows).map(([id, { route, ...row }]) => {
    const [method, path] = route.split(' ');
    return [id, { ...row, method, path, tag, status: row.creates === true ? 201 : 200 }];
  });
  return Object.fromEntries(completed);
}

export type ControlRows = Readonly<Record<string, ControlRow>>;

/** Whether the operation is refused while its path's account, or the account that owns its path's resource, is suspended. */
export function isRefusedBySuspension({ method, path, operator = false }: Pick<ControlRow, 'method' | 'path' | 'operator'>): boolean {
  return method !== 'GET' && method !== 'DELETE' && path.includes('{') && !operator;
}

/** `next`: the cursor of the next page, if the operation is `paged`. */
export type Outcome<T> = { readonly ok: true; readonly value: T; readonly next?: string | undefined } | ActionRefusal;

/** Builds the outcome of a success; the response has the row's status. */
export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });

/** Returns a view of an action's result, or its refusal. */
export async function answer<T, View>(result: ActionResult<T>, view: (done: T) => Awaitable<View>): Promise<Outcome<View>> {
  return result.ok ? ok(await view(result)) : result;
}

/** The outcome of an operation that has nothing to report. */
export const DONE = ok({ done: true } as const);

/** Returns DONE, or an action's refusal. */
export function doneOr(result: ActionResult<object>): typeof DONE {
  return result.ok ? DONE : result;
}

/** Returns a page of a list. @param view returns the view of an item */
export function okPage<T, View>({ items, next }: Page<T>, view: (item: T) => View): Outcome<readonly View[]> {
  return { ok: true, value: items.map(view), next };
}

export const OWNERS_ONLY = refused('forbidden', 'only an owner of the account may do this; listMembers shows the owners');

export const OPERATORS_ONLY = refused('forbidden', 'only an operator of this installation may do this; its settings name them');

/** The refusal for operators who have signed in without a second factor, if the installation has second factors. */
export const OPERATORS_WITH_SECOND_FACTOR = refused(
  'second_factor_required',
  'operators must sign in with a second factor; set one up under "Sign-in and security" in the dashboard, then sign in again with it',
);

/** The refusal for users whose sign-in is too old (RFC 9470, section 3). */
export const SIGN_IN_AGAIN = {
  code: 'insufficient_user_authentication',
  message: 'this needs a sign-in within the last hour, and yours is older; sign in again',
  headers: { 'www-authenticate': `Bearer error="insufficient_user_authentication", max_age=${RECENT_SIGN_IN_SECONDS}` },
} as const;

/** Whether a user has signed in within the last hour. @param now milliseconds since 1970 */
export function isRecent({ signedInAt = 0 }: OperationInput['caller'], now: number): boolean {
  return now - signedInAt <= RECENT_SIGN_IN_SECONDS * 1_000;
}

/** Whether a request requires its user to sign in again. @param now milliseconds since 1970 */
export function needsSignIn({ needsRecentSignIn }: ControlRow, { caller, body, now }: Pick<OperationInput, 'caller' | 'body' | 'now'>) {
  if (needsRecentSignIn === undefined || needsRecentSignIn === 'sometimes' || isRecent(caller, now)) return false;
  return needsRecentSignIn === true || Object.entries(needsRecentSignIn).every(([name, value]) => Reflect.get(Object(body), name) === value);
}

/** A response, readonly throughout. */
export type Unchanged<T> = T extends readonly (infer Element)[]
  ? readonly Unchanged<Element>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

type BodyOf<Row> = Row extends { readonly body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
type QueryOf<Row> = Row extends { readonly query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;

/** An operation's implementation, typed by its path, and by the shapes of its input and output. The resources that its path names have been looked up. */
export type Implementation<Row extends ControlRow> = (
  asked: OperationInput<BodyOf<Row>, QueryOf<Row>, Readonly<Record<ParameterOf<Row['path']>, string>>> & NamedIn<Row['path']>,
) => Promise<Outcome<Unchanged<z.output<Row['result']>>>>;

/** The implementations of a resource's operations. */
export type Implementations<Rows extends ControlRows> = { readonly [Id in keyof Rows]: Implementation<Rows[Id]> };
