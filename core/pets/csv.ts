// Animals as CSV lines (RFC 4180), with a header.

import { type FieldKind, PET_FIELD_LIST } from './fields.ts';
import type { Pet } from './pet.ts';

export const CSV_HEADER = ['id', ...PET_FIELD_LIST.map(({ name }) => name)].join(',');

/** Columns with integer cells. */
const INTEGERS: ReadonlySet<string> = new Set(['id', ...PET_FIELD_LIST.filter(({ kind }) => isInteger(kind)).map(({ name }) => name)]);

/** An animal as a CSV line, without a line break. */
export function csvLine(pet: Pet): string {
  return [String(pet.id), ...PET_FIELD_LIST.map(({ name }) => csvCell(String(pet[name])))].join(',');
}

/** Returns a cell's value as in JSON. In an integer column, text that is not an integer stays text. */
export function csvValue(column: string, cell: string): unknown {
  return INTEGERS.has(column) && /^-?\d+$/.test(cell.trim()) ? BigInt(cell.trim()) : cell;
}

function csvCell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function isInteger(kind: FieldKind): boolean {
  switch (kind) {
    case 'int64':
      return true;
    case 'text':
    case 'choice':
      return false;
  }
}
