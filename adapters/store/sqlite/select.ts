// Typed selects. SQLite's statements don't know the types of their rows, so a row's type is an assertion: it is made here, next to the SQL, and
// nowhere else.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

export interface Select<Row> {
  one(...parameters: SQLInputValue[]): Row | undefined;
  all(...parameters: SQLInputValue[]): Row[];
}

/**
 * Prepares a select.
 *
 * @param form `objects` by column name, or `arrays` in column order with integers as bigints, at half the cost. @default objects
 */
export function prepareSelect<Row>(database: DatabaseSync, sql: string, form: 'objects' | 'arrays' = 'objects'): Select<Row> {
  const statement = database.prepare(sql);
  statement.setReturnArrays(form === 'arrays');
  statement.setReadBigInts(form === 'arrays');
  return {
    one: (...parameters) => statement.get(...parameters) as Row | undefined,
    all: (...parameters) => statement.all(...parameters) as Row[],
  };
}
