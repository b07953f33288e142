// Turns the result of a control API operation into a response: validates the input, repeats the response to an earlier request with the same
// Idempotency-Key, and adds headers to refusals.

import { secondFactorRefusal, suspensionRefusal } from '../../core/access/account.ts';
import { includesRole } from '../../core/access/plans.ts';
import type { Actor } from '../../core/audit/entry.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { type ActionRefusal, type ActionResult, refused } from '../../core/refusal.ts';
import { joinFaults } from '../../core/text.ts';
import { validate } from '../../core/validate.ts';
import { actingAs } from '../audit/acting.ts';
import { type Handler, jsonResponse, type Response, refuse } from '../http/call.ts';
import { parseIdempotencyKey } from '../http/input.ts';
import { entityTag, isConditional, preconditionRefusal } from '../http/reading.ts';
import type { Caller, ControlPorts, OperationInput, OwnedLookups, Owner, Precondition } from './context.ts';
import {
  type ControlRow,
  type ControlRows,
  type Implementations,
  isRefusedBySuspension,
  needsSignIn,
  OPERATORS_ONLY,
  OPERATORS_WITH_SECOND_FACTOR,
  type Outcome,
  OWNERS_ONLY,
  SIGN_IN_AGAIN,
} from './operation.ts';
import { type ControlOperation, readOf, representedPath } from './operations.ts';
import { handleOnce, type Repeated } from './sealed-answers.ts';

export type ControlHandler = Handler<ControlOperation, Caller>;

/** An implementation, called with validated input and the resources that its path names. */
type Found = (asked: OperationInput & Owner & { readonly keyId?: string; readonly domain?: Domain }) => Promise<Outcome<unknown>>;

const NOBODY: Caller = { id: '', email: undefined };
const REPEAT_MESSAGES = {
  idempotency_in_progress: 'a request with this Idempotency-Key is in progress; retry in 1 s',
  idempotency_key_reused: 'this Idempotency-Key was used for a different request within the last 24 hours; use a new key for a new request',
} as const;

/** Turns a resource's implementations into handlers. */
export type HandlersOf = <Rows extends ControlRows>(rows: Rows, does: Implementations<Rows>) => { readonly [Id in keyof Rows]: ControlHandler };

