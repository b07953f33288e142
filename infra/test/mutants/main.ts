// `npm run test:mutants`: adds faults to the templates, one at a time, and shows what notices each: the rules of cdk-nag and CloudFormation during the
// synthesis, or else a test of the templates. The reviewed texts do not count: they are updated with each change. Arguments: how many, and the first seed.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { App } from 'aws-cdk-lib';
import { createVitest, type TestRunResult } from 'vitest/node';
import { startDynamoDbLocal } from '../../../test/support/dynamodb-local.ts';
import { makeFolder } from '../../../test/support/folders.ts';
import { seededRandom32 } from '../../../test/support/samples.ts';
import { everySetting } from '../../../test/support/stage-settings.ts';
import { templatesOf } from '../support/stage-summary.ts';
import { makeApp, makeStages } from '../support/synthesis.ts';
import { MUTATION_VARIABLE, type Mutation, mutationOf } from './mutation.ts';

/** The share that has to be noticed. Few are no sample: they show that this program works. */
const LEAST = 0.95;
const SAMPLE = 20;
const ROOT = join(import.meta.dirname, '../../..');

const [count = 60, first = 1] = process.argv.slice(2).map(Number);
const folder = makeFolder();
const production = () => makeStages(makeApp(folder.path), everySetting(), ['production']);
const [templates = new Map()] = production().map(templatesOf);
const { stop, ...dynamoDbLocal } = await startDynamoDbLocal();
try {
  // Otherwise everything would be noticed by what fails anyway. Few faults are tried beside a run of all tests.
  const broken = count < SAMPLE ? undefined : (problemOfSynthesis() ?? (await failedTest()));
  if (broken !== undefined) throw new Error(`without any fault: ${broken}`);
  let noticed = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const by = await noticing(seed);
    if (by !== undefined) noticed += 1;
    console.log(`    ${by ?? 'NOT NOTICED'}`);
  }
  console.log(`${noticed} of ${count} noticed`);
  process.exitCode = noticed >= count * (count < SAMPLE ? 0.5 : LEAST) ? 0 : 1;
} finally {
  await stop();
  folder.remove();
}

/** Makes the fault of a seed. @returns what notices it */
async function noticing(seed: number): Promise<string | undefined> {
  const random32 = seededRandom32(seed);
  // The first numbers of neighboring seeds are close to each other.
  for (let skipped = 0; skipped < 9; skipped += 1) random32();
  const mutation = mutationOf(templates, () => random32() / 2 ** 32);
  console.log(`${seed} ${textOf(mutation)}`);
  process.env[MUTATION_VARIABLE] = JSON.stringify(mutation);
  try {
    const [faulty] = production().map(templatesOf);
    if (isDeepStrictEqual(faulty, templates)) throw new Error('the templates are as before');
    return problemOfSynthesis() ?? (await failedTest());
  } finally {
    delete process.env[MUTATION_VARIABLE];
  }
}

/** Synthesizes as a deployment does. A warning fails no synthesis, but it fails findings.test.ts, which synthesizes the same stage. */
function problemOfSynthesis(): string | undefined {
  const reports = join(folder.path, 'validation-report.json');
  rmSync(reports, { force: true });
  const rules = () => {
    const report = existsSync(reports) ? readFileSync(reports, 'utf8') : '';
    return [...report.matchAll(/"ruleName": "(.*)"/g)].map(([, rule]) => rule).join(', ');
  };
  try {
    for (const stage of production()) (stage.node.root as App).synth();
    return rules() === '' ? undefined : `findings.test.ts: ${rules()}`;
  } catch (error) {
    return `synthesis: ${rules() || error}`;
  }
}

/** Runs the tests, the general rules first, which notice most. In new processes: others would keep the templates of the fault before. */
async function failedTest(): Promise<string | undefined> {
  const vitest = await createVitest('test', { root: ROOT, config: join(import.meta.dirname, 'vitest.config.ts'), watch: false });
  vitest.provide('dynamoDbLocal', dynamoDbLocal);
  const { general = [], others = [] } = Object.groupBy(await vitest.globTestSpecifications(), ({ moduleId }) =>
    /\/(?:agreement|rules)\.test\.ts$/.test(moduleId) ? 'general' : 'others',
  );
  try {
    return failedOf(await vitest.runTestSpecifications(general)) ?? failedOf(await vitest.runTestSpecifications(others));
  } finally {
    await vitest.close();
  }
}

function failedOf({ testModules }: TestRunResult): string | undefined {
  const [failed] = testModules.flatMap((module) => [
    ...module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`),
    ...[...module.children.allTests('failed')].map(({ fullName }) => `${module.relativeModuleId}: ${fullName}`),
  ]);
  return failed;
}

function textOf({ stack, path, to }: Mutation): string {
  return `${stack}.${path.slice(1).join('.')}: ${to === undefined ? 'removed' : JSON.stringify(to)}`;
}
