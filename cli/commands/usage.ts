// petstore usage

import { type Command, Option } from 'commander';
import { USAGE_WINDOWS, type UsageWindow, usageCsv, windowsOf } from '../../core/limits/usage-view.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand, table } from '../context.ts';
import type { UsageRow } from '../owner/port.ts';

/** Adds `petstore usage`. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'usage', "show an account's quota usage; does not count as a request")
    .requiredOption('--account <id>', 'account')
    .addOption(new Option('--csv', 'the last hour by minute and the last 30 days by day, as CSV').conflicts('json'))
    .addOption(
      new Option('--window <window>', 'what --csv contains: the last hour by minute, the last day by hour, or the last 30 days (month) by day')
        .choices(USAGE_WINDOWS)
        .implies({ csv: true })
        .conflicts('json'),
    )
    .action(async ({ account, csv = false, window, json }: JsonOption & { account: string; csv?: boolean; window?: UsageWindow }) => {
      const value = await context.withOwner((owner) => owner.usage(account));
      if (csv) {
        if (window !== undefined) expectCounted(value, window);
        return context.out(usageCsv(value, window && [window]));
      }
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

/** Checks that the response has the chosen history, which older installations (with `--url`) may lack. @throws CliError if it does not */
function expectCounted(usage: UsageRow, window: UsageWindow): void {
  const history: object | undefined = windowsOf(usage, window);
  if (history === undefined)
    throw new CliError(`--window ${window}: this installation does not support it; ask its operator to install a release after 0.2.0`);
}
