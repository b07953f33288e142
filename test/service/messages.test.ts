// What no message of an API may have, whoever reads it: commands for people with a shell, inner codes, and several lines.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusalError } from '../../cli/context.ts';
import { refused } from '../../core/refusal.ts';
import { faultsIn, joinFaults } from '../../core/text.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = globSync(['core/**/*.ts', 'service/**/*.ts', 'local/{body,control,file-upload,host,refuse}.ts'], { cwd: ROOT });

/** The file's lines without comments, with their numbers. */
function linesOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''));
  return text.split('\n').map((line, at) => `${file}:${at + 1} ${line.replace(/(^|\s)\/\/.*$/, '')}`);
}

const LINES = FILES.flatMap(linesOf);
const matching = (pattern: RegExp) => LINES.filter((line) => pattern.test(line));

test('mention no command, except in what only the command line adds', () => {
  expect(LINES.length).toBeGreaterThan(10_000);
  const commands = matching(/['"`(; ](petstore [a-z]+(-[a-z]+)? ?[a-z]*|--[a-z]+-[a-z]+)/);
  // These begin as the rest of a sentence, and are the last argument of refused().
  expect(commands.filter((line) => !/' \(petstore |'; petstore /.test(line) && !NOT_MESSAGES.test(line))).toEqual([]);
});

/** Names for a derived key. */
const NOT_MESSAGES = /hkdfSync/;

test('have no inner code before the text', () => {
  expect(matching(/\b(refused|refuse|message).*\$\{\w+\.code\}/)).toEqual([]);
});

test('are one line, also if there are several problems', () => {
  expect(matching(/(refused\(|message:|problems|faults).*\.join\('\\n'\)/i)).toEqual([]);
  expect(joinFaults(['a: missing; allowed: x', 'b: missing; allowed: y'])).toBe('a: missing; allowed: x. Also: b: missing; allowed: y');
  expect(joinFaults(Array.from({ length: 22 }, (_, n) => `${n}`))).toMatch(/\. Also: 19\. Also: 2 more$/);
  expect(faultsIn(joinFaults(['a', 'b; c', 'd']))).toEqual(['a', 'b; c', 'd']);
});

test('get the command that helps at the command line', () => {
  const refusal = refused('not_found', 'no account "x"', '; petstore accounts list shows all accounts');
  expect([refusal.message, refusalError(refusal).message]).toEqual(['no account "x"', 'no account "x"; petstore accounts list shows all accounts']);
});
