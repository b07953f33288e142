// Examines the database's own consistency.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { copyBeforeUpgrade, isTooOld, schemaVersion } from '../../../adapters/store/sqlite/migrate.ts';
import { NEWEST_VERSION, OLDEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { quoted } from '../../platform.ts';
import { startOf } from '../backup/copy-file.ts';
import { readManifest } from '../backup/manifest.ts';
import { type Finding, ok, problem, type Remedy, shown, warning } from './finding.ts';
import { indexAdvice, integrityLines } from './structure.ts';

/** From 4 MB on, SQLite copies the log into the database. A much longer log means that a process keeps reading, which prevents this. */
const LONG_LOG_BYTES = 256 * 2 ** 20;
/** The first bytes of a log, without the last bit, which gives the byte order of its checksums (https://sqlite.org/fileformat2.html#walformat). */
const LOG_MAGIC = 0x377f0682;

/** Opens the database for reading. @returns the work's findings; none if the schema has another version, for which the queries may be wrong */
export async function withDatabase(dataFolder: string, work: (database: DatabaseSync) => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  using database = openForReading(dataFolder);
  return schemaVersion(database) === NEWEST_VERSION ? await work(database) : [];
}

function openForReading(dataFolder: string): DatabaseSync {
  return new DatabaseSync(join(dataFolder, DATABASE_FILE), { readOnly: true, timeout: 5_000 });
}

/** Checks structure, schema version and log. @param full whether to compare indexes with tables as well, which takes longer */
export function examineDatabase(dataFolder: string, full: boolean, remedy: Remedy): readonly Finding[] {
  using database = openForReading(dataFolder);
  return [integrity(database, full, remedy), schema(database, dataFolder, remedy), log(dataFolder)];
}

function integrity(database: DatabaseSync, full: boolean, { restore }: Remedy): Finding {
  const lines = integrityLines(database, full);
  if (lines.join() === 'ok') return ok('database', full ? 'no damage' : 'no damage; --full also compares indexes with tables');
  return problem('database', `damaged: ${shown(lines)}`, indexAdvice(database, lines) ?? restore);
}

function schema(database: DatabaseSync, dataFolder: string, { backup }: Remedy): Finding {
  const version = schemaVersion(database);
  if (version === NEWEST_VERSION) return ok('schema', `version ${version}, the newest`);
  const supported = `this one supports ${OLDEST_VERSION} to ${NEWEST_VERSION}`;
  if (isTooOld(version))
    return problem('schema', `version ${version}, from a release before 0.2.0; ${supported}`, 'start release 0.2.0 with it once, which upgrades it');
  if (version < NEWEST_VERSION)
    return warning('schema', `version ${version} of ${NEWEST_VERSION}`, 'the next start copies the database, and upgrades it');
  const action = `install the newer release, which loses nothing; or to go back, which loses all changes since the upgrade, stop the service and its sockets, and ${backTo(dataFolder, backup)}`;
  return problem('schema', `version ${version}, from a newer release; this one supports up to ${NEWEST_VERSION}`, action);
}

/** Returns advice to restore an earlier copy, because a backup made since the upgrade has the newer schema, which this version can't restore. */
function backTo(dataFolder: string, backup: string | undefined): string {
  const isOlder = backup !== undefined && (readManifest(backup)?.schema ?? Number.POSITIVE_INFINITY) <= NEWEST_VERSION;
  const copy = copyBeforeUpgrade(dataFolder) ?? (isOlder ? backup : undefined);
  return copy === undefined
    ? 'restore a backup from before its upgrade with petstore restore --replace'
    : `run: petstore restore ${quoted(copy)} --replace`;
}

function log(dataFolder: string): Finding {
  const file = join(dataFolder, `${DATABASE_FILE}-wal`);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const mend = `stop the service and its sockets first; then restore a backup, or to lose only these changes, run: rm ${quoted(file)}`;
  if (bytes > 0 && !isLog(file)) return problem('log', `${file} is damaged: the latest changes, at most ${bytes} bytes, are lost`, mend);
  const found = `${bytes} bytes are not in the database file yet`;
  if (bytes < LONG_LOG_BYTES) return ok('log', found);
  return warning('log', found, 'find the process that keeps reading the database, such as a backup that hangs');
}

function isLog(file: string): boolean {
  const magic = startOf(file, 4);
  return magic.length === 4 && (magic.readUInt32BE() & ~1) === LOG_MAGIC;
}

/** References that the schema does not declare: a table's column, and the table to which it refers. */
const REFERENCES = [
  { table: 'members', column: 'user_id', parent: 'users' },
  { table: 'passkeys', column: 'user_id', parent: 'users' },
  { table: 'totp', column: 'user_id', parent: 'users' },
  { table: 'projects', column: 'current_deployment_id', parent: 'deployments' },
] as const;

/** Records whose creation and deletion are in the audit log. */
const LIVES = [
  { table: 'accounts', begins: 'account.created', ends: 'account.deleted' },
  { table: 'projects', begins: 'project.created', ends: 'project.deleted' },
  { table: 'users', begins: 'user.added', ends: 'user.removed' },
] as const;

/** Finds missing rows that other rows or the audit log refer to. @param accountsElsewhere whether an adapter stores accounts, which may be missing */
export function examineRows(database: DatabaseSync, accountsElsewhere: boolean, { restore }: Remedy): readonly Finding[] {
  const declared = database
    .prepare('PRAGMA foreign_key_check')
    .all()
    .filter(({ parent }) => parent !== 'accounts' || !accountsElsewhere)
    .map(({ table, parent }) => `${table} to ${parent}`);
  // NULL NOT IN (…) is true if there are no rows at all, but a project that has no deployment has not lost one.
  const others = REFERENCES.flatMap(({ table, column, parent }) =>
    database
      .prepare(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT id FROM ${parent})`)
      .all()
      .map(() => `${table} to ${parent}`),
  );
  const dangling = [...declared, ...others];
  const gone = LIVES.filter(({ table }) => table !== 'accounts' || !accountsElsewhere).flatMap(({ table, begins, ends }) =>
    database
      .prepare(
        `SELECT subject FROM audit WHERE action = '${begins}' AND subject NOT IN (SELECT id FROM ${table})
         AND subject NOT IN (SELECT subject FROM audit WHERE action = '${ends}')`,
      )
      .all()
      .map(({ subject }) => `${subject} of ${table}`),
  );
  return [
    dangling.length === 0
      ? ok('references', 'every row refers to rows that exist')
      : problem('references', `${dangling.length} rows refer to rows that don't exist: ${shown([...new Set(dangling)])}`, restore),
    gone.length === 0
      ? ok('rows', 'every account, project and user in the audit log exists, or was deleted by someone')
      : problem('rows', `gone, although no one deleted them: ${shown(gone)}`, restore),
  ];
}
