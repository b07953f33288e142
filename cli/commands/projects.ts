// petstore projects create | list | traffic | rename | delete | deploy | deployments | pin | unpin | delete-deployment | rollback

import { type Command, InvalidArgumentError } from 'commander';
import { DAY_MS } from '../../core/limits/windows.ts';
import { mebibytes } from '../../core/projects/manifest.ts';
import { TRAFFIC_KEPT_DAYS } from '../../core/projects/project.ts';
import { visitorsUsd } from '../../platforms/aws/cost.ts';
import type { CommandStores } from '../../platforms/platform.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand, table, UsageError } from '../context.ts';
import { confirmLoss, irreversible, type LossOptions } from '../losses.ts';
import { countOf } from '../sites/publish.ts';

/** Adds `petstore projects`. */
export function addProjectCommands(program: Command, context: CommandContext): void {
  const projects = program.command('projects').description('create projects, and publish files to them');

  subcommand(projects, 'create', 'create a project')
    .requiredOption('--account <accountId>', 'account that the project belongs to')
    .requiredOption('--name <name>', 'display name')
    .option('--empty', 'create it without the placeholder site as its first deployment')
    .action(async ({ account, name, empty = false, json }: JsonOption & { account: string; name: string; empty?: boolean }) => {
      const { projectId, target, deploymentId } = await context.withOwner((owner) => owner.createProject(account, name, { empty }));
      print(context, json, { projectId, target, deploymentId }, () => `Project ${projectId} (${name}). CNAME target of its domains: ${target}`);
    });

  subcommand(projects, 'list', 'list all projects, or those of one account')
    .option('--account <accountId>', "only this account's projects")
    .action(async ({ account, json }: JsonOption & { account?: string }) => {
      const found = await context.withOwner((owner) => owner.listProjects(account));
      const rows = found.map(({ projectId, accountId, name, target, deploymentId, createdAt }) => ({
        projectId,
        accountId,
        name,
        target,
        deploymentId,
        createdAt,
      }));
      print(context, json, rows, () =>
        table(
          ['PROJECT', 'NAME', 'ACCOUNT', 'DEPLOYMENT', 'CNAME TARGET'],
          rows.map((row) => [row.projectId, row.name, row.accountId, row.deploymentId ?? 'none yet', row.target]),
          'No projects. Create one: petstore projects create --account acc_… --name NAME',
        ),
      );
    });

  subcommand(projects, 'traffic', "visitors' requests and traffic by project, and what they cost at list prices; only with --stage")
    .option('--from <day>', 'first day, in UTC; default: the first of this month', parseDay)
    .option('--to <day>', 'last day; default: today', parseDay)
    .action(async ({ from, to = dayOf(context.clock()), json }: JsonOption & { from?: string; to?: string }) => {
      const first = from ?? `${to.slice(0, 7)}-01`;
      if (first > to) throw new UsageError(`--from: got ${first}; allowed: no day after --to, ${to}`);
      const rows = await context.withStores((stores) => trafficOf(stores, first, to));
      print(context, json, { from: first, to, projects: rows }, () =>
        table(
          ['PROJECT', 'NAME', 'ACCOUNT', 'REQUESTS', 'GB', 'USD'],
          rows.map((row) => [
            row.projectId,
            row.name ?? '(deleted)',
            row.accountId ?? '',
            String(row.requests),
            (row.bytes / 1e9).toFixed(3),
            row.usd.toFixed(2),
          ]),
          `No visits from ${first} to ${to}. CloudFront delivers its logs within hours, sometimes within a day.`,
        ),
      );
    });

  subcommand(projects, 'rename <projectId>', 'give a project another display name')
    .requiredOption('--name <name>', 'display name')
    .action(async (projectId: string, { name, json }: JsonOption & { name: string }) => {
      await context.withOwner((owner) => owner.renameProject(projectId, name));
      print(context, json, { projectId, name }, () => `Project ${projectId} is now ${name}`);
    });

  irreversible(projects, 'delete <projectId>', 'delete a project without domains, and its deployments').action(
    async (projectId: string, options: LossOptions) => {
      const isDone = await context.withOwner(async (owner) => {
        const lossOf = async () => {
          const project = (await owner.listProjects(undefined)).find((each) => each.projectId === projectId);
          if (project === undefined) return `there is no project ${JSON.stringify(projectId)}`;
          const domains = (await owner.listDomains(projectId)).map(({ host }) => host);
          if (domains.length > 0) return `project ${projectId} has domains, which must be removed first: ${domains.join(', ')}`;
          const deployments = (await owner.listDeployments(projectId)).map(({ deploymentId }) => deploymentId);
          return { deed: `delete project ${projectId} (${project.name})`, name: project.name, goes: { deployments } };
        };
        if (!(await confirmLoss(context, options, lossOf))) return false;
        await owner.deleteProject(projectId);
        return true;
      });
      if (isDone)
        print(context, options.json, { projectId, deleted: true }, () => `Deleted project ${projectId}. Its files are removed within the hour.`);
    },
  );

  subcommand(projects, 'deploy <projectId> <folder>', 'publish a folder of static files; served from the next request on').action(
    async (projectId: string, path: string, { json }: JsonOption) => {
      const { deploymentId, files, bytes, skipped } = await context.withOwner((owner) => owner.deploy(projectId, path));
      for (const name of skipped) context.err(`skipped ${name}: hidden files are not published`);
      const report = { deploymentId, files, bytes, skipped: skipped.length };
      print(context, json, report, () => `Published ${countOf(files, 'file')}, ${mebibytes(bytes)}, as ${deploymentId}`);
    },
  );

  subcommand(
    projects,
    'deployments <projectId>',
    "list a project's deployments, newest first; the last 10 that were served, and pinned ones, are kept",
  ).action(async (projectId: string, { json }: JsonOption) => {
    const rows = await context.withOwner((owner) => owner.listDeployments(projectId));
    print(context, json, rows, () =>
      table(
        ['DEPLOYMENT', 'SERVED', 'PINNED', 'PUBLISHED', 'FILES', 'SIZE'],
        rows.map((row) => [
          row.deploymentId,
          row.current ? 'yes' : '',
          row.pinned ? 'yes' : '',
          row.createdAt,
          String(row.files),
          mebibytes(row.bytes),
        ]),
        `No deployments. Publish one: petstore projects deploy ${projectId} FOLDER`,
      ),
    );
  });

  subcommand(projects, 'pin <projectId> <deploymentId>', 'keep a deployment until it is unpinned, however many follow').action(
    async (projectId: string, deploymentId: string, { json }: JsonOption) => {
      const row = await context.withOwner((owner) => owner.pinDeployment(projectId, deploymentId));
      print(context, json, row, () => `Pinned deployment ${deploymentId} of project ${projectId}`);
    },
  );

  subcommand(projects, 'unpin <projectId> <deploymentId>', 'stop keeping a deployment').action(
    async (projectId: string, deploymentId: string, { json }: JsonOption) => {
      const row = await context.withOwner((owner) => owner.unpinDeployment(projectId, deploymentId));
      print(context, json, row, () => `Unpinned deployment ${deploymentId} of project ${projectId}`);
    },
  );

  irreversible(projects, 'delete-deployment <projectId> <deploymentId>', 'delete a deployment that is neither current nor pinned').action(
    async (projectId: string, deploymentId: string, options: LossOptions) => {
      const isDone = await context.withOwner(async (owner) => {
        const lossOf = async () => {
          const found = (await owner.listDeployments(projectId)).find((each) => each.deploymentId === deploymentId);
          if (found === undefined) return `project ${projectId} has no deployment ${JSON.stringify(deploymentId)}`;
          if (found.current || found.pinned) return `deployment ${deploymentId} is ${found.current ? 'current' : 'pinned'}`;
          return { deed: `delete deployment ${deploymentId} of project ${projectId}`, name: deploymentId };
        };
        if (!(await confirmLoss(context, options, lossOf))) return false;
        await owner.deleteDeployment(projectId, deploymentId);
        return true;
      });
      if (isDone)
        print(context, options.json, { projectId, deploymentId, deleted: true }, () => `Deleted deployment ${deploymentId} of project ${projectId}`);
    },
  );

  subcommand(projects, 'rollback <projectId>', 'serve an earlier deployment again')
    .option('--to <deploymentId>', 'default: the one before the current deployment')
    .action(async (projectId: string, { to, json }: JsonOption & { to?: string }) => {
      const { deploymentId } = await context.withOwner((owner) => owner.rollBack(projectId, to));
      print(context, json, { projectId, deploymentId }, () => `Project ${projectId} now serves ${deploymentId}`);
    });
}

