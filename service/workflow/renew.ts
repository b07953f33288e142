// Checks the certificate of a served domain, and renews it in time. A failed renewal is retried, even after the certificate has expired.

import { renewalIdOf } from '../../core/domains/attempts.ts';
import type { Domain, Served } from '../../core/domains/domain.ts';
import { AuthoritySilent, type CertificateStatus } from '../../core/domains/ports.ts';
import { renewalLateAt } from '../../core/domains/renewal.ts';
import { isServedState, type ServedState } from '../../core/domains/served.ts';
import type { Report } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { attach, attempt, failed, serve, servedOf } from './attempt.ts';
import { wrongRecord } from './check-dns.ts';

/** Checks a served domain's certificate, and performs the next step of its renewal. */
export async function renew(work: DomainWork, domain: Domain): Promise<Report | undefined> {
  const { state, lastFailure } = domain;
  if (!isServedState(state)) return undefined;
  const now = work.clock();
  const current = await look(work, domain, state);
  if (current === undefined) return undefined;
  const served = current.kind === 'issued' ? servedOf(work, domain, current) : domain.certificate;
  const hasEnded = current.kind !== 'issued' || (served !== undefined && served.notAfter <= now);
  // A new certificate may have been issued that the edge does not serve yet.
  const isDead = hasEnded || (state.name === 'certificate_expired' && !(await work.edge.isServing(domain, state.certificate)));
  const problem = current.kind === 'issued' ? current.problem : undefined;
  const isDue = isDead || problem !== undefined || (served?.renewAt ?? Number.POSITIVE_INFINITY) <= now;
  const isNews = JSON.stringify(served) !== JSON.stringify(domain.certificate) || isDead !== (state.name === 'certificate_expired');
  if (isNews || (!isDue && lastFailure !== undefined)) return { kind: 'certificate_seen', served, isDead, isDue };
  if (state.renewal !== undefined) return state.renewal.nextCheckAt > now ? undefined : finishRenewal(work, domain, state.renewal.certificate);
  if (!isDue) return mendEdge(work, domain, state);
  if (lastFailure !== undefined && lastFailure.nextTryAt > now) return undefined;
  if (!isDead && problem !== undefined) return failed(work, domain, problem);
  return (await wrongRecord(work, domain)) ?? attempt(work, domain, renewalIdOf(domain, served), 'renewal');
}

const HAS_ENDED = { failure: 'other', detail: 'the certificate authority issued a certificate that has already expired' } as const;

/** Checks the certificate. @returns undefined if the authority does not respond and no attempt is due now */
async function look(work: DomainWork, { host, lastFailure, certificate }: Domain, state: ServedState): Promise<CertificateStatus | undefined> {
  const now = work.clock();
  try {
    return await work.authority.check(state.certificate);
  } catch (error) {
    if (!(error instanceof AuthoritySilent)) throw error;
    const isWaitedFor = lastFailure !== undefined || state.renewal !== undefined || certificate === undefined || now >= renewalLateAt(certificate);
    if (isWaitedFor && (lastFailure?.nextTryAt ?? now) <= now) throw error;
    // The step continues without this check, because the record must still be checked.
    if (!isWaitedFor) work.warn?.(`${host}: its certificate could not be checked: ${error.message}`);
    return undefined;
  }
}

async function finishRenewal(work: DomainWork, domain: Domain, certificate: string): Promise<Report> {
  const status = await work.authority.check(certificate);
  if (status.kind === 'pending') return { kind: 'certificate_still_pending', askAgainAt: status.askAgainAt };
  if (status.kind === 'failed') return failed(work, domain, status);
  const served = servedOf(work, domain, status);
  if (served !== undefined && served.notAfter <= work.clock()) return failed(work, domain, HAS_ENDED);
  const refusal = await attach(work, domain, certificate);
  if (refusal !== undefined) return refusal;
  // CloudFront takes minutes, and serves the old certificate meanwhile.
  if (!(await work.edge.isServing(domain, certificate))) return { kind: 'certificate_still_pending' };
  await work.authority.release(domain, certificate);
  return { kind: 'certificate_renewed', certificate, served };
}

/** Reattaches the certificate if the edge does not serve it. Checked once a day, together with the record. */
async function mendEdge(work: DomainWork, domain: Domain, { certificate, recordCheckAt, nextCheckAt }: Served): Promise<undefined> {
  if ((recordCheckAt ?? nextCheckAt) > work.clock() || (await work.edge.isServing(domain, certificate))) return;
  work.warn?.(`${domain.host}: the edge did not serve it with its certificate; attached again`);
  await serve(work, domain, certificate);
}
