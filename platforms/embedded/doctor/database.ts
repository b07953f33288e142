// The database's own consistency.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { isTooOld, schemaVersion } from '../../../adapters/store/sqlite/migrate.ts';
import { NEWEST_VERSION, OLDEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { type Finding, messageOf, ok, problem, shown, warning } from './finding.ts';

const RESTORE = 'stop the service, and restore a backup with petstore restore --replace';
/** SQLite writes the log into the database from 4 MB on. If the log is much longer, a process that reads the database prevents that. */
const LONG_LOG_BYTES = 256 * 2 ** 20;

/** Opens the database for reading. @returns what the work finds; nothing if the schema has another version, for which the queries may be wrong */
export function withDatabase(dataFolder: string, work: (database: DatabaseSync) => readonly Finding[]): readonly Finding[] {
  const database = openForReading(dataFolder);
  try {
    return schemaVersion(database) === NEWEST_VERSION ? work(database) : [];
  } catch (error) {
    return [problem('content', `can't be read: ${messageOf(error)}`, RESTORE)];
  } finally {
    database.close();
  }
}

function openForReading(dataFolder: string): DatabaseSync {
  return new DatabaseSync(join(dataFolder, DATABASE_FILE), { readOnly: true, timeout: 5_000 });
}

/** Checks structure, references, schema and log. @param full also compares indexes with tables, which takes longer */
export function examineDatabase(dataFolder: string, full: boolean): readonly Finding[] {
  const database = openForReading(dataFolder);
  try {
    return [integrity(database, full), references(database), schema(database), log(dataFolder)];
  } catch (error) {
    return [problem('database', messageOf(error), RESTORE)];
  } finally {
    database.close();
  }
}

function integrity(database: DatabaseSync, full: boolean): Finding {
  const lines = database
    .prepare(full ? 'PRAGMA integrity_check' : 'PRAGMA quick_check')
    .all()
    .flatMap(Object.values)
    // SQLite may return several lines as one.
    .flatMap((lines) => String(lines).split('\n'));
  if (lines.join() === 'ok') return ok('database', full ? 'no damage' : 'no damage; --full also compares indexes with tables');
  return problem('database', `damaged: ${shown(lines)}`, RESTORE);
}

function references(database: DatabaseSync): Finding {
  const rows = database.prepare('PRAGMA foreign_key_check').all();
  if (rows.length === 0) return ok('references', 'every row refers to rows that exist');
  const tables = [...new Set(rows.map(({ table, parent }) => `${table} to ${parent}`))];
  return warning(
    'references',
    `${rows.length} rows refer to rows that don't exist: ${shown(tables)}`,
    'expected if an adapter stores accounts; otherwise restore a backup',
  );
}

function schema(database: DatabaseSync): Finding {
  const version = schemaVersion(database);
  if (version === NEWEST_VERSION) return ok('schema', `version ${version}, the newest`);
  if (isTooOld(version))
    return problem(
      'schema',
      `version ${version}, from a release before 0.2.0; this one supports ${OLDEST_VERSION} to ${NEWEST_VERSION}`,
      'start release 0.2.0 with it once, which upgrades it',
    );
  if (version < NEWEST_VERSION)
    return warning('schema', `version ${version} of ${NEWEST_VERSION}`, 'the next start copies the database, and upgrades it');
  return problem('schema', `version ${version}, from a newer release; this one supports up to ${NEWEST_VERSION}`, 'install the newer release');
}

function log(dataFolder: string): Finding {
  const bytes = statSync(join(dataFolder, `${DATABASE_FILE}-wal`), { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < LONG_LOG_BYTES) return ok('log', `${bytes} bytes are not in the database file yet`);
  return warning(
    'log',
    `${bytes} bytes are not in the database file yet`,
    'find the process that keeps reading the database, such as a backup that hangs',
  );
}
