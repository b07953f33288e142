// What the bill depends on in a stage. infra/test/cost.test.ts compares it with the templates, and with the code that publishes metrics.

export type CostProfile = 'staging' | 'production';

/** Memory of the functions, in MB. */
export const MEMORY_MB = { catalogue: 1_769, control: 1_024, steps: 512, sweep: 512, failover: 512, probe: 256, notifier: 256 } as const;

/** Time limit of the catalogue's function, in milliseconds. */
export const CATALOGUE_LIMIT_MS = 10_000;

/** Months for which logs are stored. */
export const LOG_MONTHS: Readonly<Record<CostProfile, number>> = { staging: 1, production: 12 };

/** Metrics that alarms watch; an expression counts once for each metric in it. Releases have alarms only with a canary. */
export const ALARM_METRICS: Readonly<Record<CostProfile, { readonly catalogue: number; readonly domains: number }>> = {
  staging: { catalogue: 26, domains: 40 },
  production: { catalogue: 30, domains: 40 },
};

/** Values of the dimension `operation`: the four operations, unknown paths and methods that are not allowed. */
export const OPERATION_VALUES = 6;
/** Values of the dimension `plan`: the four plans, and `none`. */
export const PLAN_VALUES = 5;
/** Refusals that every service with traffic has: for how many operations, and for how many plans. Each is a metric. */
export const USUAL_REFUSALS = {
  unauthorized: { operations: 3, plans: 1 },
  rate_limit_exceeded: { operations: 3, plans: 4 },
  not_found: { operations: 2, plans: 5 },
  invalid_request: { operations: 2, plans: 4 },
} as const;
/** The service's own metrics, if all operations and plans are in use: `Requests` and `Latency` for each, and the usual refusals. */
export const SERVICE_METRICS = Object.values(USUAL_REFUSALS).reduce(
  (sum, { operations, plans }) => sum + operations + plans,
  2 * (OPERATION_VALUES + PLAN_VALUES),
);
/** DomainsStuck and RenewalsOverdue, in all hours; EdgeTenants and EdgeMapBytes, in one hour a day. CertificateFailed only exists in hours in which one fails. */
export const SWEEP_METRICS = 2;
export const EDGE_SWEEP_METRICS = 2;
/** ProbeFailed. */
export const PROBE_METRICS = 1;
/**
 * The service's own metrics of these calls, of two operations without a plan: `Requests` and `Latency` for each, and the refusal of the key for one
 * operation and the plan.
 */
export const PROBE_SERVICE_METRICS = 2 * (2 + 1) + (1 + 1);
/** Minutes between calls of the probe, each of which sends as many requests. */
export const PROBE_MINUTES = 5;
export const PROBE_REQUESTS = 2;

/** Minutes between sweeps of domains, between those of what has changed, and between those of the whole edge. */
export const SWEEP_MINUTES = 5;
export const CHANGES_SWEEP_MINUTES = 60;
export const EDGE_SWEEP_MINUTES = 24 * 60;

/** NotificationsLost. */
export const NOTIFIER_METRICS = 1;
/** Minutes between runs of the function that sends emails to owners, and between its surveys of all accounts. */
export const NOTIFIER_MINUTES = 1;
export const SURVEY_MINUTES = 5;

/** States that the workflow enters from Verify until it ends with a live domain, without waits; and from Remove. */
export const STATES_TO_LIVE = 15;
export const STATES_TO_REMOVED = 5;
/** States that a check after a wait enters: the wait, the step and the choice. */
export const STATES_PER_WAIT = 3;
/** Steps among these states, without those after waits. */
export const STEPS_TO_LIVE = 7;
export const STEPS_TO_REMOVED = 2;
