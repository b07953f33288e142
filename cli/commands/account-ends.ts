// petstore accounts suspend | resume | require-second-factor | delete

import type { Command } from 'commander';
import { CliError, type CommandContext, type JsonOption, print, subcommand } from '../context.ts';
import { confirmLoss, irreversible, type Loss, type LossOptions } from '../losses.ts';
import type { OwnerPort } from '../owner/port.ts';

/** Time limit for removing domains, in milliseconds. CloudFront takes minutes. */
const REMOVAL_MS = 20 * 60_000;

/** Adds the commands to `petstore accounts`. */
export function addAccountEndCommands(accounts: Command, context: CommandContext): void {
  subcommand(
    accounts,
    'suspend <accountId>',
    "refuse an account's keys and stop serving its sites; nothing is deleted, and members can still view and delete",
  )
    .requiredOption('--reason <text>', 'why, for the owners to read')
    .action(async (accountId: string, { reason, json }: JsonOption & { reason: string }) => {
      const { since, domains } = await context.withOwner((owner) => owner.suspendAccount(accountId, reason));
      print(context, json, { accountId, since, reason, domains }, () =>
        [`Account ${accountId} is suspended`, ...domains.map(({ host }) => `${host} is no longer served`)].join('\n'),
      );
    });

  subcommand(accounts, 'resume <accountId>', "end an account's suspension").action(async (accountId: string, { json }: JsonOption) => {
    const { domains } = await context.withOwner((owner) => owner.resumeAccount(accountId));
    print(context, json, { accountId, domains }, () =>
      [`Account ${accountId} is no longer suspended`, ...domains.map(({ host }) => `${host} is being verified, and will then be served`)].join('\n'),
    );
  });

  subcommand(accounts, 'require-second-factor <accountId>', 'refuse members who signed in with a password alone; keys and pipelines keep working')
    .option('--off', 'no longer')
    .action(async (accountId: string, { off = false, json }: JsonOption & { off?: boolean }) => {
      if (context.stage() !== undefined) throw new CliError('on AWS, the setting <STAGE>_MFA requires a second factor from all users');
      await context.withOwner((owner) => owner.requireSecondFactor(accountId, !off));
      print(
        context,
        json,
        { accountId, secondFactorRequired: !off },
        () => `Account ${accountId} ${off ? 'no longer requires' : 'requires'} a second factor`,
      );
    });

  irreversible(accounts, 'delete <accountId>', 'delete an account with its keys, usage, members and invitations')
    .option('--with-projects', 'remove its projects too, with their domains and files; wait until the domains are gone')
    .action(async (accountId: string, { withProjects = false, ...options }: LossOptions & { withProjects?: boolean }) => {
      const removed = await context.withOwner(async (owner) => {
        if (!(await confirmLoss(context, options, () => lossOf(owner, accountId, withProjects)))) return undefined;
        const found = withProjects ? await deleteProjects(owner, accountId, context) : { domains: [], projects: [] };
        await owner.deleteAccount(accountId);
        return found;
      });
      if (removed !== undefined) print(context, options.json, { accountId, deleted: true, ...removed }, () => `Deleted account ${accountId}`);
    });
}

/** Returns what is deleted with an account, or why it can't be deleted. */
async function lossOf(owner: OwnerPort, accountId: string, withProjects: boolean): Promise<Loss | string> {
  const account = (await owner.listAccounts()).find((each) => each.accountId === accountId);
  if (account === undefined) return `there is no account ${JSON.stringify(accountId)}`;
  const [projects, keys, members, invitations] = await Promise.all([
    owner.listProjects(accountId),
    owner.listKeys(accountId),
    owner.listMembers(accountId),
    owner.listInvitations(accountId),
  ]);
  if (projects.length > 0 && !withProjects) return `account ${accountId} has ${projects.length} projects, which --with-projects would delete, too`;
  const domains = (await Promise.all(projects.map(({ projectId }) => owner.listDomains(projectId)))).flat();
  return {
    deed: `delete account ${accountId} (${account.name})`,
    name: account.name,
    goes: {
      keys: keys.map(({ name, hint }) => `${name} (${hint ?? 'no hint'})`),
      members: members.map(({ email, userId }) => email ?? userId),
      invitations: invitations.map(({ email }) => email),
      projects: projects.map(({ projectId, name }) => `${name} (${projectId})`),
      servedDomains: domains.filter(({ served }) => served).map(({ host }) => host),
      otherDomains: domains.filter(({ served }) => !served).map(({ host }) => host),
    },
  };
}

/** Deletes an account's projects. Reports progress on standard error, because removing domains takes minutes. */
async function deleteProjects(owner: OwnerPort, accountId: string, { err, clock, servesDomains }: CommandContext) {
  const projects = await owner.listProjects(accountId);
  const domains = (await Promise.all(projects.map(({ projectId }) => owner.listDomains(projectId)))).flat();
  if (domains.length > 0 && !servesDomains())
    throw new CliError(
      `account ${accountId} has ${domains.length} domains, which only the running service removes; nothing was changed: start the service first (npm start)`,
    );
  for (const domain of domains) {
    if (domain.state !== 'removing') await owner.removeDomain(domain, { withRedirects: true });
    err(`${domain.host} is no longer served`);
  }
  const end = clock() + REMOVAL_MS;
  for (const { projectId, name } of projects) {
    try {
      await deleteOnceEmpty(owner, projectId, clock, end);
    } catch (error) {
      // Another command may be deleting the same account.
      if ((await owner.listProjects(accountId)).some((each) => each.projectId === projectId)) throw error;
    }
    err(`Deleted project ${projectId} (${name})`);
  }
  return { domains: domains.map(({ host }) => host), projects: projects.map(({ projectId }) => projectId) };
}

/** Deletes a project once its domains are gone. @param end milliseconds since 1970 */
async function deleteOnceEmpty(owner: OwnerPort, projectId: string, clock: () => number, end: number): Promise<void> {
  for (let left = await owner.listDomains(projectId); left.length > 0; left = await owner.listDomains(projectId)) {
    if (clock() > end) {
      const hosts = left.map(({ host }) => host).join(', ');
      throw new CliError(`${hosts}: still being removed after ${REMOVAL_MS / 60_000} minutes; run the command again later`);
    }
    await new Promise((resolve) => setTimeout(resolve, owner.pollMs));
  }
  await owner.deleteProject(projectId);
}
