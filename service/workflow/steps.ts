// The steps in a domain's workflow. Each reads the current state, does one thing that is safe to repeat, and reports the result, which is stored only
// if nothing else has changed the domain meanwhile. If a process dies at any point, the step is repeated. The embedded timers perform all steps in a
// state (advance.ts); on AWS, the state machine performs them one by one.

import { withdrawRecords } from '../../core/domains/actions.ts';
import { requestIdOf } from '../../core/domains/attempts.ts';
import { applyIntendedRedirects } from '../../core/domains/companion.ts';
import { isCertificateLate } from '../../core/domains/diagnosis/advice.ts';
import { txtName } from '../../core/domains/diagnosis/diagnosis.ts';
import type { Domain, FailedAttempt } from '../../core/domains/domain.ts';
import { transition } from '../../core/domains/lifecycle.ts';
import { AuthoritySilent } from '../../core/domains/ports.ts';
import { type GuardFailure, guardFailure, publish } from '../../core/domains/publication.ts';
import { isServedState } from '../../core/domains/served.ts';
import { type DomainEvent, isProved, type Report, type StepName } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { attach, attempt, certificateOf, failed, servedOf } from './attempt.ts';
import { checkDns, wrongRecord } from './check-dns.ts';
import { renew } from './renew.ts';

/** Performs a step and returns what it found; undefined if there is nothing to report. The step must be one of the state's. */
export async function performStep(work: DomainWork, domain: Domain, step: StepName): Promise<Report | undefined> {
  try {
    return await STEPS[step](work, domain);
  } catch (error) {
    if (!(error instanceof AuthoritySilent)) throw error;
    const { message: detail, retryAt, failure, cause } = error;
    // Not shown to owners, because the message may name resources of the operator's account.
    if (cause instanceof Error && !detail.includes(cause.message)) work.warn?.(`${domain.host}: ${cause.message}`);
    return { kind: 'attempt_failed', isOver: false, failure, detail, retryAt };
  }
}

/** Stores the state that follows from a report. @returns undefined if the report no longer counts, because something else has changed the domain */
export async function apply(work: DomainWork, domain: Domain, report: Report): Promise<Domain | undefined> {
  const event: DomainEvent = { ...report, generation: domain.generation };
  const result = transition(domain, event, work.clock());
  if (result.kind !== 'moved') return undefined;
  let saved = await work.domains.saveDomain(result.domain, domain);
  if (saved === 'host_taken') {
    // The TXT record that checkDns() saw proves this claim, so it displaces the older one.
    await displace(work, domain);
    saved = await work.domains.saveDomain(result.domain, domain);
  }
  if (saved !== 'saved') return undefined;
  const { lastFailure } = result.domain;
  // Other reports may also turn out to be failed attempts.
  if (lastFailure !== undefined && lastFailure.attempts !== domain.lastFailure?.attempts && isNews(lastFailure))
    work.warn?.(failureLine(result.domain, lastFailure));
  return result.domain;
}

/** Whether a failed attempt should be reported. A domain that waits for the order budget tries every minute, and is reported only once. */
function isNews({ failure, repeats }: FailedAttempt): boolean {
  return failure !== 'queued' || repeats === 1;
}

function failureLine({ host, state }: Domain, { failure, detail, attempts, nextTryAt }: FailedAttempt): string {
  const what = isServedState(state) ? 'its certificate could not be renewed' : state.name === 'attaching' ? 'not served yet' : 'no certificate yet';
  return `${host}: ${what} (${failure}: ${detail}); failed attempts: ${attempts}, the next one at ${new Date(nextTryAt).toISOString()}`;
}

