// The rules of the API reference page: requests, code samples, and JSON that keeps its digits.

import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exampleOf, type OperationAt, operationsOf, parseDocument, resolve } from '../../reference/src/document.ts';
import { indentJson } from '../../reference/src/json-text.ts';
import { codeOf, LANGUAGES, requestOf, sampleOf } from '../../reference/src/request.ts';
import { openApiJson } from '../../service/catalogue/openapi.ts';
import { OPERATIONS } from '../../service/catalogue/operations.ts';

const api = parseDocument(openApiJson());
const operations = api.tags.flatMap(({ name }) => operationsOf(api, name));

function operation(id: string): OperationAt {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return { ...found, parameters: found.parameters?.map((parameter) => resolve(api, parameter)) ?? [] };
}

describe('the document', () => {
  test('every operation is shown once, under a tag', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  test('references are followed, and one that leads nowhere is an error', () => {
    expect(operation('listPets').parameters?.map(({ name }) => name)).toEqual(['limit', 'status', 'cursor', 'If-None-Match']);
    expect(() => resolve(api, { $ref: '#/components/schemas/Nothing' })).toThrow('not in this document');
  });

  test('integers beyond 2^53 keep their digits in examples', () => {
    const document = parseDocument('{"value":{"categoryId":9223372036854775807}}') as unknown as { value: object };
    expect(exampleOf(api, { example: document.value })).toBe('{\n  "categoryId": 9223372036854775807\n}');
  });
});

describe('a request', () => {
  const form = { key: '', parameters: {}, body: '' };

  test('sends filled-in fields only, encoded', () => {
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

  test('has a placeholder for a key in code until one is entered', () => {
    expect(sampleOf(operation('listPets'), form, true).headers.Authorization).toBe('Bearer petstore_test_…');
    expect(sampleOf(operation('listPets'), { ...form, key: 'k' }, true).headers.Authorization).toBe('Bearer k');
    expect(sampleOf(operation('getOpenApi'), { ...form, key: 'k' }, false).headers).toEqual({});
  });

  test.each(LANGUAGES)('as %s has address, method, headers and body', (language) => {
    const code = codeOf(language, requestOf(operation('createPet'), { ...form, body: '{"name":"O\'Hara"}' }, 'key'), 'https://pets.example.com');
    expect(code).toContain('https://pets.example.com/v1/pets');
    expect(code).toContain('Bearer key');
    expect(code).toMatch(language === 'curl' ? /O'\\''Hara/ : /O'Hara/);
  });

  test('as curl is one command of a shell, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (body) => {
        fc.pre(!body.includes('\0'));
        const code = codeOf('curl', { method: 'POST', target: '/', headers: {}, body }, 'http://x').replace(/^curl/, "printf '%s\\0'");
        expect(spawnSync('sh', ['-c', code], { encoding: 'utf8' }).stdout.split('\0')).toEqual(['http://x/', '--data-raw', body, '']);
      }),
      { numRuns: 20 },
    );
  });
});

describe('JSON for reading', () => {
  test('is indented as JSON.stringify does it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  test('keeps every digit', () => {
    expect(indentJson('[{"id":9223372036854775807,"x":1.0}]')).toBe('[\n  {\n    "id": 9223372036854775807,\n    "x": 1.0\n  }\n]');
  });

  test('is the text as it came where it is no JSON', () => {
    expect(indentJson('not {json}')).toBe('not {json}');
  });
});
