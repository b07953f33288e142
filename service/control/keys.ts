// An account's API keys.

import { type EmailOf, keyView, revokedKeyView } from '../../core/access/key-view.ts';
import { issueKey, revokedKeys, revokeKey, rotateKey, unbanKey } from '../../core/access/keys.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { type Answerer, ok } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';

/** The handlers for API keys. */
export function keyHandlers(answer: Answerer, { accounts, keyMode, randomBytes, directory }: ControlPorts, owned: OwnedLookups) {
  const emailOf: EmailOf = (userId) => directory.emailOf(userId);
  return {
    listKeys: answer(CONTROL_OPERATIONS.listKeys, async (asked) => {
      const found = await owned.account(asked);
      return found.ok ? ok((await accounts.listKeys(found.account.id)).map((record) => keyView(record, asked.now, emailOf))) : found;
    }),

    listRevokedKeys: answer(CONTROL_OPERATIONS.listRevokedKeys, async (asked) => {
      const found = await owned.account(asked);
      return found.ok ? ok((await revokedKeys(accounts, found.account.id, asked.now)).map((key) => revokedKeyView(key, emailOf))) : found;
    }),

    issueKey: answer(CONTROL_OPERATIONS.issueKey, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { body, caller, now } = asked;
      const expiresAt = body.expiresInDays === undefined ? undefined : now + body.expiresInDays * DAY_MS;
      const request = { mode: keyMode, accountId: found.account.id, name: body.name, scopes: body.scopes, by: caller.id, expiresAt, now };
      const issued = await issueKey(accounts, randomBytes, request);
      return issued.ok ? ok({ ...keyView(issued.record, now, emailOf), key: issued.key }) : issued;
    }),

    rotateKey: answer(CONTROL_OPERATIONS.rotateKey, async (asked) => {
      const found = await owned.key(asked);
      if (!found.ok) return found;
      const { keyId } = found;
      const request = { mode: keyMode, keyId, graceMs: asked.body.graceSeconds * 1_000, by: asked.caller.id, now: asked.now };
      const rotated = await rotateKey(accounts, randomBytes, request);
      if (!rotated.ok) return rotated;
      const { record, key, oldExpiresAt } = rotated;
      return ok({ ...keyView(record, asked.now, emailOf), key, oldKeyId: keyId, oldExpiresAt: new Date(oldExpiresAt).toISOString() });
    }),

    unbanKey: answer(CONTROL_OPERATIONS.unbanKey, async (asked) => {
      const found = await owned.key(asked);
      if (!found.ok) return found;
      const unbanned = await unbanKey(accounts, found.keyId, asked.now);
      return unbanned.ok ? ok(keyView(unbanned.key, asked.now, emailOf)) : unbanned;
    }),

    revokeKey: answer(CONTROL_OPERATIONS.revokeKey, async (asked) => {
      const found = await owned.key(asked);
      if (!found.ok) return found;
      const revoked = await revokeKey(accounts, found.keyId, { at: asked.now, by: asked.caller.id });
      return revoked.ok ? ok({ done: true as const }) : revoked;
    }),
  };
}
