// Renewable idempotency records in SQLite, which imports use: by far the most numerous, so a row has only the key and the animal's id. Animals never
// change, so the id is enough to repeat the answer. The end is the owner's, so that repeating an import of a million lines writes one row.

import type { DatabaseSync } from 'node:sqlite';
import type { Idempotency } from '../../../core/pets/ports.ts';
import { prepareSelect } from './database.ts';

/** To be called within a transaction. */
export interface ImportedLines {
  /** Returns the id of the animal that was created with the record, and moves the end of the owner's records; undefined if there is none. */
  repeat(record: Idempotency, now: number): number | undefined;
  /** Adds a record that does not exist. */
  add(record: Idempotency, petId: number, now: number): void;
}

/** Creates the storage. */
export function createSqliteImportedLines(database: DatabaseSync): ImportedLines {
  // Of a source that has ended, rows may be left, which the sweep deletes: the source then starts again, with another id.
  const selectSource = prepareSelect<{ id: number; expires_at: number }>(
    database,
    'SELECT id, expires_at FROM import_sources WHERE name = ? AND expires_at > ?',
  );
  const insertSource = database.prepare('INSERT INTO import_sources (name, expires_at) VALUES (?, ?) RETURNING id');
  const renewSource = database.prepare('UPDATE import_sources SET expires_at = ? WHERE id = ?');
  const select = prepareSelect<{ pet_id: number }>(database, 'SELECT pet_id FROM imported_lines WHERE source_id = ? AND line = ?');
  const insert = database.prepare('INSERT INTO imported_lines (source_id, line, pet_id) VALUES (?, ?, ?)');
  return {
    repeat: ({ owner, key, expiresAt }, now) => {
      const source = selectSource.one(owner, now);
      const line = source && select.one(source.id, key);
      if (source !== undefined && line !== undefined && source.expires_at !== expiresAt) renewSource.run(expiresAt, source.id);
      return line?.pet_id;
    },
    add: ({ owner, key, expiresAt }, petId, now) => {
      const source = selectSource.one(owner, now) ?? (insertSource.get(owner, expiresAt) as { id: number });
      insert.run(source.id, key, petId);
    },
  };
}
