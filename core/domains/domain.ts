// A custom domain, with its states as one discriminated union; the transitions are in lifecycle.ts. Times are in milliseconds since 1970.

import type { Diagnosis } from './diagnosis/diagnosis.ts';
import type { CertificateLife } from './renewal.ts';
import type { ATTEMPT_SCHEDULES } from './schedule.ts';

/** Why an attempt to get a certificate failed; the authority's message is stored with it. */
export const CERTIFICATE_FAILURES = [
  'caa',
  'validation',
  'rate_limited',
  /** Our own order budget is used up for now. */
  'queued',
  'name_refused',
  /** The name is already in use at the same provider: by another customer or, for `name_in_use_here`, by the operator. */
  'name_in_use',
  'name_in_use_here',
  'timed_out',
  'authority_unavailable',
  /** The authority refuses the operator's account. */
  'account',
  'edge_not_ready',
  'other',
] as const satisfies readonly (keyof typeof ATTEMPT_SCHEDULES)[];
export type CertificateFailure = (typeof CERTIFICATE_FAILURES)[number];

/** Why an attempt to get a certificate failed, and what is known about it. */
export interface AttemptFailure {
  readonly failure: CertificateFailure;
  readonly detail: string;
  /** The address that the authority tried to reach. @default the authority named none */
  readonly address?: string | undefined;
  /** The authority accepts no other attempt before this time. @default it named no time */
  readonly retryAt?: number | undefined;
}

/** The latest attempt to get a domain's certificate, if it failed, and what follows. Times are in milliseconds since 1970. */
export interface FailedAttempt extends Omit<AttemptFailure, 'retryAt'> {
  /** When the first of these consecutive failures happened. */
  readonly since: number;
  readonly attempts: number;
  /** How many of the latest failures had the same reason. */
  readonly repeats: number;
  readonly nextTryAt: number;
}

export const SUSPENSION_REASONS = ['plan', 'no_deployment', 'account', 'by_operator'] as const;
export type SuspensionReason = (typeof SUSPENSION_REASONS)[number];

/** When a step runs again; times are in milliseconds since 1970. */
export interface Waiting {
  readonly since: number;
  /** Number of checks made in this state. */
  readonly checks: number;
  readonly nextCheckAt: number;
}

/** A domain that has no certificate yet: the authority is processing a request, or another attempt is due later. */
export interface Attempting extends Waiting {
  /** The request's reference. @default none, between two attempts */
  readonly certificate?: string | undefined;
  /** Number of checks in this attempt. @default `checks` */
  readonly polls?: number | undefined;
}

/** A domain that the edge serves. Times are in milliseconds since 1970. */
export interface Served {
  readonly since: number;
  readonly certificate: string;
  /** Number of consecutive checks that found the record wrong. */
  readonly misses: number;
  /** When the first of these checks was made. @default the record is right */
  readonly missingSince?: number | undefined;
  /** What the last of these checks found. @default the record is right */
  readonly diagnosis?: Diagnosis | undefined;
  /** When the record is checked next. @default nextCheckAt, if stored by an earlier version */
  readonly recordCheckAt?: number | undefined;
  /** The next certificate, while the authority is processing the request. @default none is requested */
  readonly renewal?: (Waiting & { readonly certificate: string }) | undefined;
  /** Whether the owner has been notified that the renewal is late. */
  readonly late?: true | undefined;
  readonly nextCheckAt: number;
}

