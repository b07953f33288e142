// petstore.config.ts: what it may name, and what is said if it can't be used. Nothing may have started by then.

import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreFault } from '../../core/refusal.ts';
import { PORT_METHODS, type PortName } from '../../platforms/adapters.ts';
import { boundedPort } from '../../platforms/embedded/bounded-port.ts';
import { openAdapters } from '../../platforms/embedded/configuration.ts';
import { testFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A mailer and a counter as others would write them: instances of classes. */
const CLASSES = `
class Mailer { #sent = 0; async send() { this.#sent += 1; return this.#sent; } }
class Counter { #counts = 0; async count() { return ++this.#counts; } }
const adapter = (name, ports) => ({ name, provides: Object.keys(ports), open: async () => ({ ports, close: async () => { globalThis.closedAdapters?.push(name); } }) });
`;

/** Writes a configuration, and opens it. */
async function open(source: string, packages: Readonly<Record<string, string>> = {}, wanted?: readonly PortName[]) {
  const folder = testFolder();
  for (const [name, text] of Object.entries(packages)) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }));
    writeFileSync(join(folder, 'node_modules', name, 'index.js'), text);
  }
  const file = join(folder, 'petstore.config.mjs');
  writeFileSync(file, source);
  return openAdapters({ configurationFile: file, dataFolder: '.petstore' }, Date.now, wanted);
}

