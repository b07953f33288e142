// What can happen to an installation, and what `petstore doctor` must find then.

import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { createFactorSecrets } from '../../adapters/identity/authenticator-app.ts';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { NEWEST_VERSION } from '../../adapters/store/sqlite/migrations.ts';
import { createBackup } from '../../platforms/embedded/backup/create-backup.ts';
import { freePort } from './ports.ts';
import { STRANGER } from './stranger.ts';

const DAY_MS = 86_400_000;
/** What the site shows. */
export const PAGE = 'a page of my shop';
/** The live domain, and one that was removed. */
export const HOST = 'my-shop.test';
export const FORMER = 'former-shop.test';

/** A copy of the installation, with a backup. */
export interface Installation {
  readonly data: string;
  readonly backups: string;
  readonly backup: string;
  readonly projectId: string;
  readonly deploymentId: string;
  /** A folder with a site. */
  readonly site: string;
  /** What the machine says, and who runs the command; damage may change both. */
  clock: () => number;
  user: number;
  environment: Record<string, string>;
}

function sql({ data }: Installation, statements: string): void {
  const database = new DatabaseSync(join(data, 'petstore.db'), { defensive: false });
  database.exec(`PRAGMA foreign_keys = OFF; ${statements}`);
  database.close();
}

/** Overwrites bytes in the middle of a file. */
function garble(file: string, from = Math.floor(statSync(file).size / 2), bytes = 64): void {
  const content = readFileSync(file);
  content.fill(0xa5, from, from + bytes);
  writeFileSync(file, content);
}

function rootPage(at: Installation, table: string): number {
  const database = new DatabaseSync(join(at.data, 'petstore.db'));
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.rootpage;
  database.close();
  return (Number(page) - 1) * 4_096;
}

const siteFile = ({ data, projectId, deploymentId }: Installation) => join(data, 'sites', projectId, deploymentId, 'index.html');

const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });

export interface Damage {
  readonly what: string;
  readonly damage: (at: Installation) => unknown;
  /** The finding: its check, and what it says. */
  readonly check: string;
  readonly found: RegExp;
  /** What the advice must be. @default any that mends it */
  readonly advice?: RegExp;
  /** Whether only `--full` finds it. @default false */
  readonly full?: true;
  /** Advice that no command follows, and what a person then does. @default it is followed as it is printed */
  readonly person?: readonly [advice: RegExp, deed: (at: Installation) => unknown];
}

let holder: Server;

