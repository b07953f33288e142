// The client as a package: what it weighs, whether its types and its package.json are right, and whether its README's examples work against the embedded
// service, in every Node version that it supports and in Chromium.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientCall } from '../../dashboard/src/first-call.ts';
import { NODES, type PackedClient, packageToolsInstalled, packClient, run, runTool } from '../client/packed.ts';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { signIn } from '../support/sign-in.ts';

/** Of each client, minified, in bytes. */
const GZIP_BYTES = 5_000;
const LARGEST = 9_223_372_036_854_775_807n;

/** The README's examples read variables of the environment. */
const NODE_TYPES = ['--types', 'node', '--typeRoots', join(import.meta.dirname, '../../node_modules/@types')];

const data = makeFolder();
let client: PackedClient;
let service: ControlHost;
let variables: Record<string, string>;

beforeAll(async () => {
  client = await packClient();
  service = await startControlHost(data.path);
  const { key = '', email = '', password = '' } = service.demo ?? {};
  const { access_token: token } = await signIn(service.url, email, password);
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${service.url}/dashboard/v1${path}`, init)).json();
  };
  const [{ accountId }] = (await call('/accounts')) as [{ accountId: string }];
  const { projectId } = (await call(`/accounts/${accountId}/projects`, { name: 'Pipeline' })) as { projectId: string };
  const deployToken = (await call(`/projects/${projectId}/deploy-tokens`, { name: 'CI', expiresInDays: 1 })) as { token: string };
  variables = {
    KEY: key,
    PETSTORE_KEY: key,
    TOKEN: token,
    PETSTORE_TOKEN: token,
    PETSTORE_DEPLOY_TOKEN: deployToken.token,
    PETSTORE_PROJECT: projectId,
  };
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
  client.remove();
  data.remove();
});

/** The README's code after this mark, with the address of the service. */
function examples(mark: 'run' | 'page'): string[] {
  const text = readFileSync(join(client.package, 'README.md'), 'utf8');
  return [...text.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) =>
    code.replaceAll('http://127.0.0.1:8080', service.url),
  );
}

async function bundle(entry: string): Promise<{ readonly minified: number; readonly gzip: number; readonly brotli: number }> {
  const { outputFiles } = await build({
    entryPoints: [join(client.package, 'dist', entry)],
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser', target: 'es2022' },
  });
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: contents.length, gzip: gzipSync(contents, { level: 9 }).length, brotli: brotliCompressSync(contents).length };
}

describe('the packed client', () => {
  test('has what belongs into it', async () => {
    const files = (await run('tar', ['-tzf', client.tarball], client.folder)).trim().split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md', 'package/dist/client.d.ts', 'package/dist/control.js']));
    expect(files.filter((name) => !/^package\/(LICENSE|README\.md|package\.json|dist\/[\w-]+(\.d\.ts|\.js))$/.test(name))).toEqual([]);
    // Older compilers and other tools look for the file that is named.
    for (const name of files.filter((each) => each.startsWith('package/dist/')))
      for (const [, imported = ''] of readFileSync(join(client.package, name.slice(8)), 'utf8').matchAll(/(?:from |import\()['"]\.\/([^'"]+)['"]/g))
        expect(files, `${name} imports ${imported}`).toContain(`package/dist/${imported}`);
    const { dependencies } = JSON.parse(readFileSync(join(client.package, 'package.json'), 'utf8')) as { dependencies?: object };
    expect(dependencies).toBeUndefined();
  });

  test('is small', async () => {
    const [catalogue, control] = await Promise.all([bundle('client.js'), bundle('control.js')]);
    for (const [name, { minified, gzip, brotli }] of Object.entries({ 'petstore-client': catalogue, 'petstore-client/control': control }))
      console.log(`${name}: ${minified} bytes minified, ${gzip} with gzip, ${brotli} with Brotli`);
    expect(catalogue.gzip).toBeLessThanOrEqual(GZIP_BYTES);
    expect(control.gzip).toBeLessThanOrEqual(GZIP_BYTES);
  });
});

describe.runIf(packageToolsInstalled)('rules for packages', () => {
  test('publint and Are The Types Wrong find nothing', async () => {
    expect(await runTool('publint', ['run', client.package, '--strict', '--pack', 'false'], client.folder)).toContain('All good!');
    await runTool('attw', [client.tarball, '--profile', 'esm-only'], client.folder);
  });

  test.each([
    ['nodenext', true],
    ['nodenext', false],
    ['bundler', false],
  ])('TypeScript 5.9 finds no problem in a program that uses it, with the resolution %s and skipLibCheck %s', async (resolution, skipLibCheck) => {
    const folder = join(client.folder, `typed-${resolution}-${skipLibCheck}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const programs = { use: PROGRAM, ...Object.fromEntries(examples('run').map((code, index) => [`example-${index}`, code])) };
    const files = Object.entries(programs).map(([name, code]) => {
      writeFileSync(join(folder, `${name}.ts`), code);
      return `${name}.ts`;
    });
    const module = resolution === 'nodenext' ? ['--module', 'nodenext'] : ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--skipLibCheck', String(skipLibCheck)];
    await runTool('tsc', [...strict, ...module, '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', ...NODE_TYPES, ...files], folder);
  });
});

