// Schemas of an animal's fields: one for request bodies, which validates and normalizes values, and one for responses.

import * as z from 'zod/mini';
import { type NewPet, PET_FIELD_LIST, type PetField, type PetFieldName, type PetStatus } from '../../core/pets/fields.ts';
import { MAX_PET_ID } from '../../core/pets/id.ts';
import { isName } from '../../core/text.ts';
import { quoted } from '../../core/validate.ts';
import { ERROR_STATUS, type ErrorCode } from '../http/errors.ts';
import { PATTERNS } from '../openapi/schemas.ts';

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;

const INT64_ALLOWED = `an integer from ${MIN_INT64} to ${MAX_INT64}, without fraction or exponent`;

/** The named choice schemas: one per name, even if it is used several times. */
const CHOICES = new Map<string, z.ZodMiniType>();

export type FieldShape = Readonly<Record<PetFieldName, z.ZodMiniType>>;

/** The schema for request bodies: unknown values in, stored values out. */
const BODY_FIELDS = shapeOf(bodyField);

/** The schema for responses, which only describes them, because they are not validated. */
const ANSWER_FIELDS = shapeOf(answerSchema);

/** The fields of a body, as text: `name, categoryId and, optionally, status`. */
const BODY_FIELDS_TEXT = (() => {
  const names = (wanted: boolean) => PET_FIELD_LIST.filter(({ fallback }) => (fallback === undefined) === wanted).map(({ name }) => name);
  const optional = names(false);
  return optional.length === 0 ? names(true).join(', ') : `${names(true).join(', ')} and, optionally, ${optional.join(', ')}`;
})();

function shapeOf(schemaOf: (field: PetField) => z.ZodMiniType): FieldShape {
  return Object.fromEntries(PET_FIELD_LIST.map((field) => [field.name, schemaOf(field)])) as Record<PetFieldName, z.ZodMiniType>;
}

/** Returns the schema of a field in a request body, with its fallback, which test/service/fields.test.ts validates because Zod does not. */
export function bodyField(field: PetField): z.ZodMiniType {
  const schema = bodySchema(field);
  return field.fallback === undefined ? schema : z._default(schema, field.fallback);
}

/** Returns the schema of a field's values in a request body. */
export function bodySchema(field: PetField): z.ZodMiniType {
  switch (field.kind) {
    case 'text': {
      const allowed = `text of 1 to ${field.maxLength} characters, not blank, without control characters`;
      const normalized = z.pipe(
        z.string(allowed),
        z.transform((text) => text.normalize('NFC')),
      );
      return normalized
        .check(z.refine((text) => isName(text, field.maxLength), allowed))
        .register(z.globalRegistry, { description: field.description, minLength: 1, maxLength: field.maxLength, pattern: PATTERNS.name });
    }
    case 'int64':
    case 'choice':
      return answerSchema(field);
  }
}

function answerSchema(field: PetField): z.ZodMiniType {
  const { description } = field;
  switch (field.kind) {
    case 'text':
      return z.string().register(z.globalRegistry, { description });
    case 'int64':
      return z
        .bigint(INT64_ALLOWED)
        .check(z.minimum(MIN_INT64, INT64_ALLOWED), z.maximum(MAX_INT64, INT64_ALLOWED))
        .register(z.globalRegistry, { description });
    case 'choice': {
      const known = CHOICES.get(field.schemaId);
      const schema =
        known ?? z.enum(field.choices, `one of ${field.choices.join(', ')}`).register(z.globalRegistry, { id: field.schemaId, description });
      CHOICES.set(field.schemaId, schema);
      return schema;
    }
  }
}

/** Returns the named choice schemas of an animal's fields, for the document. */
export function choiceSchemas(): readonly z.ZodMiniType[] {
  return [...CHOICES].flatMap(([id, schema]) => (PET_FIELD_LIST.some((field) => 'schemaId' in field && field.schemaId === id) ? schema : []));
}

// Zod's smaller variant, with functions instead of methods, because this code is loaded at each cold start.

export const PAGE_SIZE = { min: 1, max: 100, default: 20 } as const;

const LIMIT_ALLOWED = `an integer from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`;
const CURSOR_ALLOWED = 'the cursor from a next link of this list, with the same status filter';

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
      .register(z.globalRegistry, { format: 'int64', description: 'Unique identifier, assigned by the service. Below 2^53, increasing over time.' }),
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

/** Builds the message about a cursor that is invalid or was issued for another filter. */
export function cursorMessage(given: string): string {
  return `query parameter cursor: got ${quoted(given)}; allowed: ${CURSOR_ALLOWED}`;
}
