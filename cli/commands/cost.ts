// petstore cost

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Bill, billOf, NOT_INCLUDED, type Row, type Section } from '../../platforms/aws/cost/bill.ts';
import { PRICES_OF } from '../../platforms/aws/cost/prices.ts';
import { REQUEST_KINDS, type RequestKindName, type RequestMix } from '../../platforms/aws/cost/requests.ts';
import { CATALOGUE_LIMIT_MS, type CostProfile } from '../../platforms/aws/cost/stage-facts.ts';
import { ASSUMED, storageOf, type Usage } from '../../platforms/aws/cost/usage.ts';
import { type CommandContext, print, subcommand, table, UsageError } from '../context.ts';
import { parseCount, parseQuantity } from '../quantity.ts';

interface CostOptions {
  readonly profile: CostProfile;
  readonly edge: boolean;
  readonly requests: number;
  readonly mix: RequestMix;
  readonly ms: number;
  readonly animals?: number;
  readonly storageGb?: number;
  readonly domains: number;
  readonly newDomains?: number;
  readonly siteRequests?: number;
  readonly siteGb?: number;
  readonly users: number;
  readonly json?: boolean;
}

const KINDS = Object.keys(REQUEST_KINDS) as RequestKindName[];
/** US dollars. */
const SMALLEST = 0.005;
const DEFAULT_MIX = 'list=60,get=30,create=10';
const TITLES: Readonly<Record<Section, string>> = {
  fixed: 'Without traffic',
  catalogue: 'Catalogue',
  domains: 'Custom domains',
  dashboard: 'Dashboard',
};

/** Adds `petstore cost`. */
export function addCostCommand(program: Command, context: CommandContext): void {
  const option = (parse: (text: string) => unknown) => (flags: string, description: string) => new Option(flags, description).argParser(parse);
  const [count, quantity] = [option(parseCount), option(parseQuantity)];
  const { newDomainShare, siteRequestsPerDomain, siteKbPerRequest } = ASSUMED;
  subcommand(
    program,
    'cost',
    `what a stage on AWS costs a month, at the list prices of ${PRICES_OF.region}; it needs neither a stage nor credentials`,
  )
    .addOption(count('--requests <n>', 'requests to the catalogue a month').default(0))
    .addOption(option(parseMix)('--mix <shares>', `percent of each kind of request: ${KINDS.join(', ')}`).default(parseMix(DEFAULT_MIX), DEFAULT_MIX))
    .addOption(option(parseMs)('--ms <n>', 'mean duration of a request in the function, in milliseconds').default(15))
    .addOption(count('--animals <n>', 'animals in the catalogue').conflicts('storageGb'))
    .addOption(quantity('--storage-gb <n>', 'size of the tables in GB, instead of --animals'))
    .addOption(count('--domains <n>', 'custom domains').default(0))
    .addOption(count('--new-domains <n>', `domains added and removed a month; default: ${100 * newDomainShare}% of --domains`))
    .addOption(count('--site-requests <n>', `requests of their visitors a month; default: ${exact(siteRequestsPerDomain)} per domain`))
    .addOption(quantity('--site-gb <n>', `traffic to their visitors a month, in GB; default: ${siteKbPerRequest} KB per request`))
    .addOption(count('--users <n>', 'owners who use the dashboard in a month').default(0))
    .addOption(new Option('--profile <profile>', "the stage's profile").choices(['staging', 'production']).default('production'))
    .option('--no-edge', 'a stage without an edge name: no custom domains, no dashboard')
    .action((options: CostOptions) => {
      if (context.stage() !== undefined) throw new UsageError("--stage: the cost is computed for any stage; give the stage's --profile instead");
      const usage = usageOf(options);
      const bill = billOf(usage);
      print(context, options.json, { ...bill, usage, notIncluded: NOT_INCLUDED }, () => textOf(summaryOf(usage, options), bill));
    });
}

function usageOf(options: CostOptions): Usage {
  const { profile, edge, requests, mix, ms, domains, users, animals = 0 } = options;
  if (!edge && (domains > 0 || users > 0 || options.siteRequests || options.siteGb || options.newDomains))
    throw new UsageError(
      '--no-edge: a stage without an edge name has neither custom domains nor a dashboard; leave out --domains, --site-… and --users',
    );
  const siteRequests = options.siteRequests ?? domains * ASSUMED.siteRequestsPerDomain;
  return {
    ...{ profile, edge, requests, mix, ms, domains, users, siteRequests },
    storageGb: options.storageGb ?? storageOf(animals),
    newDomains: options.newDomains ?? domains * ASSUMED.newDomainShare,
    siteGb: options.siteGb ?? (siteRequests * ASSUMED.siteKbPerRequest) / 1e6,
  };
}

