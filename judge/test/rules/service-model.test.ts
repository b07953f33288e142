// The check of inputs against service models: every kind of rule, on a small model and on AWS's own.

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { MODELS } from '../../rules/models.ts';
import { type ServiceModel, type Shape, uncheckablePatterns, violationsOf, violationText } from '../../rules/service-model.ts';

/** A model of one operation, Put, whose input has one member, Value. */
function modelWith(value: Shape, shapes: Readonly<Record<string, Shape>> = {}, protocol = 'json'): ServiceModel {
  return {
    metadata: { protocol, serviceId: 'Test' },
    operations: { Put: { name: 'Put', input: { shape: 'Input' } }, Ping: { name: 'Ping' } },
    shapes: { Input: { type: 'structure', members: { Value: { shape: 'Value' } } }, Value: value, Text: { type: 'string' }, ...shapes },
  };
}

const textsOf = (model: ServiceModel, input: unknown, operation = 'Put') => violationsOf(model, 'test', operation, input).map(violationText);
const rulesOf = (value: Shape, given: unknown, protocol?: string) =>
  violationsOf(modelWith(value, {}, protocol), 'test', 'Put', { Value: given }).map(({ member, rule }) => `${member}: ${rule}`);

const { cloudfront, dynamodb, route53 } = Object.fromEntries(MODELS);

function violationsIn(model: ServiceModel | undefined, service: string, operation: string, input: unknown): readonly string[] {
  if (model === undefined) throw new Error(`no model of ${service}`);
  return violationsOf(model, service, operation, input).map(violationText);
}

describe('types', () => {
  const stream = Readable.from(['x']);

  test.each([
    ['structure', [{}], ['x', [], 1, new Date(0), new Uint8Array()]],
    ['list', [[]], [{}, 'x', { length: 1 }]],
    ['map', [{}], [[], 'x', 1]],
    ['string', ['', 'x'], [1, true, {}, ['x']]],
    ['integer', [0, -1, 1n], ['1', 1.5, Number.NaN, true]],
    ['long', [2 ** 40], ['1', 1.5]],
    ['float', [1.5, 'NaN'], ['1.5', true]],
    ['double', [1.5, '-Infinity'], ['1.5', {}]],
    ['boolean', [true, false], ['true', 0]],
    ['blob', [Buffer.from('x'), new ArrayBuffer(1), 'eA=='], [1, {}, stream]],
    ['timestamp', [new Date(0), 0, '2026-11-21T10:00:00Z', 'Sat, 21 Nov 2026 10:00:00 GMT'], [new Date('x'), 'soon', true]],
  ])('a %s may be what the SDK accepts, or what JSON has for it', (type, right, wrong) => {
    const shape = { type, ...(type === 'map' && { key: { shape: 'Text' }, value: { shape: 'Text' } }) };
    for (const value of right) expect(rulesOf(shape, value)).toEqual([]);
    for (const value of wrong) expect(rulesOf(shape, value), String(value)).toEqual([`Value: type: ${type}`]);
  });

  test.each([
    ['string', 20],
    ['integer', '20'],
    ['double', '1.5'],
    ['boolean', 'true'],
    ['timestamp', '0'],
  ])('in XML, a %s may be %j', (type, value) => {
    expect(rulesOf({ type }, value, 'rest-xml')).toEqual([]);
  });

  test('a number is text in a query, but not in a JSON body', () => {
    const shapes = { Count: { type: 'string' } };
    const inBody: Shape = { type: 'structure', members: { Count: { shape: 'Count' } } };
    const inQuery: Shape = { type: 'structure', members: { Count: { shape: 'Count', location: 'querystring' } } };
    expect(textsOf(modelWith(inBody, shapes), { Value: { Count: 1 } })).toEqual(['test:Put: Value.Count is 1; type: string']);
    expect(textsOf(modelWith(inQuery, shapes), { Value: { Count: 1 } })).toEqual([]);
  });

  test('a stream is a blob where the model says so', () => {
    expect(rulesOf({ type: 'blob', streaming: true }, stream)).toEqual([]);
    expect(rulesOf({ type: 'blob', streaming: true, max: 3 }, 'text')).toEqual(['Value: bytes: at most 3; here: 4']);
  });

  test('a document is any JSON', () => {
    for (const value of [1, 'x', [{}], { a: 1 }]) expect(rulesOf({ type: 'structure', document: true, members: {} }, value)).toEqual([]);
  });
});

