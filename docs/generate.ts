// Updates the tables, and the requests, in the documentation that are derived from the code: `npm run generate`. A test checks that they are current.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLAN_NAMES, planOf } from '../core/access/plans.ts';
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
  { file: join(import.meta.dirname, 'control-requests.md'), name: 'requests', table: controlRequests },
  { file: join(import.meta.dirname, 'package.md'), name: 'exports', table: exportsTable },
  { file: join(import.meta.dirname, 'server.md'), name: 'metrics', table: metricsTable },
];

/** Returns a document's text with the current table. */
export function withTable(text: string, { file, name, table }: GeneratedTable): string {
  const between = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!between.test(text)) throw new Error(`${file}: no <!-- ${name} --> … <!-- /${name} -->`);
  return text.replace(between, (_, begin: string, end: string) => `${begin}${table()}${end}`);
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
