// The fields of an animal: the single description from which types, schemas, JSON, CSV, fingerprints, examples and samples are derived, both here and
// in the stores. A new field needs a row in ADDED and a migration for its column (adapters/store/sqlite/migrations.ts).

import { StoreFault } from '../refusal.ts';

interface Common<T> {
  /** For the API reference. */
  readonly description: string;
  /** Column name in SQL databases. */
  readonly column: string;
  /** Used if the client leaves the field out. @default the field is required */
  readonly fallback?: T;
  /** The value for animals that were stored before the field existed. */
  readonly absent?: T;
  /** Two example animals, for the API reference. */
  readonly examples: readonly [T, T];
}

/** Display text in Unicode NFC: not blank, no control characters. */
export interface TextField extends Common<string> {
  readonly kind: 'text';
  /** Maximum length in code points, after normalization. */
  readonly maxLength: number;
}

/** A 64-bit integer: a bigint, because a JavaScript number loses digits above 2^53. */
export interface Int64Field extends Common<bigint> {
  readonly kind: 'int64';
}

/** One of a few values, made of letters and underscores. */
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
  name: { kind: 'text', maxLength: 255, column: 'name', description: "The animal's name, stored in Unicode NFC.", examples: ['Bella', 'Rex'] },
  categoryId: {
    kind: 'int64',
    column: 'category_id',
    description: 'Id of the category that the animal belongs to. An exact 64-bit integer.',
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

type AddedField = PetField & { readonly fallback: FieldValue; readonly absent: FieldValue };

/** Each of these fields has a value for animals stored before it existed, because its column is nullable and has no default. */
const ADDED = {} as const satisfies Readonly<Record<string, AddedField>>;

/** All fields but the id, which the service assigns, in the order of responses and columns. */
export const PET_FIELDS = { ...FROM_THE_BEGINNING, ...ADDED };

export type PetFieldName = keyof typeof PET_FIELDS;

type ValueOf<Field extends PetField> = Field extends ChoiceField<infer Choice> ? Choice : Field extends Int64Field ? bigint : string;

/** An animal as a client describes it, after validation. */
export type NewPet = { readonly [Name in PetFieldName]: ValueOf<(typeof PET_FIELDS)[Name]> };

/** PET_FIELDS as a list, in the same order. */
export const PET_FIELD_LIST: readonly (PetField & { readonly name: PetFieldName })[] = Object.entries<PetField>(PET_FIELDS).map(([name, field]) => ({
  ...field,
  name: name as PetFieldName,
}));

/**
 * Reads a stored animal's field.
 *
 * @param stored null or undefined if the animal was stored before the field existed
 * @throws StoreFault if the field has existed from the start but is missing
 */
export function storedValue(
  { name, absent }: { readonly name: string } & Pick<PetField, 'absent'>,
  stored: FieldValue | null | undefined,
): FieldValue {
  const value = stored ?? absent;
  if (value === undefined) throw new StoreFault('corrupt', `a stored animal has no ${name}`);
  return value;
}
