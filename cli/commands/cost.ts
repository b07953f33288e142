// petstore cost

import { type Command, Option } from 'commander';
import { billOf, IDLE, PRICES_OF, type Usage } from '../../platforms/aws/cost.ts';
import { type CommandContext, print, subcommand, table, UsageError } from '../context.ts';
import { parseCount, parseQuantity } from '../quantity.ts';

type CostOptions = Omit<Usage, 'siteRequests' | 'siteGb'> & { readonly siteRequests?: number; readonly siteGb?: number; readonly json?: boolean };

const NOT_INCLUDED =
  "tax, support and savings plans; free tiers, which apply to the whole AWS account; volume tiers; hosted zones; transfer between regions; queries of logs; emails sent with Amazon SES; other regions' prices";

/** Adds `petstore cost`. */
export function addCostCommand(program: Command, context: CommandContext): void {
  const count = (flags: string, description: string) => new Option(flags, description).argParser(parseCount);
  const description = `roughly what a stage on AWS costs a month, at the list prices of ${PRICES_OF.region}; needs neither a stage nor credentials`;
  subcommand(program, 'cost', description)
    .addOption(count('--requests <n>', 'requests to the catalogue a month').default(0))
    .addOption(count('--animals <n>', 'animals in the catalogue').default(0))
    .addOption(count('--domains <n>', 'custom domains').default(0))
    .addOption(count('--site-requests <n>', 'requests to these domains a month; default: 10,000 per domain'))
    .addOption(new Option('--site-gb <n>', 'visitor traffic a month, in GB; default: 50 KB per request').argParser(parseQuantity))
    .addOption(count('--users <n>', 'owners who use the dashboard in a month').default(0))
    .addOption(count('--alarms <n>', 'metrics that alarms watch').default(IDLE.alarms))
    .option('--no-edge', 'a stage without an edge name: no custom domains, no dashboard')
    .action(({ json, ...options }: CostOptions) => {
      if (context.stage() !== undefined) throw new UsageError('--stage: the cost is computed for any stage; leave it out');
      const { siteRequests = options.domains * 10_000 } = options;
      const usage: Usage = { ...options, siteRequests, siteGb: options.siteGb ?? siteRequests * 50e-6 };
      if (!usage.edge && (usage.domains > 0 || usage.users > 0 || usage.siteRequests > 0 || usage.siteGb > 0))
        throw new UsageError(
          '--no-edge: a stage without an edge name has neither custom domains nor a dashboard; leave out --domains, --site-… and --users',
        );
      const bill = billOf(usage);
      print(context, json, { ...bill, usage, notIncluded: NOT_INCLUDED }, () => textOf(bill));
    });
}

function textOf({ rows, total, date, region }: ReturnType<typeof billOf>): string {
  const dollars = (value: number) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const lines = rows.map(({ what, quantity, unit, unitPrice, cost }) => [
    what,
    quantity.toLocaleString('en-US', { maximumSignificantDigits: 4 }),
    unit,
    String(unitPrice),
    dollars(cost),
  ]);
  return [
    table(['', 'QUANTITY', 'UNIT', 'UNIT PRICE', 'COST'], [...lines, ['Total', '', '', '', dollars(total)]], ''),
    '',
    `US dollars a month, at the list prices of ${region} on ${date}. Not included: ${NOT_INCLUDED}.`,
  ].join('\n');
}
