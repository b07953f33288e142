// The files besides the database.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, IDENTITY_KEYS_FILE, RESTORING_FOLDER, ROOT_KEY_FILE, SITES_FOLDER } from '../../../adapters/files/data-folder.ts';
import { HOUR_MS } from '../../../core/limits/windows.ts';
import { type Finding, ok, problem, shown, warning } from './finding.ts';

/** Whether other users can access what only the service's user may. */
export function examineModes(dataFolder: string): readonly Finding[] {
  const names = ['', DATABASE_FILE, `${DATABASE_FILE}-wal`, IDENTITY_KEYS_FILE, ROOT_KEY_FILE].filter((name) => existsSync(join(dataFolder, name)));
  const open = names.filter((name) => (statSync(join(dataFolder, name)).mode & 0o077) !== 0).map((name) => join(dataFolder, name));
  const owner = statSync(dataFolder).uid;
  const foreign = names.filter((name) => statSync(join(dataFolder, name)).uid !== owner).map((name) => join(dataFolder, name));
  return [
    open.length === 0
      ? ok('modes', 'only the owner can read and write')
      : problem('modes', `other users of this machine can access ${open.join(', ')}`, `run chmod go= ${open.join(' ')}`),
    ...(foreign.length === 0
      ? []
      : [problem('owner', `not owned by the data folder's owner: ${foreign.join(', ')}`, `run chown -R ${owner} ${dataFolder}`)]),
  ];
}

/** What restores have left behind. */
export function examineRemains(dataFolder: string): readonly Finding[] {
  const replaced = readdirSync(dataFolder).filter((name) => name.startsWith('replaced-'));
  return [
    ...(existsSync(join(dataFolder, RESTORING_FOLDER))
      ? [warning('restore', 'a restore was interrupted', `run petstore restore again, or delete ${join(dataFolder, RESTORING_FOLDER)}`)]
      : []),
    ...(replaced.length === 0
      ? []
      : [warning('restore', `replaced data is still in ${shown(replaced)}`, `delete it in ${dataFolder} when you no longer need it`)]),
  ];
}

/** Whether each deployment has its files, and each file its deployment. @param now milliseconds since 1970 */
export function examineSites(database: DatabaseSync, dataFolder: string, now: number): readonly Finding[] {
  const rows = database.prepare('SELECT id, project_id, files, bytes FROM deployments').all();
  const broken = rows.flatMap(({ id, project_id, files, bytes }) => {
    const there = sizeOf(join(dataFolder, SITES_FOLDER, String(project_id), String(id)));
    return there.files === Number(files) && there.bytes === Number(bytes)
      ? []
      : [`${id} of project ${project_id} (${there.files} of ${files} files)`];
  });
  const known = new Set(rows.map(({ id }) => String(id)));
  for (const { deployment_id } of database.prepare('SELECT deployment_id FROM file_removals').all()) known.add(String(deployment_id));
  const orphans = folders(join(dataFolder, SITES_FOLDER))
    .flatMap((project) => folders(join(dataFolder, SITES_FOLDER, project)).map((id) => ({ id, path: join(dataFolder, SITES_FOLDER, project, id) })))
    .filter(({ id, path }) => !known.has(id) && statSync(path).mtimeMs < now - 2 * HOUR_MS);
  return [
    broken.length === 0
      ? ok('sites', `${rows.length} deployments have all their files`)
      : problem('sites', `files are missing: ${shown(broken)}`, 'deploy these sites again, or restore a backup'),
    ...(orphans.length === 0
      ? []
      : [
          warning(
            'orphans',
            `${orphans.length} folders in ${SITES_FOLDER} belong to no deployment`,
            'the service removes them every hour; if it does not, check its log',
          ),
        ]),
  ];
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
