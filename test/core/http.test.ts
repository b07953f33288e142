import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../core/json.ts';
import { PET_FIELD_LIST } from '../../core/pets/fields.ts';
import { validate } from '../../core/validate.ts';
import { parseListQuery } from '../../service/catalogue/list-pets.ts';
import { openApiDocument, openApiJson } from '../../service/catalogue/openapi.ts';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { cursorMessage, MAX_INT64, MIN_INT64, newPetSchema } from '../../service/catalogue/schemas.ts';
import { ERROR_MEANING, ERROR_STATUS, errorBody } from '../../service/http/errors.ts';
import { createRouter } from '../../service/http/router.ts';
import { petBody } from '../support/samples.ts';

const findRoute = createRouter(OPERATIONS);

const validateBody = (text: string) => {
  const parsed = parseJson(text);
  return validate(newPetSchema, 'body', parsed.ok ? parsed.value : undefined);
};
const messageOf = (result: { ok: boolean; message?: string }) => (result.ok ? undefined : result.message);

describe('NewPet', () => {
  test('fills in the status and normalizes the name', () => {
    expect(validateBody(petBody({ name: 'Zoe\u0308' }))).toMatchObject({ ok: true, value: { name: 'Zoë', categoryId: 1n, status: 'available' } });
  });

  test('accepts every int64', () => {
    for (const categoryId of [MIN_INT64, MAX_INT64, 0n]) expect(validateBody(petBody({ categoryId })).ok).toBe(true);
  });

  test('counts code points, not UTF-16 code units', () => {
    expect(validateBody(petBody({ name: '🐕'.repeat(255) })).ok).toBe(true);
    expect(validateBody(petBody({ name: '🐕'.repeat(256) })).ok).toBe(false);
    expect(validateBody(petBody({ name: 'a'.repeat(256) })).ok).toBe(false);
  });

  test.each([
    ['{"categoryId":1}', /^body name: missing; allowed: text of 1 to 255/],
    ['{"name":"A"}', /^body categoryId: missing; allowed: an integer from -9223372036854775808 to 9223372036854775807/],
    ['{"name":1,"categoryId":1}', /^body name: got 1; /],
    ['{"name":"  ","categoryId":1}', /^body name: got " {2}"; allowed: .* not blank/],
    ['{"name":"\\u200b\\u3164 \\u2800","categoryId":1}', /^body name: got .*; allowed: .* not blank/],
    ['{"name":1,"status":"x"}', /^body name: got 1; .*\. Also: body categoryId: missing; .*\. Also: body status: got "x"; /],
    ['{"name":"a\\u0000","categoryId":1}', /^body name: got "a\\u0000"; /],
    ['{"name":"A","categoryId":1.0}', /^body categoryId: got 1\.0; /],
    ['{"name":"A","categoryId":1e3}', /^body categoryId: got 1e3; /],
    ['{"name":"A","categoryId":9223372036854775808}', /^body categoryId: got 9223372036854775808; /],
    ['{"name":"A","categoryId":-9223372036854775809}', /^body categoryId: got -9223372036854775809; /],
    ['{"name":"A","categoryId":"1"}', /^body categoryId: got "1"; /],
    ['{"name":"A","categoryId":[1]}', /^body categoryId: got an array; /],
    ['{"name":"A","categoryId":{}}', /^body categoryId: got an object; /],
    ['{"name":"A","categoryId":1,"status":"gone"}', /^body status: got "gone"; allowed: one of available, pending, sold/],
    ['{"name":"A","categoryId":1,"status":null}', /^body status: got null; /],
    ['{"name":"A","categoryId":1,"id":7}', /^body "id": not known; allowed: name, categoryId, status/m],
    ['{"name":"A","categoryId":1,"__proto__":{"status":"sold"}}', /^body "__proto__": not known/m],
    ['[]', /^body: got an array; allowed: a JSON object/],
    ['null', /^body: got null; /],
    ['"A"', /^body: got "A"; /],
    [`{"name":"A","categoryId":1,"status":"${'x'.repeat(500)}"}`, /^body status: got "x{56}\.\.\.; /],
  ])('refuses %s', (text, message) => {
    expect(messageOf(validateBody(text))).toMatch(message);
  });
});

describe('list query', () => {
  test('has defaults', () => {
    expect(parseListQuery(undefined)).toEqual({ ok: true, value: { limit: 20 } });
    expect(parseListQuery({ limit: '100', status: 'sold', cursor: 'x' })).toEqual({ ok: true, value: { limit: 100, status: 'sold', cursor: 'x' } });
  });

  test.each(['0', '101', '-1', '1.5', '1e1', '', ' 5', '05', 'abc', '20,30', '9999999999', 'NaN'])('refuses limit %j', (limit) => {
    expect(messageOf(parseListQuery({ limit }))).toMatch(/^query parameter limit: got .*; allowed: an integer from 1 to 100$/);
  });

  test('refuses unknown values and parameters', () => {
    expect(messageOf(parseListQuery({ status: 'SOLD' }))).toMatch(/^query parameter status: got "SOLD"; allowed: one of/);
    expect(messageOf(parseListQuery({ page: '2' }))).toMatch(/^query parameter "page": not known; allowed: limit, status, cursor$/);
    expect(cursorMessage('x')).toMatch(/^query parameter cursor: got "x"/);
  });

  test('a query that is like an earlier one is not taken for it', () => {
    for (let repeated = 0; repeated < 2; repeated += 1) {
      expect(parseListQuery({})).toEqual({ ok: true, value: { limit: 20 } });
      expect(parseListQuery({ limit: '5', status: 'sold' })).toEqual({ ok: true, value: { limit: 5, status: 'sold' } });
      expect(parseListQuery({ limit: '5' })).toEqual({ ok: true, value: { limit: 5 } });
      expect(parseListQuery({ limit: '5', cursor: 'x' })).toEqual({ ok: true, value: { limit: 5, cursor: 'x' } });
      expect(messageOf(parseListQuery({ limit: '5', page: '2' }))).toMatch(/"page": not known/);
      expect(messageOf(parseListQuery({ limit: 'undefined' }))).toMatch(/^query parameter limit/);
      expect(messageOf(parseListQuery({ status: '' }))).toMatch(/^query parameter status/);
    }
  });
});

describe('routes', () => {
  test('every operation is found by its path and method', () => {
    for (const operation of OPERATIONS) {
      const path = operation.path.replace('{petId}', '7');
      expect(findRoute(operation.method, path)).toEqual({ kind: 'operation', operation, parameters: path === operation.path ? {} : { petId: '7' } });
      expect(findRoute(operation.method, `${path}/`)).toMatchObject({ kind: 'operation', operation });
    }
  });

  test('treat HEAD as GET and OPTIONS as a preflight; for other methods, the allowed ones are returned', () => {
    expect(findRoute('HEAD', '/v1/pets')).toMatchObject({ kind: 'operation', operation: { id: 'listPets' } });
    expect(findRoute('OPTIONS', '/v1/pets/7')).toEqual({ kind: 'preflight', allow: 'GET, HEAD, OPTIONS' });
    expect(findRoute('DELETE', '/v1/pets')).toMatchObject({ kind: 'method_not_allowed', allow: 'GET, HEAD, POST, OPTIONS' });
  });

  test.each(['/', '', '/v1', '/v1/', '/v1/pets//', '/v1/pets/7/8', '/v2/pets', '/v1/store/orders', '//v1/pets', '/V1/pets', '/v1/petsx', '*'])(
    '%j matches no route',
    (path) => {
      expect(findRoute('GET', path)).toEqual({ kind: 'not_found' });
    },
  );

  test('never throws', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (method, path) => findRoute(method, path).kind !== undefined));
  });
});

