// The database's tables, indexes and triggers, compared with what the migrations make.

import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { type Finding, ok, problem, type Remedy, shown } from './finding.ts';

const FIX = 'to make them again, which loses nothing, run: petstore doctor --fix';
const FIX_INDEXES = 'to make them again, which loses nothing, run: petstore doctor --full --fix';
/** What SQLite finds in an index that lacks rows of its table, or has other ones. */
const INDEX_DAMAGE = /^(?:row \d+ missing from|wrong # of entries in|rowid not at end-of-record for row \d+ of) index \S+$/;

export interface Made {
  readonly type: 'index' | 'trigger';
  readonly name: string;
  readonly sql: string;
}

interface Structure {
  /** Types of columns by table and name. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What can be made again, by name. */
  readonly made: ReadonlyMap<string, Made>;
}

/** Compares the structure with what this version makes. What operators or other tools have added is not reported. */
export function examineStructure(database: DatabaseSync, { restore }: Remedy): readonly Finding[] {
  const [expected, actual] = [expectedStructure(), structureOf(database)];
  const lost = [...expected.columns].flatMap(([table, columns]) => {
    const there = actual.columns.get(table);
    if (there === undefined) return [`the table ${table} is missing`];
    return [...columns]
      .filter(([name, type]) => there.get(name) !== type)
      .map(([name]) => `${table}.${name} is ${there.has(name) ? 'changed' : 'missing'}`);
  });
  if (lost.length > 0) return [problem('tables', shown(lost), restore)];
  const again = differing(expected, actual).map(({ type, name }) => `the ${type} ${name} is missing or changed`);
  if (again.length > 0) return [problem('tables', shown(again), FIX)];
  return [ok('tables', 'as in this version')];
}

/** Advice for what an integrity check has found, if only indexes are damaged. */
export function indexAdvice(lines: readonly string[]): string | undefined {
  return lines.every((line) => INDEX_DAMAGE.test(line)) ? FIX_INDEXES : undefined;
}

/** What SQLite finds, a line for each; `ok` if nothing. @param full also compares indexes with tables */
export function integrityLines(database: DatabaseSync, full: boolean): readonly string[] {
  return (
    database
      .prepare(full ? 'PRAGMA integrity_check' : 'PRAGMA quick_check')
      .all()
      .flatMap(Object.values)
      // SQLite may return several lines as one.
      .flatMap((lines) => String(lines).split('\n'))
  );
}

/** Returns the indexes and triggers that are missing or changed, as they should be. */
export function toMakeAgain(database: DatabaseSync): readonly Made[] {
  return differing(expectedStructure(), structureOf(database));
}

function differing(expected: Structure, actual: Structure): readonly Made[] {
  return [...expected.made.values()].filter(({ name, sql }) => plain(actual.made.get(name)?.sql ?? '') !== plain(sql));
}

function expectedStructure(): Structure {
  const database = new DatabaseSync(':memory:');
  try {
    for (const migration of MIGRATIONS) database.exec(migration);
    return structureOf(database);
  } finally {
    database.close();
  }
}

function structureOf(database: DatabaseSync): Structure {
  const columns = new Map<string, Map<string, string>>();
  const rows = database
    .prepare(
      `SELECT m.name AS "table", c.name AS name, c.type || ' ' || c."notnull" || ' ' || c.pk AS type FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c
       WHERE m.type = 'table'`,
    )
    .all() as unknown as { table: string; name: string; type: string }[];
  for (const { table, name, type } of rows) columns.set(table, (columns.get(table) ?? new Map()).set(name, type));
  const made = database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL")
    .all() as unknown as Made[];
  return { columns, made: new Map(made.map((each) => [each.name, each])) };
}

/** The SQL without what makes no difference: databases of earlier releases have it in another form. */
function plain(sql: string): string {
  return sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+|"/g, '').toLowerCase();
}
