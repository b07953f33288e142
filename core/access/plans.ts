// Plans: their request limits (specification, section 8), and what an account on them may have.

export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/** Requests that an account may make in a UTC minute and in a UTC day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Enterprise quotas are agreed account by account, so the plan has none of its own. */
export const PLAN_LIMITS: Readonly<Record<Exclude<PlanName, 'enterprise'>, Limits>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
};

/** What an account may have at a time. Custom domains are for paid plans (specification, section 4). */
export interface Abilities {
  readonly projects: number;
  /** In all projects together. */
  readonly domains: number;
}

export const PLAN_ABILITIES: Readonly<Record<PlanName, Abilities>> = {
  free: { projects: 5, domains: 0 },
  pro: { projects: 50, domains: 100 },
  business: { projects: 200, domains: 500 },
  enterprise: { projects: 1_000, domains: 2_000 },
};

/** The largest quota that can be agreed; a billion keeps every sum an exact number. */
export const MAX_LIMIT = 1_000_000_000;

export type LimitsResult = { readonly ok: true; readonly limits: Limits } | { readonly ok: false; readonly problem: string };

/**
 * The limits of an account on this plan.
 *
 * @param agreed the quota agreed with an Enterprise customer: needed there, refused on every other plan
 */
export function limitsOfPlan(plan: PlanName, agreed: Partial<Limits>): LimitsResult {
  const given = Object.entries(agreed).filter(([, value]) => value !== undefined);
  if (plan !== 'enterprise') {
    if (given.length === 0) return { ok: true, limits: PLAN_LIMITS[plan] };
    return { ok: false, problem: `plan ${plan} has fixed limits; only plan enterprise takes limits per minute and per day` };
  }
  const { perMinute, perDay } = agreed;
  if (perMinute === undefined || perDay === undefined) {
    return { ok: false, problem: 'plan enterprise needs both limits, per minute and per day' };
  }
  const wrong = given.find(([, value]) => !Number.isInteger(value) || value < 1 || value > MAX_LIMIT);
  if (wrong !== undefined) {
    return { ok: false, problem: `${wrong[0]}: got ${wrong[1]}; allowed: an integer from 1 to ${MAX_LIMIT}` };
  }
  return { ok: true, limits: { perMinute, perDay } };
}
