// examples/cloudflare-dns: an adapter as others write it, with the public exports alone.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InstalledExample, installExample } from './example.ts';
import { run, tryRun } from './run.ts';

let example: InstalledExample;

beforeAll(async () => {
  example = await installExample('cloudflare-dns');
});
afterAll(() => example?.remove());

test('passes the contract suite, with the runner of Node', async () => {
  const { code, stdout } = await tryRun('npm', ['test'], example.folder);
  expect([code, stdout]).toEqual([0, expect.stringContaining('RecordPublisher contract, Cloudflare: sets all of the records, and can be repeated')]);
  expect(stdout).toMatch(/pass 2\d\n/);
});

test('the suite fails for a publisher that changes what is in the way', async () => {
  const file = join(example.folder, 'src/publisher.ts');
  const source = readFileSync(file, 'utf8');
  try {
    writeFileSync(file, source.replace("if (needed === 'CNAME') return true;", "if (needed === 'CNAME') return false;"));
    const { code, stdout } = await tryRun('npm', ['test'], example.folder);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/not ok|✖ RecordPublisher contract, Cloudflare: reports a conflict/)]);
  } finally {
    writeFileSync(file, source);
  }
});

test('imports public exports only', () => {
  for (const file of globSync('{src,test}/**/*.ts', { cwd: example.folder })) {
    const imports = [...readFileSync(join(example.folder, file), 'utf8').matchAll(/from '([^']+)'/g)].map(([, from = '']) => from);
    expect(
      imports.filter((from) => !/^(\.{1,2}\/[\w/.-]+|node:[\w/]+|petstore-platform(\/testing)?)$/.test(from) || from.startsWith('../..')),
      file,
    ).toEqual([]);
  }
});

test('is plugged in by petstore.config.ts, after it is built', async () => {
  await run('npm', ['run', 'build'], example.folder);
  const adapter = join(example.folder, 'dist/index.js');
  const file = join(example.folder, 'petstore.config.ts');
  writeFileSync(
    file,
    `import { cloudflareDns } from ${JSON.stringify(adapter)};\nexport default { adapters: [cloudflareDns({ token: '', zones: {} })] };\n`,
  );
  const { code, stderr } = await tryRun('npx', ['petstore', 'start'], example.folder);
  const sentence = "petstore.config.ts: petstore-cloudflare-dns can't be opened: token: empty; allowed: a Cloudflare API token";
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
});
