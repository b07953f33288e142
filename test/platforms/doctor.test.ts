import { execSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { NEWEST_VERSION } from '../../adapters/store/sqlite/migrations.ts';
import { settingWarnings } from '../../local/warnings.ts';
import { SHARED_PORTS } from '../../platforms/adapters.ts';
import { createBackup } from '../../platforms/embedded/backup/create-backup.ts';
import { examineBackup } from '../../platforms/embedded/doctor/backup.ts';
import { examine } from '../../platforms/embedded/doctor/examine.ts';
import { fix } from '../../platforms/embedded/doctor/fix.ts';
import { lockFolder } from '../../platforms/embedded/folder-lock.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { testFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { asStranger, STRANGER } from '../support/stranger.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();

async function installation(): Promise<string> {
  const folder = join(testFolder(), 'data');
  const database = openDatabase(folder, 'crash');
  await openProviderKeys(folder);
  const authority = await createDevelopmentAuthority(folder, createSqliteVault(database), () => NOW);
  const reference = await authority.request('a.test', 'r');
  const body = JSON.stringify({ id: 'dom_1', state: { name: 'live', certificate: reference } });
  database.exec(`
    INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_1', 'Shop', 'free', 1, 1, ${NOW - DAY_MS});
    INSERT INTO projects (id, account_id, name, token, created_at, configuration) VALUES ('prj_1', 'acc_1', 'Site', 't', 0, '{}');
    INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES ('dpl_1', 'prj_1', 0, 1, 3);
    UPDATE projects SET current_deployment_id = 'dpl_1';
    UPDATE accounts SET plan = 'pro';
    INSERT INTO domains (id, host, project_id, active_host, body) VALUES ('dom_1', 'a.test', 'prj_1', 'a.test', '${body}');
    INSERT INTO edge_map (host, project_id, certificate) VALUES ('a.test', 'prj_1', '${reference}')`);
  database.close();
  mkdirSync(join(folder, 'sites/prj_1/dpl_1'), { recursive: true });
  writeFileSync(join(folder, 'sites/prj_1/dpl_1/index.html'), 'one');
  await createBackup({ dataFolder: folder, target: `${folder}-backups`, version: '0.0.0', clock: () => NOW });
  return folder;
}

async function examined(folder: string, { full = false, now = NOW, environment = {} as Record<string, string> } = {}) {
  const ports = { PETSTORE_PORT: '0', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };
  const parsed = parseSettings({ ...ports, PETSTORE_DATA: folder, ...environment });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return examine({ settings: parsed.settings, full, clock: () => now });
}

/** What is not as it should be, except for what depends on the machine. */
async function faults(folder: string, options?: Parameters<typeof examined>[1]): Promise<readonly string[]> {
  const findings = await examined(folder, options);
  return findings
    .filter(({ state, check }) => state !== 'ok' && !['space', 'open files'].includes(check))
    .map(({ state, check, found, action }) => `${state} ${check}: ${found}; ${action}`);
}

const change = (folder: string, sql: string) => {
  const database = new DatabaseSync(join(folder, 'petstore.db'));
  database.exec(sql);
  database.close();
};

test('where an adapter stores the installation, the folder needs no backup, and copies of sites are no faults', async () => {
  const folder = join(testFolder(), 'data');
  openDatabase(folder, 'crash').close();
  await openProviderKeys(folder);
  const copy = join(folder, 'sites/prj_1/dpl_1');
  mkdirSync(copy, { recursive: true });
  utimesSync(copy, 0, 0);
  const file = join(testFolder(), 'petstore.config.mjs');
  const ports = JSON.stringify(SHARED_PORTS);
  writeFileSync(file, `export default { adapters: [{ name: 'elsewhere', provides: ${ports}, open: async () => ({ ports: {} }) }] };\n`);
  expect(await faults(folder, { environment: { PETSTORE_CONFIG: file } })).toEqual([]);
  const found = (await examined(folder, { environment: { PETSTORE_CONFIG: file } })).find(({ check }) => check === 'backup');
  expect(found?.found).toBe('elsewhere stores this installation, and the data folder has only copies; back up the original database');
});

test('an installation without faults has none, and is not changed', async () => {
  const folder = await installation();
  const before = readFileSync(join(folder, 'petstore.db'));
  for (const full of [false, true]) expect(await faults(folder, { full })).toEqual([]);
  expect(readFileSync(join(folder, 'petstore.db'))).toEqual(before);
  expect((await examined(folder)).map(({ check }) => check)).toEqual([
    ...['data folder', 'modes', 'backup', 'database', 'schema', 'log', 'tables', 'references', 'rows', 'sites', 'edge', 'certificates'],
    ...['attempts at certificates', 'clock', 'sign-in', 'development authority', 'adapters', 'names', 'space', 'open files', 'service', 'ports'],
  ]);
});

test('the adapters of a configuration are named, and not opened', async () => {
  const folder = await installation();
  const file = join(testFolder(), 'petstore.config.mjs');
  const adapters = async () => (await examined(folder, { environment: { PETSTORE_CONFIG: file } })).find(({ check }) => check === 'adapters');
  const open = "open: () => { throw new Error('opened'); }";
  writeFileSync(file, `export default { adapters: [{ name: 'sample-stores', provides: ['pets', 'answers'], ${open} }] };`);
  expect(await adapters()).toEqual({
    check: 'adapters',
    state: 'ok',
    found: `${file}: sample-stores (pets, answers); not opened, and what they store is not examined`,
  });
  expect((await examined(folder)).find(({ check }) => check === 'adapters')?.found).toBe('no configuration: everything is in the data folder');
});

test.each([
  ['adapters: [1]', /adapters\[0\] is 1; allowed: an adapter/],
  ['adapters: [], more: 1', /more: unknown; allowed: adapters/],
])('a configuration that is refused (%s) is a problem', async (content, message) => {
  const file = join(testFolder(), 'petstore.config.mjs');
  writeFileSync(file, `export default { ${content} };`);
  const found = await faults(await installation(), { environment: { PETSTORE_CONFIG: file } });
  expect(found).toEqual([expect.stringMatching(message)]);
  expect(found[0]).toMatch(/^problem adapters: .*; correct the configuration/);
});

test.each([
  ['https://pets.example.com', 'edge.example.com', /^warning names: sites below edge\.example\.com share the registered domain example\.com/],
  ['https://pets.example.co.uk:8443', 'example.co.uk', /^warning names: .* share the registered domain example\.co\.uk with pets\.example\.co\.uk/],
  ['https://pets.example.com', 'edge.example.org', undefined],
  // Names of which each is somebody else's, by the Public Suffix List.
  ['https://pets.github.io', 'sites.github.io', undefined],
])('the dashboard at %s and sites below %s', async (url, edge, expected) => {
  const environment = { PETSTORE_URL: url, PETSTORE_EDGE_NAME: edge };
  const found = await faults(await installation(), { environment });
  expect(found).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
  const parsed = parseSettings(environment);
  const warnings = parsed.ok ? settingWarnings(parsed.settings, {}) : [];
  expect(warnings).toEqual(
    expected === undefined ? [] : [expect.stringMatching(/^PETSTORE_EDGE_NAME: sites below .* set PETSTORE_EDGE_NAME to a name/)],
  );
});

test.each([
  [{ PETSTORE_HOST: '0.0.0.0' }, true],
  [{ PETSTORE_HOST: '::' }, true],
  [{ PETSTORE_HOST: '0.0.0.0', PETSTORE_URL: 'https://pets.example.com' }, false],
  [{}, false],
])('a service that other machines reach, but can not sign in to: %j', (environment, expected) => {
  const parsed = parseSettings(environment);
  const warnings = parsed.ok ? settingWarnings(parsed.settings, {}) : [];
  expect(warnings).toEqual(expected ? [expect.stringMatching(/^PETSTORE_URL: missing; .* set it to the address that they use$/)] : []);
});

test('a folder without a database is named', async () => {
  const folder = testFolder();
  expect(await faults(folder)).toEqual([expect.stringMatching(/^problem data folder: .* has no database; set PETSTORE_DATA, restore a backup/)]);
});

test.each<[string, RegExp, (folder: string) => void]>([
  ['readable by others', /^problem modes: other users .*petstore\.db; run: chmod go= /, (folder) => chmodSync(join(folder, 'petstore.db'), 0o644)],
  [
    'with a site without its files',
    /^problem sites: .* dpl_1 of project prj_1 \(0 of 1 files\)/,
    (folder) => rmSync(join(folder, 'sites'), { recursive: true }),
  ],
  [
    'with a site that was changed',
    /^problem sites: files are missing or changed: dpl_1/,
    (folder) => writeFileSync(join(folder, 'sites/prj_1/dpl_1/index.html'), 'changed'),
  ],
  [
    'with files of no deployment',
    /^warning orphans: 1 folders in sites belong to no deployment/,
    (folder) => {
      mkdirSync(join(folder, 'sites/prj_1/dpl_9'));
      utimesSync(join(folder, 'sites/prj_1/dpl_9'), 0, 0);
    },
  ],
  [
    'with rows that refer to nothing',
    /^problem references: 1 rows refer to rows that don't exist: deployments to projects/,
    (folder) => change(folder, "PRAGMA foreign_keys = OFF; UPDATE deployments SET project_id = 'prj_2'; UPDATE deployments SET files = 0, bytes = 0"),
  ],
  [
    'with a certificate that has expired',
    /^problem certificates: no valid one for a\.test/,
    (folder) => change(folder, `UPDATE certificates SET not_after = ${NOW - 1}`),
  ],
  ['without a certificate of a host', /^problem certificates: no valid one for a\.test/, (folder) => change(folder, 'DELETE FROM certificates')],
  [
    'with a certificate that is late',
    /^warning certificates: less than 7 days left for a\.test/,
    (folder) => change(folder, `UPDATE certificates SET not_after = ${NOW + 2 * DAY_MS}`),
  ],
  [
    'without the keys of sign-in',
    /^problem sign-in: .*identity-keys\.json is missing; .*; to keep them, run: cp -p \S+identity-keys\.json \S+ && chown \d+ \S+identity-keys\.json$/,
    (folder) => rmSync(join(folder, 'identity-keys.json')),
  ],
  [
    'with damaged keys of sign-in',
    /^problem sign-in: .*identity-keys\.json is damaged .*; the service can't start until this is corrected; to restore it from a backup, run: cp -p /,
    (folder) => writeFileSync(join(folder, 'identity-keys.json'), ''),
  ],
  [
    'with a damaged development authority',
    /^problem development authority: .*development-ca\.key is damaged .*; the service can't start until this is corrected; to restore it from a backup, run: cp -p /,
    (folder) => writeFileSync(join(folder, 'development-ca.key'), ''),
  ],
  [
    'of a newer version',
    /^problem schema: version \d+, from a newer release/,
    (folder) => change(folder, `PRAGMA user_version = ${NEWEST_VERSION + 1}`),
  ],
  [
    'of an earlier version',
    /^warning schema: version 20 of \d+; the next start copies the database, and upgrades it/,
    (folder) => change(folder, 'PRAGMA user_version = 20'),
  ],
  [
    'of a release before 0.2.0',
    /^problem schema: version 13, from a release before 0\.2\.0; this one supports 14 to \d+; start release 0\.2\.0 with it once/,
    (folder) => change(folder, 'PRAGMA user_version = 13'),
  ],
  ['with what a restore replaced', /^warning restore: replaced data is still in replaced-2026/, (folder) => mkdirSync(join(folder, 'replaced-2026'))],
  [
    'with an interrupted restore',
    /^warning restore: a restore was interrupted; run petstore restore again/,
    (folder) => mkdirSync(join(folder, 'restoring')),
  ],
  [
    'with something else than a database',
    /^problem database: can't be examined: file is not a database; stop the service and its sockets, and restore/,
    (folder) => writeFileSync(join(folder, 'petstore.db'), 'text '.repeat(999), { mode: 0o600 }),
  ],
])('a folder %s is reported with what to do', async (_, expected, damage) => {
  const folder = await installation();
  damage(folder);
  expect(await faults(folder)).toContainEqual(expect.stringMatching(expected));
});

test('files of a site that only an older backup has come from there; if none has all of them, the site is published again', async () => {
  const folder = await installation();
  const target = `${folder}-backups`;
  const [older = ''] = readdirSync(target).filter((name) => name.startsWith('20'));
  change(
    folder,
    "UPDATE deployments SET files = 2, bytes = 6; INSERT INTO deployments VALUES ('dpl_0', 'prj_1', 0, 1, 4)".replace(
      'VALUES',
      '(id, project_id, created_at, files, bytes) VALUES',
    ),
  );
  mkdirSync(join(folder, 'sites/prj_1/dpl_0'));
  writeFileSync(join(folder, 'sites/prj_1/dpl_0/index.html'), 'zero');
  const back = (later: number) => createBackup({ dataFolder: folder, target, version: '0.0.0', clock: () => NOW + later });
  const { folder: whole } = await back(1);
  rmSync(join(folder, 'sites/prj_1/dpl_0'), { recursive: true });
  await back(2);
  const found = async () => (await faults(folder)).filter((fault) => fault.startsWith('problem sites:')).join();
  expect(await found()).toMatch(
    new RegExp(
      `dpl_0 of project prj_1 \\(0 of 1 files\\); .*; run: rm -rf .* cp -Rp ${whole}/sites/prj_1/dpl_0 .*dpl_1 of project prj_1 \\(1 of 2 files\\); .*in no known backup`,
    ),
  );
  expect(await found()).not.toContain(older);
  writeFileSync(join(whole, 'sites/prj_1/dpl_0/index.html'), 'cut');
  expect(await found()).toMatch(
    /dpl_0 of project prj_1 \(0 of 1 files\).*in no known backup.*; run: petstore projects delete-deployment prj_1 dpl_0 --yes/,
  );
});

test.each<[file: string, check: string, expected: RegExp, damage: (file: string) => void]>([
  ['identity-keys.json', 'sign-in', /^the next start creates it, .*; no known backup has it$/, rmSync],
  [
    'identity-keys.json',
    'sign-in',
    /; no known backup has it: delete it; the next start creates it, which signs out all users/,
    (file) => writeFileSync(file, ''),
  ],
  ['development-ca.key', 'development authority', /; no known backup has it: delete \S+development-ca\.pem, and restart the service/, rmSync],
])('%s comes from the newest backup that has it, which may not be the last', async (name, check, none, damage) => {
  const folder = await installation();
  const [older = ''] = readdirSync(`${folder}-backups`).filter((each) => each.startsWith('20'));
  damage(join(folder, name));
  await createBackup({ dataFolder: folder, target: `${folder}-backups`, version: '0.0.0', clock: () => NOW + 1 });
  const advice = async () => (await examined(folder)).find((finding) => finding.check === check && finding.state !== 'ok')?.action;
  expect(await advice()).toMatch(new RegExp(`; to .*, run: cp -p .*/${older}/${name} `));
  rmSync(join(`${folder}-backups`, older, name));
  expect(await advice()).toMatch(none);
});

test.skipIf(process.getuid?.() !== 0)("what the superuser copies from a backup belongs to the data folder's owner", async () => {
  const folder = await installation();
  for (const name of ['sites', 'identity-keys.json']) rmSync(join(folder, name), { recursive: true });
  execSync(`chown -R ${STRANGER} ${folder}`);
  for (const fault of (await faults(folder)).filter((each) => each.includes('cp -'))) execSync(/run: (.+)$/.exec(fault)?.[1] ?? '');
  expect(await faults(folder)).toEqual([]);
  expect(statSync(join(folder, 'sites')).uid).toBe(STRANGER);
});

test('a damaged page is found', async () => {
  const folder = await installation();
  const file = join(folder, 'petstore.db');
  const content = readFileSync(file);
  content.fill(0xff, content.length - 4096);
  writeFileSync(file, content);
  expect(await faults(folder, { full: true })).toContainEqual(
    expect.stringMatching(/^problem (database|content): .*; stop the service and its sockets, and restore the last backup/),
  );
});

test('a clock that was set back is found', async () => {
  const folder = await installation();
  expect(await faults(folder, { now: NOW - 2 * DAY_MS })).toContainEqual(
    expect.stringMatching(
      /^warning clock: \S+ is 2820 minutes behind the newest stored time; correct the clock, .*; if the clock is right now, it was ahead earlier: there is nothing to do, and this warning ends at 20\d\d-\S+Z$/,
    ),
  );
});

test('a port that another process has is named with its setting', async () => {
  const folder = await installation();
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const found = await faults(folder, { environment: { PETSTORE_EDGE_HTTPS_PORT: String(port) } });
  server.close();
  expect(found).toEqual([
    `problem ports: PETSTORE_EDGE_HTTPS_PORT: 127.0.0.1:${port} is in use; stop the process that uses it, or choose another port`,
  ]);
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    'a metrics port that another process has',
    { PETSTORE_METRICS_PORT: 'TAKEN' },
    /^problem ports: PETSTORE_METRICS_PORT: 127\.0\.0\.1:\d+ is in use; stop the process that uses it, or choose another port$/,
  ],
  [
    'an address of another machine for the metrics',
    { PETSTORE_METRICS_PORT: '0', PETSTORE_METRICS_HOST: '192.0.2.1' },
    /^problem ports: PETSTORE_METRICS_PORT: 192\.0\.2\.1:0 can't be listened on: .*; set PETSTORE_METRICS_HOST to an address of this machine/,
  ],
  [
    'an address of another machine',
    { PETSTORE_HOST: '192.0.2.1' },
    /^problem ports: PETSTORE_PORT: 192\.0\.2\.1:0 can't be listened on: .*; set PETSTORE_HOST to an address of this machine/,
  ],
  [
    'the same port twice',
    { PETSTORE_PORT: 'FREE', PETSTORE_EDGE_HTTP_PORT: 'FREE' },
    /^problem ports: PETSTORE_EDGE_HTTP_PORT: 127\.0\.0\.1:\d+ is also the port of PETSTORE_PORT; choose another port for one of them$/,
  ],
  [
    "a file of the authority's roots that is missing",
    { PETSTORE_ACME_DIRECTORY: 'https://acme.test/dir', PETSTORE_ACME_CA_FILE: '/none/ca.pem' },
    /^problem certificate authority: PETSTORE_ACME_CA_FILE: can't read \/none\/ca\.pem: ENOENT.*; correct the setting, or the file$/,
  ],
])('settings with which the service can not start: %s', async (_, environment, expected) => {
  const folder = await installation();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ports: Readonly<Record<string, string>> = { TAKEN: String((server.address() as AddressInfo).port), FREE: String(await freePort()) };
  const settings = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, ports[value] ?? value]));
  const found = await faults(folder, { environment: settings });
  server.close();
  expect(found.filter((fault) => !fault.startsWith('warning'))).toEqual([expect.stringMatching(expected)]);
});

