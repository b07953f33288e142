// Examines the files other than the database.

import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { RESTORING_FOLDER, SITES_FOLDER } from '../../../adapters/files/data-folder.ts';
import { HOUR_MS } from '../../../core/limits/windows.ts';
import { orNone, quoted } from '../../platform.ts';
import { intactOne } from '../backup/check-backup.ts';
import { type BackupFile, readManifest } from '../backup/manifest.ts';
import { changeStop, isUnfinished, UNFINISHED } from '../changes.ts';
import { about, type Finding, ok, problem, type Remedy, warning } from './finding.ts';

/** Finds what restores have left behind. */
export function examineRemains(dataFolder: string): readonly Finding[] {
  const replaced = readdirSync(dataFolder).filter((name) => name.startsWith('replaced-'));
  const rest = join(dataFolder, RESTORING_FOLDER);
  return [
    ...about([rest].filter(existsSync), String, () =>
      warning('restore', 'a restore was interrupted', `run petstore restore again; or if the service has started since, run: rm -r ${quoted(rest)}`),
    ),
    ...about(replaced, String, (names) =>
      warning('restore', `replaced data is still in ${names}`, `delete it in ${dataFolder} when you no longer need it`),
    ),
  ];
}

/** Finds whether changes to the installation are stopped. */
export function examineChanges(dataFolder: string): readonly Finding[] {
  const stop = changeStop(dataFolder);
  if (stop === undefined) return [];
  const found = `the installation has accepted no changes since ${new Date(stop.since).toISOString()}, because of its move to ${stop.where}`;
  if (isUnfinished(dataFolder)) return [problem('changes', `${found}, which did not finish`, UNFINISHED)];
  if (!stop.isMoved) return [warning('changes', found, 'wait until the move ends')];
  const action = 'once everything works there, stop the service of this folder; to undo the move, run: petstore move --undo --yes';
  return [warning('changes', found, action)];
}

/** A deployment whose files differ from those that were published. */
interface Broken {
  readonly id: string;
  readonly projectId: string;
  readonly isCurrent: boolean;
  /** What is wrong, as text. */
  readonly found: string;
  /** The newest backup that has all its files. @default undefined: none is known */
  readonly backup: string | undefined;
}

/** Checks whether each deployment has all its files, and each file belongs to a deployment. @param full whether to compare them with a backup */
export async function examineSites(
  database: DatabaseSync,
  dataFolder: string,
  { now, full, remedy: { backups } }: { readonly now: number; readonly full: boolean; readonly remedy: Remedy },
): Promise<readonly Finding[]> {
  const rows = database
    .prepare(
      `SELECT deployments.id AS id, project_id, files, bytes, current_deployment_id IS deployments.id AS is_current
       FROM deployments LEFT JOIN projects ON projects.id = project_id`,
    )
    .all();
  let read: ReturnType<typeof savedFiles> | undefined;
  const broken: Broken[] = [];
  for (const { id, project_id, files, bytes, is_current } of rows) {
    const path = `${SITES_FOLDER}/${project_id}/${id}`;
    const isWhole = (each: { readonly files: number; readonly bytes: number }) => each.files === Number(files) && each.bytes === Number(bytes);
    const there = sizeOf(join(dataFolder, path));
    if (isWhole(there) && !full) continue;
    read ??= savedFiles(backups);
    const saved = read
      .map(({ backup, byDeployment }) => ({ backup, files: byDeployment.get(path) ?? [] }))
      .filter((kept) => isWhole({ files: kept.files.length, bytes: kept.files.reduce((sum, file) => sum + file.bytes, 0) }));
    const changed = isWhole(there) ? saved[0]?.files.find(({ name, sha256 }) => sha256 !== digestOf(join(dataFolder, name))) : undefined;
    if (isWhole(there) && changed === undefined) continue;
    const found = changed === undefined ? `${there.files} of ${files} files` : `${changed.name.slice(path.length + 1)} is not what was published`;
    broken.push({ id: String(id), projectId: String(project_id), isCurrent: is_current === 1, found, backup: await intactOne(saved, full) });
  }
  const known = new Set(rows.map(({ id }) => String(id)));
  for (const { deployment_id } of database.prepare('SELECT deployment_id FROM file_removals').all()) known.add(String(deployment_id));
  const orphans = folders(join(dataFolder, SITES_FOLDER))
    .flatMap((project) => folders(join(dataFolder, SITES_FOLDER, project)).map((id) => ({ id, path: join(dataFolder, SITES_FOLDER, project, id) })))
    .filter(({ id, path }) => !known.has(id) && statSync(path).mtimeMs < now - 2 * HOUR_MS);
  const unknown = `${orphans.length} folders in ${SITES_FOLDER} belong to no deployment`;
  const all = `${rows.length} deployments have all their files${full ? '' : '; --full also compares their content with the backup'}`;
  return [
    ...(broken.length === 0 ? [ok('sites', all)] : []),
    ...brokenSites(
      broken.filter(({ backup }) => backup !== undefined),
      'a backup has them',
      (each) => copying(each, dataFolder),
    ),
    ...brokenSites(
      broken.filter(({ backup }) => backup === undefined),
      LOST,
      replacing,
    ),
    ...about(orphans, String, () => warning('orphans', unknown, 'the service removes them every hour; if it does not, check its log')),
  ];
}

/** Maximum number of repairs that a finding names; the next examination names the others. */
const MENDED_AT_ONCE = 3;

const LOST =
  'check that the disk with the sites is mounted; these files are in no known backup: publish each current site again, and delete what can no longer be served';

function brokenSites(broken: readonly Broken[], advice: string, command: (deployment: Broken) => string): readonly Finding[] {
  const run = `${advice}; run: ${broken.slice(0, MENDED_AT_ONCE).map(command).join(' && ')}`;
  return about(
    broken,
    ({ id, projectId, found }) => `${id} of project ${projectId} (${found})`,
    (text) => problem('sites', `files are missing or changed: ${text}`, run),
  );
}

/** Returns the command that copies a deployment from its backup; the data folder's owner owns what it creates, even if root runs it. */
function copying({ id, projectId, backup = '' }: Broken, dataFolder: string): string {
  const sites = join(dataFolder, SITES_FOLDER);
  const project = join(sites, projectId);
  return `rm -rf ${quoted(join(project, id))} && mkdir -p ${quoted(project)} && cp -Rp ${quoted(join(backup, SITES_FOLDER, projectId, id))} ${quoted(project)}/ && chown -R ${statSync(dataFolder).uid} ${quoted(sites)}`;
}

/** Returns the commands that replace a deployment: a served one is deleted only after its files are published again. */
function replacing({ id, projectId, isCurrent }: Broken): string {
  const remove = `petstore projects delete-deployment ${projectId} ${id} --yes`;
  return isCurrent ? `petstore projects deploy ${projectId} FOLDER-OF-${projectId} && ${remove}` : remove;
}

/** Returns the files in each backup, by the path of their deployment; none for a backup that can't be read. */
function savedFiles(backups: readonly string[]) {
  return backups.map((backup) => {
    const files: readonly BackupFile[] = orNone(() => readManifest(backup))?.files ?? [];
    return { backup, byDeployment: Map.groupBy(files, ({ name }) => name.split('/').slice(0, 3).join('/')) };
  });
}

function digestOf(file: string): string | undefined {
  return existsSync(file) ? hash('sha256', readFileSync(file)) : undefined;
}

function sizeOf(folder: string): { files: number; bytes: number } {
  if (!existsSync(folder)) return { files: 0, bytes: 0 };
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { files: files.length, bytes: files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) };
}

function folders(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
