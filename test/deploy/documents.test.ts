// The documents' commands of AWS's own command line, against AWS's service models: services, operations, options, and what is required.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DATA = globSync('.emulator/lib/python*/site-packages/botocore/data', { cwd: ROOT })[0] ?? '';

/** Commands of the command line's own, with their options. */
const OWN: Readonly<Record<string, readonly string[]>> = { 'logs tail': ['since', 'filter-pattern', 'follow', 'format'] };
/** Options that every command has. */
const EVERYWHERE = ['region', 'profile', 'query', 'output', 'max-items', 'no-cli-pager'];

interface Model {
  readonly operations: Readonly<Record<string, { readonly input?: { readonly shape: string } }>>;
  readonly shapes: Readonly<Record<string, { readonly members?: object; readonly required?: readonly string[] }>>;
}

const read = (service: string, file: string) => {
  const newest = globSync(`${DATA}/${service === 's3api' ? 's3' : service}/*/${file}.json*`, { cwd: ROOT })
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new Error(`aws ${service}: no ${file} in ${DATA}`);
  const bytes = readFileSync(join(ROOT, newest));
  return JSON.parse(String(newest.endsWith('.gz') ? gunzipSync(bytes) : bytes));
};

/** Names of the command line are those of the models in kebab case; which capitals begin a word differs. */
const plain = (name: string) => name.replaceAll('-', '').toLowerCase();

const commands = globSync(['*.md', 'docs/**/*.md', 'examples/*/README.md', 'postgres/README.md'], { cwd: ROOT }).flatMap((file) =>
  readFileSync(join(ROOT, file), 'utf8')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => line.split(/(?<=^|[\s(`])(?=aws [a-z0-9-]+ [a-z0-9-]+)/))
    .map((text) => ({
      file,
      text: text.split(/`| && | \| /)[0] ?? '',
      ...(/^aws (?<service>[a-z0-9-]+) (?<operation>[a-z0-9-]+)(?: (?<waiter>[a-z-]+))?/.exec(text)?.groups ?? {}),
    }))
    .filter((each): each is typeof each & { service: string; operation: string } => 'service' in each),
);

function problemsOf({ text, service, operation, waiter = '' }: { text: string; service: string; operation: string; waiter?: string }): string[] {
  const options = [...text.matchAll(/ --([a-z0-9-]+)/g)].map(([, name = '']) => name).filter((name) => !EVERYWHERE.includes(name));
  const own = OWN[`${service} ${operation}`];
  if (own !== undefined) return options.filter((name) => !own.includes(name));
  const model: Model = read(service, 'service-2');
  const waited = operation === 'wait' ? Object.entries<{ operation: string }>(read(service, 'waiters-2').waiters) : undefined;
  const wanted = waited === undefined ? operation : (waited.find(([name]) => plain(name) === plain(waiter))?.[1].operation ?? waiter);
  const found = Object.entries(model.operations).find(([name]) => plain(name) === plain(wanted))?.[1];
  if (found === undefined) return [`no operation ${wanted}`];
  const { members = {}, required = [] } = model.shapes[found.input?.shape ?? ''] ?? {};
  const known = Object.keys(members).map(plain);
  const given = options.map((name) => (known.includes(plain(name)) ? plain(name) : plain(name).replace(/^no/, '')));
  return [
    ...given.filter((name) => !known.includes(name)).map((name) => `no option ${name}`),
    ...(text.includes(' --') ? required.filter((name) => !given.includes(plain(name))).map((name) => `without ${name}`) : []),
  ];
}

describe('the commands in the documents', () => {
  test('are found', () => {
    expect(commands.length).toBeGreaterThan(35);
    expect(problemsOf({ text: 'aws logs tail x --sinse 1h', service: 'logs', operation: 'tail' })).toEqual(['sinse']);
    expect(problemsOf({ text: 'aws dynamodb delete-table --table x', service: 'dynamodb', operation: 'delete-table' })).toEqual([
      'no option table',
      'without TableName',
    ]);
    expect(problemsOf({ text: 'aws iam make-user --name x', service: 'iam', operation: 'make-user' })).toEqual(['no operation make-user']);
  });

  test.each(commands)('$file: $text', (command) => {
    expect(problemsOf(command)).toEqual([]);
  });
});
