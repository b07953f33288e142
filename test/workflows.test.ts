// Checks the pipelines: pinned actions, no stored credentials, and only existing commands.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readStages, STAGE_NAMES } from '../infra/stages.ts';
import { releaseProblems } from '../package/release/check.ts';
import { filesOf } from '../package/release/version.ts';
import { settingsPrefix } from '../platforms/aws/stage-name.ts';
import { everySetting } from './support/stage-settings.ts';

interface Job {
  readonly env?: Record<string, string>;
  readonly permissions?: Record<string, string>;
  readonly strategy?: { readonly 'fail-fast'?: boolean; readonly matrix?: unknown };
  readonly steps?: readonly {
    readonly name?: string;
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Record<string, string>;
    readonly env?: Record<string, string>;
  }[];
}

const ROOT = join(import.meta.dirname, '..');
const files = globSync('.github/workflows/*.yml', { cwd: ROOT });
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

test("the example for a site's own pipeline parses, pins its actions, and publishes with a command that exists", () => {
  const guide = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
  const example = /<!-- github -->\n```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const { jobs, permissions } = parse(example) as { jobs: Record<string, Job>; permissions: object };
  expect(permissions).toEqual({ contents: 'read' });
  const steps = Object.values(jobs).flatMap(({ steps: all = [] }) => all);
  for (const { uses } of steps) if (uses !== undefined) expect(readFileSync(join(ROOT, '.github/workflows/check.yml'), 'utf8')).toContain(uses);
  const publish = steps.find(({ run }) => run?.includes('projects deploy'));
  expect([publish?.run, publish?.env]).toEqual([
    expect.stringMatching(/^npm run -s petstore -- --url https:\/\/\S+ projects deploy /),
    expect.objectContaining({ PETSTORE_DEPLOY_TOKEN: expect.stringMatching(/^\$\{\{ secrets\.PETSTORE_DEPLOY_TOKEN \}\}$/) }),
  ]);
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');

  test('pins each action to its commit, with its version in a comment', () => {
    const uses = [...text.matchAll(/uses: (\S+)(.*)/g)].filter(([, action]) => !action?.startsWith('./'));
    for (const [line, action, comment] of uses) {
      expect(action, line).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(comment, line).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
    expect(uses.length).toBeGreaterThan(1);
  });

  test('stores no credentials, and requests no more permissions than it needs', () => {
    expect(text).not.toMatch(/secrets\.|AWS_ACCESS_KEY|AWS_SECRET/);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    // The release of a tag: see below.
    expect(text.match(/write-all|contents: write/g)).toEqual(file.endsWith('/release.yml') ? ['contents: write'] : null);
  });

  test('runs only existing commands', () => {
    const commands = [...`${text}\n${readFileSync(join(ROOT, '.ci/run'), 'utf8')}`.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(commands.length).toBeGreaterThan(0);
    for (const name of commands) expect(Object.keys(scripts)).toContain(name);
  });
});

test('every lane of .ci/run has a job, which does nothing else', () => {
  const lanes = execFileSync(join(ROOT, '.ci/run'), ['--lanes'], { encoding: 'utf8' }).trim().split(' ');
  const { jobs } = parse(readFileSync(join(ROOT, '.github/workflows/check.yml'), 'utf8')) as { jobs: Record<string, Job> };
  const runs = Object.values(jobs).flatMap(({ steps = [], strategy }) => {
    const { lane: each = [''] } = (strategy?.matrix ?? {}) as { lane?: readonly string[] };
    const commands = steps.flatMap(({ run }) => (run === undefined || run.startsWith('apt-get') ? [] : [run]));
    return each.flatMap((lane) => commands.map((command) => command.replace(expression('matrix.lane'), lane)));
  });
  expect(runs.toSorted()).toEqual(lanes.map((lane) => `.ci/run ${lane}`).toSorted());
  for (const lane of lanes)
    expect(execFileSync(join(ROOT, '.ci/run'), ['--packages', lane], { encoding: 'utf8' }).split(' ').length).toBeGreaterThan(2);
});

test('tests staging before it deploys to production', () => {
  const text = readFileSync(join(ROOT, '.github/workflows/deploy.yml'), 'utf8');
  const order = [
    'needs: check',
    'cdk -- synth',
    'needs: templates',
    'npm run deploy:staging',
    'npm run test:e2e',
    'needs: staging',
    "cdk -- diff 'production/*'",
    'needs: difference',
    'npm run deploy:production',
  ].map((part) => text.indexOf(part));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

const expression = (text: string) => `\${{ ${text} }}`;
const workflows = files.map((file) => [file, parse(readFileSync(join(ROOT, file), 'utf8'))] as [string, { jobs: Record<string, Job> }]);
const jobs = workflows.flatMap(([file, { jobs: each }]) => Object.entries(each).map(([name, job]) => ({ name: `${file} ${name}`, job })));

test('jobs that synthesize get every setting that the repository has, for both stages', () => {
  const synthesizing = jobs.filter(({ job }) => job.steps?.some(({ run }) => run?.includes('cdk -- synth')));
  expect(synthesizing.length).toBeGreaterThan(2);
  for (const { name, job } of synthesizing.filter(({ name }) => !name.startsWith('.github/workflows/preview.yml'))) {
    const repository = expression('github.repository');
    const env = { STAGE_SETTINGS: expression('toJSON(vars)'), STAGING_GITHUB_REPOSITORY: repository, PRODUCTION_GITHUB_REPOSITORY: repository };
    expect(job.env, name).toEqual(env);
    expect(job.steps?.filter(({ run }) => run?.includes('cdk -- synth')).every(({ run }) => run?.includes('need-account=true'))).toBe(true);
  }
});

test.each(STAGE_NAMES)('every setting of %s may be in the JSON of the variables, and a variable of its own wins', (stage) => {
  const settings = everySetting([stage]);
  const other = { DEPLOY_ROLE_ARN: 'arn', DIFF_ROLE_ARN_PRODUCTION: 'arn' };
  const read = (environment: Record<string, string>) => readStages(environment, [stage], { needAccount: true });
  expect(read({ STAGE_SETTINGS: JSON.stringify({ ...settings, ...other }) })).toEqual(read(settings));
  const prefix = settingsPrefix(stage);
  const both = { STAGE_SETTINGS: JSON.stringify(settings), [`${prefix}ALARM_EMAIL`]: 'night@example.com', [`${prefix}DNS_PORT`]: '' };
  expect(read(both)).toEqual(read({ ...settings, [`${prefix}ALARM_EMAIL`]: 'night@example.com' }));
  for (const text of ['[', '[]', '{"STAGING_DNS_PORT":53}'])
    expect(read({ STAGE_SETTINGS: text })).toEqual({
      ok: false,
      problems: [expect.stringMatching(/^STAGE_SETTINGS: got .*; allowed: a JSON object/)],
    });
});

test('packages are published as they were tested, by a job that installs and builds nothing', () => {
  const { jobs: release } = workflows.find(([file]) => file.endsWith('release.yml'))?.[1] ?? { jobs: {} };
  expect(
    Object.entries(release)
      .filter(([, { permissions }]) => permissions?.['id-token'] !== undefined)
      .map(([name]) => name),
  ).toEqual(['publish']);
  const { needs, environment, steps = [] } = release.publish as Job & { needs: string[]; environment: string };
  expect([needs, environment]).toEqual([['check', 'packages'], 'npm']);
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([
    expect.stringMatching(/npm publish "\.\/\$each" --provenance --access public --ignore-scripts/),
  ]);
  expect(steps.flatMap(({ uses }) => uses?.split('@')[0] ?? [])).toEqual(['actions/setup-node', 'actions/download-artifact']);
  const built = release.packages?.steps?.flatMap(({ run }) => run ?? []) ?? [];
  expect(built.findIndex((run) => run.includes('test:package'))).toBeLessThan(built.findIndex((run) => run.includes('npm pack')));
  expect(built.some((run) => run.includes('check:release'))).toBe(true);
});

test('a release has the packages and their software bill of materials, from a job that installs and builds nothing', () => {
  const { jobs: each } = workflows.find(([file]) => file.endsWith('release.yml'))?.[1] ?? { jobs: {} };
  const { needs, permissions, steps = [] } = each.release as Job & { needs: string };
  expect([needs, permissions]).toEqual(['publish', { contents: 'write' }]);
  expect(steps.map(({ uses, run }) => uses?.split('@')[0] ?? run)).toEqual([
    'actions/download-artifact',
    expect.stringMatching(/^gh release create "\$GITHUB_REF_NAME" --verify-tag .* \*\.tgz \*\.cdx\.json$/),
  ]);
  const built = each.packages?.steps?.flatMap(({ run }) => run ?? []) ?? [];
  expect(built.indexOf('npm run -s sbom > packages/petstore-platform.cdx.json')).toBeGreaterThan(built.indexOf('npm run test:package'));
});

test('a release needs a tag, versions and a changelog that agree', () => {
  const files = { 'package.json': '{"version":"0.3.0"}', 'client/package.json': '{"version":"0.3.0"}', 'CHANGELOG.md': '\n## 0.3.0 - 2026-12-01\n' };
  const problems = (tag: string, changed: Partial<typeof files> = {}) =>
    releaseProblems(tag, (file) => ({ ...files, ...changed })[file as 'package.json'] ?? '');
  expect(problems('v0.3.0')).toEqual([]);
  expect(problems('0.3.0')).toEqual(['the tag is 0.3.0; allowed: v and a semantic version, such as v0.3.0']);
  expect(problems('v0.4.0', { 'package.json': '{"version":"0.4.0"}' })).toEqual([
    'client/package.json has the version 0.3.0, and the tag is v0.4.0',
    'CHANGELOG.md has no heading "## 0.4.0 - <date>"',
  ]);
});

test('one command writes the version of a release everywhere', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  const files = filesOf('9.8.7', '2030-01-02', read);
  expect(releaseProblems('v9.8.7', (file) => files[file] ?? read(file))).toEqual([]);
  expect(Object.values(files).map((text) => text.split('9.8.7').length - 1)).toEqual([1, 1, 3, 1, 1, 1]);
  expect(() => filesOf('9.8.7', '2030-01-02', (file) => files[file] ?? '')).toThrow('package.json: no version to replace, or it is 9.8.7 already');
});

test('jobs that can assume a role run no install script, and no code of a pull request', () => {
  const trusted = jobs.filter(({ name, job }) => job.permissions?.['id-token'] === 'write' && !name.includes('release.yml'));
  expect(trusted.length).toBeGreaterThan(4);
  for (const { name, job } of trusted) {
    const installs = job.steps?.filter(({ run }) => /\bnpm (ci|i|install)\b/.test(run ?? '')).map(({ run }) => run);
    expect(installs, name).toEqual(['npm ci --ignore-scripts']);
    // Caches of other jobs could bring scripts back in; npm's cache only has archives, whose hashes npm checks.
    const [checkout] = job.steps ?? [];
    const bases = ['github.event.pull_request.base.sha', 'github.event.repository.default_branch'].map(expression);
    if (!/deploy\.yml|drift\.yml/.test(name)) expect(bases, name).toContain(checkout?.with?.ref);
  }
});

test('jobs that build what is deployed or published run no install script, and build the pages by name', () => {
  const building = jobs.filter(({ name }) => !name.startsWith('.github/workflows/check.yml'));
  const commandsOf = ({ job }: (typeof jobs)[number]) => job.steps?.flatMap(({ run }) => run?.split('\n') ?? []) ?? [];
  const installing = building.filter((each) => commandsOf(each).some((command) => /\bnpm (ci|i|install)\b/.test(command)));
  expect(installing.length).toBeGreaterThan(8);
  for (const each of installing)
    expect(
      commandsOf(each).filter((command) => /\bnpm (ci|i|install)\b/.test(command)),
      each.name,
    ).toEqual(['npm ci --ignore-scripts']);
  const pages = building.filter(({ job }) =>
    job.steps?.some(({ run, with: given }) => /dashboard\/dist/.test(given?.path ?? '') || run?.includes('npm pack')),
  );
  expect(pages.map(({ name }) => name.split('/').at(-1))).toEqual(['deploy.yml templates', 'preview.yml templates', 'release.yml packages']);
  for (const each of pages) expect(commandsOf(each).slice(0, 2), each.name).toEqual(['npm ci --ignore-scripts', 'npm run -s prepare']);
  // What these commands install.
  for (const [name, command] of Object.entries(scripts))
    expect(command.replaceAll(/npm ci [^&|]*--ignore-scripts/g, ''), name).not.toContain('npm ci');
});

test('the check for manual changes goes through both stages, whatever the result of one', () => {
  const { jobs: drift } = workflows.find(([file]) => file.endsWith('drift.yml'))?.[1] ?? { jobs: {} };
  const { strategy, steps = [] } = drift.drift ?? {};
  expect(strategy?.['fail-fast']).toBe(false);
  const settings = STAGE_NAMES.map((stage) => {
    const prefix = settingsPrefix(stage);
    return { stage, role: expression(`vars.DRIFT_ROLE_ARN_${prefix.slice(0, -1)}`), region: expression(`vars.${prefix}REGION`) };
  });
  expect(strategy?.matrix).toEqual({ include: settings });
  expect(steps.find(({ uses }) => uses?.startsWith('aws-actions/'))?.with).toEqual({
    'role-to-assume': expression('matrix.role'),
    'aws-region': expression('matrix.region'),
  });
  expect(steps.at(-1)).toMatchObject({
    run: 'npm run -s cdk -- drift "$STAGE/*" --app cdk.out/release --fail',
    env: { STAGE: expression('matrix.stage') },
  });
});

test('jobs that deploy use the Node.js version that the project pins', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { devDependencies: { node: string } };
  const [major] = devDependencies.node.split('.');
  for (const { name, job } of jobs.filter(({ job: { steps } }) => steps?.some(({ run }) => run === 'npm ci --ignore-scripts'))) {
    const [setup] = job.steps?.filter(({ uses }) => uses?.startsWith('actions/setup-node@')) ?? [];
    expect(String(setup?.with?.['node-version']), name).toBe(major);
  }
});
