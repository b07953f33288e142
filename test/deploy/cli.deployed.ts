// The command line works on a deployed stage as it does on the data folder. Accounts and keys are left out: the other suites create theirs with it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTarget, type Target } from '../e2e/target.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { petBody } from '../support/samples.ts';

const ANIMALS = 150;
const folder = makeFolder();
let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterAll(async () => {
  await target.stop();
  folder.remove();
});

test('animals are imported once, and exported', async () => {
  const name = `cli-${crypto.randomUUID()}`;
  const source = join(folder.path, 'in.jsonl');
  writeFileSync(source, Array.from({ length: ANIMALS }, (_, n) => `${petBody({ name, categoryId: n })}\n`).join(''));
  const first = await target.petstore(['pets', 'import', source, '--source', name]);
  const second = await target.petstore(['pets', 'import', source, '--source', name]);
  expect([first, second]).toMatchObject([
    { imported: ANIMALS, alreadyThere: 0 },
    { imported: 0, alreadyThere: ANIMALS },
  ]);
  const { code, stdout } = await runCli(folder.path, ['--stage', String(process.env.E2E_STAGE), 'pets', 'export']);
  expect(code).toBe(0);
  const pets: { name: string; categoryId: number }[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const own = pets.filter((pet) => pet.name === name);
  expect(own.map(({ categoryId }) => categoryId).sort((a, b) => a - b)).toEqual(Array.from({ length: ANIMALS }, (_, n) => n));
});
