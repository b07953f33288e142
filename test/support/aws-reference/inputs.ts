// AWS's rules for the inputs of its operations (generate.py): required members, patterns, lengths, enumerations. Models and recorders of AWS calls
// use them to refuse inputs that the service itself would refuse.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Rule {
  readonly required?: boolean;
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  readonly enum?: readonly string[];
}

const FILE = join(import.meta.dirname, 'inputs.json');
const { entries } = JSON.parse(readFileSync(FILE, 'utf8')) as { entries: Readonly<Record<string, Readonly<Record<string, Rule>>>> };

/** @param operation such as `cloudfront:GetConnectionGroup` @throws Error if the input breaks one of the operation's rules */
export function checkInput(operation: string, input: object): void {
  const rules = entries[operation];
  if (rules === undefined) throw new Error(`no rules of ${operation} in ${FILE}`);
  const problems = Object.entries(rules).flatMap(([path, rule]) =>
    valuesAt(input, path).flatMap((value) => problemsOf(value, rule).map((problem) => `${path} ${problem}`)),
  );
  if (problems.length > 0) throw Object.assign(new Error(`${operation}: ${problems.join('; ')}`), { name: 'ValidationException' });
}

/** The values at a path such as `Domains[].Domain`; undefined for a member that is missing from its parent. */
function valuesAt(value: unknown, path: string): unknown[] {
  const [, name = '', kind = '', rest = ''] = /^([^.[{]+)(\[\]|\{\})?\.?(.*)$/.exec(path) ?? [];
  const member = (value as Record<string, unknown>)[name];
  if (kind === '' && rest === '') return [member];
  if (member === undefined) return [];
  const below = kind === '' ? [member] : Object.values(member as object);
  return rest === '' ? below : below.flatMap((each) => valuesAt(each, rest));
}

function problemsOf(value: unknown, { required = false, pattern, min = 0, max = Number.POSITIVE_INFINITY, enum: allowed }: Rule): string[] {
  if (value === undefined) return required ? ['is missing'] : [];
  const size = typeof value === 'number' ? value : ((value as { length?: number }).length ?? min);
  return [
    ...(size < min || size > max ? [`is ${size} long or large; allowed: ${min} to ${max}`] : []),
    ...(pattern !== undefined && !new RegExp(`^(?:${pattern})$`, pattern.includes('\\p{') ? 'u' : '').test(String(value))
      ? [`is ${JSON.stringify(value)}; allowed: ${pattern}`]
      : []),
    ...(allowed !== undefined && !allowed.includes(String(value)) ? [`is ${JSON.stringify(value)}; allowed: ${allowed.join(', ')}`] : []),
  ];
}
