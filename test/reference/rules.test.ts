// The rules behind the API reference page: requests, code samples, and JSON that keeps its digits.

import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exampleOf, type OperationAt, operationsOf, parseDocument, resolve } from '../../reference/src/document.ts';
import { codeOf, indentJson, invalidHeaders, languagesFor, requestOf, sampleOf } from '../../reference/src/request.ts';
import { openApiJson } from '../../service/catalogue/openapi.ts';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { anyCharacter } from '../support/characters.ts';

const api = parseDocument(openApiJson());
const operations = api.tags.flatMap(({ name }) => operationsOf(api, name));

function operation(id: string): OperationAt {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return { ...found, parameters: found.parameters?.map((parameter) => resolve(api, parameter)) ?? [] };
}

describe('the OpenAPI document', () => {
  test('shows every operation once, under a tag', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  test('follows references and rejects a reference without a target', () => {
    expect(operation('listPets').parameters?.map(({ name }) => name)).toEqual(['limit', 'status', 'cursor', 'If-None-Match']);
    expect(() => resolve(api, { $ref: '#/components/schemas/Nothing' })).toThrow('not in this document');
  });

  test('keeps the digits of integers beyond 2^53 in examples', () => {
    const document = parseDocument('{"value":{"categoryId":9223372036854775807}}') as unknown as { value: object };
    expect(exampleOf(api, { example: document.value })).toBe('{\n  "categoryId": 9223372036854775807\n}');
  });
});

describe('a request', () => {
  const form = { key: '', parameters: {}, body: '' };

  test('sends only the fields that are filled in, encoded', () => {
    const values = { ...form, parameters: { 'query status': 'available', 'query limit': '', 'header If-None-Match': '"a"' } };
    expect(requestOf(operation('listPets'), values, 'key')).toEqual({
      method: 'GET',
      target: '/v1/pets?status=available',
      headers: { Authorization: 'Bearer key', 'If-None-Match': '"a"' },
      body: undefined,
    });
    expect(requestOf(operation('getPet'), { ...form, parameters: { 'path petId': 'a/b?c' } }, undefined)).toMatchObject({
      target: '/v1/pets/a%2Fb%3Fc',
      headers: {},
    });
  });

  test('shows a placeholder in code until a key is entered', () => {
    expect(sampleOf(operation('listPets'), form, true).headers.Authorization).toBe('Bearer YOUR_API_KEY');
    expect(sampleOf(operation('listPets'), { ...form, key: 'k' }, true).headers.Authorization).toBe('Bearer k');
    expect(sampleOf(operation('getOpenApi'), { ...form, key: 'k' }, false).headers).toEqual({});
  });

  test('trims values, and names headers that no request can carry', () => {
    expect(requestOf(operation('getPet'), { ...form, parameters: { 'path petId': ' 7 ' } }, undefined).target).toBe('/v1/pets/7');
    expect(invalidHeaders(requestOf(operation('listPets'), form, 'petstore_test_…'))).toEqual(['Authorization']);
    expect(invalidHeaders(requestOf(operation('listPets'), form, 'ü'))).toEqual([]);
  });

  test.each(languagesFor('control', operation('createPet')))('has the URL, headers and body as %s', (language) => {
    const code = codeOf(
      language,
      operation('createPet'),
      requestOf(operation('createPet'), { ...form, body: '{"name":"O\'Hara"}' }, 'key'),
      'https://pets.example.com',
    );
    expect(code).toContain('https://pets.example.com/v1/pets');
    expect(code).toContain('Bearer key');
    expect(code).toMatch(language === 'curl' ? /O'\\''Hara/ : /O'Hara/);
  });

  test('calls the typed client by the operation, if it has a function for it', () => {
    const call = (id: string, values: object) => {
      const parts = requestOf(operation(id), { ...form, ...values }, undefined);
      return codeOf('Typed client', operation(id), parts, 'https://pets.example.com').split('\n').at(-1);
    };
    expect(call('listPets', { parameters: { 'query limit': '5', 'query status': 'sold' } })).toBe(
      'console.log(await petstore.listPets({"limit":5,"status":"sold"}));',
    );
    expect(call('getPet', { parameters: { 'path petId': '7' } })).toBe('console.log(await petstore.getPet(7));');
    expect(call('createPet', { body: '{"name":"Rex","categoryId":7}' })).toBe(
      'console.log(await petstore.createPet({"name":"Rex","categoryId":7n}));',
    );
    expect(operations.filter((each) => languagesFor('catalogue', each).includes('Typed client')).map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['listPets', 'createPet', 'getPet']),
    );
    expect(languagesFor('catalogue', operation('getOpenApi'))).not.toContain('Typed client');
    expect(languagesFor('control', operation('listPets'))).not.toContain('Typed client');
  });

  test('is a single shell command for curl, whatever the body contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (body) => {
        fc.pre(!body.includes('\0'));
        const code = codeOf('curl', operation('createPet'), { method: 'POST', target: '/', headers: {}, body }, 'http://x').replace(
          /^curl/,
          "printf '%s\\0'",
        );
        expect(spawnSync('sh', ['-c', code], { encoding: 'utf8' }).stdout.split('\0')).toEqual(['http://x/', '--data-raw', body, '']);
      }),
      { numRuns: 20 },
    );
  });
});

describe('formatted JSON', () => {
  test('is indented as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  test('keeps every digit', () => {
    expect(indentJson('[{"id":9223372036854775807,"x":1.0}]')).toBe('[\n  {\n    "id": 9223372036854775807,\n    "x": 1.0\n  }\n]');
  });

  test('leaves text that is not JSON unchanged', () => {
    expect(indentJson('not {json}')).toBe('not {json}');
  });
});
