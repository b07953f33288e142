// Operations on domains, shared by the command line and the control API. Each `now` is in milliseconds since 1970.

import type { Account } from '../access/account.ts';
import { type RandomBytes, randomBase62 } from '../access/base62.ts';
import { planOf } from '../access/plans.ts';
import type { AccountStore } from '../access/ports.ts';
import { MINUTE_MS } from '../limits/windows.ts';
import { published } from '../projects/actions.ts';
import type { ProjectStore } from '../projects/ports.ts';
import { DOMAIN_ID_PREFIX, EMPTY_CONFIGURATION, ID_LENGTH, type Project } from '../projects/project.ts';
import { type ActionRefusal, type ActionResult, changedMeanwhile, refused } from '../refusal.ts';
import { changeConfiguration, companionOf, partFromCompanion } from './companion.ts';
import { usesOf, withoutHost } from './configuration.ts';
import { type Domain, newDomain } from './domain.ts';
import { type HostNamePolicy, parseHostName } from './host-name.ts';
import { transition } from './lifecycle.ts';
import { hostIn } from './pasted-host.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, NeededRecord, RecordPublisher, ZoneInspector } from './ports.ts';
import { type GuardFailure, guardFailure, publish } from './publication.ts';
import { type EdgeName, recordsFor } from './records.ts';
import { isServedState } from './served.ts';
import { type Command, isServed } from './states.ts';

export interface DomainPorts {
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly projects: Pick<ProjectStore, 'getProject' | 'listProjects' | 'putConfiguration'>;
  readonly domains: DomainStore;
  readonly edge: Pick<EdgeMap, 'publish'>;
  readonly workflow: DomainWorkflow;
}

/** Maximum number of verifications per domain and minute: people click repeatedly, and each click queries all of the domain's name servers. */
const VERIFICATIONS_A_MINUTE = 6;

/** The platform's rules for names. */
export interface NameRules {
  readonly policy: HostNamePolicy;
  readonly edge: EdgeName;
}

export interface AddingOptions {
  /** Finds out who hosts the name's zone. @default left to the first check */
  readonly inspector?: ZoneInspector;
  /** Whether to also add the name's counterpart with or without www, which redirects to this name once this one is served. @default false */
  readonly companion?: boolean;
}

/** Adds a domain to a project. @param input the name as typed or pasted, such as `https://WWW.example.com/` */
export async function addDomain(
  { accounts, projects, domains }: DomainPorts,
  project: Project,
  input: string,
  rules: NameRules,
  randomBytes: RandomBytes,
  now: number,
  { inspector, companion = false }: AddingOptions = {},
): Promise<ActionResult<{ domain: Domain; records: readonly NeededRecord[] }>> {
  const parsed = parseHostName(hostIn(input), rules.policy);
  if (!parsed.ok) return refused('invalid_request', parsed.message);
  const { host, apex } = parsed.name;
  const account = await accounts.getAccount(project.accountId);
  const failure = guardFailure(account, project);
  if (failure !== undefined) return refusalOf(failure);
  if (account === undefined) return refused('conflict', 'the account no longer exists');
  const { domains: present } = await projectsAndDomainsOf({ projects, domains }, account.id);
  const ofProject = new Set(present.filter(({ projectId }) => projectId === project.id).map((each) => each.host));
  // Checked before the zone is looked up, so that a repeated request costs no queries.
  if (ofProject.has(host)) return alreadyIn(project, host);
  const other = companion ? companionOf(parsed.name) : undefined;
  const isNew = other !== undefined && parseHostName(other, rules.policy).ok && !ofProject.has(other);
  const { domains: most } = planOf(account.plan);
  if (present.length + (isNew ? 2 : 1) > most) return refused('conflict', tooMany(account, present.length, most, isNew));
  const zone = await inspector?.inspect(project.accountId, host);
  const [id, otherId] = [newDomainId(randomBytes), newDomainId(randomBytes)];
  const fields = { projectId: project.id, accountId: project.accountId, ...(zone && { zone: { ...zone, at: now } }) };
  const domain = newDomain({ ...fields, id, host, ...(isNew && { companion: { id: otherId, host: other } }) }, now);
  if ((await domains.addDomain(domain)) === 'exists') return alreadyIn(project, host);
  if (isNew) await domains.addDomain(newDomain({ ...fields, id: otherId, host: other, companion: { id, host }, redirectTo: host }, now));
  return { ok: true, domain, records: recordsFor(project, host, apex, rules.edge) };
}

