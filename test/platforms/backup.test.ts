import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs, {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { NEWEST_VERSION, OLDEST_VERSION } from '../../adapters/store/sqlite/migrations.ts';
import { createBackup } from '../../platforms/embedded/backup/create-backup.ts';
import { restoreBackup } from '../../platforms/embedded/backup/restore-backup.ts';
import { type DataFolder, openDataFolder } from '../../platforms/embedded/folder.ts';
import { lockFolder } from '../../platforms/embedded/folder-lock.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { NOON, samplePet } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';
import { asStranger, STRANGER } from '../support/stranger.ts';

const original = { renameSync: fs.renameSync, readdirSync: fs.readdirSync, statfsSync: fs.statfsSync };

afterEach(() => {
  Object.assign(fs, original);
  syncBuiltinESMExports();
});

function patch(functions: Partial<typeof original>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}

function openFolder(path: string): DataFolder {
  const parsed = parseSettings({ PETSTORE_DATA: path });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const folder = openDataFolder(parsed.settings);
  onTestFinished(folder.close);
  return folder;
}

async function deploy(folder: DataFolder, id: string, files: Readonly<Record<string, string>>): Promise<void> {
  const deployment = { projectId: 'prj_1', id };
  for (const [name, text] of Object.entries(files)) await folder.sites.put(deployment, name, Readable.from([Buffer.from(text)]), text.length);
  const bytes = Object.values(files).join('').length;
  const insert = folder.database.prepare('INSERT INTO deployments (id, project_id, created_at, files, bytes) VALUES (?, ?, ?, ?, ?)');
  insert.run(id, 'prj_1', NOON, Object.keys(files).length, bytes);
}

/** An installation with an animal, keys, and one deployment of two files. */
async function installation(): Promise<{ path: string; folder: DataFolder; target: string }> {
  const path = join(testFolder(), 'data');
  const folder = openFolder(path);
  await folder.pets.create({ pet: samplePet(1) }, NOON);
  folder.database.exec(
    "INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_1', 'Shop', 'free', 1, 1, 0); INSERT INTO projects (id, account_id, name, token, created_at, configuration) VALUES ('prj_1', 'acc_1', 'Site', 't', 0, '{}')",
  );
  await deploy(folder, 'dpl_1', { 'index.html': 'one', 'a/b.css': 'two' });
  for (const name of ['identity-keys.json', 'development-ca.pem', 'development-ca.key']) writeFileSync(join(path, name), name);
  return { path, folder, target: join(testFolder(), 'backups') };
}

/** Adds a pair of rows in each transaction, until it is killed. */
const WRITE_PAIRS = `
  const { DatabaseSync } = require('node:sqlite');
  const [, file, pair] = process.argv;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  for (let n = 0; ; n += 1) {
    database.exec('BEGIN IMMEDIATE; ' + pair + '; COMMIT');
    if (n === 0) process.stdout.write('writing');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }`;

let ticks = 0;
const back = (path: string, target: string, keep?: number) =>
  createBackup({ dataFolder: path, target, keep, version: '1.2.3', clock: () => NOON + 1000 * ++ticks });
const restore = (backup: string, dataFolder: string, replace = false) =>
  restoreBackup({ backup, dataFolder, replace, clock: () => NOON + 1000 * ++ticks });

/** Everything that matters in a data folder: each row of each table, and each file. */
function contentOf(path: string): Readonly<Record<string, string>> {
  const database = new DatabaseSync(join(path, 'petstore.db'), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const rows = tables.map(({ name }) => [
    `table ${name}`,
    digest(JSON.stringify(database.prepare(`SELECT * FROM ${name}`).all().map(Object.values).map(String).sort())),
  ]);
  database.close();
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(petstore\.db|service\.|changes\.|backup\.json|last-backup\.json|\.gitignore)/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/replaced-|restoring|upgrades|uploads/.test(file))
    .map((file) => [relative(path, file), digest(readFileSync(file))]);
  return Object.fromEntries([...rows, ...files]);
}

const digest = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

describe('a backup', () => {
  test('is recorded in the data folder when it is complete, if that can be written', async () => {
    const { path, target } = await installation();
    const file = join(path, 'last-backup.json');
    const { createdAt, folder } = await back(path, target);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ createdAt, folder });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(file);
    mkdirSync(file);
    expect((await back(path, target)).incomplete).toEqual([]);
  });

  test('of an open folder has every row and file, and so has what is restored from it', async () => {
    const { path, target } = await installation();
    const { folder, files, incomplete } = await back(path, target);
    expect([files, incomplete]).toEqual([6, []]);
    const to = join(testFolder(), 'new');
    const restored = await restore(folder, to);
    expect(contentOf(to)).toEqual(contentOf(path));
    expect(Object.keys(contentOf(to))).toEqual(expect.arrayContaining(['table pets', 'sites/prj_1/dpl_1/a/b.css', 'development-ca.key']));
    expect(restored).toMatchObject({ dataFolder: to, files: 6, replacedTo: undefined });
    expect(statSync(join(to, 'sites/prj_1/dpl_1/a/b.css')).mode & 0o777).toBe(0o600);
  });

  test('is of one moment, and ends, while another process writes', async () => {
    const { path, folder: data, target } = await installation();
    data.database.exec('CREATE TABLE one (n, filler); CREATE TABLE two (n, filler)');
    const pair = 'INSERT INTO one VALUES (?, zeroblob(20000)); INSERT INTO two VALUES (?, zeroblob(20000))'.replaceAll('?', '1');
    for (let n = 0; n < 100; n += 1) data.database.exec(`BEGIN; ${pair}; COMMIT`);
    const writer = spawn(process.execPath, ['-e', WRITE_PAIRS, join(path, 'petstore.db'), pair], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void writer.kill('SIGKILL'));
    await once(writer.stdout, 'data');
    const { folder } = await back(path, target);
    const count = (database: DatabaseSync, table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    const copy = new DatabaseSync(join(folder, 'petstore.db'), { readOnly: true });
    const copied = count(copy, 'one');
    expect(count(copy, 'two')).toBe(copied);
    copy.close();
    expect(copied).toBeGreaterThan(100);
    expect(count(data.database, 'one')).toBeGreaterThan(copied);
    expect(readdirSync(folder).filter((name) => name.startsWith('petstore.db'))).toEqual(['petstore.db']);
  });

  test('is readable by its owner only', async () => {
    const { path, target } = await installation();
    await back(path, target);
    const open = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => (statSync(join(target, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  test('shares unchanged files with the one before, and can do without it', async () => {
    const { path, target, folder } = await installation();
    const first = await back(path, target);
    await deploy(folder, 'dpl_2', { 'index.html': 'three!' });
    const second = await back(path, target, 1);
    expect([first.sharedBytes, second.sharedBytes, second.removed]).toEqual([0, 6, [first.folder]]);
    expect(existsSync(first.folder)).toBe(false);
    const to = join(testFolder(), 'new');
    await restore(second.folder, to);
    expect(contentOf(to)).toEqual(contentOf(path));
  });

  test('does not share a file that is not what it was', async () => {
    const { path, target } = await installation();
    const first = await back(path, target);
    appendFileSync(join(path, 'sites/prj_1/dpl_1/index.html'), 'more');
    const { folder } = await back(path, target);
    expect(readFileSync(join(folder, 'sites/prj_1/dpl_1/index.html'), 'utf8')).toBe('onemore');
    expect(readFileSync(join(first.folder, 'sites/prj_1/dpl_1/index.html'), 'utf8')).toBe('one');
  });

  test('does not take over damage to the one before', async () => {
    const { path, target } = await installation();
    const first = await back(path, target);
    writeFileSync(join(first.folder, 'sites/prj_1/dpl_1/index.html'), 'eno');
    const { folder } = await back(path, target);
    expect(readFileSync(join(folder, 'sites/prj_1/dpl_1/index.html'), 'utf8')).toBe('one');
    await restore(folder, join(testFolder(), 'new'));
  });

  test('of a damaged database fails, and removes none', async () => {
    const { path, target, folder } = await installation();
    folder.database.exec(
      "INSERT INTO api_keys (digest, id, account_id, name, scopes, created_at, expires_at) VALUES ('d', 'key_1', 'acc_1', 'Key', 'read', 0, 0)",
    );
    const page = Number(folder.database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'api_keys'").get()?.rootpage) - 1;
    await folder.close();
    const good = await back(path, target);
    const last = readFileSync(join(path, 'last-backup.json'), 'utf8');
    const file = openSync(join(path, 'petstore.db'), 'r+');
    writeSync(file, Buffer.alloc(590), 0, 590, page * 4096 + 3500);
    closeSync(file);
    await expect(back(path, target, 1)).rejects.toThrow(
      /^the database in .* is damaged \(.+\): no backup was made, and none was removed; petstore doctor --full says what to do$/,
    );
    expect(readdirSync(target).filter((name) => name !== '.lock')).toEqual([basename(good.folder)]);
    expect(readFileSync(join(path, 'last-backup.json'), 'utf8')).toBe(last);
  });

  test('stays when old ones are removed, also if another one has a later name', async () => {
    const { path, target } = await installation();
    const { folder } = await back(path, target);
    renameSync(folder, join(target, '2099-01-01T00-00-00.000Z'));
    const one = await back(path, target, 2);
    const two = await back(path, target, 2);
    expect([one.removed, two.removed, existsSync(two.folder)]).toEqual([[], [one.folder], true]);
    expect((await back(path, target, 1)).removed).toHaveLength(2);
  });

  test.each([
    ['of another installation', (path: string) => writeFileSync(join(path, 'identity-keys.json'), 'other keys')],
    ['of a data folder without keys', (path: string) => rmSync(join(path, 'identity-keys.json'))],
  ])('%s removes none but its own', async (_, change) => {
    const { path, target } = await installation();
    const first = await back(path, target);
    change(path);
    const second = await back(path, target, 1);
    expect([second.removed, second.others]).toEqual([[], [first.folder]]);
    expect((await back(path, target, 1)).others).toContain(first.folder);
    await restore(first.folder, join(testFolder(), 'new'));
  });

  test.each([
    ['with the same first account', undefined, 1, 0],
    [
      'with another first account',
      "UPDATE accounts SET created_at = 2; INSERT INTO accounts (id, name, plan, per_minute, per_day, created_at) VALUES ('acc_0', 'Other', 'free', 1, 1, 1)",
      0,
      1,
    ],
    ['without accounts', 'PRAGMA foreign_keys = OFF; DELETE FROM accounts', 0, 1],
  ])('of an API host, which has no keys, %s counts the others', async (_, change, removed, others) => {
    const { path, target, folder } = await installation();
    rmSync(join(path, 'identity-keys.json'));
    await back(path, target);
    if (change !== undefined) folder.database.exec(change);
    const backup = await back(path, target, 1);
    expect([backup.removed.length, backup.others.length]).toEqual([removed, others]);
  });

  test('leaves those alone whose manifest is damaged', async () => {
    const { path, target } = await installation();
    const { folder } = await back(path, target);
    writeFileSync(join(folder, 'backup.json'), 'x');
    expect(await back(path, target, 1)).toMatchObject({ removed: [], others: [folder] });
  });

  test("leaves others' files in the folder alone", async () => {
    const { path, target } = await installation();
    mkdirSync(join(target, 'mine.partial'), { recursive: true });
    writeFileSync(join(target, 'report.partial'), 'x');
    await back(path, target, 1);
    expect(readdirSync(target)).toEqual(expect.arrayContaining(['mine.partial', 'report.partial']));
  });

  test('has no files of uploads that are not published, and no compressed forms', async () => {
    const { path, target, folder } = await installation();
    await folder.sites.put({ projectId: 'prj_1', id: 'dpl_9' }, 'index.html', Readable.from(['x']), 1);
    mkdirSync(join(path, 'compressed/prj_1/dpl_1'), { recursive: true });
    writeFileSync(join(path, 'compressed/prj_1/dpl_1/digest.br'), 'form');
    const backup = await back(path, target);
    expect(existsSync(join(backup.folder, 'sites/prj_1/dpl_9'))).toBe(false);
    expect(existsSync(join(backup.folder, 'compressed'))).toBe(false);
  });

  test('is of a later moment if a deployment is deleted before its files are copied', async () => {
    const { path, target, folder } = await installation();
    await deploy(folder, 'dpl_2', { 'index.html': 'gone' });
    let isDeleted = false;
    patch({
      readdirSync: ((from: string, ...rest: never[]) => {
        if (String(from).endsWith('dpl_2') && !isDeleted) {
          isDeleted = true;
          folder.database.exec("DELETE FROM deployments WHERE id = 'dpl_2'");
          rmSync(join(path, 'sites/prj_1/dpl_2'), { recursive: true });
        }
        return original.readdirSync(from, ...rest);
      }) as typeof original.readdirSync,
    });
    const backup = await back(path, target);
    expect([isDeleted, backup.incomplete]).toEqual([true, []]);
    const to = join(testFolder(), 'new');
    await restore(backup.folder, to);
    expect(contentOf(to)).toEqual(contentOf(path));
  });

  test('names what the data folder lacks, and removes none, which may have it', async () => {
    const { path, target } = await installation();
    await back(path, target);
    await back(path, target);
    rmSync(join(path, 'sites/prj_1/dpl_1/index.html'));
    const { incomplete, removed } = await back(path, target, 1);
    expect(incomplete).toEqual(['deployment dpl_1 of project prj_1 is incomplete in the data folder; it should have 2 files with 6 bytes']);
    expect(removed).toEqual([]);
    writeFileSync(join(path, 'sites/prj_1/dpl_1/index.html'), 'one');
    expect(await back(path, target, 1)).toMatchObject({ incomplete: [], removed: { length: 3 } });
  });

  test('lacks the key files that the installation has had, and removes none, which may have them', async () => {
    const { path, target } = await installation();
    await back(path, target);
    for (const name of ['identity-keys.json', 'development-ca.key']) rmSync(join(path, name));
    expect(await back(path, target, 1)).toMatchObject({
      incomplete: [
        'identity-keys.json is missing from the data folder, where it used to be',
        'development-ca.key is missing from the data folder, where it used to be',
      ],
      removed: [],
    });
  });

  test('fails if a folder of a site can not be read, rather than taking it for empty', async () => {
    const { path, target } = await installation();
    await back(path, target);
    rmSync(join(path, 'sites/prj_1'), { recursive: true });
    symlinkSync('prj_1', join(path, 'sites/prj_1'));
    await expect(back(path, target, 1)).rejects.toThrow(/^can't make a backup in .*: ELOOP: .*sites\/prj_1/);
    expect(readdirSync(target).filter((name) => name.endsWith('Z'))).toHaveLength(1);
  });

  test('leaves nothing behind if it fails, and the next one removes what an interrupted one left', async () => {
    const { path, target } = await installation();
    mkdirSync(join(target, '2026-01-01T00-00-00.000Z.partial', 'sites'), { recursive: true });
    patch({
      renameSync: () => {
        throw new Error('no space left on device');
      },
    });
    await expect(back(path, target)).rejects.toThrow(`can't make a backup in ${target}: no space left on device`);
    expect(readdirSync(target)).toEqual(['.lock']);
  });

  test.each([
    ['in the data folder', (path: string) => path, (path: string) => join(path, 'backups'), /is in the data folder .* choose a folder elsewhere/],
    ['of the data folder itself', (path: string) => path, (path: string) => path, /is in the data folder/],
    ['of nothing', () => '/nowhere', (path: string) => join(path, '../b'), /there is no data in \/nowhere/],
    ['in a file', (path: string) => path, (path: string) => join(path, 'petstore.db', 'b'), /is in the data folder|can't use/],
    [
      'where nothing can be written',
      (path: string) => path,
      () => '/proc',
      /^can't make a backup in \/proc: \/proc\/\.lock can't be written: |belongs to another user/,
    ],
  ])('%s is refused', async (_, dataFolder, target, message) => {
    const { path } = await installation();
    await expect(back(dataFolder(path), target(path))).rejects.toThrow(message);
  });

  test('is refused where other users could plant files, and inside the data folder through a link', async () => {
    const { path, target } = await installation();
    mkdirSync(target, { recursive: true });
    for (const mode of [0o777, 0o770, 0o707]) {
      chmodSync(target, mode);
      await expect(back(path, target)).rejects.toThrow(
        `other users can write to ${target}, and could replace what is backed up; run: chmod go-w ${target}`,
      );
    }
    chmodSync(target, 0o1777);
    await expect(back(path, target)).rejects.toThrow(new RegExp(`; run: petstore backup ${target}/petstore-backups$`));
    expect(readdirSync(target)).toEqual([]);
    chmodSync(target, 0o755);
    await back(path, target);
    const link = join(testFolder(), 'link');
    mkdirSync(join(path, 'inner'));
    symlinkSync(path, link);
    await expect(back(path, join(link, 'inner'))).rejects.toThrow(/is in the data folder/);
  });

  test('that is made at the same time in the same folder is refused', async () => {
    const { path, target } = await installation();
    const both = await Promise.allSettled([back(path, target), back(path, target)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(String(both.find(({ status }) => status === 'rejected'))).toBeDefined();
    expect(readdirSync(target).filter((name) => name.endsWith('Z'))).toHaveLength(1);
  });
});

describe('a restore', () => {
  async function backedUp() {
    const { path, folder, target } = await installation();
    const backup = await back(path, target);
    await folder.pets.create({ pet: samplePet(2) }, NOON);
    await folder.close();
    return { path, backup: backup.folder, target };
  }

  test.each([
    [
      'a link in the place of a file',
      (backup: string) => {
        rmSync(join(backup, 'identity-keys.json'));
        symlinkSync('/etc/hostname', join(backup, 'identity-keys.json'));
      },
      /identity-keys\.json is not a file; use another backup$/,
    ],
    [
      'a pipe, which never ends',
      (backup: string) => {
        rmSync(join(backup, 'identity-keys.json'));
        spawnSync('mkfifo', [join(backup, 'identity-keys.json')]);
      },
      /identity-keys\.json is not a file; use another backup$/,
    ],
    [
      'a file that has become longer',
      (backup: string) => appendFileSync(join(backup, 'identity-keys.json'), 'x'.repeat(2 ** 20)),
      /identity-keys\.json has changed since the backup was made; use another backup$/,
    ],
    [
      'a folder elsewhere, by a link',
      (backup: string) => {
        const elsewhere = join(testFolder(), 'sites');
        renameSync(join(backup, 'sites'), elsewhere);
        symlinkSync(elsewhere, join(backup, 'sites'));
      },
      /is outside it, via a link; use another backup$/,
    ],
    [
      'another schema than its database',
      (backup: string) => {
        const file = join(backup, 'backup.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace(/"schema":\d+/, `"schema":${OLDEST_VERSION}`));
      },
      /its database has a different schema than its manifest says$/,
    ],
  ])('of a backup with %s is refused, and changes nothing', async (_, damage, message) => {
    const { path, backup } = await backedUp();
    damage(backup);
    const before = contentOf(path);
    await expect(restore(backup, path, true)).rejects.toThrow(message);
    expect(contentOf(path)).toEqual(before);
  });

  test('makes a database smaller of which many rows were removed', async () => {
    const { path, folder, target } = await installation();
    folder.database.exec('CREATE TABLE large (n); INSERT INTO large VALUES (zeroblob(3000000)); DELETE FROM large');
    const { folder: backup } = await back(path, target);
    const to = join(testFolder(), 'new');
    await restore(backup, to);
    const sizeOf = (at: string) => statSync(join(at, 'petstore.db')).size;
    expect(sizeOf(to)).toBeLessThan(sizeOf(backup) - 2_900_000);
    expect(contentOf(to)).toEqual(contentOf(path));
  });

  test('replaces what is there only with leave, and keeps it', async () => {
    const { path, backup } = await backedUp();
    const before = contentOf(path);
    await expect(restore(backup, path)).rejects.toThrow(
      /has data \(petstore\.db, .*identity-keys\.json, .*\); to move it to a folder replaced-… there, add --replace$/,
    );
    expect(contentOf(path)).toEqual(before);
    const { replacedTo = '' } = await restore(backup, path, true);
    expect(contentOf(path)).toEqual(contentOf(backup));
    expect(contentOf(replacedTo)['table pets']).toBe(before['table pets']);
  });

  test('is refused while a service runs, and while a host of the API does', async () => {
    const { path, backup } = await backedUp();
    for (const kind of ['main', 'shared'] as const) {
      const lock = lockFolder(path, kind);
      await expect(restore(backup, path, true)).rejects.toThrow(/is using .*; stop it first/);
      lock.release();
    }
  });

  test.each([
    [
      'a file that has changed',
      (backup: string) => appendFileSync(join(backup, 'petstore.db'), 'x'),
      /damaged: .*petstore\.db has changed since the backup was made/,
    ],
    ['a file that is missing', (backup: string) => rmSync(join(backup, 'sites/prj_1/dpl_1/index.html')), /incomplete: .*index\.html is missing/],
    ['a manifest that is cut off', (backup: string) => writeFileSync(join(backup, 'backup.json'), '{"format":1'), /backup\.json is damaged/],
    [
      'a manifest that is no file',
      (backup: string) => {
        rmSync(join(backup, 'backup.json'));
        mkdirSync(join(backup, 'backup.json'));
      },
      /backup\.json can't be read: EISDIR/,
    ],
    ['no manifest', (backup: string) => rmSync(join(backup, 'backup.json')), /is not a backup; allowed: a folder that petstore backup made/],
    ['a newer schema', (backup: string) => edit(backup, (manifest) => ({ ...manifest, schema: NEWEST_VERSION + 1 })), /made by a newer version/],
    [
      'an older schema',
      (backup: string) => edit(backup, (manifest) => ({ ...manifest, schema: 13 })),
      /written by a release before 0\.2\.0 \(schema 13/,
    ],
    [
      'a path that leads outside',
      (backup: string) => edit(backup, (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], name: 'a/../../b' }] })),
      /damaged/,
    ],
  ])('of a backup with %s changes nothing', async (_, damage, message) => {
    const { path, backup } = await backedUp();
    const before = contentOf(path);
    damage(backup);
    await expect(restore(backup, path, true)).rejects.toThrow(message);
    expect(contentOf(path)).toEqual(before);
    expect(existsSync(join(path, 'restoring'))).toBe(false);
  });

  test.each([
    ['backup', (backup: string) => backup],
    ['folder of backups', (backup: string) => dirname(backup)],
    ['database', (backup: string) => join(backup, 'petstore.db')],
  ])('of a %s that this user can not read says who owns it', async (_, given) => {
    const { path, backup, target } = await backedUp();
    chmodSync(dirname(target), 0o755);
    const own = process.getuid?.();
    await expect(asStranger(target, () => restore(given(backup), path))).rejects.toThrow(
      new RegExp(` can't be read \\(EACCES\\): ${target} belongs to user ${own}, and this command runs as user ${own === 0 ? STRANGER : own}$`),
    );
  });

  test('without enough space changes nothing', async () => {
    const { path, backup } = await backedUp();
    patch({ statfsSync: (() => ({ bavail: 1, bsize: 4096 })) as unknown as typeof original.statfsSync });
    await expect(restore(backup, path, true)).rejects.toThrow(/has 4096 bytes of free space, and the backup has \d+; free up space there/);
  });

  test('that fails at any step leaves the old state, the new one, or one that does not start; the next restore completes it', async () => {
    for (let step = 1, isDone = false; !isDone; step++) {
      const { path, backup } = await backedUp();
      const [before, after] = [contentOf(path), contentOf(backup)];
      let calls = 0;
      patch({
        renameSync: (from, to) => {
          if (++calls === step) throw new Error('crash');
          original.renameSync(from, to);
        },
      });
      isDone = await restore(backup, path, true).then(
        () => true,
        () => false,
      );
      patch(original);
      const opened = attempt(() => openDatabase(path, 'crash').close());
      if (opened === undefined) expect([before, after]).toContainEqual(contentOf(path));
      else expect(opened).toMatch(/its database petstore\.db is missing, but it has .*; restore a backup/);
      if (!isDone) await restore(backup, path, true);
      expect(contentOf(path)).toEqual(after);
    }
  });

  test('names the keys that it moves away, and the backup lacks', async () => {
    const { path, target, folder } = await installation();
    await folder.close();
    renameSync(join(path, 'identity-keys.json'), join(path, 'kept'));
    const backup = await back(path, target);
    renameSync(join(path, 'kept'), join(path, 'identity-keys.json'));
    const { replacedTo = '', replacedKeys } = await restore(backup.folder, path, true);
    expect([replacedKeys, existsSync(join(replacedTo, 'identity-keys.json'))]).toEqual([['identity-keys.json'], true]);
  });

  test('of a folder with backups names the newest', async () => {
    const { path, backup, target } = await backedUp();
    await expect(restore(target, path, true)).rejects.toThrow(`${target} is not a backup; it contains backups, of which the newest is ${backup}`);
  });

  test('of a single database leaves files and keys as they are', async () => {
    const { path, backup } = await backedUp();
    const { replacedTo = '' } = await restore(join(backup, 'petstore.db'), path, true);
    expect(contentOf(path)['table pets']).toBe(contentOf(backup)['table pets']);
    expect(readdirSync(replacedTo)).toEqual(['petstore.db']);
    expect(existsSync(join(path, 'sites/prj_1/dpl_1/index.html'))).toBe(true);
  });

  test.each([
    ['something else', (file: string) => writeFileSync(file, 'text'), /is not a database/],
    ['a damaged database', (file: string) => damagePage(file), /is damaged|can't restore/],
    ['a database with a log', (file: string) => writeFileSync(`${file}-wal`, 'log'), /petstore\.db-wal next to .* has changes/],
  ])('of %s changes nothing', async (_, damage, message) => {
    const { path, backup } = await backedUp();
    const before = contentOf(path);
    damage(join(backup, 'petstore.db'));
    await expect(restore(join(backup, 'petstore.db'), path, true)).rejects.toThrow(message);
    expect(contentOf(path)).toEqual(before);
  });
});

function edit(backup: string, change: (manifest: { files: object[] }) => object): void {
  const file = join(backup, 'backup.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
}

function damagePage(file: string): void {
  const content = readFileSync(file);
  content.fill(0xff, 4096, 3 * 4096);
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

function attempt(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return String(error);
  }
}
