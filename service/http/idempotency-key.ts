// The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07).

export type IdempotencyKeyResult = { readonly ok: true; readonly value: string | undefined } | { readonly ok: false; readonly message: string };

/** Parses the key: a quoted string as in the draft, or a bare one, which Stripe accepts. Undefined if there is no such header. */
export function parseIdempotencyKey(header: string | undefined): IdempotencyKeyResult {
  if (header === undefined) return { ok: true, value: undefined };
  const value = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return { ok: true, value };
  return {
    ok: false,
    message: `header Idempotency-Key: got ${JSON.stringify(header.slice(0, 60))}${header.length > 60 ? `… (${header.length} characters)` : ''}; allowed: 1 to 255 visible ASCII characters without spaces`,
  };
}
