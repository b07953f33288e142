// The rules of the migrations in adapters/store/sqlite/, and the indexes that lists rely on.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { MIGRATIONS, OLDEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { LIST_BY_STATUS_SQL, LIST_SQL } from '../../../adapters/store/sqlite/pets.ts';
import { PET_FIELD_LIST, type PetField } from '../../../core/pets/fields.ts';
import { testFolder } from '../../support/folders.ts';

/** The newest release, and the SHA-256 digest of each migration that it and earlier ones have. */
const RELEASED = {
  version: '0.2.0',
  digests: ['VR6HNdDeVM09sOwI7UzPdhheaRQrsIIUYMPYwwGlY3A'],
};

/** A new database, in memory. */
function migrated(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  return database;
}

describe('released migrations', () => {
  test('never change: databases have had them, and would not have them again', () => {
    const digests = MIGRATIONS.slice(0, RELEASED.digests.length).map((migration) => hash('sha256', migration, 'base64url'));
    expect(digests).toEqual(RELEASED.digests);
  });

  test('are those of the newest release in the changelog: if it is another one, add the digests of its migrations above', () => {
    const changelog = readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');
    const digests = MIGRATIONS.map((migration) => hash('sha256', migration, 'base64url'));
    expect(/^##+ (\d\S*)/m.exec(changelog)?.[1], `the digests are now ${digests.join(' ')}`).toBe(RELEASED.version);
  });

  test('lead to the schema that a new database has', () => {
    const folder = testFolder();
    const released = new DatabaseSync(join(folder, DATABASE_FILE));
    for (const migration of MIGRATIONS.slice(0, RELEASED.digests.length)) released.exec(migration);
    released.exec(`PRAGMA user_version = ${OLDEST_VERSION + RELEASED.digests.length - 1}`);
    released.close();
    const schemaOf = (of: string) => {
      const database = openDatabase(of, 'crash');
      const rows = database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all();
      database.close();
      return rows;
    };
    expect(schemaOf(folder)).toEqual(schemaOf(testFolder()));
  });
});

test('migrations write no rows to a new database and set nothing in it, which has only their tables, indexes and triggers', () => {
  expect(MIGRATIONS.filter((migration) => /\bPRAGMA\b/i.test(migration))).toEqual([]);
  const database = migrated();
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  expect(tables.filter(({ name }) => database.prepare(`SELECT 1 FROM "${name}"`).get() !== undefined)).toEqual([]);
});

const COLUMN_TYPES = { text: 'TEXT', int64: 'INTEGER', choice: 'TEXT' } as const;

/** What is wrong with the fields' columns of `pets`, one sentence for each; none if they follow the rules. */
function columnProblems(database: DatabaseSync, fields: readonly (PetField & { readonly name: string })[]): readonly string[] {
  const columns = database.prepare('SELECT name, type, "notnull" AS required, dflt_value AS fallback FROM pragma_table_info(\'pets\')').all();
  return fields.flatMap(({ name, column, kind, absent }) => {
    const found = columns.find((each) => each.name === column);
    if (found === undefined) return [`${name} has no column ${column}: add a migration that adds it, nullable and without a default`];
    const isAdded = absent !== undefined;
    return [
      ...(found.type === COLUMN_TYPES[kind] ? [] : [`${column} is ${found.type}; allowed: ${COLUMN_TYPES[kind]}`]),
      ...(isAdded && found.required !== 0
        ? [`${column} is NOT NULL; a column added later is nullable: animals stored before have the field's absent value`]
        : []),
      ...(isAdded && found.fallback !== null
        ? [`${column} has a DEFAULT; a column added later has none: the field's absent value is written once, in core/pets/fields.ts`]
        : []),
    ];
  });
}

describe('the columns of animals', () => {
  test('follow their fields: text or integer, and those added later nullable and without a default', () => {
    expect(columnProblems(migrated(), PET_FIELD_LIST)).toEqual([]);
  });

  test.each([
    ['', 'sample has no column added_sample: add a migration'],
    ["TEXT NOT NULL DEFAULT 'unknown'", 'added_sample is NOT NULL; a column added later is nullable'],
    ["TEXT DEFAULT 'unknown'", 'added_sample has a DEFAULT; a column added later has none'],
    ['INTEGER', 'added_sample is INTEGER; allowed: TEXT'],
    ['TEXT', undefined],
  ])('(added_sample %s) are refused otherwise', (definition, problem) => {
    const database = migrated();
    if (definition !== '') database.exec(`ALTER TABLE pets ADD COLUMN added_sample ${definition}`);
    const sample = {
      name: 'sample',
      kind: 'text',
      maxLength: 9,
      column: 'added_sample',
      description: '',
      absent: 'unknown',
      examples: ['', ''],
    } as const;
    const problems = columnProblems(database, [sample]);
    if (problem === undefined) expect(problems).toEqual([]);
    else expect(problems[0]).toContain(problem);
  });
});

describe('lists of animals', () => {
  const planOf = (sql: string) =>
    migrated()
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail);

  test('by status read one range of an index that has every column: a migration that adds one builds pets_by_status anew', () => {
    expect(planOf(LIST_BY_STATUS_SQL)).toEqual(['SEARCH pets USING COVERING INDEX pets_by_status (status=? AND id>?)']);
  });

  test('of all read one range of the table', () => {
    expect(planOf(LIST_SQL)).toEqual(['SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)']);
  });
});
