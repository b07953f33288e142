// The fields of an animal: the one description that types, schemas, JSON, CSV, fingerprints, examples and samples are made from, here and in the
// stores. A new field is a row of ADDED and, for its column, a migration (adapters/store/sqlite/migrations.ts).

import { StoreFault } from '../store-fault.ts';

/** What every field says of itself. */
interface Common<T> {
  /** For the API's reference. */
  readonly description: string;
  /** In a database that speaks SQL. */
  readonly column: string;
  /** For the caller who leaves it out. @default it has to be given */
  readonly fallback?: T;
  /** What animals have that were stored before there was the field. */
  readonly absent?: T;
  /** Of two animals, for the API's reference. */
  readonly examples: readonly [T, T];
}

/** Text for people, in Unicode NFC: not blank, without control characters. */
export interface TextField extends Common<string> {
  readonly kind: 'text';
  /** Code points, after normalisation. */
  readonly maxLength: number;
}

/** An integer of 64 bits: a bigint, because a JavaScript number loses digits above 2^53. */
export interface Int64Field extends Common<bigint> {
  readonly kind: 'int64';
}

/** One of a few words, of letters and underscores. */
export interface ChoiceField<Choice extends string = string> extends Common<NoInfer<Choice>> {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
  /** The name of the schema in the OpenAPI document. */
  readonly schemaId: string;
}

export type PetField = TextField | Int64Field | ChoiceField;

export type FieldKind = PetField['kind'];

export type FieldValue = string | bigint;

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

const FROM_THE_BEGINNING = {
  name: {
    kind: 'text',
    maxLength: 255,
    column: 'name',
    description: "The animal's name, kept in Unicode NFC.",
    examples: ['Bella', 'Rex'],
  },
  categoryId: {
    kind: 'int64',
    column: 'category_id',
    description: 'Id of the category that the animal belongs to. Keeps every digit of an int64.',
    examples: [7n, 7n],
  },
  status: {
    kind: 'choice',
    choices: PET_STATUSES,
    schemaId: 'PetStatus',
    column: 'status',
    description: 'Availability of an animal.',
    fallback: 'available',
    examples: ['available', 'pending'],
  },
} as const satisfies Readonly<Record<string, PetField>>;

type AddedField = PetField & { readonly absent: FieldValue };

/** Each says what animals have that were stored before it: their column is nullable, without a default. */
const ADDED = {} as const satisfies Readonly<Record<string, AddedField>>;

/** Without the id, which is given out. Their order is that of answers and of columns. */
export const PET_FIELDS = { ...FROM_THE_BEGINNING, ...ADDED };

export type PetFieldName = keyof typeof PET_FIELDS;

type ValueOf<Field extends PetField> = Field extends ChoiceField<infer Choice> ? Choice : Field extends Int64Field ? bigint : string;

/** An animal as a caller describes it, after validation. */
export type NewPet = { readonly [Name in PetFieldName]: ValueOf<(typeof PET_FIELDS)[Name]> };

/** In their order. */
export const PET_FIELD_LIST: readonly (PetField & { readonly name: PetFieldName })[] = Object.entries<PetField>(PET_FIELDS).map(([name, field]) => ({
  ...field,
  name: name as PetFieldName,
}));

/**
 * A field of an animal that was stored.
 *
 * @param stored null or undefined: the animal was stored before there was the field
 * @throws StoreFault if the field was there from the beginning, and yet is missing
 */
export function storedValue(
  { name, absent }: { readonly name: string } & Pick<PetField, 'absent'>,
  stored: FieldValue | null | undefined,
): FieldValue {
  const value = stored ?? absent;
  if (value === undefined) throw new StoreFault('corrupt', `an animal that is stored has no ${name}`);
  return value;
}