test('a running service that does not answer is reported', async () => {
  const folder = await installation();
  const lock = lockFolder(folder, 'main');
  lock.announce({ pid: 4_711, url: `http://127.0.0.1:${await freePort()}`, startedAt: NOW });
  const found = await faults(folder);
  lock.release();
  expect(found).toEqual([expect.stringMatching(/^problem service: does not answer \(process 4711, http:.*\): .*; check its log, and restart it/)]);
});

test("an account that the certificate authority refuses is a problem, with the authority's words", async () => {
  const folder = await installation();
  const directory = 'https://acme.test/dir';
  const environment = { PETSTORE_ACME_DIRECTORY: directory };
  change(folder, `INSERT INTO acme_accounts (directory, private_key) VALUES ('${directory}', 'k')`);
  // Nothing is known of it before it is registered.
  expect((await examined(folder, { environment })).find(({ check }) => check === 'certificate authority')?.found).toBe(
    `no account at ${directory} yet`,
  );
  expect((await examined(folder, { environment })).find(({ check }) => check === 'certificate authority')).toMatchObject({ state: 'ok' });
  change(folder, "UPDATE acme_accounts SET refused = 'agree to the new terms'");
  expect(await faults(folder, { environment })).toContainEqual(
    expect.stringMatching(
      /^problem certificate authority: https:\/\/acme\.test\/dir refuses the account: agree to the new terms; do what its message asks for/,
    ),
  );
  // Of an authority that is no longer used.
  expect((await faults(folder)).filter((fault) => fault.includes('authority:'))).toEqual([]);
});

