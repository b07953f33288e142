// petstore projects create | list | deploy | rollback

import type { Command } from 'commander';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { isDisplayName } from '../../core/access/account.ts';
import { randomBase62 } from '../../core/access/base62.ts';
import { newProjectToken, PROJECT_TOKEN_LENGTH, projectTarget } from '../../core/domains/project-target.ts';
import { DEPLOYMENT_ID_PREFIX, EMPTY_CONFIGURATION, ID_LENGTH, PROJECT_ID_PREFIX, type Project } from '../../core/projects/project.ts';
import { CliError, type CommandContext, isoTime, print, subcommand, table } from '../context.ts';
import { createProgress } from '../progress.ts';
import { megabytes, readFolder, storeFiles } from '../sites/publish.ts';
import type { OpenedFolder } from '../stores.ts';

export function addProjectCommands(program: Command, context: CommandContext): void {
  const projects = program.command('projects').description('make projects, and publish files in them');

  subcommand(projects, 'create', 'make a project')
    .requiredOption('--account <accountId>', 'account that it belongs to')
    .requiredOption('--name <name>', 'name, for people')
    .action(async ({ account, name, json }: { account: string; name: string; json?: boolean }) => {
      if (!isDisplayName(name))
        throw new CliError(`--name: got ${JSON.stringify(name)}; allowed: 1 to 100 characters, not blank, no control characters`);
      const created = await context.withFolder(async (folder) => {
        if ((await folder.accounts.getAccount(account)) === undefined)
          throw new CliError(`no account ${JSON.stringify(account)}; petstore accounts list shows those that exist`);
        const project: Project = {
          id: `${PROJECT_ID_PREFIX}${randomBase62(ID_LENGTH, context.randomBytes)}`,
          accountId: account,
          name,
          token: newProjectToken(context.randomBytes(PROJECT_TOKEN_LENGTH)),
          createdAt: context.clock(),
          currentDeploymentId: undefined,
          configuration: EMPTY_CONFIGURATION,
        };
        if (!(await folder.projects.createProject(project))) throw new CliError('no free project id; try again');
        return { projectId: project.id, target: projectTarget(project.token, folder.settings.edge.name) };
      });
      print(context, json, created, () => `Project ${created.projectId} (${name}). The CNAME of its domains: ${created.target}`);
    });

  subcommand(projects, 'list', 'list projects, of all accounts or of one')
    .option('--account <accountId>', 'only those of this account')
    .action(async ({ account, json }: { account?: string; json?: boolean }) => {
      const rows = await context.withFolder(async ({ projects: store, settings }) =>
        (await store.listProjects(account)).map(({ id, accountId, name, token, currentDeploymentId, createdAt }) => ({
          projectId: id,
          accountId,
          name,
          target: projectTarget(token, settings.edge.name),
          deploymentId: currentDeploymentId ?? null,
          createdAt: isoTime(createdAt),
        })),
      );
      print(context, json, rows, () =>
        table(
          ['PROJECT', 'NAME', 'ACCOUNT', 'DEPLOYMENT', 'CNAME OF ITS DOMAINS'],
          rows.map((row) => [row.projectId, row.name, row.accountId, row.deploymentId ?? 'none yet', row.target]),
          'No projects. Make one: petstore projects create --account acc_… --name NAME',
        ),
      );
    });

  subcommand(projects, 'deploy <projectId> <folder>', 'publish a folder of static files; served from the next request on').action(
    async (projectId: string, path: string, { json }: { json?: boolean }) => {
      const { files, bytes, skipped } = await readFolder(path);
      const deployment = { id: `${DEPLOYMENT_ID_PREFIX}${randomBase62(ID_LENGTH, context.randomBytes)}`, projectId };
      const progress = createProgress(bytes, 'files');
      const stored = { bytes: 0, files: 0 };
      await context.withFolder(async (folder) => {
        await projectOf(folder, projectId);
        const sites = createFolderSiteStore(folder.settings.dataFolder);
        try {
          await storeFiles(sites, deployment, files, (file) => {
            stored.bytes += file.bytes;
            stored.files += 1;
            progress.update(stored.bytes, stored.files);
          });
        } finally {
          progress.stop();
        }
        await folder.projects.deploy({ ...deployment, createdAt: context.clock(), files: files.length, bytes });
      });
      for (const name of skipped) context.err(`skipped ${name}: hidden files are not published`);
      const report = { deploymentId: deployment.id, files: files.length, bytes, skipped: skipped.length };
      print(context, json, report, () => `Published ${files.length} files, ${megabytes(bytes)}, as ${deployment.id}`);
    },
  );

  subcommand(projects, 'deployments <projectId>', 'list the deployments of a project, newest first').action(
    async (projectId: string, { json }: { json?: boolean }) => {
      const rows = await context.withFolder(async (folder) => {
        const { currentDeploymentId } = await projectOf(folder, projectId);
        return (await folder.projects.listDeployments(projectId)).map(({ id, createdAt, files, bytes }) => ({
          deploymentId: id,
          current: id === currentDeploymentId,
          createdAt: isoTime(createdAt),
          files,
          bytes,
        }));
      });
      print(context, json, rows, () =>
        table(
          ['DEPLOYMENT', 'SERVED', 'PUBLISHED', 'FILES', 'SIZE'],
          rows.map((row) => [row.deploymentId, row.current ? 'yes' : '', row.createdAt, String(row.files), megabytes(row.bytes)]),
          `No deployments. Publish one: petstore projects deploy ${projectId} FOLDER`,
        ),
      );
    },
  );

  subcommand(projects, 'rollback <projectId>', 'serve an earlier deployment again')
    .option('--to <deploymentId>', 'default: the one before the current')
    .action(async (projectId: string, { to, json }: { to?: string; json?: boolean }) => {
      const deploymentId = await context.withFolder(async (folder) => {
        const { currentDeploymentId } = await projectOf(folder, projectId);
        const deployments = await folder.projects.listDeployments(projectId);
        const chosen = to ?? deployments[deployments.findIndex(({ id }) => id === currentDeploymentId) + 1]?.id;
        if (chosen === undefined) throw new CliError(`project ${projectId} has no deployment before the current one`);
        if (!(await folder.projects.setCurrentDeployment(projectId, chosen)))
          throw new CliError(
            `project ${projectId} has no deployment ${JSON.stringify(chosen)}; petstore projects deployments ${projectId} shows those that exist`,
          );
        return chosen;
      });
      print(context, json, { projectId, deploymentId }, () => `Project ${projectId} serves ${deploymentId}`);
    });
}

export async function projectOf(folder: OpenedFolder, projectId: string): Promise<Project> {
  const project = await folder.projects.getProject(projectId);
  if (project === undefined) throw new CliError(`no project ${JSON.stringify(projectId)}; petstore projects list shows those that exist`);
  return project;
}
