// Turns the result of a control API operation into a response: validates the input, repeats the response to an earlier request with the same
// Idempotency-Key, and adds headers to refusals.

import type * as z from 'zod';
import { suspensionRefusal } from '../../core/access/account.ts';
import { includesRole } from '../../core/access/permissions.ts';
import type { Actor } from '../../core/audit/entry.ts';
import { joinFaults } from '../../core/fault-list.ts';
import type { Page } from '../../core/page.ts';
import { type ActionRefusal, refused } from '../../core/refusal.ts';
import { validate } from '../../core/validate.ts';
import { actingAs } from '../audit/acting.ts';
import { type Handler, jsonResponse, type Response, refuse } from '../http/call.ts';
import { parseIdempotencyKey } from '../http/input.ts';
import { entityTag, isConditional, preconditionRefusal } from '../http/reading.ts';
import type { Caller, ControlPorts, OperationInput, OwnedLookups, Precondition } from './context.ts';
import { type ControlOperation, readOf, representedPath, type Unchanged } from './operations.ts';
import { type ControlRow, isRefusedBySuspension } from './rows/row.ts';
import { handleOnce, type Repeated } from './sealed-answers.ts';

/** `next`: the cursor of the next page, of an operation that is `paged`. */
export type Outcome<T> = { readonly ok: true; readonly value: T; readonly next?: string | undefined } | ActionRefusal;

/** Answers with status 200. */
export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });

/** Answers with a page of a list. @param view of an item */
export function okPage<T, View>({ items, next }: Page<T>, view: (item: T) => View): Outcome<readonly View[]> {
  return { ok: true, value: items.map(view), next };
}

export type ControlHandler = Handler<ControlOperation, Caller>;

