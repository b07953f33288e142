// Checks that both OpenAPI documents are complete, and consistent with the validation rules.

import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isDisplayName } from '../../core/access/account.ts';
import { generateApiKey, keyIdOf } from '../../core/access/api-key.ts';
import { generateDeployToken, parseDeployToken } from '../../core/access/deploy-token.ts';
import { newUserId } from '../../core/identity/user.ts';
import { parseJson } from '../../core/json.ts';
import { isLine, isName } from '../../core/text.ts';
import { openApiDocument } from '../../service/catalogue/openapi.ts';
import { newPetSchema } from '../../service/catalogue/schemas.ts';
import { PATH_EXAMPLES } from '../../service/control/examples.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS } from '../../service/control/operations.ts';
import { parseIdempotencyKey } from '../../service/http/input.ts';
import { HEADERS } from '../../service/openapi/headers.ts';
import { PATTERNS } from '../../service/openapi/schemas.ts';
import { anyCharacter } from '../support/characters.ts';
import { declaredResponses } from '../support/declared-responses.ts';
import { sampleNewPet } from '../support/samples.ts';

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Media } };
  readonly responses: object;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly examples: object;
    readonly headers: object;
    readonly responses: object;
    readonly securitySchemes: object;
    readonly schemas: Readonly<Record<string, { readonly enum?: unknown; readonly properties?: Readonly<Record<string, object>> }>>;
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
    (_id, method, operation) => {
      const { description, tags, requestBody } = operation;
      const responses = declaredResponses(document, operation);
      expect([description.length > 0, tags.length]).toEqual([true, 1]);
      const { example, examples } = requestBody?.content['application/json'] ?? { example: 'none is needed' };
      expect(example ?? examples).toBeDefined();
      if (method === 'delete') expect(requestBody).toBeUndefined();
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '405', '408', '431', '500']));
      for (const [status, { headers = {}, content }] of Object.entries(responses)) {
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
    const text = JSON.stringify([document.paths, document.components.responses]);
    for (const name of Object.keys(document.components.headers)) expect(text).toContain(`"#/components/headers/${name}"`);
  });
});

describe.each([
  ['catalogue', catalogue],
  ['control API', control],
])('generated clients of the %s', (_, document) => {
  const { schemas, responses, securitySchemes } = document.components;

  test('have no two types whose names differ in case alone, nor a type with the name of one of its values', () => {
    const names = [schemas, responses, securitySchemes].flatMap(Object.keys).map((name) => name.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const own = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).filter(([property, value]) => property.toLowerCase() === name.toLowerCase() && 'enum' in value),
    );
    expect(own).toEqual([]);
  });

  test('find one type for each value, and integers where the service has them', () => {
    const refused: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, const: constant, enum: values } = value as { readonly type?: unknown; readonly const?: unknown; readonly enum?: unknown };
      const isUnion = Array.isArray(type) && !type.includes('null');
      const isOfNumbers = type === 'number' && Array.isArray(values);
      if (isUnion || isOfNumbers || typeof constant === 'boolean') refused.push(at);
      for (const [name, each] of Object.entries(value)) if (!/^examples?$/.test(name)) look(each, `${at}.${name}`);
    };
    look(document, '');
    expect(refused).toEqual([]);
  });
});

test('deploy tokens are an alternative where the service takes them', () => {
  const declared = operationsOf(control).flatMap(([, { operationId, security }]) =>
    security?.some((each) => 'pipeline' in each) ? [operationId] : [],
  );
  const rows = Object.entries(CONTROL_OPERATIONS as Readonly<Record<string, ControlRow>>);
  expect(declared.sort()).toEqual(rows.flatMap(([id, { deploys }]) => (deploys ? [id] : [])).sort());
  expect((controlOpenApi().servers as { url: string }[]).map(({ url }) => url)).toEqual(expect.arrayContaining(['/dashboard/v1', '/deploy/v1']));
});

test("the catalogue's servers are those of the specification, after the host of the document", () => {
  const { servers } = openApiDocument() as { servers: readonly { readonly url: string; readonly description: string }[] };
  expect(servers.map(({ url }) => url)).toEqual(['/v1', '{base_url}/v1', '{staging_url}/v1', 'http://127.0.0.1:8080/v1']);
  expect(Object.keys(catalogue.paths)).toEqual(['/pets', '/pets/{petId}', '/openapi.json']);
});

test('an operation repeats no error of another', () => {
  for (const document of [catalogue, control])
    for (const [, { operationId, responses }] of operationsOf(document))
      for (const [status, response] of Object.entries(responses))
        expect(Number(status) < 300 || Object.keys(response).join() === '$ref', `${operationId} ${status}`).toBe(true);
});

