// What imports leave behind in SQLite.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { MIGRATIONS, OLDEST_VERSION } from '../../../adapters/store/sqlite/migrations.ts';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { importPets } from '../../../cli/pets/import.ts';
import { NEVER } from '../../../core/access/account.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import type { FieldValue } from '../../../core/pets/fields.ts';
import { petFingerprint, petFromStored, petJson } from '../../../core/pets/pet.ts';
import { IMPORT_KEPT_MS } from '../../../core/pets/ports.ts';
import { NOON, samplePet } from '../../../testing/samples.ts';
import { testFolder } from '../../support/folders.ts';

/** Imports a file with these animals. */
async function importFile({ pets }: Pick<SqliteStores, 'pets'>, names: readonly string[], now: number) {
  const content = Buffer.from(names.map((name) => JSON.stringify({ name, categoryId: 1, status: 'sold' })).join('\n'));
  const source = {
    name: 'animals.jsonl',
    format: 'jsonl',
    sizeBytes: content.length,
    open: () => Readable.from([content]),
    close: async () => {},
  } as const;
  const context = { clock: () => now, err: () => {} } as Partial<CommandContext> as CommandContext;
  const { imported, alreadyThere } = await importPets(pets, source, { strict: false, context });
  return { imported, alreadyThere };
}

test('a line is remembered for 30 days after its source was last imported, and then added again', async () => {
  const stores = openSqliteStores(testFolder());
  expect(await importFile(stores, ['Rex', 'Rex', 'Bo'], NOON)).toEqual({ imported: 3, alreadyThere: 0 });
  expect(await importFile(stores, ['Rex', 'Rex', 'Bo'], NOON + 29 * DAY_MS)).toEqual({ imported: 0, alreadyThere: 3 });
  expect(await importFile(stores, ['Rex', 'New'], NOON + 58 * DAY_MS)).toEqual({ imported: 1, alreadyThere: 1 });
  expect(await importFile(stores, ['Rex', 'Rex', 'Bo', 'New'], NOON + 58 * DAY_MS + IMPORT_KEPT_MS)).toEqual({ imported: 4, alreadyThere: 0 });
  stores.close();
});

test('a line takes at most 60 bytes', async () => {
  const stores = openSqliteStores(testFolder());
  const names = Array.from({ length: 10_000 }, (_, n) => `Animal ${n}`);
  await importFile(stores, names, NOON);
  const bytes = (table: string) => Number(stores.database.prepare('SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = ?').get(table)?.bytes);
  expect(bytes('imported_lines') / names.length).toBeLessThan(60);
  expect(stores.database.prepare('SELECT count(*) AS n FROM idempotency').get()).toEqual({ n: 0 });
  stores.close();
});

test('lines and keys that an earlier version has remembered are still known after an upgrade', async () => {
  const folder = testFolder();
  const version = MIGRATIONS.findIndex((each) => each.includes('CREATE TABLE imported_lines'));
  const earlier = new DatabaseSync(join(folder, DATABASE_FILE));
  for (const migration of MIGRATIONS.slice(0, version)) earlier.exec(migration);
  earlier.exec(`PRAGMA user_version = ${OLDEST_VERSION + version - 1}`);
  const insertPet = earlier.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)');
  const insert = earlier.prepare('INSERT INTO idempotency (owner, key, fingerprint, pet, expires_at) VALUES (?, ?, ?, ?, ?)');
  // Without the fields that were added since.
  const stored: Readonly<Record<string, FieldValue>> = { name: 'Rex', categoryId: 1n, status: 'sold' };
  const pets = [1, 2, 3].map((n) => petFromStored(Number.MAX_SAFE_INTEGER - n, ({ name }) => stored[name]));
  for (const [occurrence, pet] of pets.entries()) {
    insertPet.run(pet.id, pet.name, pet.categoryId, pet.status);
    const fingerprint = petFingerprint(pet).slice(0, 27);
    if (occurrence < 2) insert.run('import#animals.jsonl', `${fingerprint}#${occurrence}`, fingerprint, petJson(pet), NEVER);
    else insert.run('acc_1', 'key', 'body', petJson(pet), NOON + DAY_MS);
  }
  earlier.close();

  const stores = openSqliteStores(folder);
  const key = { owner: 'acc_1', key: 'key', fingerprint: 'body', expiresAt: NOON + DAY_MS };
  expect(await stores.pets.create({ pet: samplePet(9), idempotency: key }, NOON)).toEqual({ kind: 'replayed', pet: pets[2] });
  expect(await importFile(stores, ['Rex', 'Rex', 'Rex'], Date.now())).toEqual({ imported: 1, alreadyThere: 2 });
  expect(await importFile(stores, ['Rex'], Date.now() + IMPORT_KEPT_MS + DAY_MS)).toEqual({ imported: 1, alreadyThere: 0 });
  stores.close();
});
