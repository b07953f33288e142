// petstore usage

import type { Command } from 'commander';
import { usageView } from '../../core/limits/usage-view.ts';
import { CliError, type CommandContext, print, subcommand, table } from '../context.ts';

/** Adds `petstore usage`. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'usage', "show an account's quota usage; does not count as a request")
    .requiredOption('--account <id>', 'account')
    .action(async ({ account, json }: { account: string; json?: boolean }) => {
      const usage = await context.withStores((stores) => stores.usage.usage(account, context.clock()));
      if (usage === undefined) throw new CliError(`no account ${JSON.stringify(account)}; petstore accounts list shows all accounts`);
      const value = usageView(account, usage);
      print(context, json, value, () => {
        const windows = (['minute', 'day'] as const).map((name) => {
          const { used, limit, remaining, resetAt } = value[name];
          return [name, String(used), String(limit), String(remaining), resetAt];
        });
        const bans = value.bans.map(({ keyId, until }) => `\nKey ${keyId} is banned until ${until}`);
        const refused = `\nRefused today: ${value.history.days.at(-1)?.refused ?? 0}`;
        return `Account ${account}, plan ${usage.plan}\n${table(['WINDOW', 'USED', 'LIMIT', 'REMAINING', 'RESETS'], windows, '')}${refused}${bans.join('')}`;
      });
    });
}