/** What the bill is for, with what was assumed. */
function summaryOf({ profile, edge, requests, mix, ms, storageGb, ...usage }: Usage, given: CostOptions): string {
  const shares = Object.entries(mix).map(([kind, share]) => `${kind} ${exact(100 * share)}%`);
  const assumed = (value: number | undefined) => (value === undefined ? ' (assumed)' : '');
  const visitors = `${counted(usage.siteRequests, 'visitor request')}${given.siteGb === undefined ? '' : assumed(given.siteRequests)}`;
  return [
    `${profile}, ${edge ? 'with' : 'without'} an edge name`,
    requests === 0 ? 'no requests' : `${counted(requests, 'request')} (${[...shares, `${exact(ms)} ms`].join(', ')})`,
    ...(storageGb === 0 ? [] : [`${exact(storageGb)} GB in the tables`]),
    ...(usage.domains === 0 && usage.newDomains === 0
      ? []
      : [`${counted(usage.domains, 'domain')}, ${exact(usage.newDomains)} new${assumed(given.newDomains)}`]),
    ...(usage.siteRequests === 0 && usage.siteGb === 0 ? [] : [`${visitors}, ${exact(usage.siteGb)} GB${assumed(given.siteGb)}`]),
    ...(usage.users === 0 ? [] : [`${counted(usage.users, 'user')} of the dashboard`]),
  ].join('; ');
}

/** Parses a duration in milliseconds. */
function parseMs(text: string): number {
  const ms = Number(/^\d{1,5}(\.\d{1,3})?$/.exec(text)?.[0]);
  if (!(ms <= CATALOGUE_LIMIT_MS))
    throw new InvalidArgumentError(`allowed: a number from 0 to ${exact(CATALOGUE_LIMIT_MS)}, the function's time limit`);
  return ms;
}

/** Parses `list=60,get=40`: percent for each kind, 100 in all. */
function parseMix(text: string): RequestMix {
  const shares = text.split(',').map((part) => /^([a-z]+)=(\d{1,3}(?:\.\d{1,3})?)$/.exec(part));
  const mix = Object.fromEntries(shares.map((match) => [match?.[1] ?? '', Number(match?.[2]) / 100]));
  const percent = Object.values(mix).reduce((sum, share) => sum + 100 * share, 0);
  const known = Object.keys(mix).every((kind) => Object.hasOwn(REQUEST_KINDS, kind)) && Object.keys(mix).length === shares.length;
  if (!known || !(Math.abs(percent - 100) < 0.01))
    throw new InvalidArgumentError(`allowed: percentages that add up to 100, of ${KINDS.join(', ')}; such as ${DEFAULT_MIX}`);
  return mix;
}

function textOf(summary: string, { rows, total, date, region }: Bill): string {
  const head = ['', 'QUANTITY', 'UNIT', 'UNIT PRICE', 'COST'];
  const sections = [...new Set(rows.map(({ section }) => section))];
  const lines = sections.flatMap((section) => {
    const own = rows.filter((row) => row.section === section);
    return [[TITLES[section], '', '', '', dollars(sumOf(own))], ...own.filter(({ cost }) => cost >= SMALLEST).map(lineOf)];
  });
  return [
    summary,
    '',
    table(head, [...lines, ['Total', '', '', '', dollars(total)]], ''),
    '',
    `US dollars a month, at the list prices of ${region} on ${date}. Rows under half a cent are omitted here but included in the totals; --json has them all. Not included:`,
    ...NOT_INCLUDED.map((what) => `- ${what}`),
  ].join('\n');
}

const lineOf = ({ what, quantity, unit, unitPrice, cost }: Row) => [`  ${what}`, amount(quantity), unit, String(unitPrice), dollars(cost)];
const sumOf = (rows: readonly Row[]) => rows.reduce((sum, { cost }) => sum + cost, 0);
const dollars = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const exact = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 });
const counted = (count: number, what: string) => `${exact(count)} ${what}${count === 1 ? '' : 's'}`;
const amount = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
