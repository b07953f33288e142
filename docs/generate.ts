// Updates the tables, and the requests, in the documentation that are derived from the code: `npm run generate`. A test checks that they are current.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLAN_NAMES, planOf } from '../core/access/plans.ts';
import { ACTIONS } from '../core/audit/actions.ts';
import { SETTINGS, type Setting } from '../infra/settings.ts';
import { CONTROL_ERROR_MEANING, CONTROL_ERROR_STATUS } from '../service/control/errors.ts';
import { ERROR_MEANING, ERROR_STATUS } from '../service/http/errors.ts';
import { commandsTable } from './commands-table.ts';
import { controlRequests } from './control-requests.ts';
import { exportsTable } from './exports-table.ts';
import { metricsTable } from './metrics-table.ts';

export interface GeneratedTable {
  readonly file: string;
  /** A table is between `<!-- name -->` and `<!-- /name -->`. */
  readonly name: string;
  readonly table: () => string;
}

export const TABLES: readonly GeneratedTable[] = [
  { file: join(import.meta.dirname, 'api.md'), name: 'plans', table: plansTable },
  { file: inReference('audit-actions.md'), name: 'actions', table: actionsTable },
  { file: inReference('commands.md'), name: 'commands', table: commandsTable },
  { file: inReference('control-requests.md'), name: 'requests', table: controlRequests },
  { file: inReference('errors.md'), name: 'errors', table: () => errorsTable(ERROR_STATUS, ERROR_MEANING) },
  { file: inReference('errors.md'), name: 'control errors', table: () => errorsTable(CONTROL_ERROR_STATUS, CONTROL_ERROR_MEANING) },
  { file: inReference('exports.md'), name: 'exports', table: exportsTable },
  { file: inReference('metrics.md'), name: 'metrics', table: metricsTable },
  { file: inReference('stage-settings.md'), name: 'settings', table: stageSettingsTable },
];

/** Returns a document's text with the current table. */
export function withTable(text: string, { file, name, table }: GeneratedTable): string {
  const between = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!between.test(text)) throw new Error(`${file}: no <!-- ${name} --> … <!-- /${name} -->`);
  return text.replace(between, (_, begin: string, end: string) => `${begin}${table()}${end}`);
}

function inReference(file: string): string {
  return join(import.meta.dirname, 'reference', file);
}

function errorsTable<Code extends string>(status: Readonly<Record<Code, number>>, meaning: Readonly<Record<Code, string>>): string {
  const rows = (Object.keys(status) as Code[]).map((code) => `| \`${code}\` | ${status[code]} | ${meaning[code]} |\n`);
  return ['| code | status | when |\n', '| --- | --- | --- |\n', ...rows].join('');
}

function actionsTable(): string {
  return ['| action | |\n', '| --- | --- |\n', ...Object.entries(ACTIONS).map(([action, text]) => `| \`${action}\` | ${text} |\n`)].join('');
}

/** Settings with the same first word, such as those of the API's domain, are together. */
function stageSettingsTable(): string {
  const groups = Object.values(Object.groupBy(Object.entries<Setting>(SETTINGS), ([name]) => name.split('_')[0] ?? ''));
  const rows = groups.flatMap((group = []) =>
    group.map(([name, { default: unset = 'none', meaning }]) => `| \`<STAGE>_${name}\` | ${unset} | ${meaning} |\n`),
  );
  return ['| setting | default | meaning |\n', '| --- | --- | --- |\n', ...rows].join('');
}

function plansTable(): string {
  const number = (value: number) => value.toLocaleString('en-US');
  const rows = PLAN_NAMES.map((plan) => {
    const { label, limits, projects, domains, deployment } = planOf(plan);
    const minute = limits === undefined ? 'as agreed' : number(limits.perMinute);
    const day = limits === undefined ? 'as agreed' : number(limits.perDay);
    const files = `${number(deployment.files)} files, ${deployment.bytes / 2 ** 20} MiB`;
    return [label, minute, day, number(projects), domains === 0 ? 'none' : number(domains), files];
  });
  const head = ['plan', 'per minute', 'per day', 'projects', 'custom domains', 'a deployment'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`, ...rows.map(line)].join('');
}

if (import.meta.main) for (const each of TABLES) writeFileSync(each.file, withTable(readFileSync(each.file, 'utf8'), each));
