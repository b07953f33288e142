// `npm run test:clients`: generates clients from both OpenAPI documents, compiles all of them, and uses three against a service that runs.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../../service/catalogue/openapi.ts';
import { controlOpenApi } from '../../service/control/openapi.ts';
import { GENERATORS, type Generator, type Job, makeAll } from './generators.ts';
import { CACHE, missing, type Program, prepareTools } from './tools.ts';
import { USES, useAll } from './uses.ts';

/** Generators and compilers that run at once. */
const WORKERS = 2;

const folder = mkdtempSync(join(tmpdir(), 'petstore-clients-'));
const started = Date.now();
const seconds = (since: number) => `${((Date.now() - since) / 1_000).toFixed(1)} s`;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const failures: string[] = [];
const generators = GENERATORS.filter(isPossible);
mkdirSync(CACHE, { recursive: true });
await prepareTools(new Set(generators.flatMap(({ needs }) => needs)));
for (const file of ['go.mod', 'go.sum']) copyFileSync(join(import.meta.dirname, 'go', file), join(folder, file));
const jobs = Object.entries({ catalogue: openApiDocument(), control: controlOpenApi() }).map(([name, document]): Job => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(document));
  return { name: name as Job['name'], document: file, folder };
});
console.log(`tools: ready after ${seconds(started)}`);
await makeAll(generators, jobs, folder);
console.log(`OpenAPI Generator: done after ${seconds(started)}`);

const compiled = new Set<string>();
// The control API's clients take longest. Cargo compiles one client at a time, so the two must not be next to each other.
const waiting = generators.flatMap((generator) => jobs.map((job) => ({ generator, job }))).sort((a, b) => order(a.job) - order(b.job));
await Promise.all(Array.from({ length: WORKERS }, work));

const uses = USES.filter(({ name }) => jobs.every((job) => compiled.has(`${name}, ${job.name}`)));
let used = 0;
let began = Date.now();
await useAll(folder, uses, ({ name }, error) => {
  report(`${name}: used for list, create, page, publish, add domain`, began, error);
  if (error === undefined) used += 1;
  began = Date.now();
});
for (const { name } of USES.filter((use) => !uses.includes(use))) console.log(`${name}: NOT USED, because it is not compiled`);

for (const failure of failures) console.log(`\n${failure}`);
console.log(`${compiled.size} of ${GENERATORS.length * jobs.length} clients compiled, ${used} of ${USES.length} used, in ${seconds(started)}`);
process.exitCode = failures.length === 0 ? 0 : 1;

function order({ name }: Job): number {
  return name === 'control' ? 0 : 1;
}

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { generator, job } = next;
    const began = Date.now();
    const error = await generator.make(job).then(
      () => undefined,
      (reason: Error) => reason,
    );
    if (error === undefined) compiled.add(`${generator.name}, ${job.name}`);
    report(`${generator.name}, ${job.name}: compiled`, began, error);
  }
}

function report(what: string, since: number, error: Error | undefined): void {
  console.log(`${error === undefined ? what : what.replace(/: .*/, ': FAILED')} (${seconds(since)})`);
  if (error !== undefined) failures.push(`=== ${what.replace(/: .*/, '')}\n${error.message.split('\n').slice(0, 60).join('\n')}`);
}

/** Without the programs that a generator needs, it is left out; in CI, that is a failure. */
function isPossible({ name, needs }: Generator): boolean {
  const wanted = needs.map((program: Program) => missing(program)).filter((each) => each !== undefined);
  if (wanted.length === 0) return true;
  const text = `${name}: needs ${wanted.join(', ')}`;
  if (process.env.CI === 'true') failures.push(text);
  console.log(process.env.CI === 'true' ? text : `${text}; left out`);
  return false;
}
