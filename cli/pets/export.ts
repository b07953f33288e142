// Writes all animals page by page, no faster than the reader consumes them.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CSV_HEADER, csvLine } from '../../core/pets/csv.ts';
import type { PetStatus } from '../../core/pets/fields.ts';
import { petJson } from '../../core/pets/pet.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import type { Format } from './records.ts';

const PAGE = 1_000;

export interface ExportOptions {
  readonly format: Format;
  readonly status: PetStatus | undefined;
}

/** Exports animals. Ends early without an error if the reader closes the pipe. */
export async function exportPets(pets: PetStore, output: Writable, options: ExportOptions): Promise<void> {
  try {
    await pipeline(Readable.from(pagesOf(pets, options)), output, { end: false });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* pagesOf(pets: PetStore, { format, status }: ExportOptions): AsyncIterable<string> {
  if (format === 'csv') yield `${CSV_HEADER}\n`;
  let after = 0;
  while (true) {
    const page = await pets.list({ after, status, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map((pet) => `${format === 'csv' ? csvLine(pet) : petJson(pet)}\n`).join('');
    after = last.id;
  }
}
