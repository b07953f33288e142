// petstore projects create | list | rename | delete | deploy | deployments | delete-deployment | rollback

import type { Command } from 'commander';
import { planOf } from '../../core/access/plans.ts';
import { projectTarget } from '../../core/domains/project-target.ts';
import {
  createProject,
  deleteDeployment,
  deleteProject,
  newDeploymentId,
  renameProject,
  rollBack,
  serveDeployment,
} from '../../core/projects/actions.ts';
import { mebibytes } from '../../core/projects/manifest.ts';
import type { Project } from '../../core/projects/project.ts';
import type { Platform } from '../../platforms/platform.ts';
import { placeholderSite } from '../../service/catalogue/placeholder-site.ts';
import { CliError, type CommandContext, isoTime, print, resultOf, subcommand, table } from '../context.ts';
import { createProgress } from '../progress.ts';
import { countOf, readFolder, storeFiles } from '../sites/publish.ts';

/** Adds `petstore projects`. */
export function addProjectCommands(program: Command, context: CommandContext): void {
  const projects = program.command('projects').description('create projects, and publish files in them');

  subcommand(projects, 'create', 'create a project')
    .requiredOption('--account <accountId>', 'account that the project belongs to')
    .requiredOption('--name <name>', 'display name')
    .option('--empty', 'create it without the placeholder site as its first deployment')
    .action(async ({ account, name, empty, json }: { account: string; name: string; empty?: boolean; json?: boolean }) => {
      const created = await context.withPlatform(async (platform) => {
        const { project } = resultOf(
          await createProject(platform, { accountId: account, name }, context.randomBytes, context.clock(), empty ? undefined : placeholderSite),
        );
        return {
          projectId: project.id,
          target: projectTarget(project.token, platform.rules.edge.host),
          deploymentId: project.currentDeploymentId ?? null,
        };
      });
      print(context, json, created, () => `Project ${created.projectId} (${name}). CNAME target of its domains: ${created.target}`);
    });

  subcommand(projects, 'list', 'list the projects of all accounts, or of one')
    .option('--account <accountId>', "only this account's projects")
    .action(async ({ account, json }: { account?: string; json?: boolean }) => {
      const rows = await context.withPlatform(async ({ projects: store, rules }) =>
        (await store.listProjects(account)).map(({ id, accountId, name, token, currentDeploymentId, createdAt }) => ({
          projectId: id,
          accountId,
          name,
          target: projectTarget(token, rules.edge.host),
          deploymentId: currentDeploymentId ?? null,
          createdAt: isoTime(createdAt),
        })),
      );
      print(context, json, rows, () =>
        table(
          ['PROJECT', 'NAME', 'ACCOUNT', 'DEPLOYMENT', 'CNAME TARGET'],
          rows.map((row) => [row.projectId, row.name, row.accountId, row.deploymentId ?? 'none yet', row.target]),
          'No projects. Create one: petstore projects create --account acc_… --name NAME',
        ),
      );
    });

  subcommand(projects, 'rename <projectId>', 'give a project another display name')
    .requiredOption('--name <name>', 'display name')
    .action(async (projectId: string, { name, json }: { name: string; json?: boolean }) => {
      await context.withPlatform(async (platform) => resultOf(await renameProject(platform, await projectOf(platform, projectId), name)));
      print(context, json, { projectId, name }, () => `Project ${projectId} is now ${name}`);
    });

  subcommand(projects, 'delete <projectId>', "delete a project without domains, and its deployments; this can't be undone")
    .requiredOption('--yes', 'confirm the deletion')
    .action(async (projectId: string, { json }: { json?: boolean }) => {
      await context.withPlatform(async (platform) => resultOf(await deleteProject(platform, await projectOf(platform, projectId), context.clock())));
      print(context, json, { projectId, deleted: true }, () => `Deleted project ${projectId}. Its files are removed within the hour.`);
    });

  subcommand(projects, 'deploy <projectId> <folder>', 'publish a folder of static files; served from the next request on').action(
    async (projectId: string, path: string, { json }: { json?: boolean }) => {
      const deployment = { id: newDeploymentId(context.randomBytes), projectId };
      const { files, bytes, skipped } = await context.withPlatform(async (platform) => {
        const { accountId } = await projectOf(platform, projectId);
        const account = await platform.accounts.getAccount(accountId);
        if (account === undefined) throw new CliError(`the account ${accountId} of project ${projectId} does not exist`);
        const content = await readFolder(path, planOf(account.plan).deployment);
        const progress = createProgress(content.bytes, 'files');
        const stored = { bytes: 0, files: 0 };
        try {
          await storeFiles(platform.sites, deployment, content.files, (file) => {
            stored.bytes += file.bytes;
            stored.files += 1;
            progress.update(stored.bytes, stored.files);
          });
        } finally {
          progress.stop();
        }
        resultOf(await serveDeployment(platform, { ...deployment, createdAt: context.clock(), files: content.files.length, bytes: content.bytes }));
        return content;
      });
      for (const name of skipped) context.err(`skipped ${name}: hidden files are not published`);
      const report = { deploymentId: deployment.id, files: files.length, bytes, skipped: skipped.length };
      print(context, json, report, () => `Published ${countOf(files.length, 'file')}, ${mebibytes(bytes)}, as ${deployment.id}`);
    },
  );

  subcommand(projects, 'deployments <projectId>', "list a project's deployments, newest first").action(
    async (projectId: string, { json }: { json?: boolean }) => {
      const rows = await context.withPlatform(async (platform) => {
        const { currentDeploymentId } = await projectOf(platform, projectId);
        return (await platform.projects.listDeployments(projectId)).map(({ id, createdAt, files, bytes }) => ({
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
          rows.map((row) => [row.deploymentId, row.current ? 'yes' : '', row.createdAt, String(row.files), mebibytes(row.bytes)]),
          `No deployments. Publish one: petstore projects deploy ${projectId} FOLDER`,
        ),
      );
    },
  );

  subcommand(projects, 'delete-deployment <projectId> <deploymentId>', "delete a deployment that is not current; this can't be undone").action(
    async (projectId: string, deploymentId: string, { json }: { json?: boolean }) => {
      await context.withPlatform(async (platform) =>
        resultOf(await deleteDeployment(platform, await projectOf(platform, projectId), deploymentId, context.clock())),
      );
      print(context, json, { projectId, deploymentId, deleted: true }, () => `Deleted deployment ${deploymentId} of project ${projectId}`);
    },
  );

  subcommand(projects, 'rollback <projectId>', 'serve an earlier deployment again')
    .option('--to <deploymentId>', 'default: the one before the current deployment')
    .action(async (projectId: string, { to, json }: { to?: string; json?: boolean }) => {
      const deploymentId = await context.withPlatform(
        async (platform) => resultOf(await rollBack(platform, await projectOf(platform, projectId), to)).project.currentDeploymentId,
      );
      print(context, json, { projectId, deploymentId }, () => `Project ${projectId} now serves ${deploymentId}`);
    });
}

/** Returns the project. @throws CliError if it does not exist */
export async function projectOf(platform: Platform, projectId: string): Promise<Project> {
  const project = await platform.projects.getProject(projectId);
  if (project === undefined) throw new CliError(`no project ${JSON.stringify(projectId)}; petstore projects list shows all projects`);
  return project;
}
