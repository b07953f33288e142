// petstore pets import | export | remove

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { PET_STATUSES, type PetStatus } from '../../core/pets/fields.ts';
import { parsePetId } from '../../core/pets/id.ts';
import { CSV_HEADER, csvLine, petJson } from '../../core/pets/pet.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import { printable } from '../../core/text.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand } from '../context.ts';
import { confirmLoss, irreversible, type LossOptions } from '../losses.ts';
import { importPets } from '../pets/import.ts';
import { FORMATS, type Format, openSource } from '../pets/records.ts';

interface ImportOptions {
  format?: Format;
  source?: string;
  strict?: boolean;
  json?: boolean;
}

/** Adds `petstore pets`. */
export function addPetCommands(program: Command, context: CommandContext): void {
  const pets = program.command('pets').description('import, export and remove animals');

  subcommand(
    pets,
    'import <file>',
    'import animals from JSON lines or CSV; - reads standard input; safe to repeat for 30 days, after which lines without an id are added again',
  )
    .addOption(new Option('--format <format>', "default: by the file's extension, otherwise jsonl").choices(FORMATS))
    .option('--source <name>', 'name under which imported lines are remembered for 30 days; default: the file name')
    .option('--strict', 'import nothing if any line is invalid')
    .action(async (file: string, { json, strict = false, ...options }: ImportOptions) => {
      const source = await openSource(file, options);
      try {
        const report = await context.withStores(async (stores) => {
          await stores.audit?.record({ action: 'animals.imported', subject: source.name });
          return importPets(stores.pets, source, { strict, context });
        });
        const { read, imported, alreadyThere, rejected } = report;
        if (strict && rejected > 0) throw new CliError(`${rejected} of ${read} lines are invalid; nothing was imported (--strict)`);
        print(context, json, report, () => `${imported} imported, ${alreadyThere} already present, ${rejected} rejected, of ${read} lines`);
        if (rejected > 0) context.endWith('unfinished');
      } finally {
        await source.close();
      }
    });

  irreversible(pets, 'remove <petId>', 'remove an animal that must not be in the catalogue').action(async (petId: string, options: LossOptions) => {
    const id = parsePetId(petId);
    if (id === undefined) throw new CliError(`petId: got ${JSON.stringify(petId)}; allowed: the id of an animal, a positive integer`);
    const pet = await context.withStores(async (stores) => {
      const found = await stores.pets.get(id);
      if (found === undefined) throw new CliError(`no animal ${id}`);
      const deed = `remove animal ${id}, ${printable(JSON.stringify(found.name))}`;
      if (!(await confirmLoss(context, options, () => ({ deed, name: String(id) })))) return undefined;
      // Recorded first, so that no removal lacks an audit log entry.
      await stores.audit?.record({ action: 'animal.removed', subject: String(id), details: { name: found.name } });
      if (!(await stores.pets.remove(id))) throw new CliError(`no animal ${id}: it has just been removed`);
      return found;
    });
    if (pet === undefined) return;
    print(context, options.json, { id, removed: true }, () => `Removed animal ${id}, ${printable(JSON.stringify(pet.name))}`);
  });

  subcommand(pets, 'export', 'write all animals to standard output by ascending id, in a format that import accepts')
    .addOption(new Option('--format <format>', 'JSON lines or CSV').default('jsonl').choices(FORMATS))
    .addOption(new Option('--status <status>', 'only animals with this status').choices(PET_STATUSES))
    .action(async ({ format: chosen, status, json }: JsonOption & { format: Format; status?: PetStatus }) => {
      if (json && chosen === 'csv') throw new CliError("--json and --format csv can't be combined; the default is JSON lines");
      await context.withStores((stores) => exportPets(stores.pets, process.stdout, { format: chosen, status }));
    });
}

const PAGE = 1_000;

export interface ExportOptions {
  readonly format: Format;
  readonly status: PetStatus | undefined;
}

/** Exports animals page by page, no faster than the reader consumes them. Ends early, without an error of its own, once the output has failed. */
export async function exportPets(pets: PetStore, output: Writable, options: ExportOptions): Promise<void> {
  let broken: unknown;
  output.once('error', (error) => {
    broken = error;
  });
  try {
    await pipeline(Readable.from(pagesOf(pets, options)), output, { end: false });
  } catch (error) {
    if (error !== broken && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
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
