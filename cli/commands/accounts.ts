// petstore accounts create | list | set-plan | add-member | remove-member

import type { Command } from 'commander';
import { isDisplayName, newAccountId } from '../../core/access/account.ts';
import { changePlan } from '../../core/access/lift-bans.ts';
import { type Limits, limitsOfPlan, type PlanName } from '../../core/access/plans.ts';
import { endDomainsWithoutPlan } from '../../core/domains/actions.ts';
import { addPlanOptions, CliError, type CommandContext, isoTime, print, subcommand, table } from '../context.ts';

interface PlanOptions {
  plan: PlanName;
  perMinute?: number;
  perDay?: number;
  json?: boolean;
}

/** Tries to find a free account id: 59 random bits, so the second is for form's sake. */
const TRIES = 3;
/** Until domains without a plan have ended, in milliseconds: between two sweeps of a stage. */
const ENDING_MS = 5 * 60_000;

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
      const { unbanned, ending } = await context.withStores(async (stores) => ({
        unbanned: await changePlan(stores.accounts, accountId, { plan: options.plan, limits }, context.clock()),
        ending: await endDomainsWithoutPlan(stores, accountId, context.clock()),
      }));
      if (unbanned === undefined) throw new CliError(`no account ${JSON.stringify(accountId)}; petstore accounts list shows those that exist`);
      const endsBy = isoTime(context.clock() + ENDING_MS);
      print(context, json, { accountId, plan: options.plan, ...limits, endingDomains: ending.map(({ host }) => ({ host, endsBy })) }, () =>
        [
          `Account ${accountId} is on plan ${options.plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`,
          ...unbanned.map((keyId) => `Key ${keyId} is no longer banned`),
          ...ending.map(({ host }) => `${host} ends by ${endsBy}: the plan has no custom domains`),
        ].join('\n'),
      );
    },
  );

  subcommand(
    accounts,
    'add-member <accountId> <user>',
    'let a user of the dashboard act for the account; on one machine also by e-mail address',
  ).action(async (accountId: string, user: string, { json }: { json?: boolean }) => {
    const userId = await context.withStores(async (stores) => {
      if ((await stores.accounts.getAccount(accountId)) === undefined)
        throw new CliError(`no account ${JSON.stringify(accountId)}; petstore accounts list shows those that exist`);
      const { users } = stores;
      const found = users === undefined ? user : (users.get(user) ?? users.byEmail(user))?.id;
      if (found === undefined) throw new CliError(`no user ${JSON.stringify(user)}; petstore users list shows those that exist`);
      await stores.members.addMember(accountId, found);
      return found;
    });
    print(context, json, { accountId, userId }, () => `${userId} may act for ${accountId}`);
  });

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
