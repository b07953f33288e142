// petstore domains add | list | show | verify | watch | publish | remove

import { type Command, Option } from 'commander';
import { isRecordCorrect } from '../../core/domains/diagnosis/diagnosis.ts';
import { CliError, type CommandContext, isoTime, type JsonOption, print, subcommand, table } from '../context.ts';
import { confirmLoss, irreversible, type LossOptions } from '../losses.ts';
import type { DomainRow, OwnerPort } from '../owner/port.ts';
import { parseDuration } from '../quantity.ts';

/** Time limit for the first result, in milliseconds. */
const ANSWER_MS = 60_000;
/** Time limit for a check of a served domain, whose DNS lookup takes at most 10 s. */
const CHECK_MS = 15_000;

/** Adds `petstore domains`. */
export function addDomainCommands(program: Command, context: CommandContext): void {
  const domains = program.command('domains').description("manage a project's domains");

  subcommand(domains, 'add <host>', 'add a domain, and show the records to set')
    .requiredOption('--project <projectId>', 'project that the domain serves')
    .option('--both', 'also add the same name with, or without, www; it redirects to this one once this one is live')
    .action(async (input: string, { project, both = false, json }: JsonOption & { project: string; both?: boolean }) => {
      const { host, state, records, other } = await context.withOwner(async (owner) => {
        const added = await owner.addDomain(project, input, { companion: both });
        return { ...added, other: added.companion && (await owner.findDomain(added.companion.host, project)) };
      });
      const all = [...records, ...(other?.records ?? [])];
      print(context, json, { host, state, records, ...(other && { companion: { host: other.host, records: other.records } }) }, () =>
        [
          `Added ${[host, ...(other ? [other.host] : [])].join(' and ')}. Set ${all.length === 1 ? 'this record' : 'these records'} at your DNS provider:`,
          recordTable(all),
          ...[host, ...(other ? [other.host] : [])].map((each) => `Then: petstore domains verify ${each}`),
        ].join('\n'),
      );
    });

  subcommand(domains, 'list <projectId>', "list a project's domains").action(async (projectId: string, { json }: JsonOption) => {
    const rows = (await context.withOwner((owner) => owner.listDomains(projectId))).map(withoutRecords);
    print(context, json, rows, () =>
      table(
        ['DOMAIN', 'STATE', 'SINCE', 'WHAT'],
        rows.map((row) => [row.host, row.state, row.since, row.advice?.code ?? '']),
        `No domains. Add one: petstore domains add HOST --project ${projectId}`,
      ),
    );
  });

  ofOneProject(domains, 'show <host>', 'show a domain and its problems').action(
    async (input: string, { project, json }: JsonOption & { project?: string }) => {
      const domain = await context.withOwner((owner) => owner.findDomain(input, project));
      print(context, json, withoutRecords(domain), () => domainText(domain));
    },
  );

  ofOneProject(domains, 'verify <host>', 'check the DNS now; on success the certificate is issued and the domain goes live automatically').action(
    async (input: string, { project, json }: JsonOption & { project?: string }) => {
      const domain = await context.withOwner(async (owner) => {
        expectService(context, input);
        const verifying = await owner.verifyDomain(await owner.findDomain(input, project));
        return verifying.served
          ? untilChecked(owner, verifying, context)
          : waitUntil(owner, verifying, ({ state, diagnosis }) => state !== 'verifying' || diagnosis !== null, context.clock);
      });
      print(context, json, withoutRecords(domain), () => domainText(domain));
      if (!hasRightRecords(domain)) context.endWith('unfinished');
    },
  );

  ofOneProject(domains, 'watch <host>', 'show each step of a domain as it happens, until the domain is served or someone must act')
    .option('--timeout <duration>', 'wait this long, such as 30m, even while someone must act', parseDuration)
    .action(async (input: string, { project, timeout, json }: JsonOption & { project?: string; timeout?: number }) => {
      const end = context.clock() + (timeout ?? Number.POSITIVE_INFINITY);
      await context.withOwner(async (owner) => {
        let last = '';
        const first = await owner.findDomain(input, project);
        if (first.inProgress) expectService(context, input);
        const isLeaving = first.state === 'removing';
        for (let domain = first; ; domain = await lookAgain(owner, domain, isLeaving)) {
          const { state, since, diagnosis, nextCheckAt, inProgress, served } = domain;
          const step = JSON.stringify([state, since, diagnosis, nextCheckAt]);
          if (step !== last) context.out(json ? JSON.stringify(withoutRecords(domain)) : `${isoTime(context.clock())} ${domainText(domain)}`);
          last = step;
          const needed = mustSomeoneAct(domain);
          if (!inProgress && !needed && (served || state === 'removed')) return;
          if (timeout === undefined && (!inProgress || needed)) return context.endWith('unfinished');
          if (context.clock() >= end) return context.endWith('timedOut');
          await new Promise((resolve) => setTimeout(resolve, owner.pollMs));
        }
      });
    });

  ofOneProject(domains, 'publish <host>', "set the domain's records in a zone that the service controls: Route 53, or the sandbox").action(
    async (input: string, { project, json }: JsonOption & { project?: string }) => {
      const published = await context.withOwner(async (owner) => {
        const domain = await owner.findDomain(input, project);
        return { host: domain.host, records: await owner.publishRecords(domain) };
      });
      print(context, json, published, () => recordTable(published.records));
    },
  );

  irreversible(domains, 'remove <host>', 'stop serving the domain immediately, and delete its certificate and published records')
    .addOption(projectOption())
    .option('--with-redirects', 'even if it is the primary domain or the target of redirects; these settings are removed')
    .action(async (input: string, { project, withRedirects = false, ...options }: LossOptions & { project?: string; withRedirects?: boolean }) => {
      const domain = await context.withOwner(async (owner) => {
        const found = await owner.findDomain(input, project);
        const deed = `remove ${found.host} from project ${found.projectId}`;
        const goes = { 'served now': found.served ? [found.host] : [] };
        return (await confirmLoss(context, options, () => ({ deed, name: found.host, goes })))
          ? owner.removeDomain(found, { withRedirects })
          : undefined;
      });
      if (domain !== undefined) print(context, options.json, withoutRecords(domain), () => `${domain.host} is no longer served`);
    });
}