test('examples of new animals are accepted by the catalogue', () => {
  const { examples = {} } = catalogue.paths['/pets']?.post?.requestBody?.content['application/json'] ?? {};
  const values = Object.values(examples).map((example) => parseJson(JSON.stringify((example as { readonly value: unknown }).value)));
  expect(values.length).toBeGreaterThan(1);
  for (const value of values) expect(newPetSchema.safeParse(value.ok && value.value)).toMatchObject({ success: true });
});

test('examples of the control API match its shapes', () => {
  for (const [id, { body, result, example }] of Object.entries<ControlRow>(CONTROL_OPERATIONS)) {
    expect(result.safeParse(example.response), id).toMatchObject({ success: true, data: example.response });
    if (body !== undefined) expect(body.safeParse(example.body), id).toMatchObject({ success: true });
  }
});

test.each([
  ['catalogue', catalogue],
  ['control API', control],
])('%s: responses promise no more than stored values of any age keep', (_, document) => {
  const promises = new Set<string>();
  const look = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (/^(pattern|minLength|maxLength)$/.test(key) && typeof value !== 'object') promises.add(`${at}.${key}`);
      else if (key === '$ref') {
        const name = String(value).split('/').at(-1) ?? '';
        if (seen.has(name)) continue;
        seen.add(name);
        look(document.components.schemas[name], name);
      } else if (!/^examples?$/.test(key)) look(value, `${at}.${key}`);
    }
  };
  const seen = new Set<string>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations))
      for (const [status, { content }] of Object.entries(declaredResponses(document, operation))) look(content, `${method} ${path} ${status}`);
  expect([...promises]).toEqual([]);
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

  /** As JSON Schema reads patterns (draft 2020-12, section 6.4), and as engines do that match UTF-16 code units, such as .NET's. */
  const DIALECTS = [(pattern: string) => new RegExp(pattern, 'u'), (pattern: string) => new RegExp(pattern)];

  test('for names and notes match what the service accepts, whatever single character they have', () => {
    const names = DIALECTS.map((dialect) => dialect(PATTERNS.name));
    const notes = DIALECTS.map((dialect) => dialect(PATTERNS.note));
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      // Half of a pair is no text: JSON that has one is refused.
      if (code === 0xd800) code = 0xe000;
      const character = String.fromCodePoint(code);
      const isRefused = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/u.test(character) && !/[\u061c\u200e\u200f]/.test(character);
      const showsNothing = code <= 0xffff && /[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u.test(character);
      const agree =
        isName(character, 1) === !(isRefused || showsNothing) &&
        isLine(character, 1) === !isRefused &&
        isName(`a${character}`, 2) === !isRefused &&
        names.every((name) => name.test(character) === isName(character, 1) && name.test(`a${character}`) === !isRefused) &&
        notes.every((note) => note.test(character) === !isRefused);
      if (!agree) wrong.push(`U+${code.toString(16)}`);
    }
    expect(wrong).toEqual([]);
  });

  test('for names match what the service accepts', () => {
    const patterns = DIALECTS.map((dialect) => dialect(PATTERNS.name));
    const odd = fc.constantFrom(
      ...' a🐕\u00a0\ufeff\u0085\u0000\u007f\u2028\u2029\u200b\u202e\u2067\u{e0020}\u{110bd}\ufdd0\uffff\u{10ffff}',
      '\ud800',
      '\udc00',
    );
    const anything = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, anything), { minLength: 1, maxLength: 20 }), (characters) => {
        const name = characters.join('');
        const isAccepted = newPetSchema.safeParse(sampleNewPet({ name })).success;
        // What is not Unicode text is no JSON: the document can't describe it.
        for (const pattern of patterns) expect(name.isWellFormed() && pattern.test(name)).toBe(isAccepted);
        expect(isDisplayName(name)).toBe(isAccepted);
      }),
      { numRuns: 2_000 },
    );
  });

  test('for an Idempotency-Key match what the service accepts', () => {
    const pattern = new RegExp(PATTERNS.idempotencyKey);
    const given = ['a', '"a"', '""', ' ', 'a b', 'ä', 'x'.repeat(255), 'x'.repeat(256), `"${'x'.repeat(255)}"`, `"${'x'.repeat(256)}"`, '~!#'];
    expect(given.filter((key) => pattern.test(key))).toEqual(given.filter((key) => parseIdempotencyKey(key).ok));
  });
});

test('a part that an operation of the control API lacks is named', async () => {
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  const { CONTROL_OPERATIONS: rows } = await import('../../service/control/operations.ts');
  const { controlOpenApi: make } = await import('../../service/control/openapi.ts');
  const row: Record<string, unknown> = rows.updateNotificationSettings;
  for (const part of ['summary', 'description', 'response', 'example']) {
    const { [part]: value } = row;
    delete row[part];
    expect(make).toThrow(`${part} is missing in updateNotificationSettings, in service/control/resources/`);
    row[part] = value;
  }
  expect(make).not.toThrow();
});
