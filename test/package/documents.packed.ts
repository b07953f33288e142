// docs/adapters.md, followed word by word in an empty folder, and the examples of docs/package.md, compiled as a user compiles them.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { run, startPetstore, tryRun } from './run.ts';
import { examplesOf, stepsOf, writeStep } from './walkthrough.ts';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(import.meta.dirname, 'node_modules/.bin/tsc');

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-package-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('docs/adapters.md leads from an empty folder to a service with the adapter', async () => {
  const folder = emptyFolder();
  const seen: string[] = [];
  for (const step of stepsOf(join(ROOT, 'docs/adapters.md'))) {
    seen.push(step.kind);
    if (step.kind === 'file') writeStep(folder, step);
    else if (step.kind === 'run') {
      // The package is not published yet when it is tested.
      for (const command of step.commands)
        await run('sh', ['-c', command.replace(/^(npm install) petstore-platform$/, `$1 ${inject('tarball')}`)], folder);
    } else {
      expect(step.commands).toEqual(['npx petstore start']);
      const server = await startPetstore(folder);
      onTestFinished(server.stop);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    }
  }
  expect(seen).toEqual(['run', 'file', 'file', 'run', 'file', 'start']);
  expect(readdirSync(folder)).toContain('counter.db');
});

test('the suite of docs/adapters.md fails for an adapter that counts too many', async () => {
  const folder = emptyFolder();
  for (const step of stepsOf(join(ROOT, 'docs/adapters.md'))) {
    if (step.kind === 'file')
      writeStep(folder, step.name === 'counter.ts' ? { ...step, text: step.text.replace('WHERE n < ?', 'WHERE n <= ?') } : step);
    else if (step.commands[0] === 'node --test') break;
    else
      for (const command of step.commands)
        await run('sh', ['-c', command.replace(/^(npm install) petstore-platform$/, `$1 ${inject('tarball')}`)], folder);
  }
  const { code, stdout } = await tryRun('node', ['--test'], folder);
  expect([code, stdout]).toEqual([1, expect.stringContaining('MinuteCounter contract, file: counts exactly')]);
});

// Without skipLibCheck, which only checks less.
test('types: the examples of docs/package.md compile, and so do those of docs/adapters.md', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const packages = [inject('tarball'), '@types/node@24', 'expect@30', 'fast-check@4'];
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], folder);
  // Those with constructs are compiled with the CDK (own-cdk-app.packed.ts).
  const examples = examplesOf(join(ROOT, 'docs/package.md')).filter((code) => !code.includes('aws-cdk-lib'));
  expect(examples.length).toBeGreaterThanOrEqual(6);
  for (const [index, code] of examples.entries()) writeFileSync(join(folder, `example-${index}.ts`), `${code}export {};\n`);
  for (const step of stepsOf(join(ROOT, 'docs/adapters.md'))) if (step.kind === 'file') writeStep(folder, step);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'esnext', '--allowImportingTsExtensions'];
  const { code, stdout } = await tryRun(TSC, [...options, ...files], folder);
  expect([code, stdout]).toEqual([0, '']);
});
