// petstore domains add | list | show | verify | watch | publish | remove

import type { Command } from 'commander';
import { addDomain, publishRecords, recordsOf, removeDomain, verifyDomain } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { domainView } from '../../core/domains/domain-view.ts';
import { labelOf, parseHostName, registeredDomain } from '../../core/domains/host-name.ts';
import type { NeededRecord } from '../../core/domains/ports.ts';
import { isGone, isInProgress } from '../../core/domains/states.ts';
import type { Platform } from '../../platforms/platform.ts';
import { CliError, type CommandContext, isoTime, print, resultOf, subcommand, table } from '../context.ts';
import { projectOf } from './projects.ts';

/** Polling interval, and time limit for the first result, in milliseconds. */
const POLL_MS = 200;
const ANSWER_MS = 60_000;

/** Adds `petstore domains`. */
export function addDomainCommands(program: Command, context: CommandContext): void {
  const domains = program.command('domains').description("manage a project's domains");

  subcommand(domains, 'add <host>', 'add a domain, and show the records to set')
    .requiredOption('--project <projectId>', 'project that the domain serves')
    .action(async (input: string, { project: projectId, json }: { project: string; json?: boolean }) => {
      const added = await context.withPlatform(async (platform) => {
        const project = await projectOf(platform, projectId);
        const { domain, records } = resultOf(await addDomain(platform, project, input, platform.rules, context.randomBytes, context.clock()));
        return { host: domain.host, state: domain.state.name, records: labelled(domain, records) };
      });
      print(context, json, added, () =>
        [
          `Added ${added.host}. Set ${added.records.length === 1 ? 'this record' : 'these records'} at your DNS provider:`,
          recordTable(added.records),
          `Then: petstore domains verify ${added.host}`,
        ].join('\n'),
      );
    });

  subcommand(domains, 'list <projectId>', "list a project's domains").action(async (projectId: string, { json }: { json?: boolean }) => {
    const rows = await context.withPlatform(async (platform) => {
      await projectOf(platform, projectId);
      return (await platform.domains.listDomains(projectId)).map((domain) => domainView(domain, context.clock()));
    });
    print(context, json, rows, () =>
      table(
        ['DOMAIN', 'STATE', 'SINCE', 'WHAT'],
        rows.map((row) => [row.host, row.state, row.since, row.advice?.code ?? '']),
        `No domains. Add one: petstore domains add HOST --project ${projectId}`,
      ),
    );
  });

  ofOneProject(domains, 'show <host>', 'show a domain and its problems').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      const domain = await context.withPlatform((platform) => domainOf(platform, input, project));
      print(context, json, domainView(domain, context.clock()), () => domainText(domain, context.clock()));
    },
  );

  ofOneProject(domains, 'verify <host>', 'check the DNS now; on success the certificate is issued and the domain goes live automatically').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      const domain = await context.withPlatform(async (platform) => {
        const found = await domainOf(platform, input, project);
        const { domain: verifying } = resultOf(await verifyDomain(platform, found, context.clock()));
        return waitUntil(platform, verifying, ({ state }) => state.name !== 'verifying' || state.checks > 0, context.clock);
      });
      print(context, json, domainView(domain, context.clock()), () => domainText(domain, context.clock()));
    },
  );

  ofOneProject(domains, 'watch <host>', 'show each step of a domain as it happens, until it is live or someone must act').action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      await context.withPlatform(async (platform) => {
        let last = '';
        let domain = await domainOf(platform, input, project);
        for (;;) {
          const text = json
            ? JSON.stringify(domainView(domain, context.clock()))
            : `${isoTime(context.clock())} ${domainText(domain, context.clock())}`;
          const key = JSON.stringify(domain.state);
          if (key !== last) context.out(text);
          last = key;
          if (!isInProgress(domain.state)) return;
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          domain = (await platform.domains.getDomain(domain.id)) ?? domain;
        }
      });
    },
  );

  ofOneProject(domains, 'publish <host>', "set the domain's records in a zone that the service controls: Route 53, or the sandbox").action(
    async (input: string, { project, json }: { project?: string; json?: boolean }) => {
      const published = await context.withPlatform(async (platform) => {
        const domain = await domainOf(platform, input, project);
        const records = recordsOf(await projectOf(platform, domain.projectId), domain, platform.rules);
        const { records: set } = resultOf(await publishRecords(platform.domains, platform.publisher, domain, records));
        return { host: domain.host, records: labelled(domain, set) };
      });
      print(context, json, { host: published.host, records: published.records }, () => recordTable(published.records));
    },
  );

  ofOneProject(domains, 'remove <host>', 'stop serving the domain immediately, and delete its certificate and published records')
    .option('--with-redirects', 'even if it is the primary domain or the target of redirects; these settings are removed')
    .action(async (input: string, { project, withRedirects, json }: { project?: string; withRedirects?: boolean; json?: boolean }) => {
      const { domain } = await context.withPlatform(async (platform) => {
        const found = await domainOf(platform, input, project);
        return resultOf(await removeDomain(platform, found, context.clock(), withRedirects));
      });
      print(context, json, domainView(domain, context.clock()), () => `${domain.host} is no longer served`);
    });
}

