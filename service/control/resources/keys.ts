// An account's API keys.

import * as z from 'zod';
import { MAX_GRACE_DAYS, MAX_KEY_LIFETIME_DAYS } from '../../../core/access/account.ts';
import { changeKey } from '../../../core/access/key-change.ts';
import { type EmailOf, keyView, revokedKeyView, withEmails } from '../../../core/access/key-view.ts';
import { issueKey, revokedKeys, revokeKey, rotateKey, unbanKey } from '../../../core/access/keys.ts';
import { SCOPES } from '../../../core/access/plans.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import type { AccountPorts } from '../context.ts';
import * as example from '../examples.ts';
import { answer, doneOr, type Implementations, isRecent, ok, type ResourceRows, resource } from '../operation.ts';
import { keyId, name, REPORTS_NOTHING, time, userId, wholeNumber } from '../shapes.ts';

const MAX_GRACE_SECONDS = MAX_GRACE_DAYS * 86_400;
const LIFETIME_ALLOWED = `a whole number of days from 1 to ${MAX_KEY_LIFETIME_DAYS}`;
const GRACE_ALLOWED = `a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}`;
const scopes = z.array(z.enum(SCOPES, `one of ${SCOPES.join(', ')}`), `a list of ${SCOPES.join(', ')}`).min(1, 'at least one scope');
const days = wholeNumber(LIFETIME_ALLOWED, 1, MAX_KEY_LIFETIME_DAYS);
/** Rounded, because operators' commands, which run without these schemas, can pass fractions of a day. */
const lifetimeOf = (inDays: number) => Math.round(inDays * DAY_MS);
const keyInput = z
  .strictObject({
    name,
    scopes: scopes.default([...SCOPES]).describe('What the key permits'),
    expiresInDays: days.optional().describe('If omitted, the key does not expire'),
  })
  .meta({ id: 'KeyInput' });
const keyChange = z
  .strictObject({
    name: name.optional(),
    scopes: scopes.optional().describe('What the key permits from now on'),
    expiresInDays: days.nullable().optional().describe('Counted from now; null: the key does not expire'),
    paused: z.boolean('true or false').optional().describe('Whether requests with the key are refused'),
  })
  .refine((change) => Object.keys(change).length > 0, 'at least one of name, scopes, expiresInDays, paused')
  .meta({ id: 'KeyChange', minProperties: 1, description: 'What to change; what is left out stays as it is.' });
const rotationInput = z
  .strictObject({ graceSeconds: wholeNumber(GRACE_ALLOWED, 0, MAX_GRACE_SECONDS).default(86_400).describe('How long the old key keeps working') })
  .meta({ id: 'RotationInput' });
const actorUser = z
  .object({
    userId: userId.nullable().describe('Null: the operator'),
    email: z.string().nullable().describe('Null if users are managed elsewhere, for the operator, and for users who no longer exist'),
  })
  .meta({ id: 'KeyActor', description: 'Who issued or revoked a key.' });
const keyFacts = {
  keyId,
  name: z.string(),
  hint: z.string().nullable().describe('Start and end of its text, such as petstore_live_8sK2…zFw9; null for keys issued before hints were stored'),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: time,
  createdBy: actorUser.nullable().describe('Who issued or rotated it; null for keys issued before this was stored'),
  lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
};
const key = z
  .object({
    ...keyFacts,
    state: z.enum(['active', 'paused', 'banned', 'expired']),
    expiresAt: time.nullable().describe('Null if it does not expire'),
    expiresSoon: z.boolean().describe('Whether it expires within seven days and has no successor'),
    successorId: keyId.nullable().describe('The key that replaces it; null if it has not been rotated'),
    pausedAt: time.nullable().describe('Null if it is not paused'),
    bannedUntil: time.nullable().describe('Null if no ban is in force'),
  })
  .meta({ id: 'Key', description: 'An API key, without its text.' });
const revokedKey = z
  .object({ ...keyFacts, revokedAt: time, revokedBy: actorUser })
  .meta({ id: 'RevokedKey', description: 'What is kept of a revoked API key.' });
const keyText = z.string().meta({ description: 'The key itself; shown only once' });
const issuedKey = key.extend({ key: keyText }).meta({ id: 'IssuedKey', description: 'A new API key.' });
const rotatedKey = issuedKey
  .extend({ oldKeyId: keyId, oldExpiresAt: time.describe('Both keys work until then') })
  .meta({ id: 'RotatedKey', description: "An API key's successor." });

const keyFactsExample = {
  keyId: example.keyId,
  name: 'laptop',
  hint: 'petstore_test_8sK2…0001',
  scopes: ['pets:read', 'pets:write'],
  createdAt: example.monday,
  createdBy: { userId: example.userId, email: 'ana@example.com' },
  lastUsedAt: example.tuesday,
} as const;
const keyExample = {
  ...keyFactsExample,
  state: 'active',
  expiresAt: null,
  expiresSoon: false,
  successorId: null,
  pausedAt: null,
  bannedUntil: null,
} as const;
const newKeyExample = { ...keyExample, lastUsedAt: null } as const;

