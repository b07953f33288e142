// The steps in a domain's workflow. Each reads the current state, does one thing that is safe to repeat, and reports; the report is stored only if
// nothing else has moved the domain meanwhile. If a process dies at any point, the step is repeated. The embedded timers perform all steps in a
// state (advance.ts); on AWS, the state machine performs them one by one.

import { withdrawRecords } from '../../core/domains/actions.ts';
import { applyIntendedRedirects } from '../../core/domains/companion.ts';
import { diagnose } from '../../core/domains/diagnose.ts';
import { type Diagnosis, isRecordCorrect, txtName } from '../../core/domains/diagnosis.ts';
import type { Domain, SeenZone, ServedCertificate } from '../../core/domains/domain.ts';
import type { DomainEvent, Report } from '../../core/domains/events.ts';
import { type GuardFailure, guardFailure } from '../../core/domains/guard.ts';
import { isApex } from '../../core/domains/host-name.ts';
import { transition } from '../../core/domains/lifecycle.ts';
import type { CertificateStatus } from '../../core/domains/ports.ts';
import { AuthoritySilent } from '../../core/domains/ports.ts';
import { ownershipToken, projectTarget } from '../../core/domains/project-target.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import { renewalIdOf, requestIdOf } from '../../core/domains/request-id.ts';
import { isProved, type StepName } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import type { Project } from '../../core/projects/project.ts';

/** Performs a step and returns what it found; undefined if there is nothing to report. The step must be one of the state's. */
export async function performStep(work: DomainWork, domain: Domain, step: StepName): Promise<Report | undefined> {
  try {
    return await STEPS[step](work, domain);
  } catch (error) {
    if (!(error instanceof AuthoritySilent)) throw error;
    const tell = (next: string) => work.warn?.(`${domain.host}: the certificate authority does not answer (${error.message}); ${next}`);
    if (step === 'renew') {
      // A renewal can wait: it begins long before the certificate expires.
      tell('its renewal is retried tomorrow');
      return undefined;
    }
    if (!('silentSince' in domain.state)) tell('the request is retried every minute');
    return { kind: 'authority_silent' };
  }
}

/**
 * Stores the state that follows from a report.
 *
 * @returns undefined if the report no longer counts, because something else has moved the domain
 */
export async function apply(work: DomainWork, domain: Domain, report: Report): Promise<Domain | undefined> {
  const event: DomainEvent = { ...report, generation: domain.generation };
  const result = transition(domain, event, work.clock());
  if (result.kind !== 'moved') return undefined;
  let saved = await work.domains.saveDomain(result.domain, domain);
  if (saved === 'host_taken') {
    // This claim's DNS proves it with the TXT record that checkDns() saw, so it displaces the older claim.
    await displace(work, domain);
    saved = await work.domains.saveDomain(result.domain, domain);
  }
  return saved === 'saved' ? result.domain : undefined;
}

const STEPS: Readonly<Record<StepName, (work: DomainWork, domain: Domain) => Promise<Report | undefined>>> = {
  guard: async (work, domain) => {
    const failure = await guard(work, domain);
    if (failure === undefined) {
      // Even while the record may still be wrong: the certificate can be ready before the traffic moves.
      if (domain.state.name === 'verifying') await work.authority.prepare?.(domain.host, requestIdOf(domain));
      return undefined;
    }
    await work.edge.detach(domain);
    return { kind: 'guard_failed', reason: failure.reason };
  },

  check_dns: async (work, domain) => ({ kind: 'dns_checked', ...(await checkDns(work, domain)) }),

  request_certificate: async (work, domain) => ({
    kind: 'certificate_requested',
    certificate: await work.authority.request(domain.host, requestIdOf(domain)),
  }),

  check_certificate: async (work, domain) => certificateReport(await work.authority.check(certificateOf(domain))),

  attach: async (work, domain) => {
    await work.edge.attach(domain, await projectOf(work, domain), certificateOf(domain));
    return undefined;
  },

  check_live: async (work, domain) => {
    const serving = await work.edge.isServing(domain);
    // Before the report, so that it is repeated if it fails.
    if (serving) await applyIntendedRedirects(work, domain);
    return { kind: 'edge_checked', serving };
  },

  renew: async (work, domain) => {
    if (work.authority.renewsAutomatically) return undefined;
    const current = await work.authority.check(certificateOf(domain));
    if (current.kind !== 'issued' || current.life === undefined || work.clock() < renewalDueAt(current.life, domain.id)) return undefined;
    // Without the record, no authority would issue a certificate; a day later is early enough.
    if (!isRecordCorrect((await checkDns(work, domain)).diagnosis.code)) return undefined;
    const certificate = await work.authority.request(domain.host, renewalIdOf(domain, current.life));
    // Pending and failed renewals are checked again in the next daily check: attempts a day apart stay within authorities' limits.
    const renewed = await work.authority.check(certificate);
    if (renewed.kind !== 'issued') return undefined;
    await work.edge.attach(domain, await projectOf(work, domain), certificate);
    await work.authority.release(domain, certificate);
    return { kind: 'certificate_renewed', certificate, served: servedOf(renewed) };
  },

  teardown: async (work, domain) => {
    // Stops traffic first.
    await work.edge.detach(domain);
    if (!(await work.edge.release(domain))) return { kind: 'teardown_pending' };
    await work.authority.release(domain);
    await withdrawRecords(work.publisher, await work.projects.getProject(domain.projectId), domain, await work.rules());
    return { kind: 'teardown_done' };
  },
};

