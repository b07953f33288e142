// The schemas that validate requests; the OpenAPI document is made from the same ones.

import * as z from 'zod';
import { DecimalLiteral } from '../../core/json.ts';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import { type NewPet, PET_STATUSES } from '../../core/pets/pet.ts';
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts';

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;

export const NAME_MAX_CODE_POINTS = 255;
export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const;

const NAME_ALLOWED = `a text of 1 to ${NAME_MAX_CODE_POINTS} characters, not blank, without control characters`;
const INT64_ALLOWED = `an integer from ${MIN_INT64} to ${MAX_INT64}, without fraction or exponent`;
const STATUS_ALLOWED = `one of ${PET_STATUSES.join(', ')}`;
const LIMIT_ALLOWED = `an integer from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`;
const CURSOR_ALLOWED = 'the cursor of a next link of this list, with the same status filter';

export const petStatusSchema = z.enum(PET_STATUSES, STATUS_ALLOWED).meta({ id: 'PetStatus', description: 'Availability of an animal.' });

const name = z
  .string(NAME_ALLOWED)
  .transform((text) => text.normalize('NFC'))
  .refine(isPetName, NAME_ALLOWED);

const int64 = z.bigint(INT64_ALLOWED).min(MIN_INT64, INT64_ALLOWED).max(MAX_INT64, INT64_ALLOWED);

const NAME_META = { description: "The animal's name, kept in Unicode NFC.", minLength: 1, maxLength: NAME_MAX_CODE_POINTS };
const CATEGORY_META = { description: 'Id of the category that the animal belongs to. Keeps every digit of an int64.' };

/** The body of a creation. */
export const newPetSchema: z.ZodType<NewPet> = z
  .strictObject(
    {
      name: name.meta(NAME_META),
      categoryId: int64.meta(CATEGORY_META),
      status: petStatusSchema.default('available'),
    },
    'a JSON object with name, categoryId and, if wanted, status',
  )
  .meta({ id: 'NewPet', description: 'An animal to add.' });

/** An animal in an answer. Answers are not validated: this is their description. */
export const petSchema = z
  .object({
    id: z
      .int()
      .min(1)
      .max(MAX_PET_ID)
      .meta({ format: 'int64', description: 'Unique identifier, given out by the service. Below 2^53, ascending in time.' }),
    name: z.string().meta(NAME_META),
    categoryId: int64.meta(CATEGORY_META),
    status: petStatusSchema,
  })
  .meta({ id: 'Pet', description: 'An animal of the catalogue.' });

export const petsSchema = z.array(petSchema).meta({ id: 'Pets', description: 'A page of animals, id ascending.' });

export const errorSchema = z
  .strictObject({
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]).meta({ description: 'Machine-readable error code.' }),
    message: z.string().meta({ description: 'What was given, what is allowed, what to do.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status code.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error.' });

/** The query of the list, after integer text has become a number. */
export const listQuerySchema = z.strictObject({
  limit: z
    .int(LIMIT_ALLOWED)
    .min(PAGE_SIZE.min, LIMIT_ALLOWED)
    .max(PAGE_SIZE.max, LIMIT_ALLOWED)
    .default(PAGE_SIZE.default)
    .meta({ description: 'Animals on a page.' }),
  status: petStatusSchema.optional().meta({ description: 'Only animals with this status.' }),
  cursor: z
    .string(CURSOR_ALLOWED)
    .optional()
    .meta({ description: 'Where the page begins: taken from the `Link` header of the page before, with the same `status`.' }),
});

export type ListQuery = z.infer<typeof listQuerySchema>;

export type Validated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Validates; a failure names the first field that is wrong, what was given and what is allowed. */
export function validate<T>(schema: z.ZodType<T>, what: string, input: unknown): Validated<T> {
  const result = schema.safeParse(input);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, message: describeIssue(result.error.issues[0], schema, what, input) };
}

/** A message about a cursor that is none, or one of another filter. */
export function cursorMessage(given: string): string {
  return `query parameter cursor: got ${shown(given)}; allowed: ${CURSOR_ALLOWED}`;
}

function describeIssue(issue: z.core.$ZodIssue | undefined, schema: z.ZodType, what: string, input: unknown): string {
  if (issue?.code === 'unrecognized_keys') {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : 'none';
    return `${what} ${issue.keys.map((key) => shown(key)).join(', ')}: not known; allowed: ${known}`;
  }
  const field = issue?.path[0];
  if (field === undefined) return `${what}: got ${shown(input)}; allowed: ${issue?.message}`;
  const given: unknown = Object.getOwnPropertyDescriptor(input, field)?.value;
  return `${what} ${String(field)}: ${given === undefined ? 'missing' : `got ${shown(given)}`}; allowed: ${issue?.message}`;
}

/** What was given, short enough for a message. */
function shown(value: unknown): string {
  if (value instanceof DecimalLiteral) return shorten(value.source);
  if (typeof value === 'bigint') return shorten(String(value));
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return shorten(JSON.stringify(value) ?? 'nothing');
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57).toWellFormed()}...`;
}

function isPetName(text: string): boolean {
  const codePoints = text.length <= NAME_MAX_CODE_POINTS ? text.length : [...text].length;
  return text.trim() !== '' && codePoints <= NAME_MAX_CODE_POINTS && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
