// The schemas that validate requests; the OpenAPI document is generated from them.

// Zod's smaller form, which has functions instead of methods: this code is loaded at each cold start.
import * as z from 'zod/mini';
import type { NewPet, PetStatus } from '../../core/pets/fields.ts';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import { quoted } from '../../core/validate.ts';
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts';
import { PATTERNS } from '../openapi/patterns.ts';
import { ANSWER_FIELDS, BODY_FIELDS, BODY_FIELDS_TEXT } from './field-schemas.ts';

export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const;

const LIMIT_ALLOWED = `an integer from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`;
const CURSOR_ALLOWED = 'the cursor of a next link of this list, with the same status filter';

const petStatusSchema = ANSWER_FIELDS.status as z.ZodMiniType<PetStatus>;

/** The body of a creation request. */
export const newPetSchema = z
  .strictObject(BODY_FIELDS, `a JSON object with ${BODY_FIELDS_TEXT}`)
  .register(z.globalRegistry, { id: 'NewPet', description: 'An animal to add.' }) as z.ZodMiniType<NewPet>;

/** An animal in a response. Responses are not validated; this schema only describes them. */
export const petSchema = z
  .object({
    id: z
      .int()
      .check(z.minimum(1), z.maximum(MAX_PET_ID))
      .register(z.globalRegistry, { format: 'int64', description: 'Unique identifier, assigned by the service. Below 2^53, ascending in time.' }),
    ...ANSWER_FIELDS,
  })
  .register(z.globalRegistry, { id: 'Pet', description: 'An animal in the catalogue.' });

export const petsSchema = z.array(petSchema).register(z.globalRegistry, { id: 'Pets', description: 'A page of animals, in ascending order of id.' });

export const errorSchema = z
  .strictObject({
    code: z
      .enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]])
      .register(z.globalRegistry, { description: 'Machine-readable error code.' }),
    message: z.string().register(z.globalRegistry, { description: 'What was given, what is allowed, what to do.' }),
    status: z.int().check(z.minimum(400), z.maximum(599)).register(z.globalRegistry, { description: 'The HTTP status code.' }),
  })
  .register(z.globalRegistry, { id: 'Error', description: 'The body of every error.' });

/** The list's query parameters, after integer text has been converted to numbers. */
export const listQuerySchema = z.strictObject({
  limit: z
    ._default(z.int(LIMIT_ALLOWED).check(z.minimum(PAGE_SIZE.min, LIMIT_ALLOWED), z.maximum(PAGE_SIZE.max, LIMIT_ALLOWED)), PAGE_SIZE.default)
    .register(z.globalRegistry, { description: 'Animals per page.' }),
  status: z.optional(petStatusSchema).register(z.globalRegistry, { description: 'Only animals with this status.' }),
  cursor: z.optional(z.string(CURSOR_ALLOWED)).register(z.globalRegistry, {
    description: 'Where the page starts: taken from the `Link` header of the previous page, with the same `status`.',
    pattern: PATTERNS.cursor,
  }),
});

export type ListQuery = z.infer<typeof listQuerySchema>;

/** The message about a cursor that is invalid or was issued for another filter. */
export function cursorMessage(given: string): string {
  return `query parameter cursor: got ${quoted(given)}; allowed: ${CURSOR_ALLOWED}`;
}
