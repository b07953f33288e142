// Operations on accounts and their members, shared by the command line, the control API and the first start. Times are in milliseconds since 1970.

import type { AuditLog } from '../audit/ports.ts';
import { checkDomainsWithoutPlan } from '../domains/actions.ts';
import type { Domain } from '../domains/domain.ts';
import type { DomainStore } from '../domains/ports.ts';
import type { UserStore } from '../identity/ports.ts';
import { newUserId } from '../identity/user.ts';
import { isLiftable } from '../limits/ban.ts';
import { memberAdded, memberRemoved } from '../notifications/notification.ts';
import type { ProjectStore } from '../projects/ports.ts';
import { type ActionResult, refused } from '../refusal.ts';
import { type Account, nameRefusal, newAccountId, OPERATOR } from './account.ts';
import { type RandomBytes, randomBase62 } from './base62.ts';
import { type CredentialPorts, credentialsOf, revokeCredentialsOf } from './credentials.ts';
import { issueKey, noAccount } from './keys.ts';
import { type AgreedLimits, type Limits, limitsOfPlan, type PlanName, planOf, SCOPES } from './plans.ts';
import type { AccountStore, InvitationStore, Member, MemberStore } from './ports.ts';

export interface AccountPorts {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
}

/** The ports that membership changes need. */
export interface MembershipPorts extends AccountPorts {
  readonly invitations: Pick<InvitationStore, 'listInvitations' | 'removeInvitation'>;
}

/** The ports that a plan change needs. */
export interface PlanPorts {
  readonly accounts: AccountStore;
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  readonly domains: Pick<DomainStore, 'listDomains' | 'getDomain' | 'saveDomain'>;
}

/** A plan, with the agreed limits if the plan has no fixed ones. */
export interface ChosenPlan {
  readonly plan: PlanName;
  readonly agreed?: AgreedLimits;
}

/** A user who is a member of this many accounts can't create another; an operator can still add the user to more. */
const MAX_ACCOUNTS_PER_USER = 5;
/** Maximum number of attempts to find a free id; a collision of 59-bit ids is very rare. */
const TRIES = 3;

/** Creates an account. @param owner id of the account's first owner; undefined if an operator creates it and adds members afterwards */
export async function createAccount(
  { accounts, members }: AccountPorts,
  { name, plan, agreed = {}, owner }: ChosenPlan & { readonly name: string; readonly owner: string | undefined },
  randomBytes: RandomBytes,
  now: number,
): Promise<ActionResult<{ readonly account: Account }>> {
  const wrong = nameRefusal(name);
  if (wrong !== undefined) return wrong;
  const allowed = limitsOfPlan(plan, agreed);
  if (!allowed.ok) return refused('invalid_request', allowed.problem);
  if (owner !== undefined && (await members.membershipsOf(owner)).length >= MAX_ACCOUNTS_PER_USER)
    return refused('conflict', `you are already a member of ${MAX_ACCOUNTS_PER_USER} accounts, the maximum`);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const account = { id: newAccountId(randomBytes), name, plan, limits: allowed.limits, createdAt: now };
    if (!(await accounts.createAccount(account))) continue;
    if (owner !== undefined) await members.addMember(account.id, owner, 'owner');
    return { ok: true, account };
  }
  return refused('unavailable', `could not find a free account id in ${TRIES} attempts; try again`);
}

/** Changes an account's display name. */
export async function renameAccount(
  { accounts }: { readonly accounts: Pick<AccountStore, 'rename'> },
  accountId: string,
  name: string,
): Promise<ActionResult<object>> {
  return nameRefusal(name) ?? ((await accounts.rename(accountId, name)) ? { ok: true } : noAccount(accountId));
}

export interface PlanChange {
  readonly limits: Limits;
  /** Ids of the keys whose bans were lifted. */
  readonly unbanned: readonly string[];
  /** Domains that the plan no longer allows and that are being suspended. */
  readonly ending: readonly Domain[];
}

/** Changes an account's plan. An upgrade lifts its keys' bans, because the customer has just paid; a plan without custom domains suspends them. */
export async function changePlan(
  ports: PlanPorts,
  accountId: string,
  { plan, agreed = {} }: ChosenPlan,
  now: number,
): Promise<ActionResult<PlanChange>> {
  const { accounts } = ports;
  const allowed = limitsOfPlan(plan, agreed);
  if (!allowed.ok) return refused('invalid_request', allowed.problem);
  const { limits } = allowed;
  const before = await accounts.getAccount(accountId);
  if (before === undefined || !(await accounts.setPlan(accountId, plan, limits))) return noAccount(accountId);
  const isUpgrade = limits.perMinute > before.limits.perMinute || limits.perDay > before.limits.perDay;
  const unbanned = isUpgrade ? await liftBans(accounts, accountId, now) : [];
  return { ok: true, limits, unbanned, ending: await checkDomainsWithoutPlan(ports, accountId, now) };
}

async function liftBans(accounts: AccountStore, accountId: string, now: number): Promise<readonly string[]> {
  const banned = (await accounts.listKeys(accountId)).filter(({ ban }) => isLiftable(ban, now));
  const lifted = await Promise.all(banned.map(({ id }) => accounts.liftBan(id, now)));
  return banned.filter((_, index) => lifted[index]).map(({ id }) => id);
}

/** An account whose limits differ from its plan's limits. */
export interface OutdatedAccount {
  readonly account: Account;
  readonly limits: Limits;
}

/** Returns the accounts that still have the limits from before a release changed their plan's, except those with agreed limits. */
export async function outdatedAccounts(accounts: Pick<AccountStore, 'listAccounts'>): Promise<readonly OutdatedAccount[]> {
  return (await accounts.listAccounts()).flatMap((account) => {
    const { limits } = planOf(account.plan);
    const isCurrent = limits === undefined || (limits.perMinute === account.limits.perMinute && limits.perDay === account.limits.perDay);
    return isCurrent ? [] : [{ account, limits }];
  });
}