export type DomainState =
  /** Added; the owner has yet to set the record and request verification. */
  | { readonly name: 'awaiting_dns'; readonly since: number }
  | ({ readonly name: 'verifying'; readonly diagnosis: Diagnosis | undefined } & Waiting)
  /** The record is right; a certificate is about to be requested. */
  | { readonly name: 'verified'; readonly since: number }
  /** `late`: a check has found that the certificate is taking longer than half an hour. */
  | ({ readonly name: 'certificate_pending'; readonly late?: true | undefined } & Attempting)
  /** The certificate is issued; the edge is loading it. */
  | ({ readonly name: 'attaching'; readonly certificate: string } & Waiting)
  | ({ readonly name: 'live' } & Served)
  /** Still served, but the record is wrong. */
  | ({ readonly name: 'degraded'; readonly diagnosis: Diagnosis } & Served)
  /** Its certificate has expired or was revoked: browsers warn visitors. */
  | ({ readonly name: 'certificate_expired' } & Served)
  /** The record was not right within 48 hours; it is still checked, every 6 hours and later once a week. */
  | ({ readonly name: 'dns_failed'; readonly diagnosis: Diagnosis | undefined } & Waiting)
  /** The authority refuses the name; a new attempt is made once a week. */
  | ({ readonly name: 'certificate_failed'; readonly failure: CertificateFailure; readonly detail: string } & Attempting)
  | { readonly name: 'suspended'; readonly since: number; readonly reason: SuspensionReason }
  /** No longer served; the teardown is in progress. */
  | ({ readonly name: 'removing' } & Waiting)
  /** Lost to another account that proved control of the name; stored until the owner removes it. */
  | { readonly name: 'taken_over'; readonly since: number }
  /** A tombstone: until this time, no other account gets the name without proof. */
  | { readonly name: 'removed'; readonly since: number; readonly until: number };

/** The certificate that a domain is served with. Times are in milliseconds since 1970. */
export interface ServedCertificate extends CertificateLife {
  /** The authority's name, for display. @default the authority replaces the certificate without us */
  readonly issuer?: string | undefined;
  /** When its renewal is due. @default the authority renews it */
  readonly renewAt?: number | undefined;
  /** When the authority is queried again about an earlier renewal. @default the authority makes no suggestion */
  readonly askAgainAt?: number | undefined;
}

/** A zone, as last seen; `at` is in milliseconds since 1970. */
export interface SeenZone {
  readonly name: string;
  /** Lower case, without trailing dots. */
  readonly nameServers: readonly string[];
  /** Whether we can set records in it for the domain's account. */
  readonly editable: boolean;
  readonly at: number;
}

/** Who removed a domain, and what is left to do. */
export interface DomainRemoval {
  /** Id of the user, or OPERATOR. */
  readonly by: string;
  /** The records that the owner has set at the DNS provider, and can remove now. */
  readonly records: readonly { readonly type: string; readonly name: string; readonly value: string }[];
}

export interface Domain {
  readonly id: string;
  readonly host: string;
  readonly projectId: string;
  readonly accountId: string;
  readonly createdAt: number;
  /** Starts at 0 and increases with each verification, suspension and removal. */
  readonly generation: number;
  readonly state: DomainState;
  /** When the state was stored. A time in the future was stored while the clock was wrong. @default stored by an earlier version */
  readonly changedAt?: number;
  /** The latest attempt to get a certificate, if it failed. @default none */
  readonly lastFailure?: FailedAttempt | undefined;
  /** Set if another account took the name over by proving control of it with the TXT record at `proof`. */
  readonly lost?: { readonly at: number; readonly proof: string };
  /** Set once a person removes the domain. @default not removed, or removed automatically or by an earlier version */
  readonly removal?: DomainRemoval;
  /** The zone that holds the domain's records. @default not seen yet */
  readonly zone?: SeenZone;
  /** @default none yet */
  readonly certificate?: ServedCertificate;
  /** The domain that was added in the same step: the same name with or without www. @default none */
  readonly companion?: { readonly id: string; readonly host: string };
  /** The host to redirect to once it is served. The redirect then moves to the project's configuration. @default none */
  readonly redirectTo?: string;
  /** Whether we set the domain's records, so that the teardown removes them. */
  readonly published?: true;
  /** The domain's states and when each began; the current state is last. */
  readonly history: readonly { readonly state: DomainState['name']; readonly at: number }[];
}

/** Maximum number of past states stored; older ones are dropped. */
const HISTORY_LENGTH = 20;

/** Returns the domain in its next state. Adds an entry to the history if the state's name changes. */
export function inState(domain: Domain, state: DomainState, generation: number): Domain {
  const entered = state.name !== domain.state.name || generation !== domain.generation;
  const history = entered ? [...domain.history, { state: state.name, at: state.since }].slice(-HISTORY_LENGTH) : domain.history;
  return { ...domain, state, generation, history };
}

/** Creates a domain in its first state. */
export function newDomain(fields: Omit<Domain, 'generation' | 'state' | 'createdAt' | 'history'>, now: number): Domain {
  return { ...fields, createdAt: now, generation: 0, state: { name: 'awaiting_dns', since: now }, history: [{ state: 'awaiting_dns', at: now }] };
}