function alreadyIn({ id }: Project, host: string): ActionRefusal {
  return refused('conflict', `${host} is already in project ${id}`);
}

function newDomainId(randomBytes: RandomBytes): string {
  return `${DOMAIN_ID_PREFIX}${randomBase62(ID_LENGTH, randomBytes)}`;
}

function tooMany({ id, plan }: Pick<Account, 'id' | 'plan'>, present: number, most: number, both: boolean): string {
  const full = present >= most;
  return `account ${id} has ${present} domains, ${full ? 'the' : `and ${most} are the`} maximum on plan ${plan}; ${
    both && !full ? 'add only one of the two names, ' : ''
  }remove one, or choose a larger plan`;
}

/** Returns the records for an existing domain. */
export function recordsOf(project: Project, domain: Domain, { policy, edge }: NameRules): readonly NeededRecord[] {
  const parsed = parseHostName(domain.host, policy);
  return recordsFor(project, domain.host, parsed.ok && parsed.name.apex, edge);
}

/** Verifies a domain now. A served domain keeps its state, and its record is checked; a domain with a pending certificate stays unchanged. */
export async function verifyDomain(ports: DomainPorts, domain: Domain, now: number): Promise<ActionResult<{ domain: Domain }>> {
  const recent = domain.history.filter(({ state, at }) => state === 'verifying' && at > now - MINUTE_MS && at <= now);
  const [oldest] = recent;
  if (oldest !== undefined && recent.length >= VERIFICATIONS_A_MINUTE) {
    const retryAfterSeconds = Math.ceil((oldest.at + MINUTE_MS - now) / 1_000);
    const message = `${domain.host} was verified ${recent.length} times within a minute; it is checked automatically, or you can verify again in ${retryAfterSeconds} s`;
    const quota = { limit: VERIFICATIONS_A_MINUTE, remaining: 0, resetAt: oldest.at + MINUTE_MS };
    return { ...refused('rate_limit_exceeded', message), retryAfterSeconds, quota };
  }
  const failure = guardFailure(await ports.accounts.getAccount(domain.accountId), await ports.projects.getProject(domain.projectId));
  if (failure !== undefined) return refusalOf(failure);
  const moved = await move(ports.domains, domain, { kind: 'verify' }, now);
  if (moved.ok && moved.domain.generation !== domain.generation) await ports.workflow.start(moved.domain);
  return moved;
}

export interface RemovingOptions {
  readonly withRedirects?: boolean;
  readonly onlyAsRead?: boolean;
  readonly by?: { readonly id: string; readonly rules: NameRules };
}

/**
 * Removes a domain. Traffic stops before this resolves; the teardown follows.
 *
 * @param withRedirects also removes the project's settings that point to the domain. @default false: refused while such settings exist
 * @param onlyAsRead refuses to remove the domain if it has changed since it was read. @default false
 * @param by who removes it (a user's id, or OPERATOR), and how to derive its records; for the email to owners. @default the email has neither
 */
export async function removeDomain(
  ports: DomainPorts,
  domain: Domain,
  now: number,
  { withRedirects = false, onlyAsRead = false, by }: RemovingOptions = {},
): Promise<ActionResult<{ domain: Domain }>> {
  const project = await ports.projects.getProject(domain.projectId);
  const { primary, redirects } = usesOf(project?.configuration ?? EMPTY_CONFIGURATION, domain.host);
  if (!withRedirects && (primary || redirects.length > 0)) {
    const uses = [...(primary ? ['it is the primary domain'] : []), ...redirects.map(({ from }) => `${from} redirects to it`)];
    return refused(
      'conflict',
      `${domain.host} is in use: ${uses.join(', ')}; change these settings first, or remove them with the domain`,
      ' (petstore config put, or --with-redirects)',
    );
  }
  const removal = project &&
    by && {
      by: by.id,
      // The teardown removes the records that we have set, so they are not listed.
      records: domain.published === true ? [] : recordsOf(project, domain, by.rules).map(({ type, name, value }) => ({ type, name, value })),
    };
  const moved = await move(ports.domains, domain, { kind: 'remove', removal }, now, onlyAsRead);
  if (!moved.ok) return moved;
  await publish(ports, { id: domain.projectId }, [domain.host]);
  await ports.workflow.start(moved.domain);
  await partFromCompanion(ports.domains, domain);
  if (project !== undefined && JSON.stringify(project.configuration).includes(JSON.stringify(domain.host))) {
    await changeConfiguration(ports.projects, project.id, (configuration) => withoutHost(configuration, domain.host));
    await published(ports, project.id);
  }
  return moved;
}