test('domains whose attempts at a certificate fail again and again are a warning, with why', async () => {
  const folder = await installation();
  const add = (id: string, failure: string, attempts: number) => {
    const body = JSON.stringify({ id, state: { name: 'certificate_pending' }, lastFailure: { failure, attempts } });
    change(folder, `INSERT INTO domains (id, host, project_id, active_host, body) VALUES ('${id}', '${id}.dev', 'prj_1', '${id}.dev', '${body}')`);
  };
  add('once', 'authority_unavailable', 1);
  expect(await faults(folder)).toEqual([]);
  add('often', 'authority_unavailable', 9);
  add('too', 'authority_unavailable', 3);
  add('caa', 'caa', 4);
  expect(await faults(folder)).toEqual([
    expect.stringMatching(
      /^warning attempts at certificates: 2 domains wait \(authority_unavailable\), such as often\.dev; petstore domains show often\.dev/,
    ),
    expect.stringMatching(/^warning attempts at certificates: 1 domain waits \(caa\), such as caa\.dev/),
  ]);
});

test('nothing is created, so that a doctor of another user does not keep the service out', async () => {
  const folder = await installation();
  const before = readdirSync(folder).toSorted();
  await examined(folder, { full: true });
  expect(readdirSync(folder).toSorted()).toEqual(before);
});

