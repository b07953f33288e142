// petstore domains add | list | show | verify | watch | remove

import type { Command } from 'commander';
import { randomBase62 } from '../../core/access/base62.ts';
import { txtName } from '../../core/domains/diagnose.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { guardFailure } from '../../core/domains/guard.ts';
import { type HostNamePolicy, parseHostName } from '../../core/domains/host-name.ts';
import { type Command as DomainCommand, transition } from '../../core/domains/lifecycle.ts';
import { ownershipToken, projectTarget } from '../../core/domains/project-target.ts';
import { DOMAIN_ID_PREFIX, ID_LENGTH, type Project } from '../../core/projects/project.ts';
import type { Settings } from '../../local/settings.ts';
import { CliError, type CommandContext, isoTime, print, subcommand, table } from '../context.ts';
import type { OpenedFolder } from '../stores.ts';
import { projectOf } from './projects.ts';

/** How often the state is read while waiting, and how long a first answer may take, in milliseconds. */
const POLL_MS = 200;
const ANSWER_MS = 60_000;

export function addDomainCommands(program: Command, context: CommandContext): void {
  const domains = program.command('domains').description('attach domains to a project, from "add" to "live" to "removed"');

  subcommand(domains, 'add <host>', 'add a domain, and show the record to set')
    .requiredOption('--project <projectId>', 'project that is served on it')
    .action(async (input: string, { project: projectId, json }: { project: string; json?: boolean }) => {
      const added = await context.withFolder(async (folder) => {
        const project = await projectOf(folder, projectId);
        const parsed = parseHostName(input, namePolicy(folder.settings));
        if (!parsed.ok) throw new CliError(`${parsed.code}: ${parsed.message}`);
        const { host, apex } = parsed.name;
        const failure = guardFailure(await folder.accounts.getAccount(project.accountId), project);
        if (failure !== undefined) throw new CliError(failure.message);
        const id = `${DOMAIN_ID_PREFIX}${randomBase62(ID_LENGTH, context.randomBytes)}`;
        const domain = newDomain({ id, host, projectId, accountId: project.accountId }, context.clock());
        if ((await folder.domains.addDomain(domain)) === 'exists')
          throw new CliError(`project ${projectId} has ${host} already; petstore domains show ${host}`);
        return { host, state: domain.state.name, records: recordsFor(project, host, apex, folder.settings) };
      });
      print(context, json, added, () =>
        [
          `Added ${added.host}. Set ${added.records.length === 1 ? 'this record' : 'these records'} where the name is registered:`,
          recordTable(added.records),
          `Then: petstore domains verify ${added.host}`,
        ].join('\n'),
      );
    });

  subcommand(domains, 'list <projectId>', 'list the domains of a project').action(async (projectId: string, { json }: { json?: boolean }) => {
    const rows = await context.withFolder(async (folder) => {
      await projectOf(folder, projectId);
      return (await folder.domains.listDomains(projectId)).map(shown);
    });
    print(context, json, rows, () =>
      table(
        ['DOMAIN', 'STATE', 'SINCE', 'DIAGNOSIS'],
        rows.map((row) => [row.host, row.state, row.since, row.diagnosis?.code ?? '']),
        `No domains. Add one: petstore domains add HOST --project ${projectId}`,
      ),
    );
  });

  ofOneProject(domains, 'show <host>', 'show a domain, and what is wrong with it').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      const domain = await context.withFolder((folder) => domainOf(folder, input, project));
      print(context, json, shown(domain), () => textOf(domain));
    },
  );

  ofOneProject(domains, 'verify <host>', 'check the DNS now; on success the certificate is issued and the domain goes live by itself').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      const domain = await context.withFolder(async (folder) => {
        const found = await domainOf(folder, input, project);
        const failure = guardFailure(await folder.accounts.getAccount(found.accountId), await folder.projects.getProject(found.projectId));
        if (failure !== undefined) throw new CliError(failure.message);
        const verifying = await command(folder, found, { kind: 'verify' }, context.clock());
        return waitUntil(folder, verifying, ({ state }) => state.name !== 'verifying' || state.checks > 0, context.clock);
      });
      print(context, json, shown(domain), () => textOf(domain));
    },
  );

  ofOneProject(domains, 'watch <host>', 'show each step of a domain as it happens, until it is live or somebody must act').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      await context.withFolder(async (folder) => {
        let last = '';
        let domain = await domainOf(folder, input, project);
        for (;;) {
          const text = json ? JSON.stringify(shown(domain)) : `${isoTime(context.clock())} ${textOf(domain)}`;
          const key = JSON.stringify(domain.state);
          if (key !== last) context.out(text);
          last = key;
          if (!['verifying', 'verified', 'certificate_pending', 'attaching', 'removing'].includes(domain.state.name)) return;
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          domain = (await folder.domains.getDomain(domain.id)) ?? domain;
        }
      });
    },
  );

  ofOneProject(domains, 'remove <host>', 'stop serving the domain at once, and take down what was made for it').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      const domain = await context.withFolder(async (folder) =>
        command(folder, await domainOf(folder, input, project), { kind: 'remove' }, context.clock()),
      );
      print(context, json, shown(domain), () => `${domain.host} is not served any more`);
    },
  );
}

