// A domain as clients see it in the command line's JSON and the control API, whose schema in service/control describes each property.

import { adviceOf, afterFailure, isCertificateLate } from './diagnosis/advice.ts';
import type { Domain } from './domain.ts';
import { displayHost } from './host-name.ts';
import { transition } from './lifecycle.ts';
import { renewalDueAt } from './renewal.ts';
import { DOMAIN_STATES, isInProgress, isServed } from './states.ts';

/** Returns the view of a domain. @param now milliseconds since 1970 */
export function domainView(domain: Domain, now: number) {
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

export type DomainView = ReturnType<typeof domainView>;

/** Returns a state as text. A late certificate has its own text, although its state is the same. */
function labelOf({ state, lastFailure }: Domain): string {
  const { label } = DOMAIN_STATES[state.name];
  if (state.name !== 'certificate_pending') return label;
  return state.late ? 'Certificate is late' : lastFailure === undefined ? label : 'Waiting for the certificate authority';
}

function failureView({ lastFailure }: Domain) {
  if (lastFailure === undefined) return null;
  const { failure, since, attempts, nextTryAt } = lastFailure;
  const { seen, fix, actor } = afterFailure('certificate_late', lastFailure);
  return { code: failure, seen, fix, actor, since: iso(since), attempts, nextTryAt: iso(nextTryAt) };
}

function certificateView({ id, state, certificate }: Domain) {
  if (certificate?.issuer === undefined || !isServed(state)) return null;
  const { issuer, notBefore, notAfter, renewAt = renewalDueAt(certificate, id) } = certificate;
  return { issuer, notBefore: iso(notBefore), notAfter: iso(notAfter), renewsAt: iso(renewAt) };
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
