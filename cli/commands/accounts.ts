// petstore accounts create | rename | list | set-plan | update-limits | members | add-member | set-role | remove-member | invite | invitations |
// withdraw-invitation | suspend | resume | delete

import { type Command, Option } from 'commander';
import { addMember, type ChosenPlan, changePlan, outdatedAccounts } from '../../core/access/accounts.ts';
import { type Limits, limitsOfPlan, type PlanName, ROLES, type Role } from '../../core/access/plans.ts';
import { addPlanOptions, CliError, type CommandContext, isoTime, type JsonOption, print, resultOf, subcommand, table } from '../context.ts';
import { userIdOf } from '../owner/operator.ts';
import { addAccountEndCommands } from './account-ends.ts';
import { addInvitationCommands } from './invitations.ts';

interface PlanOptions {
  plan: PlanName;
  perMinute?: number;
  perDay?: number;
  json?: boolean;
}

/** The longest time until domains that the plan no longer allows are suspended, in milliseconds: the interval between a stage's sweeps. */
const ENDING_MS = 5 * 60_000;

/** Adds `petstore accounts`. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const accounts = program.command('accounts').description('create and change accounts');

  addPlanOptions(subcommand(accounts, 'create', 'create an account').requiredOption('--name <name>', 'display name')).action(
    async ({ name, json, ...options }: PlanOptions & { name: string }) => {
      const { accountId, plan } = await context.withOwner((owner) => owner.createAccount(name, chosenPlan(options)));
      print(context, json, { accountId }, () => `Created account ${accountId} (${name}, plan ${plan})`);
    },
  );

  subcommand(accounts, 'rename <accountId>', 'give an account another display name')
    .requiredOption('--name <name>', 'display name')
    .action(async (accountId: string, { name, json }: JsonOption & { name: string }) => {
      await context.withOwner((owner) => owner.renameAccount(accountId, name));
      print(context, json, { accountId, name }, () => `Account ${accountId} is now ${name}`);
    });

  subcommand(accounts, 'list', 'list all accounts').action(async ({ json }: JsonOption) => {
    const found = await context.withOwner((owner) => owner.listAccounts());
    const rows = found.map(({ accountId, name, plan, limits, suspension, secondFactorRequired, createdAt }) => ({
      accountId,
      name,
      plan,
      ...limits,
      suspension,
      secondFactorRequired,
      createdAt,
    }));
    print(context, json, rows, () =>
      table(
        ['ACCOUNT', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED'],
        rows.map((row) => [
          row.accountId,
          row.name,
          row.suspension === null ? row.plan : `${row.plan}, suspended`,
          String(row.perMinute),
          String(row.perDay),
          row.createdAt,
        ]),
        'No accounts. Create one: petstore accounts create --name NAME --plan free',
      ),
    );
  });

  addPlanOptions(subcommand(accounts, 'set-plan <accountId>', "change an account's plan; takes effect within a minute")).action(
    async (accountId: string, { json, ...options }: PlanOptions) => {
      const changed = await context.withStores((stores) => changePlan(stores, accountId, chosenPlan(options), context.clock()));
      const { limits, unbanned, ending } = resultOf(changed);
      const endsBy = isoTime(context.clock() + ENDING_MS);
      print(context, json, { accountId, plan: options.plan, ...limits, endingDomains: ending.map(({ host }) => ({ host, endsBy })) }, () =>
        [
          `Account ${accountId} is on plan ${options.plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`,
          ...unbanned.map((keyId) => `Key ${keyId} is no longer banned`),
          ...ending.map(({ host }) => `${host} will be suspended by ${endsBy}: the plan does not include custom domains`),
        ].join('\n'),
      );
    },
  );

  subcommand(accounts, 'update-limits', "apply each plan's current limits to its accounts, after a release that changed a plan")
    .option('--dry-run', 'only list the accounts that would change')
    .action(async ({ dryRun = false, json }: JsonOption & { dryRun?: boolean }) => {
      const updated = await context.withStores(async (stores) => {
        const outdated = await outdatedAccounts(stores.accounts);
        if (!dryRun) for (const { account } of outdated) resultOf(await changePlan(stores, account.id, { plan: account.plan }, context.clock()));
        return outdated;
      });
      const rows = updated.map(({ account: { id, plan, limits: before }, limits }) => ({ accountId: id, plan, before, limits }));
      print(context, json, { dryRun, accounts: rows }, () =>
        table(
          ['ACCOUNT', 'PLAN', 'BEFORE', dryRun ? 'WOULD BE' : 'NOW'],
          rows.map(({ accountId, plan, before, limits }) => [accountId, plan, limitsInWords(before), limitsInWords(limits)]),
          "All accounts already have their plans' limits",
        ),
      );
    });

  subcommand(
    accounts,
    'add-member <accountId> <user>',
    'let a dashboard user manage the account; <user> is a user id or, without --stage, an email address',
  )
    .addOption(roleOption().default('owner'))
    .action(async (accountId: string, user: string, { role, json }: JsonOption & { role: Role }) => {
      const added = await context.withStores(async (stores) => {
        const userId = await userIdOf(stores, user);
        if (userId === undefined) throw new CliError(`no user ${JSON.stringify(user)}; petstore users list shows all users`);
        resultOf(await addMember(stores, accountId, { userId, role }, context.clock()));
        // A user who was already a member keeps their role.
        return (await stores.members.membersOf(accountId)).find((member) => member.userId === userId) ?? { userId, role };
      });
      print(context, json, { accountId, ...added }, () => `${added.userId} is now ${added.role} of ${accountId}`);
    });

  subcommand(accounts, 'members <accountId>', "list an account's members").action(async (accountId: string, { json }: JsonOption) => {
    const rows = await context.withOwner((owner) => owner.listMembers(accountId));
    print(context, json, rows, () =>
      table(
        ['USER', 'EMAIL', 'ROLE'],
        rows.map(({ userId, email, role }) => [userId, email ?? '', role]),
        `No members. Add one: petstore accounts add-member ${accountId} USER`,
      ),
    );
  });

  subcommand(accounts, 'set-role <accountId> <user>', "change a member's role; <user> is a user id or, without --stage, an email address")
    .addOption(roleOption().makeOptionMandatory())
    .action(async (accountId: string, user: string, { role, json }: JsonOption & { role: Role }) => {
      const userId = await context.withOwner((owner) => owner.setRole(accountId, user, role));
      print(context, json, { accountId, userId, role }, () => `${userId} is now ${role} of ${accountId}`);
    });

  subcommand(
    accounts,
    'remove-member <accountId> <user>',
    'stop a dashboard user from managing the account, with immediate effect; <user> is a user id or, without --stage, an email address',
  ).action(async (accountId: string, user: string, { json }: JsonOption) => {
    const userId = await context.withOwner((owner) => owner.removeMember(accountId, user));
    print(context, json, { accountId, userId }, () => `${userId} is no longer a member of ${accountId}`);
  });

  addInvitationCommands(accounts, context);
  addAccountEndCommands(accounts, context);
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the member may do; owner: everything').choices(ROLES);
}

function chosenPlan({ plan, perMinute, perDay }: PlanOptions): ChosenPlan {
  const agreed = { perMinute, perDay };
  const allowed = limitsOfPlan(plan, agreed);
  if (!allowed.ok) throw new CliError(`${allowed.problem} (--per-minute, --per-day)`);
  return { plan, agreed };
}

function limitsInWords({ perMinute, perDay }: Limits): string {
  return `${perMinute} a minute, ${perDay} a day`;
}