/** Creates a subcommand for one domain; `--project` selects among several projects that claim the name. */
function ofOneProject(parent: Command, nameAndArguments: string, description: string): Command {
  return subcommand(parent, nameAndArguments, description).option('--project <projectId>', 'required if several projects claim the name');
}

type LabelledRecord = NeededRecord & { readonly label: string };

/** Adds each record's name relative to the registrable domain, as most providers' forms expect it. */
function labelled({ host }: Domain, records: readonly NeededRecord[]): readonly LabelledRecord[] {
  return records.map((record) => ({ ...record, label: labelOf(record.name, registeredDomain(host)) }));
}

function recordTable(records: readonly LabelledRecord[]): string {
  return table(
    ['TYPE', 'NAME', 'FULL NAME', 'VALUE', 'TTL'],
    records.map(({ type, name, label, value, ttl }) => [type, label, name, value, String(ttl)]),
    '',
  );
}

/** Finds the domain by its name, ignoring removed ones. */
async function domainOf(platform: Platform, input: string, projectId: string | undefined): Promise<Domain> {
  const parsed = parseHostName(input, platform.rules.policy);
  const host = parsed.ok ? parsed.name.host : input;
  const claims = (await platform.domains.claimsOf(host)).filter(
    (domain) => !isGone(domain.state) && (projectId === undefined || domain.projectId === projectId),
  );
  const [domain] = claims;
  if (domain === undefined) throw new CliError(`no domain ${JSON.stringify(host)}; petstore domains list PROJECT shows the domains of a project`);
  if (claims.length > 1)
    throw new CliError(`${host} is claimed by several projects; choose one with --project: ${claims.map((domain) => domain.projectId).join(', ')}`);
  return domain;
}

async function waitUntil(platform: Platform, domain: Domain, reached: (domain: Domain) => boolean, clock: () => number): Promise<Domain> {
  let current = domain;
  for (const end = clock() + ANSWER_MS; clock() < end; ) {
    current = (await platform.domains.getDomain(domain.id)) ?? current;
    if (reached(current)) return current;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new CliError(`${domain.host}: no result within ${ANSWER_MS / 1_000} s; is the service running on this data folder (npm start)?`);
}

/** Formats a domain for the command line. @param now milliseconds since 1970 */
export function domainText(domain: Domain, now: number): string {
  const { state, advice, nextCheckAt } = domainView(domain, now);
  const lines = [`${domain.host}: ${state}`];
  if (advice !== null) lines.push(`  ${advice.code}: ${advice.seen}`, `  to do (${advice.actor}): ${advice.fix}`);
  if (state === 'verifying') lines.push(`next check at ${nextCheckAt}`);
  return lines.join('\n');
}
