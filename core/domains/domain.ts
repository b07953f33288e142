// A custom domain: its states as one discriminated union. How it gets from one to another is in lifecycle.ts.

import type { Diagnosis } from './diagnosis.ts';

/** Why a certificate did not come; the words of the authority go beside it. */
export const CERTIFICATE_FAILURES = [
  'caa',
  'validation',
  'rate_limited',
  'name_refused',
  'timed_out',
  'authority_unavailable',
  'edge_not_ready',
  'other',
] as const;
export type CertificateFailure = (typeof CERTIFICATE_FAILURES)[number];

export const SUSPENSION_REASONS = ['plan', 'no_deployment', 'account'] as const;
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number];

/** What a step looks at again and when; times in milliseconds since 1970. */
export interface Waiting {
  readonly since: number;
  /** Checks made in this state. */
  readonly checks: number;
  readonly nextCheckAt: number;
}

export type DomainState =
  /** Added; the owner is to set the record and to ask for verification. */
  | { readonly name: 'awaiting_dns'; readonly since: number }
  | ({ readonly name: 'verifying'; readonly diagnosis: Diagnosis | undefined } & Waiting)
  /** The record is right; a certificate is about to be requested. `silentSince`: since then the authority has not answered. */
  | { readonly name: 'verified'; readonly since: number; readonly silentSince?: number | undefined; readonly nextCheckAt?: number | undefined }
  | ({ readonly name: 'certificate_pending'; readonly certificate: string; readonly silentSince?: number | undefined } & Waiting)
  /** The certificate is there; the edge is taking it up. */
  | ({ readonly name: 'attaching'; readonly certificate: string } & Waiting)
  | { readonly name: 'live'; readonly since: number; readonly certificate: string; readonly misses: number; readonly nextCheckAt: number }
  | { readonly name: 'dns_failed'; readonly since: number; readonly diagnosis: Diagnosis | undefined }
  | { readonly name: 'certificate_failed'; readonly since: number; readonly failure: CertificateFailure; readonly detail: string }
  /** Still served, but its record has been wrong for days. */
  | {
      readonly name: 'degraded';
      readonly since: number;
      readonly certificate: string;
      readonly misses: number;
      readonly nextCheckAt: number;
      readonly diagnosis: Diagnosis;
    }
  | { readonly name: 'suspended'; readonly since: number; readonly reason: SuspensionReason }
  /** Not served any more; what was made for it is being taken down. */
  | ({ readonly name: 'removing' } & Waiting)
  /** Gone to another account, which has proved that the name is theirs; stays until its owner removes it. */
  | { readonly name: 'taken_over'; readonly since: number }
  /** A tombstone: until then nobody else gets the name without proof. */
  | { readonly name: 'removed'; readonly since: number; readonly until: number };

export interface Domain {
  readonly id: string;
  readonly host: string;
  readonly projectId: string;
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Starts at 0 and grows with each verify, suspension, and removal. */
  readonly generation: number;
  readonly state: DomainState;
  /** Its name went to another account, which proved that it is theirs by the TXT record at this name; milliseconds since 1970. */
  readonly lost?: { readonly at: number; readonly proof: string };
  /** Its records were set by us, so they go with it. */
  readonly published?: true;
  /** The states that it went through, and when it came into each; the present one is last. */
  readonly history: readonly { readonly state: DomainState['name']; readonly at: number }[];
}

/** States that are remembered; older ones are forgotten. */
const HISTORY_LENGTH = 20;

/** The domain in its next state, which is put down in its history if it is another one. */
export function inState(domain: Domain, state: DomainState, generation: number): Domain {
  const entered = state.name !== domain.state.name || generation !== domain.generation;
  const history = entered ? [...domain.history, { state: state.name, at: state.since }].slice(-HISTORY_LENGTH) : domain.history;
  return { ...domain, state, generation, history };
}

/** @param now milliseconds since 1970 */
export function newDomain(fields: Omit<Domain, 'generation' | 'state' | 'createdAt' | 'history'>, now: number): Domain {
  return { ...fields, createdAt: now, generation: 0, state: { name: 'awaiting_dns', since: now }, history: [{ state: 'awaiting_dns', at: now }] };
}
