// The schemas that validate requests; the OpenAPI document is generated from them.

import * as z from 'zod';
import type { NewPet, PetStatus } from '../../core/pets/fields.ts';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import { quoted } from '../../core/validate.ts';
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts';
import { PATTERNS } from '../openapi/patterns.ts';
import { ANSWER_FIELDS, BODY_FIELDS, BODY_FIELDS_TEXT } from './field-schemas.ts';

export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const;

const LIMIT_ALLOWED = `an integer from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`;
const CURSOR_ALLOWED = 'the cursor of a next link of this list, with the same status filter';

const petStatusSchema = ANSWER_FIELDS.status as z.ZodType<PetStatus>;

/** The body of a creation request. */
export const newPetSchema = z
  .strictObject(BODY_FIELDS, `a JSON object with ${BODY_FIELDS_TEXT}`)
  .meta({ id: 'NewPet', description: 'An animal to add.' }) as z.ZodType<NewPet>;

/** An animal in a response. Responses are not validated; this schema only describes them. */
export const petSchema = z
  .object({
    id: z
      .int()
      .min(1)
      .max(MAX_PET_ID)
      .meta({ format: 'int64', description: 'Unique identifier, assigned by the service. Below 2^53, ascending in time.' }),
    ...ANSWER_FIELDS,
  })
  .meta({ id: 'Pet', description: 'An animal in the catalogue.' });

export const petsSchema = z.array(petSchema).meta({ id: 'Pets', description: 'A page of animals, in ascending order of id.' });

export const errorSchema = z
  .strictObject({
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]).meta({ description: 'Machine-readable error code.' }),
    message: z.string().meta({ description: 'What was given, what is allowed, what to do.' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status code.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error.' });

/** The list's query parameters, after integer text has been converted to numbers. */
export const listQuerySchema = z.strictObject({
  limit: z
    .int(LIMIT_ALLOWED)
    .min(PAGE_SIZE.min, LIMIT_ALLOWED)
    .max(PAGE_SIZE.max, LIMIT_ALLOWED)
    .default(PAGE_SIZE.default)
    .meta({ description: 'Animals per page.' }),
  status: petStatusSchema.optional().meta({ description: 'Only animals with this status.' }),
  cursor: z.string(CURSOR_ALLOWED).optional().meta({
    description: 'Where the page starts: taken from the `Link` header of the previous page, with the same `status`.',
    pattern: PATTERNS.cursor,
  }),
});

export type ListQuery = z.infer<typeof listQuerySchema>;

/** The message about a cursor that is invalid or was issued for another filter. */
export function cursorMessage(given: string): string {
  return `query parameter cursor: got ${quoted(given)}; allowed: ${CURSOR_ALLOWED}`;
}