export const DAMAGES: readonly Damage[] = [
  // Backups.
  {
    what: 'the last backup is three days old',
    damage: async (at) => {
      rmSync(at.backups, { recursive: true });
      await createBackup({ dataFolder: at.data, target: at.backups, version: '0.0.0', clock: () => Date.now() - 3 * DAY_MS });
    },
    check: 'backup',
    found: /^the last one is 72 hours old/,
  },
  {
    what: 'bytes of the backup have changed',
    damage: ({ backup }) => garble(join(backup, 'petstore.db')),
    check: 'backup',
    found: /petstore\.db has changed$/,
  },
  {
    what: 'the backup is cut',
    damage: ({ backup }) => truncateSync(join(backup, 'petstore.db'), 8_192),
    check: 'backup',
    found: /petstore\.db has 8192 bytes instead of \d+$/,
  },
  {
    what: "a site's file in the backup has changed",
    damage: ({ backup, projectId, deploymentId }) => writeFileSync(join(backup, 'sites', projectId, deploymentId, 'index.html'), PAGE.toUpperCase()),
    full: true,
    check: 'backup',
    found: /index\.html has changed$/,
  },
  {
    what: "the backup's manifest is cut",
    damage: ({ backup }) => truncateSync(join(backup, 'backup.json'), 20),
    check: 'backup',
    found: /backup\.json is damaged/,
  },
  {
    what: 'the backups are gone',
    damage: ({ backups }) => rmSync(backups, { recursive: true }),
    check: 'backup',
    found: /^the last one, .+, is gone$/,
    person: [
      /^check whether its disk is mounted; if the backup was deleted, make one every day with petstore backup FOLDER, on another disk$/,
      ({ data, backups }) => createBackup({ dataFolder: data, target: `${backups}-new`, version: '0.0.0', clock: Date.now }),
    ],
  },
  {
    what: "another installation's backup is in its place",
    damage: async (at) => {
      const file = join(at.data, 'last-backup.json');
      const last = readFileSync(file);
      const other = await createBackup({ dataFolder: at.data, target: `${at.backups}-others`, version: '0.0.0', clock: () => 0 });
      writeFileSync(file, last);
      rmSync(at.backup, { recursive: true });
      cpSync(other.folder, at.backup, { recursive: true });
    },
    check: 'backup',
    found: /another backup is in its place$/,
  },
  {
    what: 'others can write to the folder of backups',
    damage: ({ backups }) => chmodSync(backups, 0o777),
    check: 'backup folder',
    found: /^other users can write to/,
    advice: /; run: chmod go-w /,
  },
  {
    what: 'the folder of backups is one that all users share',
    damage: ({ backups }) => chmodSync(backups, 0o1777),
    check: 'backup folder',
    found: /^other users can write to/,
    advice: /; run: petstore backup \S+\/petstore-backups$/,
  },
  // The edge.
  {
    what: 'the edge lacks a live domain',
    damage: (at) => sql(at, 'DELETE FROM edge_map'),
    check: 'edge',
    found: /^it lacks live domains: my-shop\.test$/,
  },
  {
    what: 'the edge serves a domain that was removed',
    damage: (at) => sql(at, `INSERT INTO edge_map (host, project_id, certificate) SELECT '${FORMER}', project_id, certificate FROM edge_map`),
    check: 'edge',
    found: /^it serves domains that were removed: former-shop\.test$/,
  },
  {
    what: "a live domain's row is deleted",
    damage: (at) => sql(at, `DELETE FROM domains WHERE host = '${HOST}'`),
    check: 'edge',
    found: /^it serves domains whose rows are lost: my-shop\.test$/,
  },
  // Rows.
  {
    what: 'an account is deleted, and its keys remain',
    damage: (at) => sql(at, 'DELETE FROM accounts'),
    check: 'references',
    found: /api_keys to accounts/,
  },
  {
    what: 'a user is deleted, and the membership remains',
    damage: (at) => sql(at, 'DELETE FROM users'),
    check: 'references',
    found: /members to users$/,
  },
  {
    what: "a project's current deployment is deleted",
    damage: (at) => sql(at, 'DELETE FROM deployments'),
    check: 'references',
    found: /projects to deployments$/,
  },
  {
    what: 'a project is deleted, with everything that refers to it',
    damage: (at) => sql(at, 'DELETE FROM edge_map; DELETE FROM domains; DELETE FROM deployments; DELETE FROM projects; DELETE FROM own_addresses'),
    check: 'rows',
    found: /^gone, although no one deleted them: prj_\w+ of projects$/,
  },
  // The schema.
  { what: 'a table is dropped', damage: (at) => sql(at, 'DROP TABLE pets'), check: 'tables', found: /^the table pets is missing$/ },
  {
    what: 'a table that is used rarely is dropped',
    damage: (at) => sql(at, 'DROP TABLE imported_lines'),
    check: 'tables',
    found: /^the table imported_lines is missing$/,
  },
  {
    what: 'a column has another name',
    damage: (at) => sql(at, 'ALTER TABLE pets RENAME COLUMN name TO title'),
    check: 'tables',
    found: /^pets\.name is missing$/,
  },
  {
    what: 'an index is dropped',
    damage: (at) => sql(at, 'DROP INDEX pets_by_status'),
    check: 'tables',
    found: /^the index pets_by_status is missing or changed$/,
  },
  {
    what: 'an index has other columns',
    damage: (at) => sql(at, 'DROP INDEX pets_by_status; CREATE INDEX pets_by_status ON pets (status)'),
    check: 'tables',
    found: /^the index pets_by_status is missing or changed$/,
  },
  {
    what: 'a trigger is dropped, and domains are not counted any more',
    damage: (at) => sql(at, 'DROP TRIGGER domain_counts_insert; DELETE FROM domain_counts'),
    check: 'tables',
    found: /^the trigger domain_counts_insert is missing or changed$/,
  },
  {
    what: 'an index lacks rows',
    damage: (at) =>
      sql(
        at,
        "PRAGMA writable_schema = ON; CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = 'api_keys_by_expiry'; DELETE FROM sqlite_schema WHERE name = 'api_keys_by_expiry'; PRAGMA schema_version = 9999;",
      ) ??
      sql(
        at,
        'PRAGMA writable_schema = ON; UPDATE api_keys SET expires_at = expires_at - 1; INSERT INTO sqlite_schema SELECT * FROM hidden; DROP TABLE hidden; PRAGMA schema_version = 99999',
      ),
    full: true,
    check: 'database',
    found: /index api_keys_by_expiry/,
  },
  {
    what: 'an index can not be read',
    damage: (at) => garble(join(at.data, 'petstore.db'), rootPage(at, 'pets_by_status'), 4_096),
    check: 'database',
    found: /^damaged: .*Tree \d+ page/,
    advice: /^to recreate them, which loses nothing, run: petstore doctor --full --fix$/,
  },
  {
    what: 'the index of a query of the examination can not be read',
    damage: (at) => garble(join(at.data, 'petstore.db'), rootPage(at, 'projects_by_deletion'), 4_096),
    full: true,
    check: 'database',
    found: /^damaged: .*Tree \d+ page/,
    advice: /^to recreate them, which loses nothing, run: petstore doctor --full --fix$/,
  },
  {
    what: 'the schema is of a newer release',
    damage: (at) => sql(at, `PRAGMA user_version = ${NEWEST_VERSION + 1}`),
    check: 'schema',
    found: /from a newer release/,
  },
  // The database's files.
  {
    what: 'a page of the database is overwritten',
    damage: (at) => garble(join(at.data, 'petstore.db'), rootPage(at, 'pets'), 4_096),
    check: 'database',
    found: /damaged|malformed/,
  },
  {
    what: 'the database is cut',
    damage: ({ data }) => truncateSync(join(data, 'petstore.db'), 4_096 * 10),
    check: 'database',
    found: /malformed|damaged/,
  },
  { what: 'the database is something else', damage: ({ data }) => garble(join(data, 'petstore.db'), 0), check: 'database', found: /not a database/ },
  {
    what: 'the database is empty',
    damage: ({ data }) => truncateSync(join(data, 'petstore.db')),
    check: 'data folder',
    found: /its database is empty$/,
  },
  {
    what: 'the database is deleted',
    damage: ({ data }) => rmSync(join(data, 'petstore.db')),
    check: 'data folder',
    found: /its database is missing$/,
  },
  {
    what: 'the log is overwritten',
    damage: ({ data }) => {
      const log = join(data, 'petstore.db-wal');
      const database = new DatabaseSync(join(data, 'petstore.db'));
      database.exec('INSERT INTO heartbeat (id, at) VALUES (1, 1) ON CONFLICT DO UPDATE SET at = 1');
      const content = readFileSync(log);
      database.close();
      writeFileSync(log, content.fill(0xa5, 0, 64), { mode: 0o600 });
    },
    check: 'log',
    found: /the latest changes, at most \d+ bytes, are lost$/,
  },
  // Owners and modes.
  {
    what: 'another user owns the data folder',
    damage: (at) => {
      at.user = STRANGER;
    },
    check: 'data folder',
    found: /belongs to user \d+, and this command runs as user 12345$/,
    // After the other advice, chown, the service would have to run as that user.
    person: [
      /^run this command as the user who runs the service: sudo -u '#\d+' petstore doctor; or, if /,
      (at) => (at.user = process.getuid?.() ?? 0),
    ],
  },
  {
    what: 'another user owns the database',
    damage: (at) => {
      const file = join(at.data, 'petstore.db');
      if (at.user === 0) chownSync(file, STRANGER, STRANGER);
      else spawnSync('sudo', ['-n', 'chown', String(STRANGER), file]);
    },
    check: 'owner',
    found: /petstore\.db$/,
  },
  {
    what: 'nobody can enter the data folder',
    damage: ({ data }) => chmodSync(data, 0),
    check: 'data folder',
    found: /^its owner can't read and write/,
  },
  {
    what: 'the database is read-only',
    damage: ({ data }) => chmodSync(join(data, 'petstore.db'), 0o400),
    check: 'data folder',
    found: /^its owner can't read and write .*petstore\.db$/,
  },
  {
    what: 'others can read the keys',
    damage: ({ data }) => chmodSync(join(data, 'identity-keys.json'), 0o644),
    check: 'modes',
    found: /^other users of this machine can access .*identity-keys\.json$/,
  },
  // The machine.
  {
    what: 'the clock is set back by two days',
    damage: (at) => {
      at.clock = () => Date.now() - 2 * DAY_MS;
    },
    check: 'clock',
    found: /minutes behind the newest stored time$/,
    person: [/^correct the clock/, (at) => (at.clock = Date.now)],
  },
  {
    what: 'the clock has jumped ahead by a year',
    damage: (at) => {
      sql(at, `UPDATE settled_time SET at = ${Date.now()}, ahead_for = 60000`);
      at.clock = () => Date.now() + 365 * DAY_MS;
    },
    check: 'clock',
    found: /minutes ahead of the time that the service uses/,
    person: [/^correct the clock/, (at) => (at.clock = Date.now)],
  },
  {
    what: 'another process has the port',
    damage: async (at) => {
      const port = await freePort();
      holder = createServer().listen(port, '127.0.0.1');
      await once(holder, 'listening');
      at.environment = { PETSTORE_PORT: String(port) };
    },
    check: 'ports',
    found: /^PETSTORE_PORT: 127\.0\.0\.1:\d+ is in use$/,
    person: [/^stop the process that uses it/, () => new Promise((resolve) => holder.close(resolve))],
  },
  // Certificates and keys.
  {
    what: 'a certificate has expired',
    damage: (at) => sql(at, `UPDATE certificates SET not_after = ${Date.now() - DAY_MS}`),
    check: 'certificates',
    found: /^no valid one for my-shop\.test \(expired\)$/,
  },
  {
    what: 'a certificate is deleted',
    damage: (at) => sql(at, 'DELETE FROM certificates'),
    check: 'certificates',
    found: /^no valid one for my-shop\.test \(missing\)$/,
  },
  {
    what: 'a certificate is garbled',
    damage: (at) => sql(at, "UPDATE certificates SET chain = replace(chain, 'M', 'N')"),
    check: 'certificates',
    found: /^no valid one for my-shop\.test \(damaged\)$/,
  },
  {
    what: 'a certificate has the key of another one',
    damage: (at) => sql(at, `UPDATE certificates SET private_key = '${otherKey()}'`),
    check: 'certificates',
    found: /^no valid one for my-shop\.test \(damaged\)$/,
  },
  {
    what: 'the keys of sign-in are cut',
    damage: ({ data }) => truncateSync(join(data, 'identity-keys.json'), 30),
    check: 'sign-in',
    found: /identity-keys\.json is damaged/,
  },
  {
    what: 'the keys of sign-in are deleted',
    damage: ({ data }) => rmSync(join(data, 'identity-keys.json')),
    check: 'sign-in',
    found: /identity-keys\.json is missing$/,
  },
  {
    what: "the development authority's key is deleted",
    damage: ({ data }) => rmSync(join(data, 'development-ca.key')),
    check: 'development authority',
    found: /development-ca\.key is damaged/,
  },
  {
    what: "the development authority's certificate is another installation's",
    damage: async ({ data, backups }) => {
      const other = `${backups}-of-another`;
      const database = openDatabase(other, 'crash');
      await createDevelopmentAuthority(other, createSqliteVault(database), Date.now);
      database.close();
      cpSync(join(other, 'development-ca.pem'), join(data, 'development-ca.pem'));
    },
    check: 'development authority',
    found: /^development-ca\.pem and development-ca\.key don't belong together/,
  },
  {
    what: "the keys of sign-in are another installation's",
    damage: async ({ data, backups }) => {
      const { cookies } = await openProviderKeys(data);
      const database = new DatabaseSync(join(data, 'petstore.db'));
      const id = String(database.prepare('SELECT id FROM users').get()?.id);
      database.prepare('INSERT INTO totp VALUES (?, ?, 0)').run(id, createFactorSecrets(cookies).seal(id, 'secret'));
      database.close();
      const other = `${backups}-of-another`;
      mkdirSync(other);
      await openProviderKeys(other);
      cpSync(join(other, 'identity-keys.json'), join(data, 'identity-keys.json'));
    },
    check: 'sign-in',
    found: /^identity-keys\.json belongs to another installation/,
  },
  // Files.
  {
    what: "a site's file is deleted",
    damage: (at) => rmSync(siteFile(at)),
    check: 'sites',
    found: /^files are missing or changed: dpl_\w+ of project prj_\w+ \(0 of 1 files\)$/,
  },
  {
    what: "a site's file has other content of the same length",
    damage: (at) => writeFileSync(siteFile(at), PAGE.toUpperCase()),
    full: true,
    check: 'sites',
    found: /\(index\.html is not what was published\)$/,
  },
  {
    what: "a site's files are deleted, and there is no backup",
    damage: (at) => {
      rmSync(join(at.data, 'last-backup.json'));
      rmSync(at.backups, { recursive: true });
      rmSync(join(at.data, 'sites'), { recursive: true });
    },
    check: 'sites',
    found: /^files are missing or changed: dpl_/,
  },
  {
    what: 'a restore was interrupted',
    damage: ({ data }) => mkdirSync(join(data, 'restoring')),
    check: 'restore',
    found: /^a restore was interrupted$/,
  },
];