test('an upgraded database of release 0.2.0 has what this version makes', async () => {
  const folder = testFolder();
  const released = new DatabaseSync(join(folder, 'petstore.db'));
  released.exec(readFileSync(join(import.meta.dirname, '../adapters/store/releases/0.2.0.sql'), 'utf8'));
  released.close();
  openDatabase(folder, 'crash').close();
  expect((await examined(folder)).filter(({ check }) => ['tables', 'references', 'rows'].includes(check))).toMatchObject([
    { check: 'tables', state: 'ok' },
    { check: 'references', state: 'ok' },
    { check: 'rows', state: 'ok' },
  ]);
});

test('what others have added to the database is no problem', async () => {
  const folder = await installation();
  change(folder, 'CREATE TABLE _replica (at INTEGER); CREATE INDEX own ON pets (name); ALTER TABLE pets ADD COLUMN note TEXT');
  expect(await faults(folder)).toEqual([]);
});

test('references to accounts lead elsewhere if an adapter stores them', async () => {
  const folder = await installation();
  const file = join(testFolder(), 'petstore.config.mjs');
  writeFileSync(file, "export default { adapters: [{ name: 'sample', provides: ['accounts', 'usage'], open: () => {} }] };");
  change(folder, 'PRAGMA foreign_keys = OFF; DELETE FROM accounts');
  expect(await faults(folder, { environment: { PETSTORE_CONFIG: file } })).toEqual([]);
  expect(await faults(folder)).toEqual([expect.stringMatching(/^problem references: 1 rows .* projects to accounts;/)]);
});