/** Uses the types as programs do, also where they must refuse something. */
const PROGRAM = `
import { ApiKeyBannedError, type CallOptions, createClient, type ErrorCode, type NewPet, type Page, type Pet, PetstoreError } from 'petstore-client';
import { ControlError, type ControlSchemas, createControlClient, createDeployClient, type InputOf } from 'petstore-client/control';

const petstore = createClient({ baseUrl: 'https://api.test', apiKey: 'key', maxAttempts: 3 });
const rex: NewPet = { name: 'Rex', categoryId: 7n };
const options: CallOptions = { signal: AbortSignal.timeout(1_000) };
export const made: Promise<Pet> = petstore.createPet(rex, { idempotencyKey: 'key', ...options });
export const again: Promise<Pet> = petstore.createPet(rex, 'key');
let page: Page = await petstore.listPets({ status: 'available', cursor: undefined }, options);
page = await petstore.listPets({ cursor: page.nextCursor });
for await (const pet of petstore.allPets()) console.log(pet.categoryId + 1n);
// @ts-expect-error a category is a bigint
petstore.createPet({ name: 'Rex', categoryId: 7 });
export const code = (error: unknown): ErrorCode | Date | undefined =>
  error instanceof ApiKeyBannedError ? error.until : error instanceof PetstoreError ? error.code : undefined;

const control = createControlClient({ baseUrl: 'https://dashboard.test', token: async (refused) => (refused === undefined ? 'a' : 'b') });
const input: InputOf<'createProject'> = { path: { accountId: 'acc_1' }, body: { name: 'Shop' }, ...options };
export const project: ControlSchemas['Project'] = await control.createProject(input);
for await (const domain of control.all('listDomains', { path: { projectId: project.projectId } })) {
  const state: ControlSchemas['DomainState'] = domain.state;
  console.log(state, domain.host);
}
// @ts-expect-error the body is required
control.createProject({ path: { accountId: 'acc_1' } });
export const refusal = (error: unknown) => error instanceof ControlError && error.code === 'conflict';
const deploy = createDeployClient({ baseUrl: 'https://dashboard.test', deployToken: 'token' });
const { targets } = await deploy.listUploadTargets({ path: { projectId: 'prj_1', deploymentId: 'dpl_1' }, query: { after: undefined } });
for (const target of targets) await deploy.sendFile(target, new TextEncoder().encode('content'));
// @ts-expect-error a deploy token can't do this
deploy.deleteProject({ path: { projectId: 'prj_1' } });
`;