describe('the configuration', () => {
  test('gives ports of classes, whose methods can be passed on', async () => {
    const { ports } = await open(
      `${CLASSES} export default { adapters: [adapter('a', { mailer: new Mailer() }), adapter('b', { userRequests: new Counter() })] };`,
    );
    const { count } = { ...ports.userRequests };
    expect([await count?.('key', 1, 0), await count?.('key', 1, 0)]).toEqual([1, 2]);
    expect(Object.keys(ports).sort()).toEqual(['mailer', 'userRequests']);
  });

  test('opens only adapters of which the process uses a port, and gives no other port', async () => {
    const unneeded = "{ name: 'c', provides: ['answers'], open: () => { throw new Error('opened'); } }";
    const both = "adapter('a', { mailer: new Mailer(), userRequests: new Counter() })";
    const { ports, providers } = await open(`${CLASSES} export default { adapters: [${both}, ${unneeded}] };`, {}, ['mailer']);
    expect([Object.keys(ports), providers]).toEqual([['mailer'], { mailer: 'a' }]);
    await expect(open(`${CLASSES} export default { adapters: [${both}, ${unneeded}] };`)).rejects.toThrow("c can't be opened: opened");
  });

  test.each([
    [
      'a port that two provide',
      `[adapter('one', { mailer: new Mailer() }), adapter('two', { mailer: new Mailer() })]`,
      'one and two both provide mailer; a port has one adapter: remove one of them',
    ],
    ['a port that does not exist', `[adapter('one', { post: {} })]`, 'one provides "post", which is not a port; allowed: pets, accounts'],
    [
      'a port that one announces twice',
      `[{ ...adapter('one', { mailer: new Mailer() }), provides: ['mailer', 'answers', 'mailer'] }]`,
      'one announces mailer twice; allowed: each port once',
    ],
    [
      'a port that is returned and not announced',
      `[{ ...adapter('one', { mailer: new Mailer(), answers: {} }), provides: ['mailer'] }]`,
      'one: open() returns the port answers, which is not in provides, so it would not be used; announce it, or leave it out',
    ],
    ['no port', `[adapter('one', {})]`, 'one provides no port; allowed: pets, accounts'],
    [
      'a missing method',
      `[adapter('one', { answers: { claim: async () => {}, keep: 7 } })]`,
      'one: its answers lack the methods keep, release; see docs/adapters.md',
    ],
    [
      'a missing port',
      `[{ ...adapter('one', { mailer: new Mailer() }), open: async () => ({ ports: {} }) }]`,
      'one announces the port mailer, but open() returns no ports.mailer',
    ],
    [
      'nothing that was opened',
      `[{ ...adapter('one', { mailer: new Mailer() }), open: async () => undefined }]`,
      'one announces the port mailer, but open() returns no ports.mailer',
    ],
    ['some of what hosts share', `[adapter('one', { projects: {}, members: {} })]`, 'one provides members without accounts, usage, invitations, '],
    ['uploads alone', `[adapter('one', { uploads: {} })]`, 'one provides uploads without sites; both or neither'],
    ['accounts alone', `[adapter('one', { accounts: {} })]`, 'one provides accounts without usage; both or neither'],
    ['leases alone', `[adapter('one', { leases: {} })]`, 'one provides leases without usage, whose counters it reads'],
    [
      'a function that was not called',
      `[adapter]`,
      'adapters[0] is the function adapter, which must be called; allowed: an adapter, which has the properties name, provides and open',
    ],
    ['undefined', `[undefined]`, 'adapters[0] is undefined; allowed: an adapter, which has the properties name, provides and open'],
    [
      'a promise',
      `[Promise.resolve(adapter('one', {}))]`,
      'adapters[0] is a promise, which must be awaited (await is allowed at the top of the file)',
    ],
    [
      'an adapter without open',
      `[{ name: 'one', provides: ['mailer'] }]`,
      'adapters[0] is another object; allowed: an adapter, which has the properties name, provides and open; it lacks open',
    ],
    [
      'an adapter that fails',
      `[{ ...adapter('one', { mailer: new Mailer() }), open: async () => { throw new Error('no connection to 127.0.0.1:5432') } }]`,
      "one can't be opened: no connection to 127.0.0.1:5432",
    ],
  ])('refuses %s', async (_what, adapters, problem) => {
    await expect(open(`${CLASSES} export default { adapters: ${adapters} };`)).rejects.toThrow(problem);
    await expect(open(`${CLASSES} export default { adapters: ${adapters} };`)).rejects.toThrow(/^\/.*\/petstore\.config\.mjs:/);
  });

  test.each([
    [
      'no default export',
      'export const adapters = [];',
      'the default export is undefined; allowed: defineConfig({ adapters: [ … ] }) of petstore-platform',
    ],
    ['a promise', 'export default Promise.resolve({ adapters: [] });', 'the default export is a promise, which must be awaited'],
    ['a function', 'export default function adapters() {}', 'the default export is the function adapters, which must be called'],
    ['an unknown member', 'export default { adapters: [], plans: {} };', 'plans: unknown; allowed: adapters'],
    ['code that throws', 'throw new Error("DATABASE_URL is not set");', 'DATABASE_URL is not set'],
    [
      'an adapter that is not installed',
      "import 'petstore-example-dns';",
      'the package petstore-example-dns is not installed; run: npm install petstore-example-dns',
    ],
    ['a scoped one', "import '@example/dns/publisher';", 'the package @example/dns is not installed; run: npm install @example/dns'],
  ])('refuses %s', async (_what, source, problem) => {
    await expect(open(source)).rejects.toThrow(`petstore.config.mjs: ${problem}`);
  });

  test('names what an adapter needs and is not installed, when it is loaded or opened', async () => {
    const sentence = 'example-dns needs the package example-driver, which is not installed; run: npm install example-driver';
    await expect(open("import 'example-dns'; export default { adapters: [] };", { 'example-dns': "import 'example-driver';" })).rejects.toThrow(
      `petstore.config.mjs: ${sentence}`,
    );
    const late = "export default { name: 'example-dns', provides: ['mailer'], open: () => import('example-driver') };";
    await expect(open("import dns from 'example-dns'; export default { adapters: [dns] };", { 'example-dns': late })).rejects.toThrow(
      `petstore.config.mjs: example-dns can't be opened: ${sentence}`,
    );
  });

  test('reports all problems together', async () => {
    await expect(open(`${CLASSES} export default { adapters: [adapter('one', { post: {} }), undefined], x: 1 };`)).rejects.toThrow(
      /petstore\.config\.mjs:\n {2}x: unknown.*\n {2}one provides "post".*\n {2}adapters\[1\] is undefined/,
    );
  });

  test('closes what it has opened if a later adapter fails', async () => {
    const closed: string[] = [];
    Object.assign(globalThis, { closedAdapters: closed });
    const failing = "{ name: 'two', provides: ['mailer'], open: async () => ({ ports: { mailer: {} } }) }";
    await expect(open(`${CLASSES} export default { adapters: [adapter('one', { userRequests: new Counter() }), ${failing}] };`)).rejects.toThrow(
      'send',
    );
    expect(closed).toEqual(['one']);
  });

  test('closes each adapter, and names those that do not close', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const closed: string[] = [];
    Object.assign(globalThis, { closedAdapters: closed });
    const slow =
      "{ ...adapter('slow', { mailer: new Mailer() }), open: async () => ({ ports: { mailer: new Mailer() }, close: () => new Promise(() => {}) }) }";
    const broken =
      "{ ...adapter('broken', { answers: {} }), open: async () => ({ ports: { answers: { claim() {}, keep() {}, release() {} } }, close: async () => { throw new Error('gone'); } }) }";
    const { close } = await open(`${CLASSES} export default { adapters: [${slow}, ${broken}, adapter('good', { userRequests: new Counter() })] };`);
    const closing = expect(close()).rejects.toThrow(/^slow did not close within 5 s; broken can't be closed: gone$/);
    await vi.advanceTimersByTimeAsync(5_000);
    await closing;
    expect(closed).toEqual(['good']);
    // Everything is closed now.
    await close();
  });

  test('must be a module, where the setting says', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'petstore.config.json'), '{}');
    for (const [file, what] of [
      ['/nowhere/petstore.config.ts', 'does not exist'],
      [folder, 'is not a file'],
      [join(folder, 'petstore.config.json'), 'is not a module'],
    ] as const) {
      const sentence = `PETSTORE_CONFIG: ${file} ${what}; allowed: a file with the extension .ts, .mts, .js, .mjs, .cjs`;
      await expect(openAdapters({ configurationFile: file, dataFolder: '.petstore' }, Date.now)).rejects.toThrow(sentence);
    }
  });

  test('is found in the current folder, where there may be one', async () => {
    const [folder, before] = [testFolder(), process.cwd()];
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    expect((await openAdapters({ configurationFile: undefined, dataFolder: '.petstore' }, Date.now)).ports).toEqual({});
    writeFileSync('petstore.config.cjs', 'module.exports = { adapters: [7] };\n');
    await expect(openAdapters({ configurationFile: undefined, dataFolder: '.petstore' }, Date.now)).rejects.toThrow(
      /^petstore\.config\.cjs: adapters\[0\] is 7; allowed: an adapter/,
    );
    writeFileSync('petstore.config.mts', '');
    await expect(openAdapters({ configurationFile: undefined, dataFolder: '.petstore' }, Date.now)).rejects.toThrow(
      /^petstore\.config\.mts and petstore\.config\.cjs: only one configuration is allowed; remove the others, or name one with PETSTORE_CONFIG/,
    );
  });

  test('ends each call in time, with a fault that names it', async () => {
    const counter = boundedPort('one', 'userRequests', { count: () => new Promise(() => {}) }, 20);
    await expect(counter.count('key', 1, 0)).rejects.toThrow(new StoreFault('unavailable', 'one: userRequests.count did not answer within 0.02 s'));
    const throwing = boundedPort('one', 'userRequests', {
      count: () => {
        throw new Error('at once');
      },
    });
    await expect(throwing.count('key', 1, 0)).rejects.toThrow('at once');
  });

  test('demands every method that the port has', () => {
    const source = globSync('core/**/*.ts', { cwd: ROOT })
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    const types = readFileSync(join(ROOT, 'platforms/adapters.ts'), 'utf8');
    /** Methods with their optional mark, those of what the interface extends included. */
    const methodsOf = (name: string | undefined): string[] => {
      const [, base, body = ''] = new RegExp(`^export interface ${name} (?:extends (\\w+) )?\\{(.*?)^\\}`, 'ms').exec(source) ?? [];
      const own = [...body.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(/^ {2}(\w+\??)[(<]/gm)].map(([, method = '']) => method);
      return base === undefined ? own : [...own, ...methodsOf(base)];
    };
    for (const [port, methods] of Object.entries(PORT_METHODS)) {
      const declared = methodsOf(new RegExp(`readonly ${port}: (\\w+);`).exec(types)?.[1]);
      const required = declared.filter((method) => !method.endsWith('?'));
      expect(
        declared.map((method) => method.replace('?', '')),
        port,
      ).toEqual(expect.arrayContaining([...methods]));
      expect(methods, port).toEqual(expect.arrayContaining(required));
      expect(methods.length).toBeGreaterThan(0);
    }
  });
});
