// Schema validation and its error messages: a sentence for each invalid field, with what was given and what is allowed.

import * as z from 'zod/v4/core';
import { DecimalLiteral } from './json.ts';
import { joinFaults, SHOWN_FAULTS } from './text.ts';

export type Validated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** @param what the name of the validated part in messages: `body`, `query parameter` */
export function validate<T>(schema: z.$ZodType<T>, what: string, input: unknown): Validated<T> {
  const result = z.safeParse(schema, input);
  if (result.success) return { ok: true, value: result.data };
  const lines = result.error.issues.map((issue) => describeIssue(issue, schema, what, input));
  return { ok: false, message: joinFaults([...new Set(lines)]) };
}

function describeIssue(issue: z.$ZodIssue, schema: z.$ZodType, what: string, input: unknown): string {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = path.length === 0 && schema instanceof z.$ZodObject ? Object.keys(schema._zod.def.shape).join(', ') : undefined;
    const at = path.length === 0 ? what : `${what} ${placeOf(path)}`;
    const names = issue.keys.slice(0, SHOWN_FAULTS).map((key) => quoted(key));
    return `${at} ${names.join(', ')}${issue.keys.length > names.length ? ' and more' : ''}: not known; ${known === undefined ? 'leave it out' : `allowed: ${known || 'none'}`}`;
  }
  // For a wrong type, the library reports only the expected type, unless the schema has a message.
  const isBare = issue.code === 'invalid_type' && message.startsWith('Invalid input');
  const allowed = isBare ? `${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}` : message;
  if (path.length === 0) return `${what}: got ${quoted(input)}; allowed: ${allowed}`;
  const given = path.reduce<unknown>((value, key) => Object.getOwnPropertyDescriptor(Object(value), key)?.value, input);
  return `${what} ${placeOf(path)}: ${given === undefined ? 'missing' : `got ${quoted(given)}`}; allowed: ${allowed}`;
}

/** Formats a path as in JavaScript: `redirects[0].from`. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns what was given, short enough for a message. */
export function quoted(value: unknown): string {
  if (value instanceof DecimalLiteral) return shorten(value.source);
  if (typeof value === 'bigint') return shorten(String(value));
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return shorten(JSON.stringify(value) ?? 'nothing');
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57).toWellFormed()}...`;
}