describe.each(NODES)('in %s', (name, program) => {
  const runCode = (code: string) => {
    const file = join(client.folder, `${Math.random().toString(36).slice(2)}.mjs`);
    writeFileSync(file, code);
    return run(program, [file], client.folder, variables);
  };

  test('the examples of its README work', async () => {
    expect(await run(program, ['--version'], client.folder)).toContain(`v${name.slice(5)}.`);
    const [catalogue = '', control = '', deploy = '', ...more] = examples('run');
    expect(more).toEqual([]);
    const printed = await runCode(catalogue);
    expect(printed).toMatch(new RegExp(`^true Rex ${LARGEST}n$`, 'm'));
    expect(printed).toMatch(new RegExp(`^{"id":\\d+,.*"categoryId":"${LARGEST}".*}$`, 'm'));
    expect(printed).toMatch(/^invalid_request 400 .*name.* \S+$/m);
    expect(await runCode(control)).toMatch(/^prj_\w+ Shop\n(.*\n)*Shop\nnot_found 404 /m);
    await runCode(deploy);
    const current = `${service.url}/deploy/v1/projects/${variables.PETSTORE_PROJECT}/deployments`;
    const published = await fetch(current, { headers: { authorization: `Bearer ${variables.PETSTORE_DEPLOY_TOKEN}` } });
    expect((await published.json()) as unknown[]).toContainEqual(expect.objectContaining({ current: true, files: 1 }));
  });

  test('the examples of the documents and of the dashboard work', async () => {
    const documented = (name: string) =>
      /```js\n(import [\s\S]*?)```/
        .exec(readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8'))?.[1]
        ?.replaceAll('http://127.0.0.1:8080', service.url) ?? '';
    expect(await runCode(documented('api.md'))).toMatch(/^\d+ Rex$/m);
    expect(await runCode(documented('control-api.md'))).toMatch(/^prj_\w+ Pipeline$/m);
    for (const scopes of [['pets:read' as const], ['pets:write' as const]]) {
      expect(await runCode(clientCall(service.url, { key: '', scopes }))).toContain('Rex');
    }
  });

  test('every digit is kept, in the smallest and the largest value', async () => {
    const code = `
      import { createClient } from 'petstore-client';
      const petstore = createClient({ baseUrl: '${service.url}', apiKey: process.env.PETSTORE_KEY });
      const values = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, 0n];
      const made = await Promise.all(values.map((categoryId) => petstore.createPet({ name: '"categoryId":1,\\\\"', categoryId, status: 'sold' })));
      for (const [index, pet] of made.entries())
        if (pet.categoryId !== values[index] || pet.name !== '"categoryId":1,\\\\"') throw new Error(JSON.stringify(pet.name) + pet.categoryId);
      const { pets } = await petstore.listPets({ status: 'sold', limit: 100 });
      console.log(values.every((value) => pets.some(({ categoryId }) => categoryId === value)), typeof JSON.rawJSON);`;
    expect((await runCode(code)).trim()).toBe(`true ${name === 'Node 20' ? 'undefined' : 'function'}`);
  });
});

describe.runIf(chromiumInstalled)('in Chromium', () => {
  let pages: Server;
  let origin = '';

  beforeAll(async () => {
    pages = createServer((request, response) => {
      const [page = ''] = examples('page');
      const isModule = request.url?.startsWith('/node_modules/') ?? false;
      response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(isModule ? readFileSync(join(client.folder, request.url ?? '')) : page.replace('petstore_test_…', variables.PETSTORE_KEY ?? ''));
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  });

  afterAll(() => new Promise((resolve) => pages.close(resolve)));

  test('a page of another origin reads and adds animals', async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(origin);
      const use = `(async () => {
        const { createClient, PetstoreError } = await import('petstore-client');
        const petstore = createClient({ baseUrl: '${service.url}', apiKey: '${variables.PETSTORE_KEY}' });
        const pet = await petstore.createPet({ name: 'Blink', categoryId: ${LARGEST}n });
        const error = await petstore.createPet({ name: '', categoryId: 1n }).catch((error) => error);
        const aborted = await petstore.listPets({}, { signal: AbortSignal.abort() }).catch((error) => error);
        return [pet.name, String(pet.categoryId), error instanceof PetstoreError, error.code, typeof error.requestId, aborted.name];
      })()`;
      expect(await page.evaluate(use)).toEqual(['Blink', String(LARGEST), true, 'invalid_request', 'string', 'AbortError']);
      await page.reload();
      await page.getByText(`Blink (${LARGEST})`).waitFor();
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
