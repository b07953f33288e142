// Makes requests safe to repeat: for 24 hours, the same Idempotency-Key gets the same response. This may contain an API key, so it is encrypted with
// a key derived from the Idempotency-Key, of which only a digest is stored. Only a repeated request can decrypt it.

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import type { AnswerStore } from '../../core/answers/ports.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface RepeatableRequest {
  /** Two users may use the same key. */
  readonly userId: string;
  readonly idempotencyKey: string;
  /** Method, path and body. */
  readonly content: string;
}

export type Repeated =
  | { readonly kind: 'answer'; readonly body: string; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly code: 'idempotency_in_progress' | 'idempotency_key_reused' };

/** Handles a request once, and returns the response. @param handle returns undefined if nothing was done and the request may be repeated */
export async function handleOnce(
  answers: AnswerStore,
  request: RepeatableRequest,
  now: number,
  handle: () => Promise<string | undefined>,
): Promise<Repeated | undefined> {
  const { userId, idempotencyKey, content } = request;
  const id = hash('sha256', JSON.stringify([userId, idempotencyKey]), 'base64url');
  const claim = await answers.claim(id, hash('sha256', content, 'base64url'), now);
  switch (claim.kind) {
    case 'in_progress':
      return { kind: 'refused', code: 'idempotency_in_progress' };
    case 'reused':
      return { kind: 'refused', code: 'idempotency_key_reused' };
    case 'answered':
      return { kind: 'answer', body: open(request, claim.answer), replayed: true };
    case 'claimed': {
      const body = await handle();
      if (body === undefined) {
        await answers.release(id);
        return undefined;
      }
      await answers.keep(id, seal(request, body));
      return { kind: 'answer', body, replayed: false };
    }
  }
}

function keyOf({ userId, idempotencyKey }: RepeatableRequest): Buffer {
  return Buffer.from(hkdfSync('sha256', idempotencyKey, userId, 'petstore control answer', 32));
}

function seal(request: RepeatableRequest, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(request), nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function open(request: RepeatableRequest, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, keyOf(request), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
}