/** Creates a subcommand for one domain; `--project` selects one of several projects that claim the name. */
function ofOneProject(parent: Command, nameAndArguments: string, description: string): Command {
  return subcommand(parent, nameAndArguments, description).addOption(projectOption());
}

function projectOption(): Option {
  return new Option('--project <projectId>', 'required if several projects claim the name');
}

function mustSomeoneAct({ advice }: DomainRow): boolean {
  return advice !== null && advice.actor !== 'nobody';
}

function hasRightRecords(domain: DomainRow): boolean {
  return !mustSomeoneAct(domain) && (domain.diagnosis === null || isRecordCorrect(domain.diagnosis.code));
}

function withoutRecords({ records: _, ...domain }: DomainRow): Omit<DomainRow, 'records'> {
  return domain;
}

function recordTable(records: DomainRow['records']): string {
  return table(
    ['TYPE', 'NAME', 'FULL NAME', 'VALUE', 'TTL'],
    records.map(({ type, name, label, value, ttl }) => [type, label, name, value, String(ttl)]),
    '',
  );
}

/** @throws CliError if no service is running, because then nothing would ever change */
function expectService({ servesDomains }: CommandContext, input: string): void {
  if (!servesDomains()) throw new CliError(`${input}: only the running service checks domains; start it first (npm start)`);
}

/** @throws CliError if the domain is gone, unless that is expected */
async function lookAgain(owner: OwnerPort, domain: DomainRow, isLeaving = false): Promise<DomainRow> {
  const current = (await owner.getDomain(domain)) ?? { ...domain, state: 'removed', inProgress: false, advice: null };
  if (current.state === 'removed' && !isLeaving) throw new CliError(`${domain.host}: someone has removed the domain`);
  return current;
}

/** Waits for the check that Verify has made due. Does not wait for a stage's sweep, which takes minutes. */
async function untilChecked(owner: OwnerPort, verifying: DomainRow, context: CommandContext): Promise<DomainRow> {
  const { clock } = context;
  let current = verifying;
  for (const end = clock() + CHECK_MS; current.nextCheckAt === verifying.nextCheckAt; ) {
    if (clock() >= end) {
      context.err(`petstore: ${current.host}: not checked yet; the service checks it within minutes`);
      context.endWith('unfinished');
      return current;
    }
    await new Promise((resolve) => setTimeout(resolve, owner.pollMs));
    current = await lookAgain(owner, current);
  }
  return current;
}

async function waitUntil(owner: OwnerPort, domain: DomainRow, reached: (domain: DomainRow) => boolean, clock: () => number): Promise<DomainRow> {
  let current = domain;
  for (const end = clock() + ANSWER_MS; clock() < end; ) {
    current = await lookAgain(owner, current);
    if (reached(current)) return current;
    await new Promise((resolve) => setTimeout(resolve, owner.pollMs));
  }
  throw new CliError(`${domain.host}: no result within ${ANSWER_MS / 1_000} s; is the service running (npm start)?`);
}

/** Formats a domain for the command line: its state, advice, certificate and next check. */
export function domainText({ host, state, advice, certificate, nextCheckAt }: DomainRow): string {
  const lines = [`${host}: ${state}`];
  if (advice !== null) lines.push(`  ${advice.code}: ${advice.seen}`, `  to do (${advice.actor}): ${advice.fix}`);
  if (certificate !== null)
    lines.push(`  certificate from ${certificate.issuer}, valid until ${certificate.notAfter}; renewed automatically from ${certificate.renewsAt}`);
  if (nextCheckAt !== undefined) lines.push(`next check at ${nextCheckAt}`);
  return lines.join('\n');
}
