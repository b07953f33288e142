// The work on a domain, a step at a time. A step reads what is true now, does one thing that is safe to repeat, and reports; the
// report is stored only if nobody else has moved the domain meanwhile. Whoever calls it may die at any point and call it again.

import { type Diagnosis, diagnose } from '../../core/domains/diagnose.ts';
import { type Domain, isProved, isServed } from '../../core/domains/domain.ts';
import { type GuardFailure, guardFailure } from '../../core/domains/guard.ts';
import { type DomainEvent, type Report, transition } from '../../core/domains/lifecycle.ts';
import { ownershipToken, projectTarget } from '../../core/domains/project-target.ts';
import type { AccountStore, CertificateAuthority, CertificateStatus, DnsLookup, DomainStore, Edge, ProjectStore } from '../../core/ports.ts';

export interface DomainWork {
  readonly domains: DomainStore;
  readonly projects: Pick<ProjectStore, 'getProject'>;
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly dns: DnsLookup;
  readonly authority: CertificateAuthority;
  readonly edge: Edge;
  /** The host that all projects' targets are below. */
  readonly edgeHost: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Steps that follow each other at once, without a wait between: verified → pending → attaching → live. */
const STEPS_AT_ONCE = 6;

/**
 * Does what is to do now, and what follows from it without waiting.
 *
 * @returns the domain as it stands afterwards; undefined if it is gone
 */
export async function advance(work: DomainWork, domainId: string): Promise<Domain | undefined> {
  for (let step = 0; step < STEPS_AT_ONCE; step += 1) {
    const domain = await work.domains.getDomain(domainId);
    if (domain === undefined) return undefined;
    const report = await nextReport(work, domain);
    if (report === undefined) return domain;
    const outcome = await apply(work, domain, { ...report, generation: domain.generation });
    // Another one moved it, or the report came too late: what is true now is read again, and this call is over.
    if (outcome === undefined) return work.domains.getDomain(domainId);
    if (outcome.state.name === domain.state.name || isServed(outcome.state)) return outcome;
  }
  return work.domains.getDomain(domainId);
}

/** What the step of this state finds; undefined where there is nothing to do. */
async function nextReport(work: DomainWork, domain: Domain): Promise<Report | undefined> {
  const { state, host } = domain;
  switch (state.name) {
    case 'verifying': {
      const failure = await guard(work, domain);
      if (failure !== undefined) return { kind: 'guard_failed', reason: failure.reason };
      return { kind: 'dns_checked', diagnosis: await look(work, domain) };
    }
    case 'live':
    case 'degraded': {
      const failure = await guard(work, domain);
      if (failure === undefined) return { kind: 'dns_checked', diagnosis: await look(work, domain) };
      await work.edge.detach(host);
      return { kind: 'guard_failed', reason: failure.reason };
    }
    case 'verified':
      return { kind: 'certificate_requested', certificate: await work.authority.request(host, requestId(domain, domain.generation)) };
    case 'certificate_pending':
      return certificateReport(await work.authority.check(state.certificate));
    case 'attaching': {
      const failure = await guard(work, domain);
      if (failure !== undefined) return { kind: 'guard_failed', reason: failure.reason };
      await work.edge.attach(host, domain.projectId, state.certificate);
      return { kind: 'edge_checked', serving: await work.edge.isServing(host) };
    }
    case 'removing':
      await takeDown(work, domain);
      return { kind: 'torn_down' };
    case 'awaiting_dns':
    case 'dns_failed':
    case 'certificate_failed':
    case 'suspended':
    case 'removed':
      return undefined;
  }
}

async function guard({ accounts, projects }: DomainWork, { accountId, projectId }: Domain): Promise<GuardFailure | undefined> {
  return guardFailure(await accounts.getAccount(accountId), await projects.getProject(projectId));
}

function certificateReport(status: CertificateStatus): Report {
  switch (status.kind) {
    case 'pending':
      return { kind: 'certificate_still_pending' };
    case 'issued':
      return { kind: 'certificate_issued' };
    case 'failed':
      return { kind: 'certificate_failed', failure: status.failure, detail: status.detail };
  }
}

/** One certificate a generation: a step that is repeated asks for the same one. */
function requestId({ id }: Domain, generation: number): string {
  return `${id}-g${generation}`;
}

/** Looks at the DNS of a domain, for what its project needs there. */
export async function look(work: DomainWork, domain: Domain): Promise<Diagnosis> {
  const project = await work.projects.getProject(domain.projectId);
  const target = projectTarget(project?.token ?? '', work.edgeHost);
  const claims = await work.domains.claimsOf(domain.host);
  const claimedElsewhere = claims.some(({ id, projectId, state }) => id !== domain.id && projectId !== domain.projectId && isProved(state));
  const { facts, ownership } = await work.dns.look({ host: domain.host, target });
  const token = ownershipToken(project?.token ?? '');
  return diagnose({ host: domain.host, target, token, claimedElsewhere, authorities: work.authority.issuerNames }, facts, ownership);
}

/** Stores what the report makes of the domain. @returns undefined if it does not count any more */
async function apply(work: DomainWork, domain: Domain, event: DomainEvent): Promise<Domain | undefined> {
  const result = transition(domain, event, work.clock());
  if (result.kind !== 'moved') return undefined;
  let saved = await work.domains.saveDomain(result.domain, domain);
  if (saved === 'host_taken') {
    // Its DNS proves this claim with the TXT record that look() asked for: the older one gives way.
    await displace(work, domain);
    saved = await work.domains.saveDomain(result.domain, domain);
  }
  return saved === 'saved' ? result.domain : undefined;
}

/** Removes the proved domain of another project that this one takes over from. */
async function displace(work: DomainWork, { id, host }: Domain): Promise<void> {
  for (const other of await work.domains.claimsOf(host)) {
    if (other.id === id || !isProved(other.state)) continue;
    const removing = transition(other, { kind: 'remove' }, work.clock());
    if (removing.kind === 'moved') await work.domains.saveDomain(removing.domain, other);
    await work.edge.detach(host);
  }
}

/** Traffic first; then what was made for the domain. */
async function takeDown(work: DomainWork, domain: Domain): Promise<void> {
  const others = (await work.domains.claimsOf(domain.host)).filter(
    ({ id, state }) => id !== domain.id && (isServed(state) || state.name === 'attaching'),
  );
  // Another project may have taken the name over by now: that is its traffic.
  if (others.length === 0) await work.edge.detach(domain.host);
  for (let generation = 0; generation < domain.generation; generation += 1) {
    await work.authority.release(requestId(domain, generation));
  }
}