describe('rules', () => {
  test.each<[string, Shape, unknown, string]>([
    ['characters, not UTF-16 units', { type: 'string', min: 1, max: 2 }, '🐕🐕🐕', 'characters: at least 1, at most 2; here: 3'],
    ['items of a list', { type: 'list', max: 1, member: { shape: 'Text' } }, ['a', 'b'], 'items: at most 1; here: 2'],
    ['entries of a map', { type: 'map', min: 1, key: { shape: 'Text' }, value: { shape: 'Text' } }, {}, 'items: at least 1; here: 0'],
    ['a value', { type: 'integer', min: 1, max: 10 }, 11, 'value: at least 1, at most 10; here: 11'],
    ['bytes', { type: 'blob', max: 2 }, Buffer.from('abc'), 'bytes: at most 2; here: 3'],
    ['bytes in base64', { type: 'blob', max: 2 }, 'YWJj', 'bytes: at most 2; here: 3'],
    ['a set of values', { type: 'string', enum: ['A', 'B'] }, 'C', 'one of: A, B'],
    ['a pattern', { type: 'string', pattern: '[a-z]+' }, 'a_b', 'pattern: [a-z]+'],
  ])('%s', (_what, shape, value, rule) => {
    expect(rulesOf(shape, value)).toEqual([`Value: ${rule}`]);
  });

  test('bounds are inclusive', () => {
    for (const value of ['ab', 'abc']) expect(rulesOf({ type: 'string', min: 2, max: 3 }, value)).toEqual([]);
  });

  test('members: required, unknown, exactly one of a union; undefined and null count as absent', () => {
    const members = { A: { shape: 'Text' }, B: { shape: 'Text' } };
    const required = modelWith({ type: 'structure', members: { ...members, T: { shape: 'Text', idempotencyToken: true } }, required: ['A', 'T'] });
    expect(textsOf(required, { Value: { A: 'x' } })).toEqual([]);
    expect(textsOf(required, { Value: { A: undefined, B: null } })).toEqual(['test:Put: Value.A is undefined; required']);
    const unknown = 'test:Put: Value.constructor is "x"; unknown member; known: A, B';
    expect(textsOf(modelWith({ type: 'structure', members }), { Value: { constructor: 'x' } })).toEqual([unknown]);
    const union = modelWith({ type: 'structure', members, union: true });
    expect(textsOf(union, { Value: { A: 'x', B: undefined } })).toEqual([]);
    expect(textsOf(union, { Value: {} })).toEqual(['test:Put: Value is {}; exactly one of: A, B']);
    expect(textsOf(union, { Value: { A: 'x', B: 'y' } })).toEqual(['test:Put: Value is {"A":"x","B":"y"}; exactly one of: A, B']);
  });

  test('operations: an unknown one, and one without an input', () => {
    expect(textsOf(modelWith({ type: 'string' }), {}, 'toString')).toEqual([
      'test:toString: the input is undefined; the service has no such operation',
    ]);
    expect(textsOf(modelWith({ type: 'string' }), {}, 'Ping')).toEqual([]);
    expect(textsOf(modelWith({ type: 'string' }), { Value: 1 }, 'Ping')).toEqual(['test:Ping: Value is 1; unknown member; known: none']);
  });

  test('every level is checked, and violations name the path', () => {
    const shapes: Record<string, Shape> = {
      Tree: { type: 'structure', members: { Name: { shape: 'Name' }, Children: { shape: 'Trees' }, Labels: { shape: 'Labels' } } },
      Trees: { type: 'list', member: { shape: 'Tree' } },
      Labels: { type: 'map', key: { shape: 'Name' }, value: { shape: 'Name' } },
      Name: { type: 'string', max: 2 },
    };
    const tree = { Children: [{}, { Children: [{ Name: 'abc' }] }], Labels: { long: 'x', a: 'xyz' } };
    const violations = violationsOf(modelWith({ type: 'list', member: { shape: 'Tree' } }, shapes), 'test', 'Put', { Value: [tree] });
    expect(violations.map(({ member }) => member)).toEqual(['Value[0].Children[1].Children[0].Name', 'key of Value[0].Labels', 'Value[0].Labels.a']);
  });

  test('a long value is shortened in the message', () => {
    const [text = ''] = textsOf(modelWith({ type: 'string', max: 1 }), { Value: 'x'.repeat(500) });
    expect(text.length).toBeLessThan(200);
    expect(text).toContain('…; characters: at most 1; here: 500');
  });

  test('patterns without an equivalent are listed, and not checked', () => {
    const model = modelWith({ type: 'string', pattern: '[a&&[b]]' });
    expect(uncheckablePatterns(model)).toEqual([{ shape: 'Value', pattern: '[a&&[b]]', reason: expect.stringContaining('a class within a class') }]);
    expect(textsOf(model, { Value: 'x' })).toEqual([]);
  });
});

