// Where an import reads from: a file, or standard input. Strict imports read twice, so standard input is kept in a
// temporary file for as long as the import runs.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError } from '../context.ts';
import type { Format } from './records.ts';

export interface ImportSource {
  /** Under which lines are remembered. */
  readonly name: string;
  readonly format: Format;
  readonly sizeBytes: number;
  /** A new stream from the beginning. */
  open(): Readable;
  close(): Promise<void>;
}

export async function openSource(file: string, options: { readonly format?: Format; readonly source?: string }): Promise<ImportSource> {
  if (file === '-') return spoolInput(options);
  const found = await stat(file).catch((error: Error) => {
    throw new CliError(`file ${JSON.stringify(file)}: can't be read: ${error.message}`);
  });
  if (!found.isFile()) throw new CliError(`file ${JSON.stringify(file)}: is not a file`);
  return {
    name: options.source ?? basename(file),
    format: options.format ?? (file.toLowerCase().endsWith('.csv') ? 'csv' : 'jsonl'),
    sizeBytes: found.size,
    open: () => createReadStream(file),
    close: async () => {},
  };
}

async function spoolInput({
  format = 'jsonl',
  source = 'standard input',
}: {
  readonly format?: Format;
  readonly source?: string;
}): Promise<ImportSource> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-import-'));
  const file = join(folder, 'input');
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    await pipeline(process.stdin, createWriteStream(file));
    return { name: source, format, sizeBytes: (await stat(file)).size, open: () => createReadStream(file), close };
  } catch (error) {
    await close();
    throw error;
  }
}
