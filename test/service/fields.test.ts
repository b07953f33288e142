// Checks the values that a field's row declares, which no schema sees at run time: what a row's own schema refuses would make the service break its own
// document.

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PET_FIELD_LIST, type PetField } from '../../core/pets/fields.ts';
import { namedSchemas } from '../../service/catalogue/openapi.ts';
import { bodyField, bodySchema } from '../../service/catalogue/schemas.ts';

type NamedField = PetField & { readonly name: string };

/** What is wrong with the values that rows declare, one sentence for each; none if they are valid. */
function problemsOf(fields: readonly NamedField[]): readonly string[] {
  return fields.flatMap((field) => {
    const { name, fallback, absent, examples } = field;
    const declared = Object.entries({ fallback, absent, 'examples[0]': examples[0], 'examples[1]': examples[1] });
    return declared.flatMap(([property, value]) => {
      if (value === undefined) return [];
      const parsed = bodySchema(field).safeParse(value);
      const given = `${name}: ${property} is ${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
      if (!parsed.success) return [`${given}; allowed: ${parsed.error.issues[0]?.message}`];
      if (parsed.data !== value) return [`${given}; it is stored as ${JSON.stringify(parsed.data)}: declare that`];
      if (typeof value === 'bigint' && BigInt(Number(value)) !== value) return [`${given}, which the OpenAPI document can't state with every digit`];
      return [];
    });
  });
}

/** A field as docs/worked-examples/field.md shows one. */
const breed = {
  name: 'breed',
  kind: 'text',
  maxLength: 10,
  column: 'breed',
  description: 'Breed.',
  fallback: 'unknown',
  absent: 'unknown',
  examples: ['Beagle', 'unknown'],
} as const satisfies NamedField;

const size = {
  name: 'size',
  kind: 'choice',
  choices: ['small', 'large'],
  schemaId: 'SampleSize',
  column: 'size',
  description: 'Size.',
  fallback: 'small',
  absent: 'large',
  examples: ['small', 'large'],
} as const satisfies NamedField;

const weight = {
  name: 'weight',
  kind: 'int64',
  column: 'weight',
  description: 'Weight in grams.',
  fallback: 0n,
  absent: 0n,
  examples: [1n, 2n],
} as const;

describe('the values that a field declares', () => {
  test('are accepted by its own schema', () => {
    expect(problemsOf(PET_FIELD_LIST)).toEqual([]);
    expect(problemsOf([breed, size, weight])).toEqual([]);
  });

  test.each<[string, NamedField]>([
    ['breed: fallback is ""; allowed: text of 1 to 10 characters', { ...breed, fallback: '' }],
    ['breed: absent is "not known yet"; allowed: text of 1 to 10 characters', { ...breed, absent: 'not known yet' }],
    ['breed: absent is " "; allowed', { ...breed, absent: ' ' }],
    ['breed: examples[1] is "a\\nb"; allowed', { ...breed, examples: ['Beagle', 'a\nb'] }],
    ['breed: fallback is "e\u0301"; it is stored as "\u00e9"', { ...breed, fallback: 'e\u0301' }],
    ['size: fallback is "medium"; allowed: one of small, large', { ...size, fallback: 'medium' }],
    ['weight: absent is 9223372036854775808; allowed: an integer from', { ...weight, absent: 2n ** 63n }],
    ["weight: fallback is 9007199254740993, which the OpenAPI document can't state", { ...weight, fallback: 2n ** 53n + 1n }],
  ])('%s', (problem, field) => {
    expect(problemsOf([field])).toEqual([expect.stringContaining(problem)]);
  });
});

test('the document states the fallback of each kind of field', () => {
  const body = z.strictObject({ breed: bodyField(breed), size: bodyField(size), weight: bodyField(weight) }).meta({ id: 'SampleBody' });
  expect(namedSchemas([body])).toMatchObject({
    SampleBody: { properties: { breed: { default: 'unknown' }, size: { default: 'small' }, weight: { default: 0, type: 'integer' } } },
  });
});