interface TrafficRow {
  readonly projectId: string;
  /** Missing if the project has been deleted. */
  readonly name?: string;
  readonly accountId?: string;
  readonly requests: number;
  readonly bytes: number;
  readonly usd: number;
}

/** Returns the traffic of each project, the most expensive first. */
async function trafficOf({ traffic, projects }: CommandStores, from: string, to: string): Promise<readonly TrafficRow[]> {
  if (traffic === undefined)
    throw new CliError('visits are counted per project only on AWS: add --stage NAME. On one machine, /metrics has the total for all projects.');
  const totals = new Map<string, { requests: number; bytes: number }>();
  for (const { projectId, requests, bytes } of await traffic.between(from, to)) {
    const before = totals.get(projectId) ?? { requests: 0, bytes: 0 };
    totals.set(projectId, { requests: before.requests + requests, bytes: before.bytes + bytes });
  }
  const known = new Map((await projects.listProjects()).map((project) => [project.id, project]));
  const rows = [...totals].map(([projectId, { requests, bytes }]) => {
    const { name, accountId } = known.get(projectId) ?? {};
    return { projectId, ...(name !== undefined && { name }), ...(accountId && { accountId }), requests, bytes, usd: visitorsUsd(requests, bytes) };
  });
  return rows.sort((a, b) => b.usd - a.usd);
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Parses a day. @throws InvalidArgumentError that says what is allowed */
function parseDay(text: string): string {
  const at = Date.parse(text);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && dayOf(at) === text;
  if (!isDay || Date.now() - at > (TRAFFIC_KEPT_DAYS + 1) * DAY_MS)
    throw new InvalidArgumentError(`allowed: one of the last ${TRAFFIC_KEPT_DAYS} days, such as 2026-11-24`);
  return text;
}
