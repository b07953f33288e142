// Lines of the log: one line each, whatever clients send, and without secrets.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateApiKey } from '../../core/access/api-key.ts';
import { LOGGED_PATH_LENGTH, loggedPath, logLine } from '../../core/http/trace-context.ts';
import { anyCharacter } from '../support/characters.ts';

describe('a line', () => {
  test('is one line of printable characters, and has the same values when it is read', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })), (entry) => {
        const line = logLine(entry);
        expect(line.endsWith('\n')).toBe(true);
        // Also what terminals act upon, and what turns the direction of text around.
        expect(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(line.slice(0, -1))).toBe(false);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(entry)));
      }),
    );
  });

  test('leaves out what is unknown', () => expect(logLine({ a: undefined, b: 1, c: false })).toBe('{"b":1,"c":false}\n'));
});

describe('a path', () => {
  test.each([
    ['/v1/pets', '/v1/pets'],
    ['/v1/pets?limit=3&name=ann@example.com', '/v1/pets'],
    ['/oidc/auth?code=secret', '/oidc/auth'],
    ['/a#token=secret', '/a'],
    ['*', '*'],
    [`/v1/${'x'.repeat(LOGGED_PATH_LENGTH)}`, `/v1/${'x'.repeat(LOGGED_PATH_LENGTH - 4)}…`],
  ])('%s is logged as %s', (target, logged) => expect(loggedPath(target)).toBe(logged));

  test('never has an API key, wherever someone put it, also where it is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LOGGED_PATH_LENGTH + 50 }), fc.uint8Array({ minLength: 64, maxLength: 64 }), (before, bytes) => {
        const key = generateApiKey('test', 'acc_0123456789', (length) => bytes.slice(0, length));
        const logged = loggedPath(`/${'x'.repeat(before)}/${key}/pets`);
        for (let at = 'petstore_test_'.length; at + 8 <= key.length; at += 1) expect(logged).not.toContain(key.slice(at, at + 8));
        expect(logged.length).toBeLessThanOrEqual(LOGGED_PATH_LENGTH + 1);
      }),
    );
  });
});
