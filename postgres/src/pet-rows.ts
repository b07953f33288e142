// How an animal is stored as a row.

import { type FieldValue, PET_FIELD_LIST, type Pet, type PetField, petFromStored } from 'petstore-platform';

export type PetRow = Readonly<Record<string, FieldValue | null>> & { readonly id: bigint };

/** What each kind of field is stored as: text keeps all of Unicode, bigint all digits of an int64. */
export const COLUMN_TYPES: Readonly<Record<PetField['kind'], string>> = { text: 'text', choice: 'text COLLATE "C"', int64: 'bigint' };

export const COLUMNS = ['id', ...PET_FIELD_LIST.map(({ column }) => column)].join(', ');
export const SELECT = `SELECT ${COLUMNS} FROM pets`;

/** Returns the animal. @throws StoreFault if the row lacks a field */
export function toPet(row: PetRow): Pet {
  return petFromStored(Number(row.id), ({ column }) => row[column]);
}
