// Parses the lines of an import file: JSON lines, or CSV with a header.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { parseJson } from '../../core/json.ts';
import { csvValue } from '../../core/pets/pet.ts';
import { CliError } from '../context.ts';

export const FORMATS = ['jsonl', 'csv'] as const;

export type Format = (typeof FORMATS)[number];

/** One record from the file: its fields, not yet validated, or the reason why it could not be parsed. */
export type FileRecord =
  | { readonly line: number; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string };

/** Parses a stream record by record; invalid records are yielded as problems. */
export function readRecords(stream: Readable, format: Format): AsyncIterable<FileRecord> {
  return format === 'csv' ? readCsv(stream) : readJsonLines(stream);
}

async function* readJsonLines(stream: Readable): AsyncIterable<FileRecord> {
  let line = 0;
  for await (const raw of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    if (text.trim() === '') continue;
    const parsed = parseJson(text);
    if (!parsed.ok) yield { line, problem: `not JSON: ${parsed.problem}` };
    else if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)) yield { line, problem: 'not a JSON object' };
    else yield { line, fields: parsed.value as Record<string, unknown> };
  }
}

/** Parses CSV. The header names the columns; an empty cell means a missing field. Integers become bigints, as in JSON. */
async function* readCsv(stream: Readable): AsyncIterable<FileRecord> {
  const problems: FileRecord[] = [];
  const reject = (error: CsvError | undefined): undefined => {
    const line = Number(error?.lines ?? 0);
    // An unclosed quote makes the rest of the file unreadable.
    const from = String(error?.code).includes('QUOTE_NOT_CLOSED') ? ' from here on' : '';
    // Only the first fault in a record is reported.
    if (problems.at(-1)?.line !== line) problems.push({ line, problem: `invalid CSV${from}: ${error?.message}` });
  };
  const parser = stream.pipe(
    parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true, skip_records_with_error: true, on_skip: reject }),
  );
  stream.on('error', (error) => parser.destroy(error));
  let head: readonly string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield* problems.splice(0);
      const line = info.lines;
      if (head === undefined) {
        head = record.map((name) => name.trim());
        continue;
      }
      if (record.length !== head.length) {
        yield { line, problem: `has ${record.length} columns; the header has ${head.length}` };
        continue;
      }
      const cells = head.map((name, column) => [name, record[column] ?? ''] as const).filter(([, cell]) => cell !== '');
      yield { line, fields: Object.fromEntries(cells.map(([name, cell]) => [name, csvValue(name, cell)])) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    reject(error);
  }
  yield* problems;
}

// An import's source: a file, or standard input, which is spooled to a temporary file because strict imports read their source twice.

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
