import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DecimalLiteral, parseJson } from '../../core/json.ts';
import { anyCharacter } from '../support/characters.ts';

const problemOf = (text: string) => {
  const result = parseJson(text);
  return result.ok ? undefined : result.problem;
};

describe('parseJson', () => {
  test('keeps every digit of an integer', () => {
    expect(parseJson('{"a":9223372036854775807,"b":-0,"c":[18446744073709551616]}')).toEqual({
      ok: true,
      value: { a: 9223372036854775807n, b: 0n, c: [18446744073709551616n] },
    });
  });

  test.each(['1.0', '1e3', '1E3', '-0.0', '1e-400'])('keeps the text of %s', (source) => {
    expect(parseJson(`[${source}]`)).toEqual({ ok: true, value: [new DecimalLiteral(source)] });
  });

  test.each(['', 'nul', '{"a":1,}', '{a:1}', '[1,]', '01', '.5', 'NaN', 'Infinity', '"\u0001"', '{"a":1}{}', '\uFEFF{}'])('refuses %j', (text) => {
    expect(problemOf(text)).toMatch(/JSON|token|Unexpected|control/);
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['[{"b":{"c":1}},{"x":[{"c":1,"c":2}]}]', 'c'],
    ['{"a":"\\"","b":"{","b":1}', 'b'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
  ])('refuses the duplicate member in %s', (text, name) => {
    expect(problemOf(text)).toBe(`member ${JSON.stringify(name)} appears more than once`);
  });

  test.each(['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', '{"a":["b","b"]}', '{"a":"a","b":"a"}', '{"a":"\\\\","b":1}'])('accepts %s', (text) => {
    expect(problemOf(text)).toBeUndefined();
  });

  test.each(['"\\ud800"', '{"a":["\\uDC00\\uD800"]}', '{"\\udfff":1}', '"\\\\\\ud83d"', '"\\ud83d\\u0041"'])(
    'refuses half of a pair in %s',
    (text) => {
      expect(problemOf(text)).toBe('a string has half of a surrogate pair');
    },
  );

  test.each(['"\\ud83d\\udc15"', '"🐕"', '"\\\\ud800"', '"\\\\\\\\ud800"', '"\\ufeff"'])('accepts %s', (text) => {
    expect(problemOf(text)).toBeUndefined();
  });

  test('refuses nesting that would overflow the stack, without throwing', () => {
    expect(problemOf('['.repeat(32_000) + ']'.repeat(32_000))).toBe('nested too deeply');
    expect(problemOf('['.repeat(60_000))).toBeDefined();
  });

  test('keeps __proto__ as an own member', () => {
    const result = parseJson('{"__proto__":{"status":"sold"}}');
    expect(result.ok && Object.keys(result.value as object)).toEqual(['__proto__']);
  });

  test('agrees with JSON.parse on any JSON except for numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        const plain = JSON.parse(text, (_key, each: unknown) => (typeof each === 'number' ? String(each) : each));
        const result = parseJson(text);
        const ours = JSON.parse(
          JSON.stringify(result.ok && result.value, (_key, each: unknown) =>
            typeof each === 'bigint' || each instanceof DecimalLiteral ? String(Number(each instanceof DecimalLiteral ? each.source : each)) : each,
          ),
        );
        expect(ours).toEqual(plain);
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(typeof parseJson(text).ok).toBe('boolean');
      }),
    );
  });
});
