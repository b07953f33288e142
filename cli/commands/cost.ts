// petstore cost

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Bill, billOf, NOT_INCLUDED, type Row, type Section } from '../../platforms/aws/cost/bill.ts';
import { REQUEST_KINDS, type RequestKindName, type RequestMix } from '../../platforms/aws/cost/requests.ts';
import type { CostProfile } from '../../platforms/aws/cost/stage-facts.ts';
import { ASSUMED, storageOf, type Usage } from '../../platforms/aws/cost/usage.ts';
import { CliError, type CommandContext, print, subcommand, table } from '../context.ts';
import { parseQuantity } from '../quantity.ts';

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
  const quantity = (flags: string, description: string) => new Option(flags, description).argParser(parseQuantity);
  subcommand(program, 'cost', 'what a stage on AWS costs a month, at list prices; it needs neither a stage nor credentials')
    .addOption(quantity('--requests <n>', 'requests to the catalogue a month').default(0))
    .option('--mix <shares>', `percent of each kind of request: ${KINDS.join(', ')}`, parseMix, parseMix(DEFAULT_MIX))
    .addOption(quantity('--ms <n>', 'mean duration of a request in the function, in milliseconds').default(15))
    .addOption(quantity('--animals <n>', 'animals in the catalogue').conflicts('storageGb'))
    .addOption(quantity('--storage-gb <n>', 'size of the tables in GB, instead of --animals'))
    .addOption(quantity('--domains <n>', 'custom domains').default(0))
    .addOption(quantity('--new-domains <n>', `domains added and removed a month; default: ${100 * ASSUMED.newDomainShare} % of them`))
    .addOption(quantity('--site-requests <n>', `requests of their visitors a month; default: ${ASSUMED.siteRequestsPerDomain} a domain`))
    .addOption(quantity('--site-gb <n>', `traffic to their visitors a month; default: ${ASSUMED.siteKbPerRequest} KB a request`))
    .addOption(quantity('--users <n>', 'owners who use the dashboard in a month').default(0))
    .addOption(new Option('--profile <profile>', "the stage's profile").choices(['staging', 'production']).default('production'))
    .option('--no-edge', 'a stage without an edge name: no custom domains, no dashboard')
    .action((options: CostOptions) => {
      if (context.stage() !== undefined) throw new CliError("--stage: the cost is computed for any stage; give the stage's --profile instead");
      const usage = usageOf(options);
      const bill = billOf(usage);
      print(context, options.json, { ...bill, usage, notIncluded: NOT_INCLUDED }, () => textOf(bill));
    });
}

function usageOf(options: CostOptions): Usage {
  const { profile, edge, requests, mix, ms, domains, users, animals = 0 } = options;
  if (!edge && (domains > 0 || users > 0 || options.siteRequests || options.siteGb || options.newDomains))
    throw new CliError(
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

function textOf({ rows, total, date, region }: Bill): string {
  const head = ['', 'QUANTITY', 'UNIT', 'UNIT PRICE', 'COST'];
  const sections = [...new Set(rows.map(({ section }) => section))];
  const lines = sections.flatMap((section) => {
    const own = rows.filter((row) => row.section === section);
    return [[TITLES[section], '', '', '', dollars(sumOf(own))], ...own.filter(({ cost }) => cost >= SMALLEST).map(lineOf)];
  });
  return [
    table(head, [...lines, ['Total', '', '', '', dollars(total)]], ''),
    '',
    `US dollars a month, at the list prices of ${region} on ${date}. Rows below a cent are in --json only, but in the sums. Not included:`,
    ...NOT_INCLUDED.map((what) => `- ${what}`),
  ].join('\n');
}

const lineOf = ({ what, quantity, unit, unitPrice, cost }: Row) => [`  ${what}`, amount(quantity), unit, String(unitPrice), dollars(cost)];
const sumOf = (rows: readonly Row[]) => rows.reduce((sum, { cost }) => sum + cost, 0);
const dollars = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const amount = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