async function guard({ accounts, projects }: DomainWork, { accountId, projectId }: Domain): Promise<GuardFailure | undefined> {
  return guardFailure(await accounts.getAccount(accountId), await projects.getProject(projectId));
}

async function projectOf({ projects }: DomainWork, { projectId }: Domain): Promise<Project> {
  const project = await projects.getProject(projectId);
  if (project === undefined) throw new Error(`project ${projectId} no longer exists`);
  return project;
}

function certificateOf({ state }: Domain): string {
  return 'certificate' in state ? state.certificate : '';
}

function servedOf({ life, issuer }: Extract<CertificateStatus, { kind: 'issued' }>): ServedCertificate | undefined {
  return life === undefined || issuer === undefined ? undefined : { issuer, ...life };
}

function certificateReport(status: CertificateStatus): Report {
  switch (status.kind) {
    case 'pending':
      return { kind: 'certificate_still_pending' };
    case 'issued':
      return { kind: 'certificate_issued', served: servedOf(status) };
    case 'failed':
      return { kind: 'certificate_failed', failure: status.failure, detail: status.detail };
  }
}

/** Checks whether a domain's DNS is as its project needs it, and who hosts its zone. */
async function checkDns(
  work: DomainWork,
  domain: Domain,
): Promise<{ readonly diagnosis: Diagnosis; readonly zone: Omit<SeenZone, 'at'> | undefined }> {
  const { id, host, projectId, accountId } = domain;
  const project = await work.projects.getProject(projectId);
  const target = projectTarget(project?.token ?? '', work.edgeHost);
  const token = ownershipToken(project?.token ?? '');
  const others = (await work.domains.claimsOf(host)).filter((claim) => claim.id !== id && claim.projectId !== projectId && isProved(claim.state));
  const claimed = others.length === 0 ? 'none' : others.every((claim) => claim.accountId === accountId) ? 'same_account' : 'other_account';
  const [{ facts, ownership }, authorities, editable] = await Promise.all([
    work.dns.lookUp({ host, target, token }),
    work.authority.issuerNames(),
    isEditable(work, domain),
  ]);
  const { zone: name, nameServers } = facts;
  return {
    diagnosis: diagnose({ host, target, token, claimed, authorities, apex: isApex(host) }, facts, ownership),
    zone: name === undefined || nameServers.length === 0 ? undefined : { name, nameServers, editable },
  };
}

/** Whether we can set the domain's records for its owner. Only asked while the owner may want that: a provider's API allows few calls. */
async function isEditable({ publisher }: DomainWork, { accountId, host, state, zone }: Domain): Promise<boolean> {
  const last = zone?.editable ?? false;
  return state.name === 'verifying' ? publisher.manages(accountId, host).catch(() => last) : last;
}

/** Removes another project's proved domain, whose name this domain takes over. */
async function displace(work: DomainWork, { id, host }: Domain): Promise<void> {
  for (const other of await work.domains.claimsOf(host)) {
    if (other.id === id || !isProved(other.state)) continue;
    const removing = transition(other, { kind: 'lose', proof: txtName(host) }, work.clock());
    if (removing.kind === 'moved') await work.domains.saveDomain(removing.domain, other);
    await work.edge.detach(other);
  }
}
