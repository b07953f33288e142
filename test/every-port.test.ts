// Every port in core has a contract suite, and every adapter of a port is tested by it. This is checked in the sources: if a test stops running an
// adapter, the adapter's import becomes unused, which the linter and the type checker report; once it is deleted, this test fails.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const glob = (pattern: string) => globSync(pattern, { cwd: ROOT }).toSorted();

/** The interfaces that a source declares, with the rest of the source as body. */
const interfaces = (source: string) =>
  [...source.matchAll(/^(?:export )?interface (\w+)(.*?)\n\}/gms)].map(([, name = '', body = '']) => ({ name, body: withoutComments(body) }));

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

/** Calls to the outside world take time, so a port is any interface that has a method that returns a promise. */
const PORTS = [...glob('core/*/ports.ts'), 'core/domains/queue.ts'].flatMap((file) =>
  interfaces(read(file)).flatMap(({ name, body }) => (body.includes('Promise<') ? [name] : [])),
);

/** The suite's path, `pet-store` for `PetStore`, and its function `petStoreContract`. */
const suiteOf = (port: string) => `testing/${port.replace(/(?<=.)(?=[A-Z])/g, '-').toLowerCase()}.ts`;
const contractOf = (port: string) => `${port.charAt(0).toLowerCase()}${port.slice(1)}Contract`;

const DECLARED = new Map(
  [...glob('adapters/**/*.ts'), 'core/ports.ts'].flatMap((file) => interfaces(read(file))).map(({ name, body }) => [name, body]),
);

/** The ports in a type: those that it names, and those in the interfaces that it names. */
function portsIn(type: string, seen = new Set<string>()): string[] {
  return (type.match(/\b[A-Z]\w+/g) ?? []).flatMap((name) => {
    if (PORTS.includes(name)) return [name];
    const body = seen.has(name) ? undefined : DECLARED.get(name);
    seen.add(name);
    // Not every adapter implements optional members.
    return body === undefined ? [] : portsIn(type.includes('Required<') ? body : body.replace(/^.*\?:.*$/gm, ''), seen);
  });
}

/** The return types of a source's exported functions. */
function returnTypes(source: string): string[] {
  return [...source.matchAll(/^export (?:async )?function \w+/gm)].map(({ index }) => {
    let at = source.indexOf('(', index);
    for (let open = 0; at < source.length; at += 1) {
      if (source[at] === '(') open += 1;
      else if (source[at] === ')') open -= 1;
      if (open === 0) break;
    }
    return source.slice(at + 1, source.indexOf('{\n', at));
  });
}

const implementations = [...glob('adapters/**/*.ts'), ...glob('core/**/*.ts')].flatMap((file) =>
  [...new Set(returnTypes(read(file)).flatMap((type) => portsIn(type)))].map((port) => [file, port] as const),
);

/** Whether a source imports from a file that declares a suite, besides the suites' samples. */
function importsSuite(file: string, source: string): boolean {
  return [...source.matchAll(/from '(\.[^']*\/testing\/[^']+)'/g)].some(([, from = '']) =>
    /^export function \w+Contract\b/m.test(read(relative(ROOT, resolve(ROOT, dirname(file), from)))),
  );
}

/** The files that a test imports to run adapters, with their imports: adapters, the code that combines them, and a suite's setup. */
function reachedFrom(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(join(ROOT, file))) return seen;
  const source = read(file);
  // Other support files start adapters for their own purposes.
  if (file.startsWith('test/support/') && !importsSuite(file, source)) return seen;
  seen.add(file);
  for (const [, from = ''] of source.matchAll(/^(?:import (?!type )|export |\} )[^'"]*from '(\.[^']+)'/gm)) {
    const target = relative(ROOT, resolve(ROOT, dirname(file), from));
    if (/^(?:adapters|platforms|test\/support|core)\//.test(target)) reachedFrom(target, seen);
  }
  return seen;
}

const TESTS = glob('test/**/*.test.ts').map((file) => ({ source: read(file), reached: reachedFrom(file) }));

describe('ports and adapters', () => {
  test('are found in the sources', () => {
    expect(PORTS).toEqual(expect.arrayContaining(['PetStore', 'UserStore', 'Edge', 'EdgeMap', 'DnsLookup', 'DomainQueue', 'SandboxRecords']));
    expect(implementations).toEqual(
      expect.arrayContaining([
        ['adapters/store/memory/stores.ts', 'LeaseStore'],
        ['adapters/store/dynamodb/stores.ts', 'MemberStore'],
        ['adapters/store/sqlite/domains.ts', 'DomainQueue'],
        ['adapters/edge/server.ts', 'Edge'],
        ['adapters/workflow/step-functions.ts', 'DomainWorkflow'],
        ['adapters/certificates/acm-dns.ts', 'CertificateAuthority'],
        ['core/domains/records.ts', 'RecordPublisher'],
      ]),
    );
  });

  test.each(PORTS)('%s has a contract suite', (port) => {
    expect(existsSync(join(ROOT, suiteOf(port))), `${suiteOf(port)} is missing`).toBe(true);
    expect(read(suiteOf(port))).toContain(`export function ${contractOf(port)}(`);
  });

  test.each(implementations)('%s is tested by the suite of %s', (file, port) => {
    const running = TESTS.filter(({ source, reached }) => new RegExp(`^\\s*${contractOf(port)}\\(`, 'm').test(source) && reached.has(file));
    expect(running.length, `no test runs ${contractOf(port)} with ${file}`).toBeGreaterThan(0);
  });

  test.each(glob('testing/*.ts').filter((file) => /\b(Make|TestFunction)\b[^;]* from '.\/suite.ts'/.test(read(file))))(
    'package/testing.ts exports all of %s',
    (file) => {
      const declared = [...read(file).matchAll(/^export (?:type|interface|function|const) (\w+)/gm)].map(([, name]) => name);
      const [, exported = ''] = new RegExp(`export (?:type )?\\{([^}]*)\\} from '../${file}'`).exec(read('package/testing.ts')) ?? [];
      expect(exported.match(/\w+/g)).toEqual(expect.arrayContaining(declared));
    },
  );
});