export const KEY_OPERATIONS = resource('keys', {
  listKeys: {
    route: 'GET /accounts/{accountId}/keys',
    summary: 'API keys, without their texts.',
    description:
      "The account's keys, oldest first, each with its state and last use. Keys that have expired are listed for 90 days. Revoked keys: listRevokedKeys.",
    response: 'The keys.',
    result: z.array(key),
    example: { response: [keyExample] },
  },
  listRevokedKeys: {
    route: 'GET /accounts/{accountId}/revoked-keys',
    summary: 'API keys revoked within the last 90 days, newest first.',
    description: 'For 90 days, who revoked a key, and when. At most 100 keys.',
    response: 'The revoked keys.',
    result: z.array(revokedKey),
    example: { response: [{ ...keyFactsExample, revokedAt: '2026-03-04T08:00:00.000Z', revokedBy: { userId: null, email: null } }] },
  },
  issueKey: {
    route: 'POST /accounts/{accountId}/keys',
    summary: 'Issues an API key; its text is only in this response.',
    description: "The key's text is only in this response: it is not stored. An account that already has 10 keys gets 409.",
    response: 'The new key.',
    needsRecentSignIn: true,
    creates: true,
    body: keyInput,
    result: issuedKey,
    example: {
      body: { name: 'laptop', scopes: ['pets:read', 'pets:write'], expiresInDays: 90 },
      response: { ...newKeyExample, expiresAt: '2026-05-31T09:00:00.000Z', key: 'petstore_test_8sK2mPq4ZtThisOneIsAnExample000000000000000001' },
    },
  },
  rotateKey: {
    route: 'POST /accounts/{accountId}/keys/{keyId}/rotate',
    summary: 'Issues a successor, and ends the key after a grace period.',
    description:
      'Issues a key with the same name and scopes. Both work until the grace period ends. If the old key is banned, the new key inherits the ban.',
    response: 'The new key, and when the old one stops working.',
    needsRecentSignIn: true,
    creates: true,
    body: rotationInput,
    result: rotatedKey,
    example: {
      body: { graceSeconds: 86_400 },
      response: {
        ...newKeyExample,
        keyId: 'key_8sK2mPq4Ztw5Xr7Bn2Vc9M',
        hint: 'petstore_test_8sK2…0002',
        createdAt: example.tuesday,
        key: 'petstore_test_8sK2mPq4ZtThisOneIsAnExample000000000000000002',
        oldKeyId: example.keyId,
        oldExpiresAt: '2026-03-04T10:15:00.000Z',
      },
    },
  },
  changeKey: {
    route: 'PUT /accounts/{accountId}/keys/{keyId}',
    summary: 'Changes the name, the scopes or the expiry of a key, or pauses or resumes it.',
    description:
      'Changes only the properties in the body, starting with the next request with the key. A paused key is refused with 403 `api_key_paused`, and works again within 5 seconds after it is resumed. Adding a scope, extending the expiry and resuming need a sign-in within the last hour; other changes do not. Changing an expired key returns 409, and so does extending the expiry of a key that has been replaced.',
    response: 'The key.',
    needsRecentSignIn: 'sometimes',
    body: keyChange,
    result: key,
    example: { body: { paused: true }, response: { ...keyExample, state: 'paused', pausedAt: example.tuesday } },
  },
  unbanKey: {
    route: 'POST /accounts/{accountId}/keys/{keyId}/unban',
    summary: "Lifts a key's ban; takes effect within a minute. The next ban is still longer.",
    description:
      'Takes effect within a minute. Wait that long before you send requests with the key, or it is banned again, for longer. If the key is not banned, returns 409.',
    response: 'The key.',
    result: key,
    example: { response: keyExample },
  },
  revokeKey: {
    route: 'DELETE /accounts/{accountId}/keys/{keyId}',
    summary: 'Revokes a key at once.',
    description: "The key is refused from now on. This can't be undone.",
    response: 'The key is revoked.',
    ...REPORTS_NOTHING,
  },
} as const satisfies ResourceRows);

/** Implements the operations on keys. */
export function keyHandlers({ accounts, keyMode, randomBytes, directory }: AccountPorts): Implementations<typeof KEY_OPERATIONS> {
  const shown = <T>(view: (emailOf: EmailOf) => T) => withEmails(directory, view);
  return {
    listKeys: async ({ account, now }) => {
      const keys = await accounts.listKeys(account.id);
      return ok(await shown((emailOf) => keys.map((record) => keyView(record, now, emailOf))));
    },

    listRevokedKeys: async ({ account, now }) => {
      const keys = await revokedKeys(accounts, account.id, now);
      return ok(await shown((emailOf) => keys.map((key) => revokedKeyView(key, emailOf))));
    },

    issueKey: async ({ account, body: { name, scopes, expiresInDays }, caller, now }) => {
      const expiresAt = expiresInDays === undefined ? undefined : now + lifetimeOf(expiresInDays);
      const issued = await issueKey(accounts, randomBytes, { mode: keyMode, accountId: account.id, name, scopes, by: caller.id, expiresAt, now });
      return answer(issued, async ({ record, key }) => ({ ...(await shown((emailOf) => keyView(record, now, emailOf))), key }));
    },

    rotateKey: async ({ keyId, body, caller, now }) => {
      const request = { mode: keyMode, keyId, graceMs: body.graceSeconds * 1_000, by: caller.id, now };
      return answer(await rotateKey(accounts, randomBytes, request), async ({ record, key, oldExpiresAt }) => ({
        ...(await shown((emailOf) => keyView(record, now, emailOf))),
        key,
        oldKeyId: keyId,
        oldExpiresAt: new Date(oldExpiresAt).toISOString(),
      }));
    },

    changeKey: async ({ keyId, body: { expiresInDays: days, ...change }, caller, now }) => {
      const lifetimeMs = typeof days === 'number' ? lifetimeOf(days) : days;
      const changed = await changeKey(accounts, keyId, { ...change, lifetimeMs }, { mayExtend: isRecent(caller, now), now });
      return answer(changed, ({ key }) => shown((emailOf) => keyView(key, now, emailOf)));
    },

    unbanKey: async ({ keyId, now }) => answer(await unbanKey(accounts, keyId, now), ({ key }) => shown((emailOf) => keyView(key, now, emailOf))),

    revokeKey: async ({ keyId, caller, now }) => doneOr(await revokeKey(accounts, keyId, { at: now, by: caller.id })),
  };
}
