// petstore usage

import { type Command, Option } from 'commander';
import { usageCsv } from '../../core/limits/usage-csv.ts';
import { type CommandContext, print, subcommand, table } from '../context.ts';

/** Adds `petstore usage`. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'usage', "show an account's quota usage; does not count as a request")
    .requiredOption('--account <id>', 'account')
    .addOption(new Option('--csv', 'the last minutes and days as CSV').conflicts('json'))
    .action(async ({ account, csv = false, json }: { account: string; csv?: boolean; json?: boolean }) => {
      const value = await context.withOwner((owner) => owner.usage(account));
      if (csv) return context.out(usageCsv(value));
      print(context, json, value, () => {
        const windows = (['minute', 'day'] as const).map((name) => {
          const { used, limit, remaining, resetAt } = value[name];
          return [name, String(used), String(limit), String(remaining), resetAt];
        });
        const bans = value.bans.map(({ keyId, until }) => `\nKey ${keyId} is banned until ${until}`);
        const refused = `\nRefused today: ${value.history.days.at(-1)?.refused ?? 0}`;
        return `Account ${account}, plan ${value.plan}\n${table(['WINDOW', 'USED', 'LIMIT', 'REMAINING', 'RESETS'], windows, '')}${refused}${bans.join('')}`;
      });
    });
}
