// petstore accounts create | list | set-plan | update-limits | members | add-member | set-role | remove-member

import { type Command, Option } from 'commander';
import { addMember, type ChosenPlan, changePlan, changeRole, createAccount, outdatedAccounts, removeMember } from '../../core/access/accounts.ts';
import { noAccount } from '../../core/access/keys.ts';
import { type Limits, limitsOfPlan, type PlanName } from '../../core/access/plans.ts';
import { ROLES, type Role } from '../../core/access/roles.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import { addPlanOptions, CliError, type CommandContext, isoTime, print, resultOf, subcommand, table } from '../context.ts';

interface PlanOptions {
  plan: PlanName;
  perMinute?: number;
  perDay?: number;
  json?: boolean;
}

/** How long it takes until domains without a plan are suspended, in milliseconds: the interval between a stage's sweeps. */
const ENDING_MS = 5 * 60_000;

/** Adds `petstore accounts`. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const accounts = program.command('accounts').description('create and change accounts');

  addPlanOptions(subcommand(accounts, 'create', 'create an account').requiredOption('--name <name>', 'display name')).action(
    async ({ name, json, ...options }: PlanOptions & { name: string }) => {
      const fields = { name, ...chosenPlan(options), owner: undefined };
      const { account } = resultOf(await context.withStores((stores) => createAccount(stores, fields, context.randomBytes, context.clock())));
      print(context, json, { accountId: account.id }, () => `Created account ${account.id} (${name}, plan ${account.plan})`);
    },
  );

  subcommand(accounts, 'list', 'list all accounts').action(async ({ json }: { json?: boolean }) => {
    const found = await context.withStores((stores) => stores.accounts.listAccounts());
    const rows = found.map(({ id, name, plan, limits, createdAt }) => ({ accountId: id, name, plan, ...limits, createdAt: isoTime(createdAt) }));
    print(context, json, rows, () =>
      table(
        ['ACCOUNT', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED'],
        rows.map((row) => [row.accountId, row.name, row.plan, String(row.perMinute), String(row.perDay), row.createdAt]),
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
    .action(async ({ dryRun = false, json }: { dryRun?: boolean; json?: boolean }) => {
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
    'let a dashboard user manage the account; <user> is a user id or, on one machine, an email address',
  )
    .addOption(roleOption().default('owner'))
    .action(async (accountId: string, user: string, { role, json }: { role: Role; json?: boolean }) => {
      const added = await context.withStores(async (stores) => {
        const userId = userIdOf(stores, user);
        if (userId === undefined) throw new CliError(`no user ${JSON.stringify(user)}; petstore users list shows all users`);
        resultOf(await addMember(stores, accountId, userId, role));
        // One who was a member already keeps their role.
        return (await stores.members.membersOf(accountId)).find((member) => member.userId === userId) ?? { userId, role };
      });
      print(context, json, { accountId, ...added }, () => `${added.userId} is now ${added.role} of ${accountId}`);
    });

  subcommand(accounts, 'members <accountId>', "list an account's members").action(async (accountId: string, { json }: { json?: boolean }) => {
    const rows = await context.withStores(async ({ accounts: store, members, users }) => {
      if ((await store.getAccount(accountId)) === undefined) throw new CliError(noAccount(accountId).message);
      return (await members.membersOf(accountId)).map(({ userId, role }) => ({ userId, email: users?.get(userId)?.email ?? null, role }));
    });
    print(context, json, rows, () =>
      table(
        ['USER', 'EMAIL', 'ROLE'],
        rows.map(({ userId, email, role }) => [userId, email ?? '', role]),
        `No members. Add one: petstore accounts add-member ${accountId} USER`,
      ),
    );
  });

  subcommand(accounts, 'set-role <accountId> <user>', "change a member's role; <user> is a user id or, on one machine, an email address")
    .addOption(roleOption().makeOptionMandatory())
    .action(async (accountId: string, user: string, { role, json }: { role: Role; json?: boolean }) => {
      const userId = await context.withStores(async (stores) => {
        const id = userIdOf(stores, user) ?? user;
        resultOf(await changeRole(stores, accountId, { userId: id, role }));
        return id;
      });
      print(context, json, { accountId, userId, role }, () => `${userId} is now ${role} of ${accountId}`);
    });

  subcommand(
    accounts,
    'remove-member <accountId> <user>',
    'stop a dashboard user from managing the account, with immediate effect; <user> is a user id or, on one machine, an email address',
  ).action(async (accountId: string, user: string, { json }: { json?: boolean }) => {
    const userId = await context.withStores(async (stores) => {
      // A removed user may still be a member, by id.
      const id = userIdOf(stores, user) ?? user;
      // This includes the last owner: an operator can add another.
      resultOf(await removeMember(stores, accountId, id, { keepOwner: false }));
      return id;
    });
    print(context, json, { accountId, userId }, () => `${userId} is no longer a member of ${accountId}`);
  });
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the member may do: an owner everything').choices(ROLES);
}

function chosenPlan({ plan, perMinute, perDay }: PlanOptions): ChosenPlan {
  const agreed = { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) };
  const allowed = limitsOfPlan(plan, agreed);
  if (!allowed.ok) throw new CliError(`${allowed.problem} (--per-minute, --per-day)`);
  return { plan, agreed };
}

function limitsInWords({ perMinute, perDay }: Limits): string {
  return `${perMinute} a minute, ${perDay} a day`;
}

/** Returns a user's id, found by id or email address; undefined if users are stored here and this one does not exist. */
function userIdOf({ users }: { readonly users?: Pick<UserStore, 'get' | 'byEmail'> | undefined }, user: string): string | undefined {
  return users === undefined ? user : (users.get(user) ?? users.byEmail(user))?.id;
}
