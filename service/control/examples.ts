// Examples in the control API's OpenAPI document: shared examples, and error messages.

import { secondFactorMessage, suspendedMessage } from '../../core/access/account.ts';
import type { ControlErrorCode } from './errors.ts';
import { OWNERS_ONLY, SIGN_IN_AGAIN } from './operation.ts';

export const PATH_EXAMPLES = {
  accountId: 'acc_8sK2mPq4Zt',
  userId: 'usr_Jd83hsPq0aXw6TfN',
  keyId: 'key_8sK2mPq4ZtfL0aPz81YcQe',
  projectId: 'prj_x7Rb2Lq9Vd',
  deploymentId: 'dpl_h4Tz9Gm1Sf',
  tokenId: 'tok_x7Rb2Lq9VdQe81YcPaz0Wk',
  domainId: 'dom_p3Wn5Yc8Ke',
  invitationId: 'inv_8sK2mPq4ZtR4tY6uI8oP0a',
} as const satisfies Readonly<Record<string, string>>;

export const { accountId, userId, keyId, projectId, deploymentId, domainId, tokenId, invitationId } = PATH_EXAMPLES;
export const earlier = 'dpl_B6vN0kXr3J';
export const [host, apex, target] = ['www.my-shop.test', 'my-shop.test', 'k7mzq2v8r4xw5tnb.edge.petstore.test'];
export const [monday, tuesday] = ['2026-03-02T09:00:00.000Z', '2026-03-03T10:15:00.000Z'];

export const account = {
  accountId,
  name: 'My shop',
  plan: 'pro',
  limits: { perMinute: 300, perDay: 10_000 },
  role: 'owner',
  planRequest: null,
  suspension: null,
  secondFactorRequired: false,
  createdAt: monday,
} as const;

export const project = { projectId, accountId, name: 'Shop', target, url: `https://${target}/`, deploymentId, createdAt: monday };

export const signIns = [
  { at: tuesday, outcome: 'failed', method: 'password', agent: 'Chrome on Linux', address: '203.0.113.9', count: 4 },
  { at: monday, outcome: 'succeeded', method: 'passkey', agent: 'Firefox on Windows', address: '198.51.100.7', count: 1 },
] as const;

export const QUERY_EXAMPLES: Readonly<Record<string, unknown>> = {
  limit: 20,
  cursor: 'mibx8zo0.prj_4Hq0Zt8wY2',
  after: '200',
  name: host,
  type: 'CNAME',
  value: target,
};

export const CONTROL_ERROR_EXAMPLES: Readonly<Record<ControlErrorCode, string>> = {
  invalid_request: 'name: got nothing; allowed: a string',
  unauthorized: 'sign in first',
  insufficient_user_authentication: SIGN_IN_AGAIN.message,
  forbidden: OWNERS_ONLY.message,
  account_suspended: `${suspendedMessage(accountId, { since: Date.UTC(2026, 10, 2), reason: 'unpaid since May' })}; until it is resumed, you can only view and delete`,
  second_factor_required: secondFactorMessage(accountId),
  not_found: `no project "${projectId}" among yours`,
  method_not_allowed: 'not allowed here; allowed: GET, POST',
  request_timeout: 'the request did not arrive within 10 s',
  conflict: 'the account already has 10 keys, the maximum; revoke one first',
  idempotency_in_progress: 'a request with this Idempotency-Key is in progress; retry in 1 s',
  precondition_failed: 'If-Match: got "mX3v9kQ2", but the ETag is "Zq81LsPd" now; read the resource again, and repeat your change',
  payload_too_large: 'body: larger than allowed; allowed: at most 65536 bytes',
  unsupported_media_type: 'content-type: got "text/plain"; allowed: application/json, in UTF-8',
  idempotency_key_reused: 'this Idempotency-Key was used for a different request within the last 24 hours; use a new key for a new request',
  rate_limit_exceeded: 'this user has sent more than 600 requests in this UTC minute; retry in 23 s',
  headers_too_large: 'request line and headers: too large or too many; allowed: at most 16384 bytes and fewer than 1000 lines',
  internal_error: 'a fault in the service',
  unavailable: 'storage does not answer; try again',
};
