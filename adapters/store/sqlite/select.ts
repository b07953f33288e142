// Typed selects. SQLite's statements do not say what they select, so a row's type is a claim: it is made here, beside the SQL, and nowhere else.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

export interface Select<Row> {
  one(...parameters: SQLInputValue[]): Row | undefined;
  all(...parameters: SQLInputValue[]): Row[];
}

/**
 * Prepares a select.
 *
 * @param form `objects` by column name, or `arrays` in the order of the columns with integers as bigints, at half the price. @default objects
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
