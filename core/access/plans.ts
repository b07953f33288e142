// What each plan allows (specification, sections 4 and 8). Guards, limits, the command line, the control API and the documentation's tables use this.

/** Requests that an account may make per UTC minute and per UTC day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Limits for one deployment of a project. */
export interface DeploymentLimits {
  readonly files: number;
  readonly fileBytes: number;
  readonly bytes: number;
}

export interface Plan {
  readonly label: string;
  /** Undefined if agreed per account. */
  readonly limits: Limits | undefined;
  /** Maximum number of projects per account. */
  readonly projects: number;
  /** Maximum number of custom domains across all projects; 0 if the plan does not include custom domains. */
  readonly domains: number;
  readonly deployment: DeploymentLimits;
}

const MEBIBYTE = 2 ** 20;
const deployment = (files: number, mebibytes: number): DeploymentLimits => ({ files, fileBytes: 25 * MEBIBYTE, bytes: mebibytes * MEBIBYTE });

/** Smallest first. */
export const PLANS = {
  free: { label: 'Free', limits: { perMinute: 60, perDay: 1_000 }, projects: 5, domains: 0, deployment: deployment(1_000, 100) },
  pro: { label: 'Pro', limits: { perMinute: 300, perDay: 10_000 }, projects: 50, domains: 100, deployment: deployment(10_000, 500) },
  business: { label: 'Business', limits: { perMinute: 1_000, perDay: 100_000 }, projects: 200, domains: 500, deployment: deployment(10_000, 500) },
  enterprise: { label: 'Enterprise', limits: undefined, projects: 1_000, domains: 2_000, deployment: deployment(10_000, 500) },
} as const satisfies Readonly<Record<string, Plan>>;

export type PlanName = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as [PlanName, ...PlanName[]];

/** Returns the plan's row in the table. */
export function planOf(name: PlanName): Plan {
  return PLANS[name];
}

export const PLANS_WITH_DOMAINS: readonly PlanName[] = PLAN_NAMES.filter((name) => planOf(name).domains > 0);

/** A quota that is agreed with a customer; either limit may be missing. */
export type AgreedLimits = { readonly [Name in keyof Limits]?: number | undefined };

/** The largest quota that can be agreed on: a billion, so that all sums are exact. */
export const MAX_LIMIT = 1_000_000_000;

export type LimitsResult = { readonly ok: true; readonly limits: Limits } | { readonly ok: false; readonly problem: string };

/** Returns an account's limits on a plan. @param agreed the agreed quota; required if the plan has no fixed limits, refused otherwise */
export function limitsOfPlan(plan: PlanName, agreed: AgreedLimits): LimitsResult {
  const given = Object.entries(agreed).filter(([, value]) => value !== undefined);
  const { limits } = planOf(plan);
  if (limits !== undefined) {
    if (given.length === 0) return { ok: true, limits };
    const free = PLAN_NAMES.filter((name) => planOf(name).limits === undefined).join(', ');
    return { ok: false, problem: `plan ${plan} has fixed limits; only plan ${free} accepts custom limits per minute and per day` };
  }
  const { perMinute, perDay } = agreed;
  if (perMinute === undefined || perDay === undefined) {
    return { ok: false, problem: `plan ${plan} needs both limits, per minute and per day` };
  }
  const wrong = Object.entries({ perMinute, perDay }).find(([, value]) => !Number.isInteger(value) || value < 1 || value > MAX_LIMIT);
  if (wrong !== undefined) {
    return { ok: false, problem: `${wrong[0]}: got ${wrong[1]}; allowed: an integer from 1 to ${MAX_LIMIT}` };
  }
  return { ok: true, limits: { perMinute, perDay } };
}

// What members may do in an account. A control API operation names the role that it requires.

/** `member` does the daily work; `owner` also decides who belongs to the account, which plan it has, and what is permanently deleted. */
export const ROLES = ['owner', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role includes another. */
export function includesRole(held: Role, needed: Role): boolean {
  return held === 'owner' || held === needed;
}

/** Whether the account would have no owner without this member. */
export function isLastOwner(members: readonly { readonly userId: string; readonly role: Role }[], userId: string): boolean {
  const owners = members.filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners[0]?.userId === userId;
}

// What a key permits.

export const SCOPES = ['pets:read', 'pets:write'] as const;

export type Scope = (typeof SCOPES)[number];

/** Parses a comma-separated list of scopes; returns undefined if the list is empty or contains an unknown scope. Duplicates are merged. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => (SCOPES as readonly string[]).includes(name))) return undefined;
  return SCOPES.filter((scope) => names.includes(scope));
}
