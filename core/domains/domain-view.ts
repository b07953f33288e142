// A domain as clients see it in the command line's JSON and the control API.

import { type Advice, adviceOf, afterFailure, isCertificateLate } from './diagnosis/advice.ts';
import type { Diagnosis } from './diagnosis/diagnosis.ts';
import type { CertificateFailure, Domain, DomainState, SuspensionReason } from './domain.ts';
import { displayHost } from './host-name.ts';
import { transition } from './lifecycle.ts';
import { renewalDueAt } from './renewal.ts';
import { DOMAIN_STATES, isInProgress, isServed } from './states.ts';

export interface DomainView {
  readonly domainId: string;
  readonly host: string;
  /** The host as its owner would write it: in Unicode, unless it could then be mistaken for another name. */
  readonly displayHost: string;
  readonly projectId: string;
  readonly state: DomainState['name'];
  /** The state as text. */
  readonly stateLabel: string;
  /** Whether the domain serves the project's pages. */
  readonly served: boolean;
  /** Whether the state will change automatically soon, so that polling makes sense. */
  readonly inProgress: boolean;
  /** ISO 8601. */
  readonly since: string;
  /** The latest result of a DNS check. */
  readonly diagnosis: Pick<Diagnosis, 'code' | 'seen' | 'fix' | 'actor'> | null;
  /** What to do, and who must act; null if nothing is pending. */
  readonly advice: Advice | null;
  /** When the next automatic check runs; ISO 8601. */
  readonly nextCheckAt?: string;
  /** The latest attempt at its certificate, if it failed: why, and when the next one is made. Times as ISO 8601. */
  readonly lastFailure: {
    readonly code: CertificateFailure;
    readonly seen: string;
    readonly fix: string;
    readonly actor: Advice['actor'];
    /** When the first of the consecutive failures happened. */
    readonly since: string;
    readonly attempts: number;
    readonly nextTryAt: string;
  } | null;
  readonly failure?: CertificateFailure;
  /** The certificate authority's message. */
  readonly detail?: string;
  readonly reason?: SuspensionReason;
  /** Whether we can set its records, because we run its zone. */
  readonly canPublish: boolean;
  /** When its DNS was last looked up; ISO 8601; null if it was not yet. */
  readonly dnsSeenAt: string | null;
  /** The certificate that it is served with; null if there is none, or if its authority renews it without us. ISO 8601. */
  readonly certificate: {
    readonly issuer: string;
    readonly notBefore: string;
    readonly notAfter: string;
    /** From then on it is renewed automatically. */
    readonly renewsAt: string;
  } | null;
  /** The domain that was added in the same step: the same name with, or without, www; null if there is none. */
  readonly companion: { readonly domainId: string; readonly host: string } | null;
  /** The host to which it will redirect once that one is served; null if nothing is intended. */
  readonly redirectTo: string | null;
  /** Whether Verify does anything now: it does nothing for a removed domain, nor while the next step is under way. */
  readonly canVerify: boolean;
  /** Whether the certificate is still missing after half an hour. */
  readonly certificateLate: boolean;
  /** The domain's past states, with times; the current state is last. */
  readonly history: readonly { readonly state: DomainState['name']; readonly at: string }[];
}

/** Returns the view of a domain. @param now milliseconds since 1970 */
export function domainView(domain: Domain, now: number): DomainView {
  const { id, host, projectId, state, history } = domain;
  const diagnosis = 'diagnosis' in state && state.diagnosis !== undefined ? state.diagnosis : null;
  return {
    domainId: id,
    host,
    displayHost: displayHost(host),
    projectId,
    state: state.name,
    stateLabel: labelOf(domain),
    served: isServed(state),
    inProgress: isInProgress(state),
    since: iso(state.since),
    diagnosis: diagnosis && { code: diagnosis.code, seen: diagnosis.seen, fix: diagnosis.fix, actor: diagnosis.actor },
    advice: adviceOf(domain, now) ?? null,
    lastFailure: failureView(domain),
    ...(state.name === 'certificate_failed' && { failure: state.failure, detail: state.detail }),
    ...(state.name === 'suspended' && { reason: state.reason }),
    ...('nextCheckAt' in state && state.nextCheckAt !== undefined && { nextCheckAt: iso(state.nextCheckAt) }),
    canPublish: domain.zone?.editable ?? false,
    dnsSeenAt: domain.zone === undefined ? null : iso(domain.zone.at),
    certificate: certificateView(domain),
    companion: domain.companion === undefined ? null : { domainId: domain.companion.id, host: domain.companion.host },
    redirectTo: domain.redirectTo ?? null,
    canVerify: transition(domain, { kind: 'verify' }, now).kind === 'moved',
    certificateLate: isCertificateLate(domain, now),
    history: history.map(({ state: name, at }) => ({ state: name, at: iso(at) })),
  };
}

/** A state as text. A late certificate has a text of its own, although the state is the same. */
function labelOf({ state, lastFailure }: Domain): string {
  const { label } = DOMAIN_STATES[state.name];
  if (state.name !== 'certificate_pending') return label;
  return state.late ? 'Certificate is late' : lastFailure === undefined ? label : 'Waiting for the certificate authority';
}

function failureView({ lastFailure }: Domain): DomainView['lastFailure'] {
  if (lastFailure === undefined) return null;
  const { failure, since, attempts, nextTryAt } = lastFailure;
  const { seen, fix, actor } = afterFailure('certificate_late', lastFailure);
  return { code: failure, seen, fix, actor, since: iso(since), attempts, nextTryAt: iso(nextTryAt) };
}

function certificateView({ id, state, certificate }: Domain): DomainView['certificate'] {
  if (certificate?.issuer === undefined || !isServed(state)) return null;
  const { issuer, notBefore, notAfter, renewAt = renewalDueAt(certificate, id) } = certificate;
  return { issuer, notBefore: iso(notBefore), notAfter: iso(notAfter), renewsAt: iso(renewAt) };
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
