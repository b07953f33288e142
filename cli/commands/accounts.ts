// petstore accounts create | list | set-plan | add-member | remove-member

import type { Command } from 'commander';
import { isDisplayName, newAccountId } from '../../core/access/account.ts';
import { changePlan } from '../../core/access/lift-bans.ts';
import { type Limits, limitsOfPlan, type PlanName } from '../../core/access/plans.ts';
import { addPlanOptions, CliError, type CommandContext, isoTime, print, subcommand, table } from '../context.ts';

interface PlanOptions {
  plan: PlanName;
  perMinute?: number;
  perDay?: number;
  json?: boolean;
}

/** Tries to find a free account id: 59 random bits, so the second is for form's sake. */
const TRIES = 3;

export function addAccountCommands(program: Command, context: CommandContext): void {
  const accounts = program.command('accounts').description('make and change accounts');

  addPlanOptions(subcommand(accounts, 'create', 'make an account').requiredOption('--name <name>', 'name, for people')).action(
    async ({ name, json, ...options }: PlanOptions & { name: string }) => {
      if (!isDisplayName(name))
        throw new CliError(`--name: got ${JSON.stringify(name)}; allowed: 1 to 100 characters, not blank, no control characters`);
      const limits = limitsOf(options);
      const accountId = await context.withStores(async (stores) => {
        for (let attempt = 1; attempt <= TRIES; attempt += 1) {
          const id = newAccountId(context.randomBytes);
          if (await stores.accounts.createAccount({ id, name, plan: options.plan, limits, createdAt: context.clock() })) return id;
        }
        throw new CliError(`no free account id in ${TRIES} tries; try again`);
      });
      print(context, json, { accountId }, () => `Account ${accountId} (${name}, plan ${options.plan})`);
    },
  );

  subcommand(accounts, 'list', 'list all accounts').action(async ({ json }: { json?: boolean }) => {
    const found = await context.withStores((stores) => stores.accounts.listAccounts());
    const rows = found.map(({ id, name, plan, limits, createdAt }) => ({ accountId: id, name, plan, ...limits, createdAt: isoTime(createdAt) }));
    print(context, json, rows, () =>
      table(
        ['ACCOUNT', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED'],
        rows.map((row) => [row.accountId, row.name, row.plan, String(row.perMinute), String(row.perDay), row.createdAt]),
        'No accounts. Make one: petstore accounts create --name NAME --plan free',
      ),
    );
  });

  addPlanOptions(subcommand(accounts, 'set-plan <accountId>', 'change the plan of an account; takes effect within a minute')).action(
    async (accountId: string, { json, ...options }: PlanOptions) => {
      const limits = limitsOf(options);
      const unbanned = await context.withStores((stores) => changePlan(stores.accounts, accountId, { plan: options.plan, limits }, context.clock()));
      if (unbanned === undefined) throw new CliError(`no account ${JSON.stringify(accountId)}; petstore accounts list shows those that exist`);
      print(context, json, { accountId, plan: options.plan, ...limits }, () =>
        [
          `Account ${accountId} is on plan ${options.plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`,
          ...unbanned.map((keyId) => `Key ${keyId} is no longer banned`),
        ].join('\n'),
      );
    },
  );

  subcommand(accounts, 'add-member <accountId> <userId>', 'let a user of the dashboard act for the account').action(
    async (accountId: string, userId: string, { json }: { json?: boolean }) => {
      await context.withStores(async (stores) => {
        if ((await stores.accounts.getAccount(accountId)) === undefined)
          throw new CliError(`no account ${JSON.stringify(accountId)}; petstore accounts list shows those that exist`);
        await stores.members.addMember(accountId, userId);
      });
      print(context, json, { accountId, userId }, () => `${userId} may act for ${accountId}`);
    },
  );

  subcommand(accounts, 'remove-member <accountId> <userId>', 'no longer let a user act for the account; takes effect at once').action(
    async (accountId: string, userId: string, { json }: { json?: boolean }) => {
      // The last one too: who may run this command can add another.
      const result = await context.withStores((stores) => stores.members.removeMember(accountId, userId, { keepLast: false }));
      if (result !== 'removed') throw new CliError(`${JSON.stringify(userId)} is no member of ${JSON.stringify(accountId)}`);
      print(context, json, { accountId, userId }, () => `${userId} may no longer act for ${accountId}`);
    },
  );
}

function limitsOf({ plan, perMinute, perDay }: PlanOptions): Limits {
  const result = limitsOfPlan(plan, { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) });
  if (!result.ok) throw new CliError(`${result.problem} (--per-minute, --per-day)`);
  return result.limits;
}