type BodyOf<Row> = Row extends { readonly body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
type QueryOf<Row> = Row extends { readonly query: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;

/** An operation's implementation, typed by the input and output shapes of its row in the table. */
export type Implementation<Row extends ControlRow> = (
  asked: OperationInput<BodyOf<Row>, QueryOf<Row>>,
) => Promise<Outcome<Unchanged<z.output<Row['result']>>>>;

const NOBODY: Caller = { id: '', email: undefined };
const REPEAT_MESSAGES = {
  idempotency_in_progress: 'a request with this Idempotency-Key is in progress; retry in 1 s',
  idempotency_key_reused: 'this Idempotency-Key was used for a different request within the last 24 hours; use a new key for a new request',
} as const;

export type Answerer = <Row extends ControlRow>(row: Row, does: Implementation<Row>) => ControlHandler;

/** Creates the wrapper that makes a handler from an operation's implementation. */
export function createAnswerer({ answers }: ControlPorts, { roleFor, accountFor }: OwnedLookups): Answerer {
  /** A suspended account can be read, and taken apart. What belongs to others is left to the operation, which does not find it. */
  async function refusalBySuspension(row: ControlRow, asked: OperationInput): Promise<ActionRefusal | undefined> {
    if (!isRefusedBySuspension(row)) return undefined;
    const account = await accountFor(asked);
    const refusal = account && suspensionRefusal(account);
    if (refusal === undefined || (await roleFor(asked)) === undefined) return undefined;
    return { ...refusal, message: `${refusal.message}; until then, you can only look and remove` };
  }

  /** Members may not do everything. What belongs to others is left to the operation, which does not find it. */
  async function refusalByRole({ role = 'member', orSelf = false }: ControlRow, asked: OperationInput): Promise<ActionRefusal | undefined> {
    if (role === 'member' || (orSelf && asked.parameters.userId === asked.caller.id)) return undefined;
    const held = await roleFor(asked);
    return held === undefined || includesRole(held, role) ? undefined : OWNERS_ONLY;
  }

  /** What a GET answers, by path. */
  const reads = new Map<string, (asked: OperationInput) => Promise<Outcome<unknown>>>();

  /** Checks the condition against what a GET answers. What does not exist, or is not the caller's, is left to the operation. */
  async function refusalByCondition(row: ControlRow, asked: OperationInput): Promise<ActionRefusal | undefined> {
    const get = reads.get((readOf(row) ?? row).path);
    if (get === undefined && row.path.includes('{') && (await roleFor(asked)) === undefined) return undefined;
    const read = await get?.(asked);
    return read?.ok === false ? undefined : asked.precondition?.(read?.value);
  }

  return (row, does) => {
    if (row.method === 'GET') {
      const query = row.query?.safeParse({}).data as QueryOf<typeof row>;
      reads.set(row.path, (asked) => does({ ...asked, body: undefined as BodyOf<typeof row>, query }));
    }
    return handlerOf(row, does);
  };

  function handlerOf<Row extends ControlRow>(row: Row, does: Implementation<Row>): ControlHandler {
    return async (event) => {
      const { call } = event;
      const input = inputOf(row, call.body, event.queryStringParameters ?? {});
      if (!input.ok) return refuse(call, { code: 'invalid_request', message: input.message });
      const parameters = call.route.kind === 'operation' ? call.route.parameters : {};
      const caller = call.caller ?? NOBODY;
      const precondition = isConditional(event.headers) && row.method !== 'GET' ? preconditionOf(event.headers) : undefined;
      const asked = { caller, parameters, ...input.value, now: call.now, precondition };
      let refusal: ActionRefusal | undefined;
      let link: Record<string, string> = {};
      const handle = async (): Promise<string | undefined> => {
        const outcome = (precondition && (await refusalByCondition(row, asked))) ?? (await actingAs(actorOf(event, caller), () => does(asked)));
        if (outcome.ok) {
          if (outcome.next !== undefined) link = { link: nextLink(event, outcome.next) };
          return JSON.stringify(outcome.value);
        }
        refusal = outcome;
        return undefined;
      };
      const forbidden = (await refusalByRole(row, asked)) ?? (await refusalBySuspension(row, asked));
      if (forbidden !== undefined) return refusalOf(call, forbidden);
      const key = row.creates === true ? parseIdempotencyKey(event.headers['idempotency-key']) : NO_KEY;
      if (!key.ok) return refuse(call, { code: 'invalid_request', message: key.message });
      // A stored response may only be read by a user who may still make the request.
      const isRepeatable = key.value !== undefined && (!row.path.includes('{') || (await roleFor(asked)) !== undefined);
      const done = isRepeatable
        ? await handleOnce(answers, { userId: caller.id, idempotencyKey: key.value, content: contentOf(event, input.value.body) }, call.now, handle)
        : answered(await handle());
      if (done?.kind === 'refused') return refuse(call, { code: done.code, message: REPEAT_MESSAGES[done.code], headers: RETRY[done.code] });
      if (done === undefined) return refusalOf(call, refusal);
      const headers: Record<string, string> = done.replayed ? { 'idempotent-replayed': 'true' } : link;
      const represented = representedPath(row, event.rawPath);
      if (represented !== undefined) Object.assign(headers, { etag: entityTag(done.body), 'content-location': represented });
      return jsonResponse(row.status, done.body, headers);
    };
  }
}

function preconditionOf(headers: Parameters<ControlHandler>[0]['headers']): Precondition {
  return (view) => {
    const refusal = preconditionRefusal(headers, view === undefined ? undefined : JSON.stringify(view));
    return refusal && refused('precondition_failed', refusal.message);
  };
}

/** The refusal for members who are not owners. */
export const OWNERS_ONLY = refused('forbidden', 'only an owner of the account may do this; listMembers shows who is one');

const NO_KEY = { ok: true, value: undefined } as const;
const RETRY = { idempotency_in_progress: { 'retry-after': '1' }, idempotency_key_reused: {} } as const;

/** Who acts, for the audit log. */
function actorOf({ requestContext, call }: Parameters<ControlHandler>[0], { id, deploysTo }: Caller): Actor {
  const from = { address: requestContext.http.sourceIp, requestId: call.requestId };
  return id === '' ? { kind: 'visitor', ...from } : { kind: deploysTo === undefined ? 'user' : 'deploy_token', id, ...from };
}

function answered(body: string | undefined): Repeated | undefined {
  return body === undefined ? undefined : { kind: 'answer', body, replayed: false };
}

/** RFC 8288. Relative, because behind CloudFront the request has another host. */
function nextLink({ rawPath, queryStringParameters = {} }: Parameters<ControlHandler>[0], cursor: string): string {
  return `<${rawPath}?${new URLSearchParams({ ...queryStringParameters, cursor })}>; rel="next"`;
}

function contentOf({ requestContext, rawPath }: Parameters<ControlHandler>[0], body: unknown): string {
  return JSON.stringify([requestContext.http.method, rawPath, body]);
}

/** Validates the body and query, and reports all faults in both together. */
function inputOf<Row extends ControlRow>(row: Row, body: unknown, query: object) {
  const parsed = row.body === undefined ? NO_INPUT : validate(row.body, 'body', body);
  const asked = row.query === undefined ? NO_INPUT : validate(row.query, 'query parameter', query);
  if (parsed.ok && asked.ok) return { ok: true as const, value: { body: parsed.value as BodyOf<Row>, query: asked.value as QueryOf<Row> } };
  return { ok: false as const, message: joinFaults([parsed, asked].flatMap((each) => (each.ok ? [] : [each.message]))) };
}

const NO_INPUT = { ok: true, value: undefined } as const;

function refusalOf(call: Parameters<ControlHandler>[0]['call'], refusal: ActionRefusal | undefined): Response {
  const { code, message, retryAfterSeconds, quota } = refusal ?? { code: 'unavailable' as const, message: 'nothing was changed; try again' };
  const headers: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const response = refuse(call, { code, message, headers });
  if (quota !== undefined) call.quota = quota;
  return response;
}
