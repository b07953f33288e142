// Schemas of an animal's fields: one for request bodies, which validates and normalizes values, and one for responses.

import * as z from 'zod/mini';
import { PET_FIELD_LIST, type PetField, type PetFieldName } from '../../core/pets/fields.ts';
import { isName } from '../../core/text.ts';
import { PATTERNS } from '../openapi/patterns.ts';

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;

const INT64_ALLOWED = `an integer from ${MIN_INT64} to ${MAX_INT64}, without fraction or exponent`;

/** The named choice schemas: one per name, however often it is used. */
const CHOICES = new Map<string, z.ZodMiniType>();

export type FieldShape = Readonly<Record<PetFieldName, z.ZodMiniType>>;

/** The schema for request bodies: unknown values in, stored values out. */
export const BODY_FIELDS = shapeOf(bodyField);

/** The schema for responses, which are described but not validated. */
export const ANSWER_FIELDS = shapeOf(answerSchema);

/** The fields of a body as text: `name, categoryId and, optionally, status`. */
export const BODY_FIELDS_TEXT = (() => {
  const names = (wanted: boolean) => PET_FIELD_LIST.filter(({ fallback }) => (fallback === undefined) === wanted).map(({ name }) => name);
  const optional = names(false);
  return optional.length === 0 ? names(true).join(', ') : `${names(true).join(', ')} and, optionally, ${optional.join(', ')}`;
})();

function shapeOf(schemaOf: (field: PetField) => z.ZodMiniType): FieldShape {
  return Object.fromEntries(PET_FIELD_LIST.map((field) => [field.name, schemaOf(field)])) as Record<PetFieldName, z.ZodMiniType>;
}

/** The schema of a field in a request body, with its fallback, which Zod does not validate: test/service/fields.test.ts does. */
export function bodyField(field: PetField): z.ZodMiniType {
  const schema = bodySchema(field);
  return field.fallback === undefined ? schema : z._default(schema, field.fallback);
}

/** The schema of a field's values in a request body. */
export function bodySchema(field: PetField): z.ZodMiniType {
  switch (field.kind) {
    case 'text': {
      const allowed = `a text of 1 to ${field.maxLength} characters, not blank, without control characters`;
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

/** The named choice schemas, for the document. */
export function choiceSchemas(): readonly z.ZodMiniType[] {
  return [...CHOICES.values()];
}