const STEPS: Readonly<Record<StepName, (work: DomainWork, domain: Domain) => Promise<Report | undefined>>> = {
  guard: async (work, domain) => {
    const failure = await guard(work, domain);
    if (failure === undefined) {
      // Done even while the record may still be wrong, so that the certificate can be ready before the traffic moves.
      if (domain.state.name === 'verifying') await work.authority.prepare?.(domain.host, requestIdOf(domain)).catch(unlessSilent);
      return undefined;
    }
    await refuse(work, domain);
    return { kind: 'guard_failed', reason: failure.reason };
  },

  check_dns: async (work, domain) => {
    const { state } = domain;
    if (isServedState(state) && (state.recordCheckAt ?? state.nextCheckAt) > work.clock()) return { kind: 'nothing_due' };
    return { kind: 'dns_checked', ...(await checkDns(work, domain)) };
  },

  request_certificate: (work, domain) => attempt(work, domain, requestIdOf(domain), 'first'),

  check_certificate: async (work, domain) => {
    const { state } = domain;
    const certificate = certificateOf(domain);
    if (certificate === undefined) {
      // The state machine runs this step even if no request was made.
      if ('nextCheckAt' in state && state.nextCheckAt > work.clock()) return undefined;
      // The record may have been changed since the last attempt.
      return (await wrongRecord(work, domain)) ?? attempt(work, domain, requestIdOf(domain), 'first');
    }
    const status = await work.authority.check(certificate);
    switch (status.kind) {
      case 'issued':
        return { kind: 'certificate_issued', served: servedOf(work, domain, status) };
      case 'failed':
        return failed(work, domain, status);
      case 'pending':
        // The record is checked once more, when the certificate becomes late.
        if (state.name === 'certificate_pending' && state.late !== true && isCertificateLate(domain, work.clock())) {
          const wrong = await wrongRecord(work, domain);
          if (wrong !== undefined) return wrong;
        }
        return { kind: 'certificate_still_pending', askAgainAt: status.askAgainAt };
    }
  },

  attach: (work, domain) => attach(work, domain, certificateOf(domain) ?? ''),

  check_live: async (work, domain) => {
    const { state, lastFailure } = domain;
    // The state machine runs this step even if the edge did not accept the certificate.
    if (lastFailure !== undefined && 'nextCheckAt' in state && state.nextCheckAt > work.clock()) return undefined;
    // The state machine attaches only once, and that attempt was refused or lost.
    const refusal = lastFailure === undefined ? undefined : await attach(work, domain, certificateOf(domain) ?? '');
    if (refusal !== undefined) return refusal;
    const serving = await work.edge.isServing(domain, certificateOf(domain) ?? '');
    // Done before the report, so that it is repeated if it fails.
    if (serving) await applyIntendedRedirects(work, domain);
    return { kind: 'edge_checked', serving };
  },

  renew,

  teardown: async (work, domain) => {
    // Stops traffic first.
    await refuse(work, domain);
    if (!(await work.edge.release(domain))) return { kind: 'teardown_pending' };
    await work.authority.release(domain);
    await withdrawRecords(work.publisher, await work.projects.getProject(domain.projectId), domain, await work.rules());
    return { kind: 'teardown_done' };
  },
};

async function guard({ accounts, projects }: DomainWork, { accountId, projectId }: Domain): Promise<GuardFailure | undefined> {
  return guardFailure(await accounts.getAccount(accountId), await projects.getProject(projectId));
}

/** Stops serving a domain that is no longer to be served. */
function refuse(work: DomainWork, { projectId, host }: Domain): Promise<void> {
  return publish(work, { id: projectId }, [host]);
}

/** A certificate that can't be prepared now is requested once the record is right. */
function unlessSilent(error: unknown): void {
  if (!(error instanceof AuthoritySilent)) throw error;
}

/** Removes another project's verified domain, whose name this domain takes over. */
async function displace(work: DomainWork, { id, host, accountId }: Domain): Promise<void> {
  for (const other of await work.domains.claimsOf(host)) {
    if (other.id === id || !isProved(other.state)) continue;
    // Within an account, the name has only moved to another project.
    const isOwn = other.accountId === accountId;
    const removing = transition(other, isOwn ? { kind: 'remove' } : { kind: 'lose', proof: txtName(host) }, work.clock());
    if (removing.kind === 'moved') await work.domains.saveDomain(removing.domain, other);
    await refuse(work, other);
  }
}