describe('errors', () => {
  test('have exactly three fields', () => {
    expect(JSON.parse(errorBody({ code: 'gone', message: 'm', headers: { a: 'b' } }))).toEqual({ code: 'gone', message: 'm', status: 410 });
    expect(Object.keys(ERROR_MEANING)).toEqual(Object.keys(ERROR_STATUS));
  });
});

describe('OpenAPI document', () => {
  const document = openApiDocument() as {
    paths: Record<string, Record<string, { operationId: string; deprecated?: boolean; responses: Record<string, unknown> }>>;
    components: {
      schemas: Record<string, { properties?: Record<string, object>; required?: string[]; additionalProperties?: unknown; enum?: string[] }>;
    };
  };

  test("describes every operation, in the specification's shapes", () => {
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.sort()).toEqual(OPERATIONS.map(({ id }) => id as string).sort());
    const { Pet, NewPet, Pets, Error: ErrorShape, PetStatus } = document.components.schemas;
    expect(NewPet?.required).toEqual(expect.arrayContaining(['name', 'categoryId']));
    expect(NewPet?.additionalProperties).toBe(false);
    expect(Pet?.required).toEqual(['id', ...PET_FIELD_LIST.map(({ name }) => name)]);
    expect(Pet?.properties?.categoryId).toMatchObject({ type: 'integer', format: 'int64' });
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    expect(ErrorShape?.required).toEqual(['code', 'message', 'status']);
    expect(PetStatus?.enum).toEqual(['available', 'pending', 'sold']);
    expect(document.paths['/pets/{petId}']?.get?.deprecated).toBe(true);
  });

  test('documents every error code, and references only existing ones', () => {
    const text = openApiJson();
    for (const code of Object.keys(ERROR_STATUS)) expect(text).toContain(`\`${code}\``);
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
      const target = pointer
        .slice(1)
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
      expect(target, pointer).toBeDefined();
    }
  });
});
