// A custom domain, with its states as one discriminated union. The transitions are in lifecycle.ts.

import type { Diagnosis } from './diagnosis.ts';
import type { CertificateLife } from './renewal.ts';

/** Why no certificate was issued; the authority's message is stored with it. */
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

export const SUSPENSION_REASONS = ['plan', 'no_deployment', 'account', 'by_operator'] as const;
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number];

/** When a step checks again; times in milliseconds since 1970. */
export interface Waiting {
  readonly since: number;
  /** Checks made in this state. */
  readonly checks: number;
  readonly nextCheckAt: number;
}

export type DomainState =
  /** Added; the owner has yet to set the record and request verification. */
  | { readonly name: 'awaiting_dns'; readonly since: number }
  | ({ readonly name: 'verifying'; readonly diagnosis: Diagnosis | undefined } & Waiting)
  /** The record is right; a certificate is about to be requested. `silentSince`: when the authority stopped answering. */
  | { readonly name: 'verified'; readonly since: number; readonly silentSince?: number | undefined; readonly nextCheckAt?: number | undefined }
  /** `late`: a check has found that it took longer than half an hour. */
  | ({
      readonly name: 'certificate_pending';
      readonly certificate: string;
      readonly silentSince?: number | undefined;
      readonly late?: true;
    } & Waiting)
  /** The certificate is issued; the edge is loading it. */
  | ({ readonly name: 'attaching'; readonly certificate: string } & Waiting)
  | { readonly name: 'live'; readonly since: number; readonly certificate: string; readonly misses: number; readonly nextCheckAt: number }
  | { readonly name: 'dns_failed'; readonly since: number; readonly diagnosis: Diagnosis | undefined }
  | { readonly name: 'certificate_failed'; readonly since: number; readonly failure: CertificateFailure; readonly detail: string }
  /** Still served, but the record has been wrong for days. */
  | {
      readonly name: 'degraded';
      readonly since: number;
      readonly certificate: string;
      readonly misses: number;
      readonly nextCheckAt: number;
      readonly diagnosis: Diagnosis;
    }
  | { readonly name: 'suspended'; readonly since: number; readonly reason: SuspensionReason }
  /** No longer served; the teardown is in progress. */
  | ({ readonly name: 'removing' } & Waiting)
  /** Lost to another account that proved control of the name; stored until the owner removes it. */
  | { readonly name: 'taken_over'; readonly since: number }
  /** A tombstone: until this time, no other account gets the name without proof. */
  | { readonly name: 'removed'; readonly since: number; readonly until: number };

/** The certificate that a domain is served with. */
export interface ServedCertificate extends CertificateLife {
  /** The authority's name, for people. */
  readonly issuer: string;
}

/** A zone as it was last seen. */
export interface SeenZone {
  readonly name: string;
  /** Lower case, without trailing dots. */
  readonly nameServers: readonly string[];
  /** Whether we can set records in it for the domain's account. */
  readonly editable: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Domain {
  readonly id: string;
  readonly host: string;
  readonly projectId: string;
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Starts at 0 and increases with each verification, suspension and removal. */
  readonly generation: number;
  readonly state: DomainState;
  /** Set if the name went to another account, which proved control of it with the TXT record at this name; the time is in milliseconds since 1970. */
  readonly lost?: { readonly at: number; readonly proof: string };
  /** The zone that holds the domain's records. @default not seen yet */
  readonly zone?: SeenZone;
  /** The latest certificate. @default none yet, or an authority that renews it without us */
  readonly certificate?: ServedCertificate;
  /** The domain that was added in the same step: the same name with, or without, www. @default none */
  readonly companion?: { readonly id: string; readonly host: string };
  /** The host to redirect to once that one is served. Then it is in the project's configuration, and no longer here. @default none */
  readonly redirectTo?: string;
  /** Whether we set the domain's records, so that the teardown removes them. */
  readonly published?: true;
  /** The domain's states and when each began; the current state is last. */
  readonly history: readonly { readonly state: DomainState['name']; readonly at: number }[];
}

/** Number of past states that are stored; older ones are dropped. */
const HISTORY_LENGTH = 20;

/** Returns the domain in its next state. Adds an entry to the history if the state's name changes. */
export function inState(domain: Domain, state: DomainState, generation: number): Domain {
  const entered = state.name !== domain.state.name || generation !== domain.generation;
  const history = entered ? [...domain.history, { state: state.name, at: state.since }].slice(-HISTORY_LENGTH) : domain.history;
  return { ...domain, state, generation, history };
}

/** Creates a domain in its first state. @param now milliseconds since 1970 */
export function newDomain(fields: Omit<Domain, 'generation' | 'state' | 'createdAt' | 'history'>, now: number): Domain {
  return { ...fields, createdAt: now, generation: 0, state: { name: 'awaiting_dns', since: now }, history: [{ state: 'awaiting_dns', at: now }] };
}
