// The metrics of a data folder: counts that stay right through every change, ages and sizes, and parts that can't be read.

import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DATABASE_FILE, LAST_BACKUP_FILE } from '../../adapters/files/data-folder.ts';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { createSqliteInstallationState } from '../../adapters/store/sqlite/installation.ts';
import { DOMAIN_STATE_NAMES, isServed } from '../../core/domains/states.ts';
import { exposition } from '../../core/metrics/exposition.ts';
import { createRegistry } from '../../core/metrics/registry.ts';
import { createCollection, FAMILIES, type Part } from '../../platforms/embedded/metrics/families.ts';
import { countCollections, processPart, startLagPart } from '../../platforms/embedded/metrics/process.ts';
import { backupPart, domainsPart, filesPart, queuesPart } from '../../platforms/embedded/metrics/storage.ts';
import { NOON } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function open() {
  const folder = testFolder();
  const database = openDatabase(folder, 'crash', false);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return { folder, database };
}

test('every family is set by some code, or it would be documented and never exported', () => {
  const files = globSync(['platforms/embedded/metrics/*.ts', 'local/metrics/*.ts'], { cwd: ROOT });
  const code = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('');
  const unset = Object.keys(FAMILIES).filter(
    (name) => !new RegExp(`(?:cell|histogram)\\(FAMILIES\\.${name}\\b|\\[FAMILIES\\.${name}, \\d`).test(code),
  );
  expect(unset, 'set them in platforms/embedded/metrics/ or local/metrics/, or remove them from families.ts').toEqual([]);
});

/** What a part says, by series. */
async function seriesOf(part: Part, registry = createRegistry()): Promise<Readonly<Record<string, string>>> {
  await createCollection(registry, [part], () => NOON)();
  const lines = exposition(registry.values(), 'prometheus').split('\n');
  return Object.fromEntries(lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/ (?=\S+$)/)));
}

const bodyOf = (state: string, notAfter?: number) =>
  JSON.stringify({ state: { name: state }, ...(notAfter !== undefined && { certificate: { notBefore: 0, notAfter, issuer: 'CA' } }) });

describe('counts of domains', () => {
  const change = fc.record({
    id: fc.integer({ min: 1, max: 5 }),
    state: fc.constantFrom(...DOMAIN_STATE_NAMES),
    notAfter: fc.option(fc.integer({ min: NOON, max: NOON + 90 * DAY_MS }), { nil: undefined }),
    isDeleted: fc.boolean(),
  });

  test('are those of the table after every insert, update and delete', async () => {
    const { database } = open();
    const upsert = database.prepare(
      "INSERT INTO domains (id, host, project_id, body) VALUES (?, ?, 'prj_1', ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body",
    );
    const remove = database.prepare('DELETE FROM domains WHERE id = ?');
    const state = createSqliteInstallationState(database);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
        database.exec('DELETE FROM domains');
        const domains = new Map<number, { state: (typeof DOMAIN_STATE_NAMES)[number]; notAfter: number | undefined }>();
        for (const { id, state, notAfter, isDeleted } of changes) {
          if (isDeleted) {
            remove.run(`dom_${id}`);
            domains.delete(id);
          } else {
            upsert.run(`dom_${id}`, `h${id}`, bodyOf(state, notAfter));
            domains.set(id, { state, notAfter });
          }
        }
        const { byState, byExpiry } = await state.domainCounts();
        const all = [...domains.values()];
        for (const state of DOMAIN_STATE_NAMES) expect(byState.get(state) ?? 0).toBe(all.filter((each) => each.state === state).length);
        const hours = all.filter(({ state }) => isServed({ name: state })).flatMap(({ notAfter }) => notAfter ?? []);
        const sorted = hours.map((at) => at - (at % HOUR_MS)).sort((a, b) => a - b);
        expect(byExpiry.flatMap(({ at, domains: number }) => Array<number>(number).fill(at))).toEqual(sorted);
      }),
    );
  });

  test('do not grow with states that domains have left', () => {
    const { database } = open();
    database.prepare("INSERT INTO domains (id, host, project_id, body) VALUES ('dom_1', 'h', 'prj_1', ?)").run(bodyOf('live', NOON));
    for (let hour = 1; hour <= 50; hour += 1) database.prepare('UPDATE domains SET body = ?').run(bodyOf('live', NOON + hour * HOUR_MS));
    expect(database.prepare('SELECT count(*) AS rows FROM domain_counts').get()).toEqual({ rows: 1 });
  });
});

