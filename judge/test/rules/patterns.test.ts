// Java patterns as JavaScript regular expressions.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MODELS } from '../../rules/models.ts';
import { expressionOf } from '../../rules/patterns.ts';

describe('patterns', () => {
  test.each([
    ['[a-z]+', ['abc'], ['"abc"', 'abc\n']],
    ['^[a-z]+$', ['abc'], ['abc1']],
    ['a|b', ['a', 'b'], ['ab', 'cb']],
    // One anchor: the other end is open.
    ['^s3:\\/\\/.', ['s3://bucket'], ['s3://', 'x s3://bucket']],
    ['\\Ax+\\z', ['x'], ['xy']],
    ['^$|^[a-z]*', ['', 'a'], ['1']],
  ])('%s matches a whole value, unless it anchors one end', (pattern, right, wrong) => {
    const expression = expressionOf(pattern);
    for (const value of right) expect(expression.test(value), value).toBe(true);
    for (const value of wrong) expect(expression.test(value), value).toBe(false);
  });

  test.each([
    ['(?i)all|[0-9]{2}', ['ALL', '12'], ['1']],
    ['a(?i)b|c', ['aB', 'C'], ['AB']],
    ['(?!(?i)AWS_)[A-Za-z_]+', ['AW_S'], ['aws_x']],
    ['(?s).{0,3}', ['a\nb'], ['abcd']],
    ['\\d{2}+x', ['12x'], ['1x']],
    ['[ab]*+b', [], ['ab']],
    ['(?>a|ab)c', ['ac'], ['abc']],
    ['\\p{IsAlphabetic}+', ['Zoë'], ['a1']],
    ['[^\\p{C}\\p{IsWhitespace}]+', ['a-é'], ['a b']],
    ['\\p{Print}+', ['a b'], ['é', '\t']],
    ['[\\p{Upper}\\p{Digit}_]+', ['A_1'], ['a']],
    ['[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*', ['é=1-2'], ['#']],
    ['[\\w-_]+', ['a-b_c'], ['a b']],
    ['[a\\x{60}]+', ['`a'], ['{']],
    ['x\\-\\_\\"y', ['x-_"y'], ['xy']],
    ['{a}]', ['{a}]'], ['a']],
    ['\\h+', [' \t'], ['\n']],
    ['[\\u0020-\\uD7FF\\uD800\\uDC00-\\uDBFF\\uDFFF]+', ['a🐕'], ['\n']],
  ])('%s is converted', (pattern, right, wrong) => {
    const expression = expressionOf(pattern);
    for (const value of right) expect(expression.test(value), value).toBe(true);
    for (const value of wrong) expect(expression.test(value), value).toBe(false);
  });

  test.each(['[a&&b]', '[a[b]]', '\\P{Print}', '\\Gx', '(a', 'a)', '[a', '\\p{NoSuchSet}', '(?x)a'])('%s has no equivalent', (pattern) => {
    expect(() => expressionOf(pattern)).toThrow(SyntaxError);
  });

  // Patterns that JavaScript and Java interpret alike.
  const same = [...MODELS.values()]
    .flatMap(({ shapes }) => Object.values(shapes))
    .map(({ pattern = '' }) => pattern)
    .filter((pattern) => pattern !== '' && !/^\^.*[^$]$/.test(pattern) && isExpression(pattern));

  test('patterns that need no conversion still match the same values', () => {
    expect(same.length).toBeGreaterThan(15);
    for (const pattern of same) {
      const [plain, expression] = [new RegExp(`^(?:${pattern})$`, 'u'), expressionOf(pattern)];
      // Without the parts fast-check can't generate; most generated texts still match.
      const likely = fc.stringMatching(
        new RegExp(
          pattern
            .replaceAll(/\(\?!.*?\)/g, '')
            .replaceAll(/\\p\{\w+\}/g, 'p')
            .replaceAll('\\b', ''),
        ),
      );
      const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', ':', '/', '^', '$', '\n') }), likely);
      fc.assert(
        fc.property(texts, (text) => expression.test(text) === plain.test(text)),
        { numRuns: 50 },
      );
    }
  });
});

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}
