// Rows that were deleted although others, or the audit log, say that they exist.

import type { DatabaseSync } from 'node:sqlite';
import { type Finding, ok, problem, type Remedy, shown } from './finding.ts';

/** References that the schema does not declare: a table's column, what it refers to, and which rows don't. */
const REFERENCES = [
  { table: 'members', column: 'user_id', parent: 'users' },
  { table: 'passkeys', column: 'user_id', parent: 'users' },
  { table: 'totp', column: 'user_id', parent: 'users' },
  { table: 'projects', column: 'current_deployment_id', parent: 'deployments' },
] as const;

/** What the audit log has the whole life of. */
const LIVES = [
  { table: 'accounts', begins: 'account.created', ends: 'account.deleted' },
  { table: 'projects', begins: 'project.created', ends: 'project.deleted' },
  { table: 'users', begins: 'user.added', ends: 'user.removed' },
] as const;

/** Whether rows are missing. @param accountsElsewhere whether an adapter stores accounts: then references to them lead elsewhere */
export function examineRows(database: DatabaseSync, accountsElsewhere: boolean, { restore }: Remedy): readonly Finding[] {
  const declared = database
    .prepare('PRAGMA foreign_key_check')
    .all()
    .filter(({ parent }) => parent !== 'accounts' || !accountsElsewhere)
    .map(({ table, parent }) => `${table} to ${parent}`);
  // NULL NOT IN (…) is true if there are no rows at all: a project without a deployment is none that lost it.
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
      ? ok('rows', 'every account, project and user of the audit log exists, or was deleted by someone')
      : problem('rows', `gone, although no one deleted them: ${shown(gone)}`, restore),
  ];
}