test.each([
  ['none was made', (folder: string) => rmSync(join(folder, 'last-backup.json')), /^warning backup: none was made; make one every day/],
  ['it is not known where', (folder: string) => writeLast(folder, { createdAt: NOW }), undefined],
  [
    'it is old, and not known where',
    (folder: string) => writeLast(folder, { createdAt: 0 }),
    /^warning backup: the last one is \d+ hours old; make one/,
  ],
  ['what is known is damaged', (folder: string) => writeLast(folder, {}), /^problem backup: it is unknown .*: last-backup\.json is damaged;/],
])('of the last backup: %s', async (_, damage, expected) => {
  const folder = await installation();
  damage(folder);
  expect(await faults(folder)).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
});

test('a backup that another user can read is not called damaged', async () => {
  const folder = await installation();
  chmodSync(dirname(folder), 0o755);
  for (const path of [folder, join(folder, 'last-backup.json')]) if (process.getuid?.() === 0) chownSync(path, STRANGER, STRANGER);
  const backup = join(`${folder}-backups`, readdirSync(`${folder}-backups`).find((name) => name.endsWith('Z')) ?? '');
  const { findings } = await asStranger(`${folder}-backups`, () => examineBackup(folder, NOW, false));
  expect(findings).toEqual([
    {
      check: 'backup',
      state: 'warning',
      found: `it is unknown whether the last one is damaged: ${join(backup, 'backup.json')} can't be read (EACCES): ${folder}-backups belongs to user ${process.getuid?.()}, and this command runs as user ${process.getuid?.() === 0 ? STRANGER : process.getuid?.()}`,
      action: 'run petstore doctor as that user, or as root',
    },
  ]);
});