test('certificates are counted by the days that are left, and the first to expire is known, with that of the own name', async () => {
  const { database } = open();
  const insert = database.prepare("INSERT INTO domains (id, host, project_id, body) VALUES (?, ?, 'prj_1', ?)");
  const days = [-1, 2, 6, 13, 29, 30, 89];
  days.forEach((day, index) => void insert.run(`dom_${index}`, `h${index}`, bodyOf('live', NOON + day * DAY_MS)));
  // Not served.
  insert.run('dom_s', 'hs', bodyOf('suspended', NOON - 9 * DAY_MS));
  const without = await seriesOf(
    domainsPart(
      createSqliteInstallationState(database),
      async () => undefined,
      () => NOON,
    ),
  );
  expect(without).toMatchObject({
    'petstore_certificates{days_left="expired"}': '1',
    'petstore_certificates{days_left="under_3"}': '1',
    'petstore_certificates{days_left="under_7"}': '1',
    'petstore_certificates{days_left="under_14"}': '1',
    'petstore_certificates{days_left="under_30"}': '1',
    'petstore_certificates{days_left="30_or_more"}': '2',
    'petstore_domains{state="live"}': '7',
    'petstore_domains{state="suspended"}': '1',
    'petstore_domains{state="removed"}': '0',
    petstore_certificate_first_expiry_timestamp_seconds: String((NOON - DAY_MS) / 1_000),
  });
  const own = await seriesOf(
    domainsPart(
      createSqliteInstallationState(database),
      async () => NOON - 2 * DAY_MS,
      () => NOON,
    ),
  );
  expect(own.petstore_certificate_first_expiry_timestamp_seconds).toBe(String((NOON - 2 * DAY_MS) / 1_000));
});

test('without certificates, none expires first', async () => {
  expect(
    await seriesOf(
      domainsPart(
        createSqliteInstallationState(open().database),
        async () => undefined,
        () => NOON,
      ),
    ),
  ).not.toHaveProperty('petstore_certificate_first_expiry_timestamp_seconds');
});

test('queues have what is due, and for how long, from an index', async () => {
  const { database } = open();
  const insert = database.prepare("INSERT INTO domains (id, host, project_id, body, wake_at) VALUES (?, ?, 'prj_1', ?, ?)");
  for (const [id, at] of [
    ['dom_1', NOON - 90_000],
    ['dom_2', NOON],
    ['dom_3', NOON + 1],
  ] as const)
    insert.run(id, id, bodyOf('verifying'), at);
  database.exec(`INSERT INTO file_removals (project_id, deployment_id, due_at, bytes) VALUES ('prj_1', '', ${NOON - 5_000}, 0)`);
  expect(await seriesOf(queuesPart(createSqliteInstallationState(database), () => NOON))).toMatchObject({
    'petstore_queue_due_items{queue="domains"}': '2',
    'petstore_queue_lateness_seconds{queue="domains"}': '90',
    'petstore_queue_due_items{queue="notifications"}': '0',
    'petstore_queue_lateness_seconds{queue="notifications"}': '0',
    'petstore_queue_due_items{queue="file_removals"}': '1',
    'petstore_queue_lateness_seconds{queue="file_removals"}': '5',
  });
  for (const [table, column] of [
    ['domains', 'wake_at'],
    ['notifications', 'due_at'],
    ['file_removals', 'due_at'],
  ])
    expect(database.prepare(`EXPLAIN QUERY PLAN SELECT count(*), min(${column}) FROM ${table} WHERE ${column} <= 1`).all()[0]?.detail).toMatch(
      /^SEARCH .* USING COVERING INDEX/,
    );
});

