import fs, { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { createSqliteInstallationState } from '../../adapters/store/sqlite/installation.ts';
import { authorityProbe, queueProbe, spaceProbe, storageProbe } from '../../platforms/embedded/probes.ts';
import { testFolder } from '../support/folders.ts';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2026, 10, 23);
const { statfsSync } = fs;

afterEach(() => {
  Object.assign(fs, { statfsSync });
  syncBuiltinESMExports();
});

function open() {
  const folder = testFolder();
  const database = openDatabase(folder, 'power_loss');
  onTestFinished(() => database.close());
  return { folder, file: join(folder, 'petstore.db'), database };
}

test('storage is ok if something can be written, and failed while another process has the lock', async () => {
  const { folder, file, database } = open();
  const probe = storageProbe(database, file);
  expect(await probe()).toEqual({ name: 'storage', state: 'ok' });
  const other = new DatabaseSync(join(folder, 'petstore.db'));
  other.exec('BEGIN IMMEDIATE');
  expect(await probe()).toEqual({ name: 'storage', state: 'failed', reason: 'nothing can be stored: database is locked' });
  other.close();
  expect(await probe()).toEqual({ name: 'storage', state: 'ok' });
});

test('storage is failed if nothing can be written, although everything can be read', async () => {
  const { database, file } = open();
  database.exec('PRAGMA query_only = ON');
  expect(await storageProbe(database, file)()).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^nothing can be stored: attempt to write/),
  });
});

describe('a database that something else changes while the service runs', () => {
  const OVERWRITTEN = { name: 'storage', state: 'failed', reason: 'the database was overwritten or truncated while the service was running' };

  /** A database of some pages, in its file, with a probe that has seen it. */
  async function seen() {
    const { file, database } = open();
    database.exec('CREATE TABLE filler (x)');
    const fill = database.prepare('INSERT INTO filler VALUES (zeroblob(20000))');
    for (let n = 0; n < 50; n += 1) fill.run();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const probe = storageProbe(database, file);
    expect(await probe()).toEqual({ name: 'storage', state: 'ok' });
    return { file, database, probe };
  }

  test('is seen if it is overwritten', async () => {
    const { file, probe } = await seen();
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(8_192), 0, 8_192, 0);
    closeSync(descriptor);
    expect(await probe()).toEqual(OVERWRITTEN);
  });

  test('is seen if it is cut', async () => {
    const { file, probe } = await seen();
    truncateSync(file, 16_384);
    expect(await probe()).toEqual(OVERWRITTEN);
  });

  test('is fine if it grows, or SQLite itself makes it smaller', async () => {
    const { database, probe } = await seen();
    database.exec('DELETE FROM filler; VACUUM');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(await probe()).toEqual({ name: 'storage', state: 'ok' });
    database.exec('INSERT INTO filler VALUES (zeroblob(2000000))');
    expect(await probe()).toEqual({ name: 'storage', state: 'ok' });
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(await probe()).toEqual({ name: 'storage', state: 'ok' });
  });
});

test.each([
  [2_000, 'ok'],
  [1_023, 'warning'],
  [16, 'warning'],
  [15, 'failed'],
])('with %d MiB of free space, space is %s', async (free, state) => {
  Object.assign(fs, { statfsSync: () => ({ bavail: free * 256, bsize: 4_096 }) });
  syncBuiltinESMExports();
  expect(await spaceProbe('/')()).toEqual({ name: 'space', state, ...(state !== 'ok' && { reason: `${free} MiB free` }) });
});

function addMessage(database: DatabaseSync, id: string, dueAt: number | null): void {
  database.prepare("INSERT INTO notifications (id, account_id, at, body, due_at) VALUES (?, 'acc_1', 0, '{}', ?)").run(id, dueAt);
}

test.each([
  [-10, 'ok'],
  [4, 'ok'],
  [5, 'warning'],
  [600, 'warning'],
])('emails that were due %d minutes ago make their queue %s, and no other; requests are answered all the same', async (minutes, state) => {
  const { database } = open();
  const probe = queueProbe(createSqliteInstallationState(database), 'notifications', () => NOW);
  expect(await probe()).toEqual({ name: 'notifications', state: 'ok' });
  for (const n of [1, 2, 3]) addMessage(database, `${n}`, NOW - minutes * MINUTE_MS);
  addMessage(database, 'done', null);
  expect(await probe()).toEqual({ name: 'notifications', state, ...(state !== 'ok' && { reason: `work is ${minutes} minutes late` }) });
  for (const queue of ['domains', 'file_removals'] as const)
    expect(await queueProbe(createSqliteInstallationState(database), queue, () => NOW)()).toEqual({ name: queue, state: 'ok' });
});

test("an account that the authority refuses is a warning, without the authority's words, which anyone could read", async () => {
  const { database } = open();
  const probe = authorityProbe(database, 'https://acme.test/dir');
  expect(await probe()).toEqual({ name: 'authority', state: 'ok' });
  const add = database.prepare('INSERT INTO acme_accounts (directory, private_key, refused) VALUES (?, ?, ?)');
  add.run('https://other.test/dir', 'k', 'deactivated');
  expect(await probe()).toEqual({ name: 'authority', state: 'ok' });
  add.run('https://acme.test/dir', 'k', 'agree to https://acme.test/terms');
  expect(await probe()).toEqual({ name: 'authority', state: 'warning', reason: "the certificate authority refuses this installation's account" });
});