/** Creates the function that turns a resource's implementations into handlers. */
export function createHandlers(
  { accounts, answers, operators, knowsSecondFactors, seesClients = true }: ControlPorts,
  owned: OwnedLookups,
): HandlersOf {
  /** Looks up the path's account or project. What belongs to others is reported as not found, whatever else is wrong with the request. */
  async function ownerOf(
    { operator = false }: ControlRow,
    { caller, parameters: { accountId, projectId } }: OperationInput,
  ): Promise<ActionResult<Owner>> {
    // A refused caller must not learn whether the account exists.
    if (operator) return accountId === undefined || operatorRefusal(caller) !== undefined ? { ok: true } : owned.customer(accountId);
    if (accountId !== undefined) return owned.account(caller, accountId);
    return projectId === undefined ? { ok: true } : owned.project(caller, projectId);
  }

  /** Returns the refusal if the user is not an operator, or lacks a second factor, which is required because operators' sign-ins are so valuable. */
  function operatorRefusal({ id, hasSecondFactor = false }: Caller): ActionRefusal | undefined {
    if (!operators.includes(id)) return OPERATORS_ONLY;
    return knowsSecondFactors && !hasSecondFactor ? OPERATORS_WITH_SECOND_FACTOR : undefined;
  }

  /** Returns the refusal if the caller's role does not permit the operation. */
  function refusalByRole(row: ControlRow, { caller, parameters }: OperationInput, { role: held }: Owner) {
    const { role = 'member', orSelf = false, operator = false } = row;
    if (operator) return operatorRefusal(caller);
    if (held === undefined || includesRole(held, role) || (orSelf && parameters.userId === caller.id)) return undefined;
    return OWNERS_ONLY;
  }

  /** Refuses callers who lack the role or the second factor (tokens don't need one). For a suspended account, allows only viewing and deleting. */
  async function refusalByAccount(row: ControlRow, asked: OperationInput, owner: Owner): Promise<ActionRefusal | undefined> {
    const { hasSecondFactor = false, deploysTo } = asked.caller;
    const lacksFactor = knowsSecondFactors && row.operator !== true && !hasSecondFactor && deploysTo === undefined;
    const canBeSuspended = isRefusedBySuspension(row);
    const { account, project } = owner;
    const found = lacksFactor || canBeSuspended ? (account ?? (project && (await accounts.getAccount(project.accountId)))) : undefined;
    const factor = found && lacksFactor ? secondFactorRefusal(found) : undefined;
    const suspension = found && canBeSuspended ? suspensionRefusal(found) : undefined;
    const readOnly = suspension && { ...suspension, message: `${suspension.message}; until it is resumed, you can only view and delete` };
    return factor ?? refusalByRole(row, asked, owner) ?? readOnly;
  }

  /** The implementations of GET operations, by path. */
  const reads = new Map<string, Found>();

  /** Checks the condition against the response to a GET. If the GET is refused, the operation itself decides. */
  async function refusalByCondition(row: ControlRow, asked: Parameters<Found>[0]): Promise<ActionRefusal | undefined> {
    const read = await reads.get((readOf(row) ?? row).path)?.(asked);
    return read?.ok === false ? undefined : asked.precondition?.(read?.value);
  }

  return (rows, implementations) => {
    const handlers = Object.entries<ControlRow>(rows).map(([id, row]) => {
      // The implementation gets what `ownerOf` and `below` have found: everything that the path names.
      const does = implementations[id] as unknown as Found;
      const query = row.query?.safeParse({}).data;
      if (row.method === 'GET') reads.set(row.path, (asked) => does({ ...asked, body: undefined, query }));
      return [id, handlerOf(row, does)] as const;
    });
    return Object.fromEntries(handlers) as { readonly [Id in keyof typeof rows]: ControlHandler };
  };

  function handlerOf(row: ControlRow, does: Found): ControlHandler {
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
      const owner = await ownerOf(row, asked);
      const outcomeOf = async (): Promise<Outcome<unknown>> => {
        const named = owner.ok ? await owned.below(owner, parameters) : owner;
        if (!named.ok) return named;
        const found = { ...asked, ...owner, ...named };
        return (
          (precondition && (await refusalByCondition(row, found))) ?? (await actingAs(actorOf(row, event, caller, seesClients), () => does(found)))
        );
      };
      const handle = async (): Promise<string | undefined> => {
        const outcome = await outcomeOf();
        if (outcome.ok) {
          if (outcome.next !== undefined) link = { link: nextLink(event, outcome.next) };
          return JSON.stringify(outcome.value);
        }
        refusal = outcome;
        return undefined;
      };
      const forbidden = owner.ok ? await refusalByAccount(row, asked, owner) : undefined;
      if (forbidden !== undefined) return refusalOf(call, forbidden);
      if (owner.ok && needsSignIn(row, asked)) return refuse(call, SIGN_IN_AGAIN);
      const key = row.creates === true ? parseIdempotencyKey(event.headers['idempotency-key']) : NO_KEY;
      if (!key.ok) return refuse(call, { code: 'invalid_request', message: key.message });
      // A stored response may only be read by a user who may still make the request.
      const done =
        key.value !== undefined && owner.ok
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

const NO_KEY = { ok: true, value: undefined } as const;
const RETRY = { idempotency_in_progress: { 'retry-after': '1' }, idempotency_key_reused: {} } as const;

/** Returns the actor, for the audit log. */
function actorOf(row: ControlRow, { requestContext, call }: Parameters<ControlHandler>[0], { id, deploysTo }: Caller, seesClients: boolean): Actor {
  const from = { address: seesClients ? requestContext.http.sourceIp : undefined, requestId: call.requestId };
  if (row.operator === true) return { kind: 'operator', id, ...from };
  return id === '' ? { kind: 'visitor', ...from } : { kind: deploysTo === undefined ? 'user' : 'deploy_token', id, ...from };
}

function answered(body: string | undefined): Repeated | undefined {
  return body === undefined ? undefined : { kind: 'answer', body, replayed: false };
}

/** Returns a link to the next page (RFC 8288). It is relative, because behind CloudFront the request has a different host. */
function nextLink({ rawPath, queryStringParameters = {} }: Parameters<ControlHandler>[0], cursor: string): string {
  return `<${rawPath}?${new URLSearchParams({ ...queryStringParameters, cursor })}>; rel="next"`;
}

function contentOf({ requestContext, rawPath }: Parameters<ControlHandler>[0], body: unknown): string {
  return JSON.stringify([requestContext.http.method, rawPath, body]);
}

/** Validates the body and the query, and reports all faults in both together. */
function inputOf(row: ControlRow, body: unknown, query: object) {
  const parsed = row.body === undefined ? NO_INPUT : validate(row.body, 'body', body);
  const asked = row.query === undefined ? NO_INPUT : validate(row.query, 'query parameter', query);
  if (parsed.ok && asked.ok) return { ok: true as const, value: { body: parsed.value, query: asked.value } };
  return { ok: false as const, message: joinFaults([parsed, asked].flatMap((each) => (each.ok ? [] : [each.message]))) };
}

const NO_INPUT = { ok: true, value: undefined } as const;

function refusalOf(call: Parameters<ControlHandler>[0]['call'], refusal: ActionRefusal | undefined): Response {
  if (refusal?.code === SIGN_IN_AGAIN.code) return refuse(call, SIGN_IN_AGAIN);
  const { code, message, retryAfterSeconds, quota } = refusal ?? { code: 'unavailable' as const, message: 'nothing was changed; try again' };
  const headers: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const response = refuse(call, { code, message, headers });
  if (quota !== undefined) call.quota = quota;
  return response;
}