test('without a backup, lost data needs one that the operator finds', async () => {
  const folder = await installation();
  rmSync(join(folder, 'last-backup.json'));
  change(folder, 'DROP TABLE pets');
  expect(await faults(folder)).toContainEqual(
    'problem tables: the table pets is missing; stop the service and its sockets, and restore a backup from before the damage with petstore restore BACKUP --replace; all changes since are lost',
  );
});

function writeLast(folder: string, content: object): void {
  writeFileSync(join(folder, 'last-backup.json'), JSON.stringify(content));
}

test('only what the tables say is made again', async () => {
  const folder = await installation();
  change(folder, 'DROP INDEX pets_by_status; PRAGMA user_version = 20');
  expect(fix(folder, false)).toEqual([]);
  change(folder, `PRAGMA user_version = ${NEWEST_VERSION}`);
  expect(fix(folder, false)).toEqual([{ check: 'fix', state: 'ok', found: 'recreated: the index pets_by_status' }]);
  expect(fix(folder, true)).toEqual([]);
  change(folder, 'DROP TABLE pets');
  expect(fix(folder, false)).toEqual([
    {
      check: 'fix',
      state: 'problem',
      found: 'nothing was changed: SQLite: no such table: main.pets',
      action: 'first correct the other problems, then repeat --fix',
    },
  ]);
  expect(fix(testFolder(), false)).toEqual([]);
});

