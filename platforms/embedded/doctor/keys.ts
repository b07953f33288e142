// Examines keys and certificates.

import { createPrivateKey, hash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { readRoot } from '../../../adapters/certificates/development.ts';
import { IDENTITY_KEYS_FILE, ROOT_FILE, ROOT_KEY_FILE } from '../../../adapters/files/data-folder.ts';
import { createFactorSecrets } from '../../../adapters/identity/authenticator-app.ts';
import { readKeys } from '../../../adapters/identity/provider-keys.ts';
import { prepareSelect } from '../../../adapters/store/sqlite/database.ts';
import { printable } from '../../../core/domains/printable.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { messageOf, orNone, quoted } from '../../platform.ts';
import { intactOne } from '../backup/check-backup.ts';
import { type BackupFile, readManifest } from '../backup/manifest.ts';
import { type Finding, ok, problem, type Remedy, warning } from './finding.ts';

/** Number of consecutive failures to get a certificate that are worth reporting; after fewer, the next attempt follows within minutes. */
const MANY_ATTEMPTS = 3;
/** Number of secrets to try: a single one may be damaged, but if none can be opened, the key is wrong. */
const SECRETS_OPENED = 20;

/** Checks whether users can sign in. */
export async function examineIdentityKeys(dataFolder: string, { backups }: Remedy): Promise<readonly Finding[]> {
  const file = join(dataFolder, IDENTITY_KEYS_FILE);
  const loss = 'the next start creates it, which signs out all users and voids their authenticator apps and recovery codes';
  if (!existsSync(file)) {
    const found = `${file} is missing`;
    const copy = await copying([IDENTITY_KEYS_FILE], backups, dataFolder);
    if (copy === undefined) return [warning('sign-in', found, `${loss}; no known backup has it`)];
    return [problem('sign-in', found, `${loss}; to keep them, ${copy}`)];
  }
  return readKeys(file).then(
    () => [ok('sign-in', 'the keys are complete')],
    async (error) => [problem('sign-in', messageOf(error), await untilThen([IDENTITY_KEYS_FILE], backups, dataFolder, `delete it; ${loss}`))],
  );
}

/** Finds whether the keys fail to open the sealed secrets of authenticator apps; nothing is found if there are no secrets. */
export async function examineSecrets(database: DatabaseSync, dataFolder: string, { backups }: Remedy): Promise<readonly Finding[]> {
  const rows = prepareSelect<{ user_id: string; secret: Uint8Array }>(database, `SELECT user_id, secret FROM totp LIMIT ${SECRETS_OPENED}`).all();
  const keys = rows.length === 0 ? undefined : await readKeys(join(dataFolder, IDENTITY_KEYS_FILE)).catch(() => undefined);
  if (keys === undefined) return [];
  const secrets = createFactorSecrets(keys.cookies);
  if (rows.some(({ user_id, secret }) => secrets.open(user_id, secret) !== undefined)) return [];
  const found = `${IDENTITY_KEYS_FILE} belongs to another installation, or was recreated: it can't decrypt any authenticator app's secret`;
  const copy = await copying([IDENTITY_KEYS_FILE], backups, dataFolder);
  const action =
    copy === undefined
      ? "restore it from a backup made before the file changed; or remove these users' factors with petstore users remove-factors"
      : `restart the service after you have restored it; ${copy}`;
  return [problem('sign-in', found, action)];
}

async function untilThen(names: readonly string[], backups: readonly string[], dataFolder: string, otherwise: string): Promise<string> {
  const copy = await copying(names, backups, dataFolder);
  return `the service can't start until this is corrected; ${copy === undefined ? `no known backup has it: ${otherwise}` : `to restore it from a backup, ${copy}`}`;
}

/** Returns advice to copy files from the newest backup that has others than are there; undefined if none has. */
async function copying(names: readonly string[], backups: readonly string[], dataFolder: string): Promise<string | undefined> {
  const saved = backups.map((backup) => ({
    backup,
    files: (orNone(() => readManifest(backup))?.files ?? []).filter(({ name }) => names.includes(name)),
  }));
  const isOther = ({ name, sha256 }: BackupFile) => sha256 !== orNone(() => hash('sha256', readFileSync(join(dataFolder, name))));
  const useful = saved.filter(({ files }) => files.length === names.length && files.some(isOther));
  const backup = await intactOne(useful, true);
  const pathsIn = (folder: string) => names.map((name) => quoted(join(folder, name))).join(' ');
  // The service must be able to read them, even if root made the backup or runs the command.
  return backup && `run: cp -p ${pathsIn(backup)} ${quoted(dataFolder)}/ && chown ${statSync(dataFolder).uid} ${pathsIn(dataFolder)}`;
}

/** Checks whether the development authority can issue certificates. @param isUsed whether the service uses it @param now milliseconds since 1970 */
export async function examineDevelopmentAuthority(
  dataFolder: string,
  isUsed: boolean,
  now: number,
  { backups }: Remedy,
): Promise<readonly Finding[]> {
  const renewal = `delete ${join(dataFolder, ROOT_FILE)}, and restart the service, to get a new one, which browsers have to trust again`;
  if (!existsSync(join(dataFolder, ROOT_FILE))) return isUsed ? [ok('development authority', 'the next start creates it')] : [];
  try {
    const { certificate } = await readRoot(dataFolder);
    const key = createPrivateKey(readFileSync(join(dataFolder, ROOT_KEY_FILE)));
    if (isUsed && !new X509Certificate(certificate.toString('pem')).checkPrivateKey(key)) {
      const found = `${ROOT_FILE} and ${ROOT_KEY_FILE} don't belong together: browsers refuse its certificates`;
      const copy = await copying([ROOT_FILE, ROOT_KEY_FILE], backups, dataFolder);
      return [problem('development authority', found, copy === undefined ? renewal : `restart the service after you have restored both; ${copy}`)];
    }
    const days = Math.floor((Number(certificate.notAfter) - now) / DAY_MS);
    const found = `valid for ${days} days`;
    if (days > 30) return [ok('development authority', found)];
    return [warning('development authority', found, renewal)];
  } catch (error) {
    if (!isUsed) return [warning('development authority', messageOf(error), 'not urgent: PETSTORE_ACME_DIRECTORY is used instead')];
    return [problem('development authority', messageOf(error), await untilThen([ROOT_FILE, ROOT_KEY_FILE], backups, dataFolder, renewal))];
  }
}

/** Finds whether the certificate authority refuses this installation's account. @param directory the authority in use */
export function examineAuthorityAccount(database: DatabaseSync, directory: string | undefined): readonly Finding[] {
  const row = directory === undefined ? undefined : database.prepare('SELECT url, refused FROM acme_accounts WHERE directory = ?').get(directory);
  if (directory === undefined || row === undefined) return [];
  const { url, refused } = row as { url: string | null; refused: string | null };
  if (refused === null) return [ok('certificate authority', url === null ? `no account at ${directory} yet` : `has an account at ${directory}`)];
  const action = 'do what its message asks for; the service tries again within an hour';
  return [problem('certificate authority', `${directory} refuses the account: ${printable(refused, 400)}`, action)];
}

/** Finds domains that have no certificate because attempts fail repeatedly. */
export function examineAttempts(database: DatabaseSync): readonly Finding[] {
  const rows = database
    .prepare(
      `SELECT body ->> '$.lastFailure.failure' AS failure, count(*) AS domains, min(host) AS host FROM domains
       WHERE active_host IS NOT NULL AND body ->> '$.lastFailure.attempts' >= ${MANY_ATTEMPTS} GROUP BY failure ORDER BY failure`,
    )
    .all();
  if (rows.length === 0) return [ok('attempts at certificates', `no domain has had ${MANY_ATTEMPTS} failures in a row`)];
  return rows.map(({ failure, domains, host }) => {
    const found = `${domains} ${domains === 1 ? 'domain waits' : 'domains wait'} (${failure}), such as ${host}`;
    return warning('attempts at certificates', found, `petstore domains show ${host} says why; the service tries again automatically`);
  });
}