describe("AWS's own models", () => {
  test('a tenant name with an underscore is refused, and the message names operation, member, value and rule', () => {
    const input = { DistributionId: 'E1', Name: 'dom_0a1b', Domains: [{ Domain: 'www.shop.dev' }] };
    expect(violationsIn(cloudfront, 'cloudfront', 'CreateDistributionTenant', input)).toEqual([
      'cloudfront:CreateDistributionTenant: Name is "dom_0a1b"; pattern: [a-zA-Z0-9][a-zA-Z0-9-.]{1,126}[a-zA-Z0-9]',
    ]);
    expect(violationsIn(cloudfront, 'cloudfront', 'CreateDistributionTenant', { ...input, Name: 'dom-0a1b' })).toEqual([]);
  });

  test('an update without a version, and one with a misspelt member, are refused', () => {
    expect(violationsIn(cloudfront, 'cloudfront', 'UpdateDistributionTenant', { Id: 'dt_1', Domains: [{ Name: 'www.shop.dev' }] })).toEqual([
      'cloudfront:UpdateDistributionTenant: IfMatch is undefined; required',
      'cloudfront:UpdateDistributionTenant: Domains[0].Domain is undefined; required',
      'cloudfront:UpdateDistributionTenant: Domains[0].Name is "www.shop.dev"; unknown member; known: Domain',
    ]);
  });

  test('a record of an unknown type is refused; a number in the query is accepted', () => {
    const change = { Action: 'CREATE', ResourceRecordSet: { Name: 'www.shop.dev', Type: 'ALIAS' } };
    expect(violationsIn(route53, 'route53', 'ChangeResourceRecordSets', { HostedZoneId: 'Z1', ChangeBatch: { Changes: [change] } })).toEqual([
      expect.stringMatching(/^route53:ChangeResourceRecordSets: ChangeBatch\.Changes\[0\]\.ResourceRecordSet\.Type is "ALIAS"; one of: SOA, A, /),
    ]);
    expect(violationsIn(route53, 'route53', 'ListResourceRecordSets', { HostedZoneId: 'Z1', MaxItems: 20 })).toEqual([]);
  });

  test('nested attributes of an item are checked', () => {
    const Item = { a: { M: { b: { L: [{ N: 1 }] } } } };
    expect(violationsIn(dynamodb, 'dynamodb', 'PutItem', { TableName: 'pets', Item })).toEqual([
      'dynamodb:PutItem: Item.a.M.b.L[0].N is 1; type: string',
    ]);
  });
});