test('sizes are those of the files', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, DATABASE_FILE), 'x'.repeat(200));
  writeFileSync(join(folder, `${DATABASE_FILE}-wal`), 'x'.repeat(100));
  const series = await seriesOf(filesPart(folder));
  expect(series.petstore_database_wal_size_bytes).toBe('100');
  expect(series.petstore_database_size_bytes).toBe('200');
  expect(Number(series.petstore_data_folder_disk_size_bytes)).toBeGreaterThan(Number(series.petstore_data_folder_free_bytes));
  rmSync(join(folder, `${DATABASE_FILE}-wal`));
  expect((await seriesOf(filesPart(folder))).petstore_database_wal_size_bytes).toBe('0');
});

test('the last backup is known once there is one', async () => {
  const folder = testFolder();
  const name = 'petstore_last_backup_timestamp_seconds';
  expect(await seriesOf(backupPart(folder))).not.toHaveProperty(name);
  writeFileSync(join(folder, LAST_BACKUP_FILE), JSON.stringify({ createdAt: NOON }));
  expect((await seriesOf(backupPart(folder)))[name]).toBe(String(NOON / 1_000));
  for (const text of ['', '{}', '{"createdAt":"x"}']) {
    writeFileSync(join(folder, LAST_BACKUP_FILE), text);
    expect(await seriesOf(backupPart(folder))).toEqual({ 'petstore_metrics_collection_errors_total{part="backup"}': '1' });
  }
});

test('the process, its event loop and its garbage collections', async () => {
  const lag = startLagPart();
  const registry = createRegistry();
  const endCollections = countCollections(registry);
  // Until the first looks at the loop, some milliseconds.
  for (const part = lag.part; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    await part.collect(registry);
    if (registry.values().some(({ family }) => family === FAMILIES.lagMax)) break;
  }
  lag.stop();
  endCollections();
  const series = { ...(await seriesOf(processPart(), registry)) };
  expect(Number(series.process_cpu_seconds_total)).toBeGreaterThan(0);
  expect(Number(series.process_start_time_seconds)).toBeCloseTo(Date.now() / 1_000 - process.uptime(), -1);
  expect(Number(series.process_resident_memory_bytes)).toBeGreaterThan(Number(series.nodejs_heap_size_used_bytes));
  expect(Number(series.nodejs_eventloop_lag_max_seconds)).toBeGreaterThanOrEqual(0);
  expect(series['nodejs_gc_duration_seconds_count{kind="major"}']).toBeDefined();
});

describe('a collection', () => {
  const part = (name: string, collect: Part['collect']): Part => ({ name, families: [FAMILIES.walBytes], collect });

  test('reads at most once in 5 s, however many ask, and again after the clock was set back', async () => {
    let now = NOON;
    let reads = 0;
    const read = () => {
      reads += 1;
    };
    const collect = createCollection(createRegistry(), [part('files', read)], () => now);
    await Promise.all(Array.from({ length: 50 }, collect));
    now += 4_999;
    await collect();
    expect(reads).toBe(1);
    now += 1;
    await collect();
    expect(reads).toBe(2);
    now -= HOUR_MS;
    await collect();
    expect(reads).toBe(3);
  });

  test('leaves out a part that fails, and what it said before, and counts that; the others are read', async () => {
    const { folder, database } = open();
    const registry = createRegistry();
    let now = NOON;
    const collect = createCollection(
      registry,
      [
        filesPart(folder),
        domainsPart(
          createSqliteInstallationState(database),
          async () => undefined,
          () => now,
        ),
      ],
      () => now,
    );
    await collect();
    expect(exposition(registry.values(), 'openmetrics')).toContain('petstore_domains{state="live"} 0\n');
    database.close();
    now += 5_000;
    await collect();
    const text = exposition(registry.values(), 'openmetrics');
    expect(text).not.toContain('petstore_domains{');
    expect(text).toContain('petstore_metrics_collection_errors_total{part="domains"} 1\n');
    expect(text).toMatch(/^petstore_database_size_bytes \d+$/m);
    renameSync(folder, `${folder}-moved`);
    now += 5_000;
    await collect();
    expect(exposition(registry.values(), 'openmetrics')).toContain('petstore_metrics_collection_errors_total{part="files"} 1\n');
    mkdirSync(folder);
    rmSync(`${folder}-moved`, { recursive: true });
  });
});
