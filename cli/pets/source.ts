// An import's source: a file, or standard input. Strict imports read it twice, so standard input is spooled to a temporary file until the import
// ends.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError } from '../context.ts';
import type { Format } from './records.ts';

export interface ImportSource {
  /** The name under which lines are remembered. */
  readonly name: string;
  readonly format: Format;
  readonly sizeBytes: number;
  /** Opens a new stream from the beginning. */
  open(): Readable;
  close(): Promise<void>;
}

/** Opens a file, or standard input for `-`. @throws CliError if the file can't be read */
export async function openSource(file: string, options: { readonly format?: Format; readonly source?: string }): Promise<ImportSource> {
  if (file === '-') return spoolInput(options);
  const found = await stat(file).catch((error: Error) => {
    throw new CliError(`file ${JSON.stringify(file)}: can't be read: ${error.message}`);
  });
  if (!found.isFile()) throw new CliError(`file ${JSON.stringify(file)}: not a file`);
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