/** Adds a user to an account's members, who are notified; an existing member keeps their role. Refuses an unknown account. */
export async function addMember(
  { accounts, members }: AccountPorts,
  accountId: string,
  { userId, role }: Member,
  now: number,
): Promise<ActionResult<object>> {
  if ((await accounts.getAccount(accountId)) === undefined) return noAccount(accountId);
  await members.addMember(accountId, userId, role, memberAdded(accountId, userId, now, OPERATOR));
  return { ok: true };
}

/** How a member is removed. */
export interface Removal {
  /** Id of the user who removes the member (possibly the member themselves), or OPERATOR, which may remove even the last owner. */
  readonly by: string;
  /** Whether the keys and deploy tokens that the member created are revoked as well. */
  readonly revokes: boolean;
  readonly now: number;
}

/**
 * Removes a member, notifies the others, then revokes the invitations that the member has sent. The member's keys and deploy tokens are revoked last,
 * when no new ones can be created. An interrupted call can be repeated: it revokes the rest, then refuses because there is no such member.
 */
export async function removeMember(
  ports: MembershipPorts & CredentialPorts,
  accountId: string,
  userId: string,
  { by, revokes, now }: Removal,
): Promise<ActionResult<object>> {
  const { accounts, members, invitations } = ports;
  if ((await accounts.getAccount(accountId)) === undefined) return noAccount(accountId);
  const made = (await credentialsOf(ports, accountId, userId, now)).map(({ name, project }) => ({ name, ...(project && { project: project.name }) }));
  const notification = memberRemoved(accountId, { userId, by, made, revoked: revokes }, now);
  const outcome = await members.removeMember(accountId, userId, { keepOwner: by !== OPERATOR }, notification);
  if (outcome === 'removed') await endInvitationsOf(invitations, accountId, userId);
  if (revokes && outcome !== 'last_owner') await revokeCredentialsOf(ports, accountId, userId, by, now);
  return outcomeOf(outcome, accountId, userId);
}

/** Changes a member's role. To hand over, an owner makes another member an owner, then steps down, which revokes the invitations they sent. */
export async function changeRole(
  { accounts, members, invitations }: MembershipPorts,
  accountId: string,
  { userId, role }: Member,
): Promise<ActionResult<object>> {
  if ((await accounts.getAccount(accountId)) === undefined) return noAccount(accountId);
  const outcome = await members.setRole(accountId, userId, role);
  if (outcome === 'set' && role !== 'owner') await endInvitationsOf(invitations, accountId, userId);
  return outcomeOf(outcome, accountId, userId);
}

/** Revokes the invitations that a member has sent. Those from non-owners are refused, but would be valid again if the member became an owner again. */
async function endInvitationsOf(invitations: MembershipPorts['invitations'], accountId: string, userId: string): Promise<void> {
  for (const { id, invitedBy } of await invitations.listInvitations(accountId)) if (invitedBy === userId) await invitations.removeInvitation(id);
}

function outcomeOf(outcome: 'removed' | 'set' | 'not_a_member' | 'last_owner', accountId: string, userId: string): ActionResult<object> {
  switch (outcome) {
    case 'not_a_member':
      return refused('not_found', `${JSON.stringify(userId)} is not a member of ${JSON.stringify(accountId)}`);
    case 'last_owner':
      return refused('conflict', 'this is the only owner of the account; make another member an owner first');
    default:
      return { ok: true };
  }
}

// The first start creates an account with a key and a user, so that a newcomer's first curl and first sign-in work.

const EMAIL = 'demo@petstore.test';
const PASSWORD_LENGTH = 20;

export interface Demo {
  /** All three are shown only once. */
  readonly key: string;
  readonly email: string;
  readonly password: string;
}

/** The ports that the first start needs, and whether other hosts use them, too. */
export interface DemoPorts extends AccountPorts {
  readonly users: UserStore;
  readonly audit: AuditLog;
  readonly isShared: boolean;
}

/** Maximum number of entries in the audit log of an installation that never had an account. */
const FEW_ENTRIES = 100;

/** Creates the demo account and its user. @returns undefined if the installation ever had an account, or has other users */
export async function createDemoAccount(
  { users, audit, isShared, ...ports }: DemoPorts,
  randomBytes: RandomBytes,
  now: number,
): Promise<Demo | undefined> {
  const { accounts } = ports;
  if ((await accounts.listAccounts()).length > 0) return undefined;
  const [begun, ...others] = await users.list();
  // The process of an earlier start may have ended before it created the account; among several hosts, another may be about to.
  if (begun !== undefined && (isShared || begun.email !== EMAIL || others.length > 0)) return undefined;
  const { items, next } = await audit.entries({}, FEW_ENTRIES);
  if (next !== undefined || items.some(({ action }) => action === 'account.created')) return undefined;
  const user = begun ?? { id: newUserId(randomBytes), email: EMAIL };
  const password = randomBase62(PASSWORD_LENGTH, randomBytes);
  if (begun !== undefined) await users.setPassword(user.id, password);
  // If several hosts start at once, only one creates the account.
  else if (!(await users.add(user, password))) return undefined;
  const made = await createAccount(ports, { name: 'Demo', plan: 'pro', owner: user.id }, randomBytes, now);
  if (!made.ok) return undefined;
  const request = { mode: 'test', accountId: made.account.id, name: 'Demo', scopes: SCOPES, by: OPERATOR, expiresAt: undefined, now } as const;
  const issued = await issueKey(accounts, randomBytes, request);
  return issued.ok ? { key: issued.key, email: EMAIL, password } : undefined;
}
