// Checks that both OpenAPI documents are complete, and consistent with the validation rules.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateApiKey, keyIdOf } from '../../core/access/api-key.ts';
import { generateDeployToken, parseDeployToken } from '../../core/access/deploy-token.ts';
import { newUserId } from '../../core/identity/user.ts';
import { parseJson } from '../../core/json.ts';
import { isBlank } from '../../core/text.ts';
import { openApiDocument } from '../../service/catalogue/openapi.ts';
import { newPetSchema } from '../../service/catalogue/schemas.ts';
import { PATH_EXAMPLES } from '../../service/control/example-values.ts';
import { CONTROL_EXAMPLES } from '../../service/control/examples.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import { CONTROL_OPERATIONS, type ControlOperationId } from '../../service/control/operations.ts';
import type { ControlRow } from '../../service/control/rows/row.ts';
import { parseIdempotencyKey } from '../../service/http/idempotency-key.ts';
import { HEADERS } from '../../service/openapi/headers.ts';
import { PATTERNS } from '../../service/openapi/patterns.ts';
import { sampleNewPet } from '../support/samples.ts';

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Media } };
  readonly responses: Readonly<Record<string, { readonly headers: object; readonly content?: { readonly 'application/json': Media } }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly examples: object;
    readonly headers: object;
    readonly schemas: Readonly<Record<string, { readonly enum?: unknown }>>;
  };
}

const catalogue = openApiDocument() as unknown as Document;
const control = controlOpenApi() as unknown as Document;
const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((methods) => Object.entries(methods));

describe.each([
  ['catalogue', catalogue],
  ['control', control],
])('OpenAPI document of the %s API', (_, document) => {
  test.each(operationsOf(document).map(([method, operation]) => [operation.operationId, method, operation] as const))(
    '%s has a tag, a description, an example of each body, and its errors',
    (_id, method, { description, tags, requestBody, responses }) => {
      expect([description.length > 0, tags.length]).toEqual([true, 1]);
      const { example, examples } = requestBody?.content['application/json'] ?? { example: 'none is needed' };
      expect(example ?? examples).toBeDefined();
      if (method === 'delete') expect(requestBody).toBeUndefined();
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '405', '408', '431', '500']));
      for (const [status, { headers, content }] of Object.entries(responses)) {
        expect(Object.keys(headers)).toContain('X-Request-Id');
        if (status === '304') continue;
        const media = content?.['application/json'];
        expect(media?.example ?? media?.examples).toBeDefined();
        for (const code of Object.keys(media?.examples ?? {})) expect(Object.keys(document.components.examples)).toContain(code);
      }
      expect(Object.keys(responses[405]?.headers ?? {})).toContain('Allow');
      // Another token may have the scope that is missing here; no token makes a member an owner.
      for (const status of document === control ? [401] : [401, 403])
        if (responses[status] !== undefined) expect(Object.keys(responses[status]?.headers ?? {})).toContain('WWW-Authenticate');
    },
  );

  test('declares no header that no response has', () => {
    const text = JSON.stringify(document.paths);
    for (const name of Object.keys(document.components.headers)) expect(text).toContain(`"#/components/headers/${name}"`);
  });
});

test('examples of new animals are accepted by the catalogue', () => {
  const { examples = {} } = catalogue.paths['/v1/pets']?.post?.requestBody?.content['application/json'] ?? {};
  const values = Object.values(examples).map((example) => parseJson(JSON.stringify((example as { readonly value: unknown }).value)));
  expect(values.length).toBeGreaterThan(1);
  for (const value of values) expect(newPetSchema.safeParse(value.ok && value.value)).toMatchObject({ success: true });
});

test('examples of the control API match its shapes', () => {
  for (const [id, operation] of Object.entries(CONTROL_OPERATIONS) as [ControlOperationId, ControlRow][]) {
    const example = CONTROL_EXAMPLES[id] as { readonly answer: unknown; readonly body?: unknown };
    expect(operation.result.safeParse(example.answer), id).toMatchObject({ success: true });
    if (operation.body !== undefined) expect(operation.body.safeParse(example.body), id).toMatchObject({ success: true });
  }
});

test('states and diagnoses are enums in the document', () => {
  const { DomainState, DiagnosisCode, AdviceCode } = control.components.schemas;
  expect(DomainState?.enum).toEqual(expect.arrayContaining(['awaiting_dns', 'live', 'taken_over', 'removed']));
  expect([DiagnosisCode?.enum, AdviceCode?.enum]).toEqual([expect.arrayContaining(['wrong_target']), expect.arrayContaining(['certificate_late'])]);
});

describe('patterns', () => {
  const random = (length: number) => Buffer.from(Array.from({ length }, (_, index) => (index * 37) % 256));

  test('match the ids and keys that the service issues', () => {
    const key = generateApiKey('live', 'acc_0123456789', random);
    expect(key).toMatch(new RegExp(PATTERNS.apiKey));
    expect(keyIdOf('acc_0123456789', 'x'.repeat(43))).toMatch(new RegExp(PATTERNS.keyId));
    const token = parseDeployToken(generateDeployToken('prj_0123456789', random));
    expect(token?.id).toMatch(new RegExp(PATTERNS.tokenId));
    expect(newUserId(random)).toMatch(new RegExp(PATTERNS.userId));
    for (const [name, id] of Object.entries(PATH_EXAMPLES)) expect(id).toMatch(new RegExp(PATTERNS[name as keyof typeof PATTERNS]));
  });

  test('for headers match their examples', () => {
    for (const { schema, example } of Object.values(HEADERS) as { schema: { pattern?: string }; example?: unknown }[])
      if (schema.pattern !== undefined) expect(String(example)).toMatch(new RegExp(schema.pattern));
  });

  test('for names exclude invisible characters', () => {
    const pattern = new RegExp(PATTERNS.name);
    for (let code = 0; code <= 0xffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (character.isWellFormed() && !/\p{Cc}/u.test(character) && pattern.test(character) === isBlank(character))
        expect.fail(`U+${code.toString(16)}`);
    }
  });

  test('for names match what the service accepts', () => {
    const pattern = new RegExp(PATTERNS.name);
    const odd = fc.constantFrom(' ', '\u00a0', '\ufeff', '\u0085', '\u0000', '\u007f', 'a', '🐕', '\u2028', '\u200b');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(odd, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })), minLength: 1, maxLength: 20 }),
        (name) => {
          const isRefusedAbove = isBlank(name) && /[\u{10000}-\u{10ffff}]/u.test(name);
          expect(newPetSchema.safeParse(sampleNewPet({ name })).success).toBe(pattern.test(name) && !isRefusedAbove);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('for an Idempotency-Key match what the service accepts', () => {
    const pattern = new RegExp(PATTERNS.idempotencyKey);
    const given = ['a', '"a"', '""', ' ', 'a b', 'ä', 'x'.repeat(255), 'x'.repeat(256), `"${'x'.repeat(255)}"`, `"${'x'.repeat(256)}"`, '~!#'];
    expect(given.filter((key) => pattern.test(key))).toEqual(given.filter((key) => parseIdempotencyKey(key).ok));
  });
});
