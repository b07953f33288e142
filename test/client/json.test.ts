// The client's JSON keeps every digit as engines with ES2025 do: compared with their JSON.rawJSON and their numbers' source text.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson, writeJson } from '../../client/responses.ts';
import { anyCharacter } from '../support/characters.ts';

const BIGINTS = new Set(['categoryId', 'größe']);

const native = JSON as JSON & { readonly rawJSON: (text: string) => unknown };
const parseNatively = (text: string) =>
  JSON.parse(text, (key: string, value: unknown, context?: { readonly source?: string }) =>
    BIGINTS.has(key) && typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value,
  );
const writeNatively = (value: unknown) =>
  JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? native.rawJSON(String(member)) : member));

/** Names and strings that look like what the parser looks for. */
const HOSTILE = ['categoryId', 'größe', '"categoryId":1', '\\"categoryId":1,', '#1', '=1', '=', '#', '\\', '"', '\u2028', '\ud800', '\n', '{', ''];
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: anyCharacter }));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** Spells characters as JSON allows: some of them escaped. */
const spelled = (of: string, escaped: boolean) =>
  escaped
    ? `"${[...of].flatMap((each) => each.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)).join('')}"`
    : JSON.stringify(of);
const space = fc.constantFrom('', ' ', '\n\t');

/** JSON texts, with numbers in every form. */
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('0', '-0', '1.0', '1e3', '-1E+2', '0.5', '12345678901234567890', 'true', 'null', '9223372036854775807'),
    int64.map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(text, fc.boolean()).map(([of, escaped]) => spelled(of, escaped)),
    fc.array(tie('value'), { maxLength: 4 }).map((each) => `[${each.join(', ')}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...BIGINTS), text), fc.boolean(), space, tie('value'), space), { maxLength: 4 })
      .map(
        (members) =>
          `{${members.map(([name, escaped, before, value, after]) => `${spelled(name, escaped)}${before}:${before}${value}${after}`).join(',')}}`,
      ),
  ),
}));

const { value: data } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    int64,
    text,
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('JSON', () => {
  test('is read as with the source text of numbers', () => {
    fc.assert(
      fc.property(json, (each) => {
        expect(parseJson(each, BIGINTS)).toEqual(parseNatively(each));
      }),
      { numRuns: 5_000 },
    );
  });

  test('is written as with JSON.rawJSON', () => {
    fc.assert(
      fc.property(fc.oneof(data, fc.dictionary(text, data)), (each) => {
        expect(writeJson(each)).toBe(writeNatively(each) ?? 'null');
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(['{"categoryId":01}', '{"categoryId":1x}', '{"categoryId":-}', '{"categoryId":"\n"}', '{"categoryId":1', '{"categoryId" 1}', '"', ''])(
    'that is malformed is refused: %j',
    (each) => {
      expect(() => JSON.parse(each)).toThrow(SyntaxError);
      expect(() => parseJson(each, BIGINTS)).toThrow(SyntaxError);
    },
  );

  test('that is changed at one place is refused like JSON.parse does', () => {
    const outcome = (parse: () => unknown) => {
      try {
        return { value: parse() };
      } catch (error) {
        return { error: (error as Error).name };
      }
    };
    fc.assert(
      fc.property(json, fc.nat(), fc.constantFrom('', '"', '\\', '0', '.', 'e', '-', ':', ',', '{', ' ', '\n'), (each, at, by) => {
        const index = at % (each.length + 1);
        const changed = each.slice(0, index) + by + each.slice(index + 1);
        expect(outcome(() => parseJson(changed, BIGINTS))).toEqual(outcome(() => parseNatively(changed)));
      }),
      { numRuns: 5_000 },
    );
  });

  test('with a string of ten million characters is read', () => {
    const long = 'x\\n'.repeat(3_000_000);
    expect(parseJson(`{"categoryId":7,"name":"${long}"}`, BIGINTS)).toMatchObject({ categoryId: 7n });
  });
});