function garbleRoots(folder: string, trees: readonly string[]): void {
  const file = join(folder, 'petstore.db');
  change(
    folder,
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) INSERT INTO pets SELECT i, 'Rex', 1, 'available' FROM n",
  );
  const database = new DatabaseSync(file);
  const roots = trees.map((name) => Number(database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.rootpage));
  database.close();
  const content = readFileSync(file);
  for (const root of roots) content.fill(0xa5, (root - 1) * 4_096, root * 4_096);
  writeFileSync(file, content);
}

test('an index of many pages that can not be read is made again, if the comparison is asked for', async () => {
  const folder = await installation();
  garbleRoots(folder, ['pets_by_status']);
  expect(fix(folder, false)).toEqual([]);
  expect(fix(folder, true)).toEqual([{ check: 'fix', state: 'ok', found: 'recreated: all indexes' }]);
  const database = new DatabaseSync(join(folder, 'petstore.db'));
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(database.prepare('SELECT count(*) AS pets FROM pets').get()).toEqual({ pets: 9_999 });
  database.close();
});

test('nothing is changed if a table is damaged as well', async () => {
  const folder = await installation();
  garbleRoots(folder, ['pets_by_status', 'pets']);
  const before = readFileSync(join(folder, 'petstore.db'));
  expect(fix(folder, true).filter(({ state }) => state === 'ok')).toEqual([]);
  expect(readFileSync(join(folder, 'petstore.db'))).toEqual(before);
});

test('what a running service says of itself is reported', async () => {
  const folder = await installation();
  const checks = [
    { name: 'storage', state: 'failed', reason: 'nothing can be stored' },
    { name: 'notifications', state: 'warning', reason: 'work is 7 minutes late' },
    { name: 'accounts', state: 'ok' },
  ];
  const server = createHttpServer((_, response) => response.writeHead(503).end(JSON.stringify({ checks }))).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const lock = lockFolder(folder, 'main');
  lock.announce({ pid: 4_711, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, startedAt: NOW });
  const found = await faults(folder);
  lock.release();
  server.close();
  expect(found).toEqual([
    expect.stringMatching(/^problem service: storage: nothing can be stored \(process 4711, .*\); check its log/),
    expect.stringMatching(/^warning service: notifications: work is 7 minutes late/),
  ]);
});
