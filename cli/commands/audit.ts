// petstore audit list | export

import { type Command, InvalidArgumentError, Option } from 'commander';
import { ACTIONS } from '../../core/audit/actions.ts';
import { AUDIT_ACTIONS, AUDIT_KEPT_MS } from '../../core/audit/entry.ts';
import { type CommandContext, print, subcommand, table, UsageError } from '../context.ts';
import type { AuditRow } from '../owner/port.ts';
import { parseDuration } from '../quantity.ts';

/** Number of entries shown, unless `--limit` is given. */
const SHOWN = 100;
const MOST_SHOWN = 10_000;

interface Choice {
  account?: string;
  since?: number;
  until?: number;
  action?: string;
  subject?: string;
  actor?: string;
}

/** Adds `petstore audit`. */
export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('who changed what, when, and from where; kept for 400 days');

  addChoice(subcommand(audit, 'list', 'list changes, newest first'))
    .addOption(new Option('--limit <n>', 'list at most this many changes').argParser(parseCount).default(SHOWN))
    .action(async ({ limit, json, ...choice }: Choice & { limit: number; json?: boolean }) => {
      const rows: AuditRow[] = [];
      await eachEntry(context, choice, (row) => rows.push(row) < limit);
      print(context, json, rows, () => table(['TIME', 'WHO', 'FROM', 'WHAT', 'SUBJECT', 'DETAILS'], rows.map(cells), 'No changes.'));
    });

  addChoice(audit.command('export'))
    .description('print all changes as JSON, one a line, newest first')
    .action(async (choice: Choice) => {
      await eachEntry(context, choice, (row) => {
        context.out(JSON.stringify(row));
        return true;
      });
    });
}

function addChoice(command: Command): Command {
  return command
    .option('--account <id>', 'only changes in this account; required with --url')
    .option('--since <time>', 'only changes from this time on: 2026-03-03, 2026-03-03T12:00:00Z, or a duration before now such as 7d', parseTime)
    .option('--until <time>', 'before this time', parseTime)
    .option('--action <action>', 'only changes of this kind, such as key.revoked, or key for all kinds of changes to keys', parseAction)
    .option('--subject <id>', 'only changes to the subject with this id or name, such as a key or a project')
    .option('--actor <id>', 'only changes by the user or deploy token with this id or address, or by: operator, workflow, sweep, service, visitor');
}

/** Calls a function for each selected entry, until it returns false. */
function eachEntry(
  context: CommandContext,
  { account, since, until, action, subject, actor }: Choice,
  visit: (row: AuditRow) => boolean,
): Promise<void> {
  const isChosen = (row: AuditRow) =>
    (action === undefined || row.action === action || row.action.startsWith(`${action}.`)) &&
    (subject === undefined || row.subject === subject || row.details.host === subject || row.details.projectId === subject) &&
    (actor === undefined || [row.actor.kind, row.actor.id, row.actor.email].includes(actor));
  if (account === undefined && context.url() !== undefined) throw new UsageError('--account: name the account; petstore accounts list shows yours');
  return context.withOwner(async (owner) => {
    for await (const row of owner.auditEntries({ accountId: account, since, until })) if (isChosen(row) && !visit(row)) return;
  });
}

function cells({ at, actor, action, subject, details }: AuditRow): string[] {
  const facts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  return [at, actor.email ?? actor.id ?? actor.kind, actor.address ?? '-', ACTIONS[action], subject, facts.join(' ')];
}

function parseTime(text: string): number {
  const now = Date.now();
  if (/^\d+[smhd]$/.test(text)) return now - parseDuration(text);
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      'allowed: a date such as 2026-03-03, a time in UTC such as 2026-03-03T12:00:00Z, or a duration before now such as 7d',
    );
  if (time < now - AUDIT_KEPT_MS) return now - AUDIT_KEPT_MS;
  return time;
}

function parseAction(text: string): string {
  if (AUDIT_ACTIONS.some((action) => action === text || action.startsWith(`${text}.`))) return text;
  throw new InvalidArgumentError(`allowed: ${AUDIT_ACTIONS.join(', ')}, or the part before the dot`);
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= MOST_SHOWN) return Number(text);
  throw new InvalidArgumentError(`allowed: an integer from 1 to ${MOST_SHOWN}; petstore audit export prints all`);
}
