// petstore users create | list | password | sign-out | remove-factors | remove

import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { randomBase62 } from '../../core/access/base62.ts';
import type { MemberStore, Membership } from '../../core/access/ports.ts';
import type { UserStore } from '../../core/identity/ports.ts';
import { isEmailAddress, newUserId, type User } from '../../core/identity/user.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand, table } from '../context.ts';
import { confirmLoss, irreversible, type LossOptions } from '../losses.ts';

const PASSWORD_LENGTH = 20;

/** Adds `petstore users`. */
export function addUserCommands(program: Command, context: CommandContext): void {
  const users = program.command('users').description('dashboard users on this machine; on AWS they are in Cognito');
  const withUsers = <T>(work: (store: UserStore) => Promise<T>) => context.withFolder((folder) => work(folder.users));

  subcommand(users, 'create <email>', 'create a user; without --password-stdin a password is generated and shown once')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (email: string, { passwordStdin, json }: JsonOption & { passwordStdin?: boolean }) => {
      if (!isEmailAddress(email)) throw new CliError(`email: got ${JSON.stringify(email)}; allowed: an email address, such as ann@example.com`);
      const user = { id: newUserId(context.randomBytes), email: email.toLowerCase() };
      const { password, isAdded } = await context.withFolder(async (folder) => {
        const chosen = await choosePassword(email, passwordStdin, context, folder);
        return { password: chosen, isAdded: await folder.users.add(user, chosen) };
      });
      if (!isAdded) throw new CliError(`email: ${email} already belongs to a user; petstore users list shows all users`);
      const value = { userId: user.id, email: user.email, ...(!passwordStdin && { password }) };
      print(context, json, value, () =>
        [
          `User ${user.id} (${user.email})${passwordStdin ? '' : `, password, shown only once:\n  ${password}`}`,
          `To let them manage an account: petstore accounts add-member acc_… ${user.id}`,
        ].join('\n'),
      );
    });

  subcommand(users, 'list', 'list all users').action(async ({ json }: JsonOption) => {
    const rows = (await withUsers(async (store) => store.list())).map(({ id, email }) => ({ userId: id, email }));
    print(context, json, rows, () =>
      table(
        ['USER', 'EMAIL'],
        rows.map(({ userId, email }) => [userId, email]),
        'No users. Create one: petstore users create EMAIL',
      ),
    );
  });

  subcommand(users, 'password <email>', 'set a new password and end all sessions; without --password-stdin a password is generated and shown once')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (email: string, { passwordStdin, json }: JsonOption & { passwordStdin?: boolean }) => {
      const { password, user } = await context.withFolder(async (folder) => {
        const chosen = await choosePassword(email, passwordStdin, context, folder);
        const found = await folder.users.byEmail(email);
        if (found === undefined) throw noUser(email);
        await folder.users.setPassword(found.id, chosen);
        return { password: chosen, user: found };
      });
      const value = { userId: user.id, email: user.email, ...(!passwordStdin && { password }) };
      print(context, json, value, () =>
        passwordStdin ? `Changed the password of ${user.email}` : `New password for ${user.email}, shown only once:\n  ${password}`,
      );
    });

  const withUser = (email: string, work: (store: UserStore, user: User) => Promise<void>): Promise<User> =>
    withUsers(async (store) => {
      const user = await store.byEmail(email);
      if (user === undefined) throw noUser(email);
      await work(store, user);
      return user;
    });

  subcommand(users, 'sign-out <email>', "end all of a user's sessions immediately").action(async (email: string, { json }: JsonOption) => {
    const user = await withUser(email, (store, { id }) => store.endSessions(id));
    print(context, json, { userId: user.id, email: user.email }, () => `${user.email} is signed out everywhere`);
  });

  irreversible(
    users,
    'remove-factors <email>',
    "remove a user's passkeys, authenticator app and recovery codes, so that the password alone is enough",
  ).action(async (email: string, options: LossOptions) => {
    const done = await context.withFolder(async (folder) => {
      const user = await folder.users.byEmail(email);
      if (user === undefined) throw noUser(email);
      const deed = `remove the passkeys, the authenticator app and the recovery codes of ${user.email}`;
      if (!(await confirmLoss(context, options, () => ({ deed, name: user.email })))) return undefined;
      return { user, removed: await folder.factors.removeAll(user.id) };
    });
    if (done === undefined) return;
    const { user, removed } = done;
    print(context, options.json, { userId: user.id, email: user.email, removed }, () =>
      removed ? `${user.email} signs in with the password alone` : `${user.email} has neither passkeys nor codes`,
    );
  });

  irreversible(users, 'remove <email>', 'remove a user, with sessions and memberships; accounts are kept').action(
    async (email: string, options: LossOptions) => {
      const done = await context.withFolder(async (folder) => {
        const user = await folder.users.byEmail(email);
        if (user === undefined) throw noUser(email);
        const memberships = await folder.members.membershipsOf(user.id);
        const lossOf = async () => ({
          deed: `remove user ${user.id} (${user.email})`,
          name: user.email,
          goes: {
            memberships: memberships.map(({ accountId, role }) => `${accountId} (${role})`),
            accountsWithoutOwner: await withoutOwner(folder.members, memberships, user.id),
          },
        });
        if (!(await confirmLoss(context, options, lossOf))) return undefined;
        await folder.users.remove(user.id);
        return { user, orphaned: await withoutOwner(folder.members, memberships, user.id) };
      });
      if (done === undefined) return;
      const { user, orphaned } = done;
      print(context, options.json, { userId: user.id, email: user.email, accountsWithoutOwner: orphaned }, () =>
        [
          `User ${user.id} (${user.email}) removed`,
          ...orphaned.map((id) => `Account ${id} has no owner now: petstore accounts add-member ${id} USER, or petstore accounts delete ${id}`),
        ].join('\n'),
      );
    },
  );
}

/** Returns the ids of the accounts that, without the user, only the operator could manage. */
async function withoutOwner(members: Pick<MemberStore, 'membersOf'>, memberships: readonly Membership[], userId: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { accountId } of memberships) {
    const others = (await members.membersOf(accountId)).filter((each) => each.userId !== userId);
    if (!others.some(({ role }) => role === 'owner')) found.push(accountId);
  }
  return found;
}

function noUser(email: string): CliError {
  return new CliError(`no user ${JSON.stringify(email)}; petstore users list shows all users`);
}

async function choosePassword(
  email: string,
  fromStandardInput: boolean | undefined,
  { randomBytes }: CommandContext,
  { newPasswordProblem }: { readonly newPasswordProblem: (password: string, email: string) => string | undefined },
): Promise<string> {
  if (!fromStandardInput) return randomBase62(PASSWORD_LENGTH, randomBytes);
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const problem = newPasswordProblem(password, email);
  if (problem !== undefined) throw new CliError(`password: this one ${problem}`);
  return password;
}
