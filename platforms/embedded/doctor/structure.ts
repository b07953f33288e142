// Compares the database's tables, indexes and triggers with those that the migrations create.

import { DatabaseSync } from 'node:sqlite';
import { newestSchema } from '../../../adapters/store/sqlite/migrate.ts';
import { type Finding, ok, problem, type Remedy, shown } from './finding.ts';

const FIX = 'to recreate them, which loses nothing, run: petstore doctor --fix';
const FIX_INDEXES = 'to recreate them, which loses nothing, run: petstore doctor --full --fix';
/** Matches SQLite's messages about an index that lacks rows of its table, or has extra ones. */
const INDEX_DAMAGE = /^(?:row \d+ missing from|wrong # of entries in|rowid not at end-of-record for row \d+ of) index \S+$/;
/** Matches a message about a page in the tree of a root page: "Tree 4 page 5: btreeInitPage() returns error code 11". */
const TREE_DAMAGE = /^Tree (\d+) page /;
/** Matches messages that follow from a damaged tree, and are harmless. */
const UNUSED_PAGE = /^(?:\*\*\* in database main \*\*\*|Page \d+: never used)$/;
/** SQLite's default limit is 100 lines, all of which could be about unused pages. */
const MOST_LINES = 1_000_000;

export interface Made {
  readonly type: 'index' | 'trigger';
  readonly name: string;
  readonly sql: string;
}

interface Structure {
  /** Column types, by table and column name. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Indexes and triggers that can be rebuilt, by name. */
  readonly made: ReadonlyMap<string, Made>;
}

/** Compares the structure with the one that this version creates. Additions by operators or other tools are not reported. */
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

/** Returns advice on an integrity check's result, if only indexes that can be rebuilt are damaged. */
export function indexAdvice(database: DatabaseSync, lines: readonly string[]): string | undefined {
  const roots = indexesByRoot(database);
  const isMendable = (line: string) => INDEX_DAMAGE.test(line) || UNUSED_PAGE.test(line) || roots.has(rootIn(line));
  return lines.every(isMendable) ? FIX_INDEXES : undefined;
}

/** Whether an integrity check has found nothing serious. */
export function isSound(lines: readonly string[]): boolean {
  return lines.every((line) => line === 'ok' || UNUSED_PAGE.test(line));
}

/** Returns the indexes with unreadable pages, for which neither REINDEX nor DROP INDEX works. */
export function unreadableIndexes(database: DatabaseSync, lines: readonly string[]): readonly Made[] {
  const roots = indexesByRoot(database);
  return [...new Set(lines.map(rootIn))].flatMap((root) => roots.get(root) ?? []);
}

const rootIn = (line: string) => Number(TREE_DAMAGE.exec(line)?.[1]);

/** Returns the indexes created by a statement, by their root page; those of primary keys are left out. */
function indexesByRoot(database: DatabaseSync): ReadonlyMap<number, Made> {
  const rows = database.prepare("SELECT rootpage, type, name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").all();
  return new Map((rows as unknown as (Made & { rootpage: number })[]).map(({ rootpage, ...index }) => [rootpage, index]));
}

/** Returns SQLite's findings, one per line; `ok` if there are none. @param full whether to compare indexes with tables as well */
export function integrityLines(database: DatabaseSync, full: boolean): readonly string[] {
  const quick = linesOf(database, 'quick_check');
  // If a tree is unreadable, the comparison would fail, and so would the transaction.
  return full && isSound(quick) ? linesOf(database, 'integrity_check') : quick;
}

function linesOf(database: DatabaseSync, check: 'quick_check' | 'integrity_check'): readonly string[] {
  return (
    database
      .prepare(`PRAGMA ${check}(${MOST_LINES})`)
      .all()
      .flatMap(Object.values)
      // SQLite may return several lines as one.
      .flatMap((lines) => String(lines).split('\n'))
  );
}

/** Returns the correct form of all indexes and triggers that are missing or changed. */
export function toMakeAgain(database: DatabaseSync): readonly Made[] {
  return differing(expectedStructure(), structureOf(database));
}

function differing(expected: Structure, actual: Structure): readonly Made[] {
  return [...expected.made.values()].filter(({ name, sql }) => plain(actual.made.get(name)?.sql ?? '') !== plain(sql));
}

function expectedStructure(): Structure {
  using database = new DatabaseSync(':memory:');
  for (const statement of newestSchema()) database.exec(statement);
  return structureOf(database);
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

/** Normalizes SQL for comparison, because databases from earlier releases have it in another form. */
function plain(sql: string): string {
  return sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+|"/g, '').toLowerCase();
}
