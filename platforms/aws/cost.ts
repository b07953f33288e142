// The monthly cost of a stage: each price once, and its quantity as a formula of the stage's usage. List prices for us-east-1 from AWS's pricing
// pages (docs/decisions/0023-aws-rules.md), in the first volume tier and without free amounts. Items that cost less than a few cents are left out.

export const PRICES_OF = { date: '2026-11-22', region: 'us-east-1', currency: 'USD' } as const;

/** A month's use of a stage. */
export interface Usage {
  /** Whether the stage has custom domains and the dashboard (an edge name). */
  readonly edge: boolean;
  /** Metrics that alarms watch. */
  readonly alarms: number;
  /** Requests to the catalogue: 60 % lists, 30 % single animals, 10 % new ones, 15 ms each. */
  readonly requests: number;
  readonly animals: number;
  /** Domains: a tenth of them are added in the month, and as many are removed. Each gets four deployments of 20 files, 2.5 MB in all. */
  readonly domains: number;
  /** Requests from visitors to the domains: nine in ten are served from the cache, and one in a thousand is for a missing page. */
  readonly siteRequests: number;
  readonly siteGb: number;
  /** Owners who sign in to the dashboard; each makes 300 calls to its API, and loads 30 files. */
  readonly users: number;
}

/** A stage without traffic. It has about as many alarms as production with an edge name. */
export const IDLE: Usage = { edge: true, alarms: 70, requests: 0, animals: 0, domains: 0, siteRequests: 0, siteGb: 0, users: 0 };

/** CloudFront's prices: a million requests (1), with the function (0.1) and two reads of the edge map (0.06); a GB to the United States or Europe. */
const VISITS = { million: 1.16, gb: 0.085 } as const;
const HOURS = 730;
const DAYS = HOURS / 24;

/** Returns the number of traces: X-Ray records the first call of each second, and 5 % of the others. */
function traces(calls: number): number {
  const firsts = HOURS * 3_600 * (1 - Math.exp(-calls / (HOURS * 3_600)));
  return firsts + (calls - firsts) * 0.05;
}

/** A line of the bill: the item, US dollars per unit, the unit, and the number of units. */
type Line = readonly [what: string, usd: number, unit: string, quantity: number];

function linesOf({ edge, alarms, requests, animals, domains, siteRequests, siteGb, users }: Usage): readonly Line[] {
  const [calls, files, added, missing] = [users * 300, users * 30, domains * 0.1, siteRequests * 0.001];
  // The probe runs every 5 minutes. With an edge, so do the sweep and the survey; emails are sent every minute, and changes swept every hour.
  const runs = HOURS * 12 + (edge ? HOURS * (12 + 12 + 60 + 1) : 0);
  // Over its life, a domain takes about 73 steps, and passes through 214 states. Each domain is checked daily, and visited by the sweep of the edge.
  const [steps, states, checks] = [added * 73, added * 214, domains * DAYS];
  const gbSeconds = requests * 1.73 * 0.015 + calls * 0.05 + steps * 0.15 + checks * 0.04 + missing * 0.04 + runs * 0.03;
  const logGb = ((requests + calls) * 1.4 + steps + states * 2 + missing * 0.5 + (edge ? runs : 0)) / 1e6;
  // A table's encryption key is cached for five minutes by each function that uses it.
  const keys = 3 * Math.min(requests, HOURS * 12) + 2 * Math.min(calls, HOURS * 12) + (edge ? 3 * HOURS * 12 : 0);
  return [
    ['Alarms', 0.1, 'metric', alarms],
    ['CloudWatch: dashboard', 3, 'dashboard', 1],
    ['CloudWatch: metrics', 0.3, 'metric', 9 + (edge ? 3 : 0) + (requests > 0 ? 38 : 0)],
    ['CloudWatch: logs written', 0.5, 'GB', logGb],
    ['CloudWatch: logs stored for a year, compressed', 0.03, 'GB', logGb * 12 * 0.15],
    ['X-Ray: traces', 5, 'million', (traces(requests) + traces(calls) + added * 2 + missing * 0.05 + runs) / 1e6],
    ['API Gateway: requests', 1, 'million', (requests + calls + HOURS * 24) / 1e6],
    ['Data to clients of the API', 0.09, 'GB', (requests * 1.61) / 1e6],
    ['Lambda: calls', 0.2, 'million', (requests + calls + steps + missing + runs) / 1e6],
    ['Lambda: duration', 13.33, 'million GB-s', gbSeconds / 1e6],
    // Admission, new animals and the usage history; calls of the dashboard's API; domains; notifications; visits.
    [
      'DynamoDB: write units',
      0.625,
      'million',
      (requests * 1.255 + calls * 1.4 + (steps + checks) * 6 + added * 28 + Math.min(siteRequests, domains * HOURS)) / 1e6,
    ],
    ['DynamoDB: read units', 0.125, 'million', (requests * 0.9 + calls * 4 + steps * 6 + checks * 10 + added * 20 + runs) / 1e6],
    ['DynamoDB: storage and point-in-time recovery', 0.45, 'GB', (animals * 500) / 1e9],
    ['KMS: keys for the tables', 0.03, '10,000', keys / 1e4],
    ['CloudFront: visits to domains', VISITS.million, 'million', siteRequests / 1e6],
    ['CloudFront: dashboard requests', 1, 'million', (calls + files) / 1e6],
    ['CloudFront: data', VISITS.gb, 'GB', siteGb + users * 0.003],
    ['CloudFront: tenants, up to 200', 20, 'month', domains > 10 ? 1 : 0],
    ['CloudFront: tenants above 200', 0.1, 'tenant', Math.max(0, domains - 200)],
    // New domains, deployments, the daily listing of 50 keys per call, and the weekly publication of each project.
    ['CloudFront: changes to the edge map', 1, '1,000', (edge ? DAYS * 2 : 0) / 1e3 + (added * 9 + domains * (12 + DAYS / 25 + DAYS / 28)) / 1e3],
    ['Step Functions: states', 0.025, '1,000', states / 1e3],
    ['S3: storage', 0.023, 'GB', domains * 0.05],
    ['S3: writes', 0.005, '1,000', (domains * 80 + Math.min(siteRequests, HOURS * 12)) / 1e3],
    ['S3: reads', 0.4, 'million', (siteRequests * 0.1 + missing * 6) / 1e6],
    ['Route 53: queries', 0.4, 'million', (siteRequests * 0.1) / 1e6],
    ['Cognito: users, plan Essentials', 0.015, 'user', users],
  ];
}

/** Returns the bill for a month of 730 hours: rows with a cost, and their sum, in US dollars. */
export function billOf(usage: Usage) {
  const rows = linesOf(usage).map(([what, unitPrice, unit, quantity]) => ({ what, quantity, unit, unitPrice, cost: quantity * unitPrice }));
  return { ...PRICES_OF, rows: rows.filter(({ cost }) => cost > 0), total: rows.reduce((sum, { cost }) => sum + cost, 0) };
}

/** Returns the list price of visitors' traffic at CloudFront, in US dollars. */
export function visitorsUsd(requests: number, bytes: number): number {
  return (requests * VISITS.million) / 1e6 + (bytes * VISITS.gb) / 1e9;
}