/**
 * After a change of plan, makes an account's domains due for a check at once. The check suspends domains that the plan no longer allows.
 *
 * @returns the domains that will be suspended, usually within seconds, and within five minutes (the interval between sweeps) at the latest
 */
export async function checkDomainsWithoutPlan(
  {
    accounts,
    projects,
    domains,
  }: Pick<DomainPorts, 'accounts'> & {
    readonly projects: Pick<ProjectStore, 'listProjects'>;
    readonly domains: Pick<DomainStore, 'listDomains' | 'getDomain' | 'saveDomain'>;
  },
  accountId: string,
  now: number,
): Promise<readonly Domain[]> {
  const account = await accounts.getAccount(accountId);
  if (account === undefined || planOf(account.plan).domains > 0) return [];
  const served = (await projectsAndDomainsOf({ projects, domains }, accountId)).domains.filter(({ state }) => isServed(state));
  for (const domain of served) await checkNow(domains, domain, now);
  return served;
}

async function checkNow(domains: Pick<DomainStore, 'getDomain' | 'saveDomain'>, domain: Domain, now: number): Promise<void> {
  const { state } = domain;
  if (!isServedState(state)) return;
  const saved = await domains.saveDomain({ ...domain, state: { ...state, nextCheckAt: now }, changedAt: now }, domain);
  const current = saved === 'changed' ? await domains.getDomain(domain.id) : undefined;
  if (current !== undefined) await checkNow(domains, current, now);
}

/** Sets a domain's records for its owner, if we manage the zone. First stores this intention, so that after a crash, the teardown deletes them. */
export async function publishRecords(
  domains: DomainStore,
  publisher: Pick<RecordPublisher, 'publish'>,
  domain: Domain,
  records: readonly NeededRecord[],
): Promise<ActionResult<{ records: readonly NeededRecord[] }>> {
  if (domain.published !== true && (await domains.saveDomain({ ...domain, published: true }, domain)) !== 'saved') {
    const current = await domains.getDomain(domain.id);
    if (current === undefined) return refused('not_found', `${domain.host} no longer exists`);
    return publishRecords(domains, publisher, current, records);
  }
  const result = await publisher.publish(domain.accountId, domain.host, records);
  switch (result.kind) {
    case 'published':
      return { ok: true, records };
    case 'no_zone':
      return refused('conflict', `we do not manage the zone of ${domain.host} for account ${domain.accountId}; set the records at your DNS provider`);
    case 'conflict':
      return refused('conflict', `nothing was written: ${result.seen}; remove it first, or set the records yourself`);
  }
}

/** Removes the records for a domain, but only those that we have set. Idempotent. */
export async function withdrawRecords(publisher: RecordPublisher, project: Project | undefined, domain: Domain, rules: NameRules): Promise<void> {
  if (domain.published === true && project !== undefined) await publisher.withdraw(domain.accountId, domain.host, recordsOf(project, domain, rules));
}

/** Applies a command to a domain, retrying if it changes concurrently. @param onlyAsRead refuses instead of retrying. @default false */
export async function move(
  domains: DomainStore,
  read: Domain,
  event: Command,
  now: number,
  onlyAsRead = false,
): Promise<ActionResult<{ domain: Domain }>> {
  const result = transition(read, event, now);
  if (result.kind === 'refused') return refused('conflict', `${read.host}: ${result.message}`);
  if (result.kind === 'stale') return { ok: true, domain: read };
  if ((await domains.saveDomain(result.domain, read)) === 'saved') return { ok: true, domain: result.domain };
  const current = await domains.getDomain(read.id);
  if (current === undefined) return refused('not_found', `${read.host} no longer exists`);
  return onlyAsRead ? changedMeanwhile(read.host) : move(domains, current, event, now);
}

function refusalOf({ reason, message }: GuardFailure): ActionRefusal {
  return refused(reason === 'by_operator' ? 'account_suspended' : 'conflict', message);
}

/** Returns an account's projects, and the domains of all of them, except removed ones. */
export async function projectsAndDomainsOf(
  { projects, domains }: { readonly projects: Pick<ProjectStore, 'listProjects'>; readonly domains: Pick<DomainStore, 'listDomains'> },
  accountId: string,
): Promise<{ readonly projects: readonly Project[]; readonly domains: readonly Domain[] }> {
  const all = await projects.listProjects(accountId);
  return { projects: all, domains: (await Promise.all(all.map(({ id }) => domains.listDomains(id)))).flat() };
}
