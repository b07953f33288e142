import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { createSqliteVault } from '../../adapters/certificates/sqlite-vault.ts';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { NEWEST_VERSION } from '../../adapters/store/sqlite/migrations.ts';
import { settingWarnings } from '../../local/warnings.ts';
import { examine } from '../../platforms/embedded/doctor/examine.ts';
import { lockFolder } from '../../platforms/embedded/folder-lock.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { testFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();

async function installation(): Promise<string> {
  const folder = join(testFolder(), 'data');
  const database = openDatabase(folder, 'crash');
  await openProviderKeys(folder);
  await createDevelopmentAuthority(folder, createSqliteVault(database), () => NOW);
  database.exec(`
    INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_1', 'Shop', 'free', 1, 1, ${NOW - DAY_MS});
    INSERT INTO projects (id, account_id, name, token, created_at, configuration) VALUES ('prj_1', 'acc_1', 'Site', 't', 0, '{}');
    INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES ('dpl_1', 'prj_1', 0, 1, 3);
    INSERT INTO certificates (reference, host, chain, private_key, not_before, not_after) VALUES ('r', 'a.test', 'c', 'k', 0, ${NOW + 60 * DAY_MS});
    INSERT INTO edge_map (host, project_id, certificate) VALUES ('a.test', 'prj_1', 'r')`);
  database.close();
  mkdirSync(join(folder, 'sites/prj_1/dpl_1'), { recursive: true });
  writeFileSync(join(folder, 'sites/prj_1/dpl_1/index.html'), 'one');
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

test('an installation without faults has none, and is not changed', async () => {
  const folder = await installation();
  const before = readFileSync(join(folder, 'petstore.db'));
  for (const full of [false, true]) expect(await faults(folder, { full })).toEqual([]);
  expect(readFileSync(join(folder, 'petstore.db'))).toEqual(before);
  expect((await examined(folder)).map(({ check }) => check)).toEqual([
    ...['data folder', 'modes', 'database', 'references', 'schema', 'log', 'sites', 'certificates', 'attempts at certificates', 'clock'],
    ...['sign-in', 'development authority', 'adapters', 'names', 'space', 'open files', 'service', 'ports'],
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
  ['readable by others', /^problem modes: other users .*petstore\.db; run chmod go= /, (folder) => chmodSync(join(folder, 'petstore.db'), 0o644)],
  [
    'with a site without its files',
    /^problem sites: .* dpl_1 of project prj_1 \(0 of 1 files\)/,
    (folder) => rmSync(join(folder, 'sites'), { recursive: true }),
  ],
  [
    'with a site that was changed',
    /^problem sites: files are missing: dpl_1/,
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
    /^warning references: 1 rows .*deployments to projects/,
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
  ['without the keys of sign-in', /^warning sign-in: .*identity-keys\.json is missing/, (folder) => rmSync(join(folder, 'identity-keys.json'))],
  [
    'with damaged keys of sign-in',
    /^problem sign-in: .*identity-keys\.json is damaged .*; until then, the service can't start$/,
    (folder) => writeFileSync(join(folder, 'identity-keys.json'), ''),
  ],
  [
    'with a damaged development authority',
    /^problem development authority: .*development-ca\.key is damaged .*; until then, the service can't start$/,
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
    /^problem database: file is not a database; stop the service, and restore/,
    (folder) => writeFileSync(join(folder, 'petstore.db'), 'text '.repeat(999), { mode: 0o600 }),
  ],
])('a folder %s is reported with what to do', async (_, expected, damage) => {
  const folder = await installation();
  damage(folder);
  expect(await faults(folder)).toContainEqual(expect.stringMatching(expected));
});

test('a damaged page is found', async () => {
  const folder = await installation();
  const file = join(folder, 'petstore.db');
  const content = readFileSync(file);
  content.fill(0xff, content.length - 4096);
  writeFileSync(file, content);
  expect(await faults(folder, { full: true })).toContainEqual(
    expect.stringMatching(/^problem (database|content): .*; stop the service, and restore a backup/),
  );
});

test('a clock that was set back is found', async () => {
  const folder = await installation();
  expect(await faults(folder, { now: NOW - 2 * DAY_MS })).toContainEqual(
    expect.stringMatching(/^problem clock: \S+ is 1440 minutes behind the newest stored time; correct the clock/),
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
