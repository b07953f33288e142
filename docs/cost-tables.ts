// The tables of docs/operations.md, "What it costs", from the cost calculator.

import { billOf, type Section } from '../platforms/aws/cost/bill.ts';
import { PRICES } from '../platforms/aws/cost/prices.ts';
import { LOG_KB_PER_MISSING_PAGE, LOG_KB_PER_REQUEST, READS_PER_MISSING_PAGE, TRACED_SHARE } from '../platforms/aws/cost/requests.ts';
import { PROBE_SERVICE_METRICS, SERVICE_METRICS } from '../platforms/aws/cost/stage-facts.ts';
import { ASSUMED, type Usage } from '../platforms/aws/cost/usage.ts';

const NONE: Usage = {
  ...{ profile: 'production', edge: true, requests: 0, mix: {}, ms: 15, storageGb: 0 },
  ...{ domains: 0, newDomains: 0, siteRequests: 0, siteGb: 0, users: 0 },
};
/** Numbers of domains, and of users. */
const SIZES = [100, 1_000, 10_000] as const;

const money = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Adds up the rows of a section whose text begins with one of these. */
function costOf(usage: Usage, section: Section, ...starts: readonly string[]): number {
  const rows = billOf(usage).rows.filter(
    (row) => row.section === section && (starts.length === 0 || starts.some((start) => row.what.startsWith(start))),
  );
  return rows.reduce((sum, { cost }) => sum + cost, 0);
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** What a stage costs a month without traffic, and with its first. */
export function fixedTable(): string {
  const stages: readonly Usage[] = [
    { ...NONE, profile: 'staging', edge: false },
    { ...NONE, profile: 'production', edge: false },
  ];
  const withEdge = stages.map((stage): Usage => ({ ...stage, edge: true }));
  const line = (what: string, of: (stage: Usage, full: Usage) => number) => [
    what,
    ...stages.map((stage, index) => money(of(stage, withEdge[index] ?? stage))),
  ];
  const metricsOfTraffic = SERVICE_METRICS - PROBE_SERVICE_METRICS;
  const added =
    (...starts: readonly string[]) =>
    (stage: Usage, full: Usage) =>
      costOf(full, 'fixed', ...starts) - (starts.length === 0 ? 0 : costOf(stage, 'fixed', ...starts));
  return markdown(
    ['$ a month', 'staging', 'production'],
    [
      line('alarms', (stage) => costOf(stage, 'fixed', 'Alarms')),
      line('CloudWatch dashboard', (stage) => costOf(stage, 'fixed', 'CloudWatch')),
      line('probe, with the metrics of its requests', (stage) => costOf(stage, 'fixed', 'Metrics of the probe', 'Probe')),
      line('**without traffic, without an edge name**', (stage) => costOf(stage, 'fixed')),
      line('custom domains: alarms', added('Alarms')),
      line('custom domains: the sweep, its metrics, and its calls of the edge map', added('Metrics of the sweep', 'Sweep')),
      line('emails to owners, with `<STAGE>_MAIL_FROM`', added('Metrics of emails to owners', 'Emails to owners')),
      line('**without traffic, with an edge name**', added()),
      line(`once all operations and plans are in use: ${metricsOfTraffic} more metrics`, () => PRICES.metrics.usd * metricsOfTraffic),
    ],
  );
}

/** What custom domains cost a month, by number, without their visitors. */
export function domainsTable(): string {
  const usages = SIZES.map((domains): Usage => ({ ...NONE, domains, newDomains: domains * ASSUMED.newDomainShare }));
  const line = (what: string, ...starts: readonly string[]) => [what, ...usages.map((usage) => money(costOf(usage, 'domains', ...starts)))];
  return markdown(
    ['$ a month, without visitors', ...SIZES.map((domains) => `${domains.toLocaleString('en-US')} domains`)],
    [
      line('CloudFront tenants', 'CloudFront: tenants'),
      line('edge map: calls of the daily sweep', 'Edge map: calls of the sweep'),
      line('edge map: calls for new domains and deployments', 'Edge map: calls for'),
      line('workflow and daily checks', 'Step Functions', 'Lambda', 'DynamoDB', 'Domains', 'X-Ray', 'KMS'),
      line('deployed files in S3', 'S3'),
      line('**in all**'),
    ],
  );
}

/** What visitors to custom domains cost. */
export function visitorsTable(): string {
  const million: Usage = { ...NONE, siteRequests: 1e6 };
  const line = (what: string, ...starts: readonly string[]) => [what, money(costOf(million, 'domains', ...starts))];
  return markdown(
    ['a million requests of visitors', '$'],
    [
      line('CloudFront', 'CloudFront: requests'),
      line('the function in front of the cache', 'CloudFront: function'),
      line('edge map: two reads', 'Edge map: reads'),
      line('S3, for the tenth that is not in the cache', 'S3: reads'),
      line('Route 53, if it has the edge name', 'Route 53'),
      ['data, for each GB', String(PRICES.cdnDataOut.usd)],
    ],
  );
}

/** What the dashboard costs a month, by number of users. */
export function dashboardTable(): string {
  const usages = SIZES.map((users): Usage => ({ ...NONE, users }));
  const line = (what: string, ...starts: readonly string[]) => [what, ...usages.map((usage) => money(costOf(usage, 'dashboard', ...starts)))];
  return markdown(
    ['$ a month', ...SIZES.map((users) => `${users.toLocaleString('en-US')} users`)],
    [
      line('Cognito, plan Essentials', 'Cognito'),
      line('API: gateway, function, tables, logs, traces', 'HTTP API', 'Lambda', 'DynamoDB', 'Dashboard', 'X-Ray', 'KMS'),
      line('CloudFront', 'CloudFront'),
      line('metrics of the routes', 'Metrics'),
      line('**in all**'),
    ],
  );
}

const price = (usd: number) => (Number.isInteger(Math.round(usd * 1e4) / 100) ? usd.toFixed(2) : String(usd));

/** The price of a million requests, as a formula. */
export function formula(): string {
  const line = (start: string, text: string, note: string) => `${`${start} ${text}`.padEnd(47)}${note}\n`;
  return [
    line('cost =', price(PRICES.httpApiRequests.usd), 'HTTP API, answers up to 512 KB'),
    line(
      '     +',
      `${price(PRICES.lambdaRequests.usd)} + 1.73 GB × ms/1000 × ${price(PRICES.lambdaGbSeconds.usd)}`,
      'Lambda: arm64, 1,769 MB, ms = mean duration',
    ),
    line('     +', `${price(PRICES.writeUnits.usd)} × write units`, 'admission: 1; leased: about 0.03'),
    line('     +', `${price(PRICES.readUnits.usd)} × read units + ${price(PRICES.writeUnits.usd)} × writes`, 'see the table'),
    line('     +', `${price(PRICES.logsIngested.usd)} × ${LOG_KB_PER_REQUEST}`, 'logs: about 1.4 KB a request, in three lines'),
    line('     +', `${price(PRICES.traces.usd)} × ${TRACED_SHARE}`, 'X-Ray: 5% of requests'),
  ].join('');
}

/** The price of a million missing pages, as a formula. */
export function missingPagesFormula(): string {
  const line = (start: string, text: string, note: string) => `${`${start} ${text}`.padEnd(47)}${note}\n`;
  return [
    line(
      'cost =',
      `${price(PRICES.lambdaRequests.usd)} + 0.5 GB × 80 ms/1000 × ${price(PRICES.lambdaGbSeconds.usd)}`,
      'Lambda: arm64, 512 MB, 80 ms estimated',
    ),
    line('     +', `${price(PRICES.objectReads.usd)} × ${READS_PER_MISSING_PAGE}`, "S3: CloudFront's request, up to four lookups, and `404.html`"),
    line(
      '     +',
      `${price(PRICES.logsIngested.usd)} × ${LOG_KB_PER_MISSING_PAGE} + ${price(PRICES.traces.usd)} × ${TRACED_SHARE}`,
      'logs: about 0.5 KB a request; X-Ray: 5% of requests',
    ),
  ].join('');
}
