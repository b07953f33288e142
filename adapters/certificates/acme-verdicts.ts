// What an ACME authority's orders, authorizations and problems mean for a domain.

import { isIP } from 'node:net';
import * as z from 'zod';
import type { AttemptFailure, CertificateFailure } from '../../core/domains/domain.ts';
import { AcmeSilence, problemType } from './acme-http.ts';

const problem = z.object({ type: z.string().optional().catch(undefined), detail: z.string().optional().catch(undefined) });

/** RFC 8555, section 7.1.3. */
const order = z.object({
  status: z.string(),
  authorizations: z.array(z.string()).default([]),
  finalize: z.string().default(''),
  certificate: z.string().optional(),
  error: problem.optional().catch(undefined),
});

/** RFC 8555, section 8. */
const challenge = z.object({
  type: z.string(),
  url: z.string(),
  token: z.string().default(''),
  status: z.string(),
  error: problem.optional().catch(undefined),
  /** The address that each validation attempt used, as reported by Boulder and Pebble. */
  validationRecord: z
    .array(z.object({ addressUsed: z.string().optional() }))
    .optional()
    .catch(undefined),
});

/** RFC 8555, section 7.1.4. */
const authorization = z.object({ status: z.string(), identifier: z.object({ value: z.string() }), challenges: z.array(challenge) });

export type Order = z.infer<typeof order>;
export type Authorization = z.infer<typeof authorization>;
export type Challenge = z.infer<typeof challenge>;

/** Parsers for answers. @throws AcmeSilence if an answer is invalid */
export const answered = {
  order: (body: unknown): Order => parsed(order, 'order', body),
  authorization: (body: unknown): Authorization => parsed(authorization, 'authorization', body),
  challenge: (body: unknown): Challenge => parsed(challenge, 'challenge', body),
};

function parsed<T>(schema: z.ZodType<T>, what: string, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw new AcmeSilence(`its answer is not a valid ${what}`);
  return result.data;
}

/** What a problem with a name or an order means (RFC 8555, section 6.7). All other problems are the authority's own, and temporary. */
const FAILURES: Readonly<Record<string, CertificateFailure>> = {
  caa: 'caa',
  rateLimited: 'rate_limited',
  rejectedIdentifier: 'name_refused',
  unsupportedIdentifier: 'name_refused',
  unauthorized: 'validation',
  connection: 'validation',
  dns: 'validation',
  incorrectResponse: 'validation',
  tls: 'validation',
  malformed: 'other',
  badCSR: 'other',
  badPublicKey: 'other',
};

/** @param type with or without the common prefix @param detail the authority's message */
export function failureOfProblem(type: string, detail: string): AttemptFailure {
  return { failure: FAILURES[problemType(type)] ?? 'authority_unavailable', detail };
}

/** Returns why an authorization can't succeed any more; undefined if it can. */
export function failureOf({ status, challenges }: Authorization): AttemptFailure | undefined {
  if (status === 'pending' || status === 'valid') return undefined;
  const failed = challenges.find(({ error }) => error !== undefined);
  if (failed?.error === undefined) return { failure: 'validation', detail: `the authorization is ${status}` };
  const { type = '', detail = '' } = failed.error;
  const used = failed.validationRecord?.at(-1)?.addressUsed ?? '';
  const address = isIP(used) === 0 ? addressIn(detail) : used;
  return { ...failureOfProblem(type, detail), ...(address !== undefined && { address }) };
}

/** Returns the address that Let's Encrypt used, which is at the start of its messages. */
function addressIn(detail: string): string | undefined {
  const [first = ''] = detail.split(': ');
  return isIP(first) === 0 ? undefined : first;
}
