// What an ACME authority's orders, authorizations and problems mean for a domain.

import { isIP } from 'node:net';
import type { AttemptFailure, CertificateFailure } from '../../core/domains/domain.ts';
import { problemType } from './acme-http.ts';

interface Problem {
  readonly type?: string;
  readonly detail?: string;
}

/** RFC 8555, section 7.1.3. */
export interface Order {
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly authorizations: readonly string[];
  readonly finalize: string;
  readonly certificate?: string;
  readonly error?: Problem;
}

/** RFC 8555, section 7.1.4. */
export interface Authorization {
  readonly status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  readonly identifier: { readonly value: string };
  readonly challenges: readonly Challenge[];
}

export interface Challenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly status: string;
  readonly error?: Problem;
  /** Of Boulder and Pebble: which address was used for which attempt. */
  readonly validationRecord?: readonly { readonly addressUsed?: string }[];
}

/** What a problem with a name or an order means (RFC 8555, section 6.7). Any other one is the authority's own, and passes. */
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

/** @param type with or without the common prefix @param detail the authority's words */
export function failureOfProblem(type: string, detail: string): AttemptFailure {
  return { failure: FAILURES[problemType(type)] ?? 'authority_unavailable', detail };
}

/** Returns why an authorization can't succeed any more; undefined if it can. */
export function failureOf({ status, challenges }: Authorization): AttemptFailure | undefined {
  if (status === 'pending' || status === 'valid') return undefined;
  const failed = challenges.find(({ error }) => error !== undefined);
  if (failed?.error === undefined) return { failure: 'validation', detail: `the authorization is ${status}` };
  const { type = '', detail = '' } = failed.error;
  const address = failed.validationRecord?.at(-1)?.addressUsed ?? addressIn(detail);
  return { ...failureOfProblem(type, detail), ...(address !== undefined && { address }) };
}

/** Let's Encrypt begins its messages with the address that it has used. */
function addressIn(detail: string): string | undefined {
  const [first = ''] = detail.split(': ');
  return isIP(first) === 0 ? undefined : first;
}
