// The control API's operations on API keys.

import * as z from 'zod';
import { keyInput, rotationInput } from '../inputs.ts';
import { done, issuedKey, key, revokedKey, rotatedKey } from '../shapes.ts';
import type { ControlRow } from './row.ts';

export const KEY_ROWS = {
  listKeys: { method: 'GET', path: '/accounts/{accountId}/keys', summary: 'API keys, without their texts.', status: 200, result: z.array(key) },
  listRevokedKeys: {
    method: 'GET',
    path: '/accounts/{accountId}/revoked-keys',
    summary: 'API keys revoked within the last 90 days, the latest first.',
    status: 200,
    result: z.array(revokedKey),
  },
  issueKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys',
    summary: 'Issues an API key; its text is only in this response.',
    creates: true,
    body: keyInput,
    status: 201,
    result: issuedKey,
  },
  rotateKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/rotate',
    summary: 'Issues a successor, and ends the key after a grace period.',
    creates: true,
    body: rotationInput,
    status: 201,
    result: rotatedKey,
  },
  unbanKey: {
    method: 'POST',
    path: '/accounts/{accountId}/keys/{keyId}/unban',
    summary: "Lifts a key's ban; takes effect within a minute. The next ban is still longer.",
    status: 200,
    result: key,
  },
  revokeKey: { method: 'DELETE', path: '/accounts/{accountId}/keys/{keyId}', summary: 'Revokes a key at once.', status: 200, result: done },
} as const satisfies Readonly<Record<string, ControlRow>>;
