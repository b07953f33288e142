// Checks a domain's DNS, and diagnoses it for its project.

import { diagnose } from '../../core/domains/diagnosis/diagnose.ts';
import { type Diagnosis, isRecordCorrect } from '../../core/domains/diagnosis/diagnosis.ts';
import { canonicalAddress } from '../../core/domains/diagnosis/diagnosis-text.ts';
import type { DnsFacts } from '../../core/domains/diagnosis/dns-facts.ts';
import type { Domain, SeenZone } from '../../core/domains/domain.ts';
import { isApex } from '../../core/domains/host-name.ts';
import { ownershipToken, projectTarget, tokenOfTarget } from '../../core/domains/records.ts';
import { isProved, type Report } from '../../core/domains/states.ts';
import type { DomainWork } from '../../core/domains/work.ts';

/** Checks whether a domain's DNS meets its project's needs, and who hosts its zone. */
export async function checkDns(
  work: DomainWork,
  domain: Domain,
): Promise<{
  readonly diagnosis: Diagnosis;
  readonly zone: Omit<SeenZone, 'at'> | undefined;
  /** All addresses of the edge; undefined if it may have more addresses than were seen. */
  readonly edge: readonly string[] | undefined;
}> {
  const { id, host, projectId, accountId } = domain;
  const project = await work.projects.getProject(projectId);
  const target = projectTarget(project?.token ?? '', work.edgeHost);
  const token = ownershipToken(project?.token ?? '');
  const others = (await work.domains.claimsOf(host)).filter((claim) => claim.id !== id && claim.projectId !== projectId && isProved(claim.state));
  const claimed = others.length === 0 ? 'none' : others.every((claim) => claim.accountId === accountId) ? 'same_account' : 'other_account';
  const [{ facts, ownership }, authority, editable] = await Promise.all([
    work.dns.lookUp({ host, target, token }),
    work.authority.caaIdentity(),
    isEditable(work, domain),
  ]);
  const { zone: name, nameServers, edge, rotating } = facts;
  const before = 'diagnosis' in domain.state ? domain.state.diagnosis?.lag : undefined;
  const otherTargets = await targetsOfOthers(work, domain, target, facts);
  const expected = { host, target, token, claimed, authority, apex: isApex(host), otherTargets } as const;
  return {
    diagnosis: diagnose(expected, facts, ownership, { now: work.clock(), lag: before }),
    zone: name === undefined || nameServers.length === 0 ? undefined : { name, nameServers, editable },
    edge: rotating ? undefined : [...edge.a, ...edge.aaaa].map(canonicalAddress),
  };
}

/** Returns the account's project names by target if the domain points to another project, which the owner may have mistaken for this one. */
async function targetsOfOthers(
  work: DomainWork,
  { accountId }: Domain,
  target: string,
  { authoritative }: DnsFacts,
): Promise<ReadonlyMap<string, string>> {
  const seen = authoritative.flatMap((answer) => (answer.kind === 'records' ? answer.records.cname : []));
  if (!seen.some((name) => name !== target && tokenOfTarget(name, work.edgeHost) !== undefined)) return new Map();
  const projects = await work.projects.listProjects(accountId);
  return new Map(projects.map(({ token, name }) => [projectTarget(token, work.edgeHost), name]));
}

/** Whether we can set the domain's records for its owner. Only checked while the owner may want this, because a provider's API allows few calls. */
async function isEditable({ publisher }: DomainWork, { accountId, host, state, zone }: Domain): Promise<boolean> {
  const last = zone?.editable ?? false;
  return state.name === 'verifying' ? publisher.manages(accountId, host).catch(() => last) : last;
}

/** Returns the report on a wrong record; undefined if the record is right. */
export async function wrongRecord(work: DomainWork, domain: Domain): Promise<Report | undefined> {
  const { diagnosis, zone } = await checkDns(work, domain);
  return isRecordCorrect(diagnosis.code) ? undefined : { kind: 'dns_checked', diagnosis, zone };
}
