// An account's API keys.

import { keyView } from '../../core/access/key-view.ts';
import { issueKey, revokeKey, rotateKey, unbanKey } from '../../core/access/keys.ts';
import { DAY_MS } from '../../core/limits/windows.ts';
import { type Answerer, ok } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';

/** The handlers for API keys. */
export function keyHandlers(answer: Answerer, { accounts, keyMode, randomBytes }: ControlPorts, owned: OwnedLookups) {
  return {
    listKeys: answer(CONTROL_OPERATIONS.listKeys, async (asked) => {
      const found = await owned.account(asked);
      return found.ok ? ok((await accounts.listKeys(found.account.id)).map((record) => keyView(record, asked.now))) : found;
    }),

    issueKey: answer(CONTROL_OPERATIONS.issueKey, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { body, now } = asked;
      const expiresAt = body.expiresInDays === undefined ? undefined : now + body.expiresInDays * DAY_MS;
      const request = { mode: keyMode, accountId: found.account.id, name: body.name, scopes: body.scopes, expiresAt, now };
      const issued = await issueKey(accounts, randomBytes, request);
      return issued.ok ? ok({ ...keyView(issued.record, now), key: issued.key }) : issued;
    }),

    rotateKey: answer(CONTROL_OPERATIONS.rotateKey, async (asked) => {
      const found = await owned.key(asked);
      if (!found.ok) return found;
      const { keyId } = found;
      const request = { mode: keyMode, keyId, graceMs: asked.body.graceSeconds * 1_000, now: asked.now };
      const rotated = await rotateKey(accounts, randomBytes, request);
      if (!rotated.ok) return rotated;
      const { record, key, oldExpiresAt } = rotated;
      return ok({ ...keyView(record, asked.now), key, oldKeyId: keyId, oldExpiresAt: new Date(oldExpiresAt).toISOString() });
    }),

    unbanKey: answer(CONTROL_OPERATIONS.unbanKey, async (asked) => {
      const found = await owned.key(asked);
      if (!found.ok) return found;
      const unbanned = await unbanKey(accounts, found.keyId, asked.now);
      return unbanned.ok ? ok(keyView(unbanned.key, asked.now)) : unbanned;
    }),

    revokeKey: answer(CONTROL_OPERATIONS.revokeKey, async (asked) => {
      const found = await owned.key(asked);
      if (!found.ok) return found;
      const revoked = await revokeKey(accounts, found.keyId);
      return revoked.ok ? ok({ done: true as const }) : revoked;
    }),
  };
}