/** A subcommand on one domain; `--project` says which where several claim the name. */
function ofOneProject(parent: Command, nameAndArguments: string, description: string): Command {
  return subcommand(parent, nameAndArguments, description).option('--project <projectId>', 'needed where several projects claim the name');
}

/** Which names may be added here. */
export function namePolicy({ dns, edge }: Settings): HostNamePolicy {
  return { ours: [edge.name], extraSuffixes: dns.kind === 'sandbox' ? [dns.suffix] : [] };
}

interface NeededRecord {
  readonly type: 'CNAME' | 'ALIAS' | 'TXT';
  readonly name: string;
  readonly value: string;
  readonly ttl: number;
}

/** What the owner has to set (specification, section 4). */
function recordsFor({ token }: Project, host: string, apex: boolean, { edge }: Settings): readonly NeededRecord[] {
  const value = projectTarget(token, edge.name);
  const ttl = 3_600;
  if (!apex) return [{ type: 'CNAME', name: host, value, ttl }];
  return [
    { type: 'ALIAS', name: host, value, ttl },
    { type: 'TXT', name: txtName(host), value: ownershipToken(token), ttl },
  ];
}

function recordTable(records: readonly NeededRecord[]): string {
  return table(
    ['TYPE', 'NAME', 'VALUE', 'TTL'],
    records.map(({ type, name, value, ttl }) => [type, name, value, String(ttl)]),
    '',
  );
}

/** The domain of this name that is not removed. */
async function domainOf(folder: OpenedFolder, input: string, projectId: string | undefined): Promise<Domain> {
  const parsed = parseHostName(input, namePolicy(folder.settings));
  const host = parsed.ok ? parsed.name.host : input;
  const claims = (await folder.domains.claimsOf(host)).filter(
    (domain) => domain.state.name !== 'removed' && (projectId === undefined || domain.projectId === projectId),
  );
  const [domain] = claims;
  if (domain === undefined) throw new CliError(`no domain ${JSON.stringify(host)}; petstore domains list PROJECT shows those that exist`);
  if (claims.length > 1)
    throw new CliError(`${host} is claimed by several projects; name one with --project: ${claims.map((domain) => domain.projectId).join(', ')}`);
  return domain;
}

/** Moves a domain as its user asks. */
async function command(folder: OpenedFolder, read: Domain, event: DomainCommand, now: number): Promise<Domain> {
  const result = transition(read, event, now);
  if (result.kind === 'refused') throw new CliError(`${read.host}: ${result.message}`);
  if (result.kind === 'stale') return read;
  if ((await folder.domains.saveDomain(result.domain, read)) === 'saved') return result.domain;
  // The service has moved it meanwhile: what it is now decides.
  const current = await folder.domains.getDomain(read.id);
  if (current === undefined) throw new CliError(`${read.host} is gone`);
  return command(folder, current, event, now);
}

async function waitUntil(folder: OpenedFolder, domain: Domain, reached: (domain: Domain) => boolean, clock: () => number): Promise<Domain> {
  let current = domain;
  for (const end = clock() + ANSWER_MS; clock() < end; ) {
    current = (await folder.domains.getDomain(domain.id)) ?? current;
    if (reached(current)) return current;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new CliError(`${domain.host}: no answer within ${ANSWER_MS / 1_000} s; is the service running on this data folder (npm start)?`);
}

/** A domain as JSON shows it. */
function shown({ id, host, projectId, state }: Domain) {
  const diagnosis = 'diagnosis' in state && state.diagnosis !== undefined ? state.diagnosis : null;
  return {
    host,
    state: state.name,
    diagnosis: diagnosis && { code: diagnosis.code, seen: diagnosis.seen, fix: diagnosis.fix, actor: diagnosis.actor },
    domainId: id,
    projectId,
    since: isoTime(state.since),
    ...(state.name === 'certificate_failed' && { failure: state.failure, detail: state.detail }),
    ...(state.name === 'suspended' && { reason: state.reason }),
    ...('nextCheckAt' in state && { nextCheckAt: isoTime(state.nextCheckAt) }),
  };
}

function textOf(domain: Domain): string {
  const { state, diagnosis, ...rest } = shown(domain);
  const lines = [`${domain.host}: ${state}`];
  if (diagnosis !== null) lines.push(`  ${diagnosis.code}: ${diagnosis.seen}`, `  to do (${diagnosis.actor}): ${diagnosis.fix}`);
  if (rest.failure !== undefined) lines.push(`  ${rest.failure}: ${rest.detail}`);
  if (rest.reason !== undefined) lines.push(`  reason: ${rest.reason}`);
  if (state === 'verifying') lines.push(`  looked at again at ${rest.nextCheckAt}`);
  return lines.join('\n');
}
