// The step of preview.yml that deletes stages, run as GitHub runs it (`bash -e`), with programs that stand in for gh, aws and npm.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeFolder } from './support/folders.ts';

const workflow = parse(readFileSync(join(import.meta.dirname, '../.github/workflows/preview.yml'), 'utf8')) as {
  jobs: { delete: { steps: { name?: string; run?: string }[] } };
};
const script = workflow.jobs.delete.steps.find(({ name }) => name?.startsWith('Stages of pull requests'))?.run ?? '';

const folder = makeFolder();
afterAll(() => folder.remove());
const program = (name: string, body: string) => writeFileSync(join(folder.path, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });

/** `gh pr view 1`: open with the label; 2: closed; 3: open without the label; 4: GitHub does not answer. */
program('gh', 'case "$3" in 1) printf "bug\\npreview\\n" ;; 2) ;; 3) echo previews ;; *) echo "HTTP 502" >&2; exit 1 ;; esac');
/** `aws ssm get-parameters-by-path`, for the names of parameters. */
program('aws', '[ -z "$STAGES_FAIL" ] || exit 1; printf "$PARAMETERS"');
/** `npm run destroy -- --stage pr-<number> --yes`. */
program('npm', 'echo "$*" >> "$DESTROYED"; case "$*" in *"$FAILING"*) exit 1 ;; esac');

/** @param numbers of the pull requests that have a stage */
function run(numbers: readonly number[], settings: { readonly closed?: number; readonly failing?: string; readonly stagesFail?: boolean } = {}) {
  const destroyed = join(folder.path, 'destroyed');
  writeFileSync(destroyed, '');
  const env = {
    PATH: `${folder.path}${delimiter}${process.env.PATH}`,
    CLOSED: settings.closed === undefined ? '' : String(settings.closed),
    PARAMETERS: ['staging', ...numbers.map((number) => `pr-${number}`)]
      .flatMap((stage) => ['pets', 'usage'].map((table) => `/petstore/${stage}/tables/${table}\\n`))
      .join(''),
    STAGES_FAIL: settings.stagesFail ? 'yes' : '',
    FAILING: settings.failing ?? 'none of them',
    DESTROYED: destroyed,
  };
  const { status } = spawnSync('bash', ['-e', '-c', script], { env, encoding: 'utf8' });
  return {
    status,
    destroyed: [...readFileSync(destroyed, 'utf8').matchAll(/run destroy -- --stage pr-(\d+) --yes/g)].map(([, number]) => Number(number)),
  };
}

test('deletes the stages of pull requests that are closed or have lost the label', () => {
  expect(run([1, 2, 3])).toEqual({ status: 0, destroyed: [2, 3] });
});

test('deletes the stage of the pull request of the event, whatever its labels are by now', () => {
  expect(run([1, 2], { closed: 1 })).toEqual({ status: 0, destroyed: [1, 2] });
});

test('keeps a stage if GitHub does not say whether its pull request is open, goes on, and fails', () => {
  expect(run([4, 1, 2])).toEqual({ status: 1, destroyed: [2] });
});

test('goes on after a stage that is not deleted, and fails', () => {
  expect(run([2, 3], { failing: 'pr-2' })).toEqual({ status: 1, destroyed: [2, 3] });
});

test('fails if the stages are not listed', () => {
  expect(run([2], { stagesFail: true })).toEqual({ status: 1, destroyed: [] });
});
