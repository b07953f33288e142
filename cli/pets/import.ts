// Imports animals. Each line is remembered under its source's name, by its content and the number of earlier occurrences of the content, so an
// interrupted or corrected import can be repeated; existing animals stay unchanged. Lines are forgotten 30 days after their source was last imported.

import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewPet } from '../../core/pets/fields.ts';
import { MAX_PET_ID, nextPetId } from '../../core/pets/id.ts';
import { isSamePet, type Pet, petFingerprint } from '../../core/pets/pet.ts';
import { type Creation, IMPORT_KEPT_MS, type PetStore } from '../../core/pets/ports.ts';
import { validate } from '../../core/validate.ts';
import { newPetSchema } from '../../service/catalogue/schemas.ts';
import type { CommandContext } from '../context.ts';
import { createProgress } from '../progress.ts';
import { type FileRecord, type ImportSource, readRecords } from './records.ts';

export interface ImportReport {
  read: number;
  imported: number;
  alreadyThere: number;
  rejected: number;
  problems: { line: number; message: string }[];
}

/** Number of animals written together. */
const BATCH = 500;
/** Pause after a batch, in milliseconds, so that a server on the same database can write. */
const REST_MS = 4;
/** Maximum attempts for an animal whose generated id is taken. */
const TRIES = 5;

/** A valid line. */
interface Line {
  readonly line: number;
  readonly pet: NewPet;
  /** The id from the file, as written by `petstore pets export`. */
  readonly id: number | undefined;
  /** How many earlier lines have the same content. */
  readonly occurrence: number;
}

/** Imports a source in batches of 500 and reports the outcome of each line. With `strict`, nothing is written unless all lines are valid. */
export async function importPets(
  pets: PetStore,
  source: ImportSource,
  options: { readonly strict: boolean; readonly context: CommandContext },
): Promise<ImportReport> {
  const { strict, context } = options;
  if (strict) {
    const checked = await pass(source, context, async () => {});
    if (checked.rejected > 0) return checked;
  }
  let lastId = 0;

  const creationOf = ({ pet, id, occurrence }: Line, now: number): Creation => {
    if (id !== undefined) return { pet: { id, ...pet } };
    lastId = nextPetId(lastId, now, randomInt(2 ** 32));
    const fingerprint = fingerprintOf(pet);
    return {
      pet: { id: lastId, ...pet },
      idempotency: {
        owner: `import#${source.name}`,
        key: `${fingerprint}#${occurrence}`,
        fingerprint,
        expiresAt: now + IMPORT_KEPT_MS,
        renewable: true,
      },
    };
  };

  return pass(source, context, async (lines, report) => {
    let open = lines;
    for (let attempt = 1; open.length > 0; attempt += 1) {
      const now = context.clock();
      const creations = open.map((line) => creationOf(line, now));
      const results = await pets.createAll(creations, now);
      const again: Line[] = [];
      for (const [index, line] of open.entries()) {
        const result = results[index];
        const pet = creations[index]?.pet as Pet;
        if (result?.kind === 'created') report.imported += 1;
        else if (result?.kind === 'replayed') report.alreadyThere += 1;
        else if (result?.kind === 'id_taken' && line.id !== undefined) {
          if (isSamePet(result.holder, pet)) report.alreadyThere += 1;
          else reject(report, context, line.line, `id ${line.id}: taken by another animal; allowed: a free id, or none`);
        } else if (attempt < TRIES) again.push(line);
        else reject(report, context, line.line, 'could not be written; run the import again');
      }
      open = again;
    }
    await sleep(REST_MS);
  });
}

/** Reads the whole source once and passes valid lines on in batches. */
async function pass(
  source: ImportSource,
  context: CommandContext,
  write: (lines: Line[], report: ImportReport) => Promise<void>,
): Promise<ImportReport> {
  const report: ImportReport = { read: 0, imported: 0, alreadyThere: 0, rejected: 0, problems: [] };
  const seen = new Map<string, number>();
  const progress = await createProgress(source.sizeBytes, 'animals');
  const stream = source.open();
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
  });
  stream.pause();
  try {
    let batch: Line[] = [];
    for await (const record of readRecords(stream, source.format)) {
      report.read += 1;
      const checked = check(record);
      if ('problem' in checked) {
        reject(report, context, record.line, checked.problem);
        continue;
      }
      const fingerprint = fingerprintOf(checked.pet);
      const occurrence = seen.get(fingerprint) ?? 0;
      if (checked.id === undefined) seen.set(fingerprint, occurrence + 1);
      batch.push({ line: record.line, ...checked, occurrence });
      if (batch.length < BATCH) continue;
      await write(batch, report);
      batch = [];
      progress.update(bytes, report.read);
    }
    await write(batch, report);
    progress.update(source.sizeBytes, report.read);
    return report;
  } finally {
    progress.stop();
    stream.destroy();
  }
}

function check(record: FileRecord): { pet: NewPet; id: number | undefined } | { problem: string } {
  if ('problem' in record) return record;
  const { id, ...fields } = record.fields;
  if (id !== undefined && !(typeof id === 'bigint' && id >= 1n && id <= BigInt(MAX_PET_ID))) {
    return { problem: `field id: got ${String(id).slice(0, 60)}; allowed: an integer from 1 to ${MAX_PET_ID}, or none` };
  }
  const pet = validate(newPetSchema, 'field', fields);
  return pet.ok ? { pet: pet.value, id: id === undefined ? undefined : Number(id) } : { problem: pet.message };
}

function reject(report: ImportReport, context: CommandContext, line: number, message: string): void {
  report.rejected += 1;
  report.problems.push({ line, message });
  context.err(`line ${line}: ${message}`);
}

function fingerprintOf(pet: NewPet): string {
  return petFingerprint(pet).slice(0, 27);
}
