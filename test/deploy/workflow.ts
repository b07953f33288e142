// Runs the jobs of .github/workflows/deploy.yml as GitHub does: unchanged, each job in a new checkout, with exactly the variables that the workflow
// passes, and with the credentials of the role that it assumes.

import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { AssumeRoleWithWebIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { parse } from 'yaml';
import { makeFolder } from '../support/folders.ts';
import { OIDC_SUBJECTS, REPOSITORY } from './account.ts';
import { runProgram } from './run-program.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORKFLOW = join(ROOT, '.github/workflows/deploy.yml');

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

type Environment = Readonly<Record<string, string>>;

/** The variables of this machine that steps get: programs, the home folder, and access to the network. */
const OF_THE_MACHINE = /^(?:HOME|LANG|TMPDIR|npm_config_(?:registry|cache|userconfig)|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i;

const INSTALL = 'npm ci --ignore-scripts';
/** What INSTALL makes, and what `npm run cdk` installs itself. */
const INSTALLED = ['node_modules', 'infra/node_modules'];

type Variables = Readonly<Record<string, string>>;

export interface WorkflowOptions {
  /** The variables of the repository. */
  readonly repository: Variables;
  /** The variables that each environment has in addition. */
  readonly environments: Readonly<Record<string, Variables>>;
  /** How the steps reach the emulator instead of AWS. */
  readonly emulator: Environment;
  readonly say: (text: string) => void;
}

/** Runs all jobs in the order of their `needs`. @throws Error for the first step that fails */
export async function runDeployWorkflow(options: WorkflowOptions): Promise<void> {
  const { jobs } = parse(readFileSync(WORKFLOW, 'utf8')) as { jobs: Readonly<Record<string, Job>> };
  const done = new Set<string>();
  const artifacts = makeFolder();
  try {
    await runJobs(jobs, done, artifacts.path, options);
  } finally {
    artifacts.remove();
  }
}

async function runJobs(jobs: Readonly<Record<string, Job>>, done: Set<string>, artifacts: string, options: WorkflowOptions): Promise<void> {
  while (done.size < Object.keys(jobs).length) {
    const ready = Object.entries(jobs).find(([name, { needs = [] }]) => !done.has(name) && [needs].flat().every((each) => done.has(each)));
    if (ready === undefined) throw new Error('deploy.yml: the jobs need each other');
    const [name, job] = ready;
    // CI runs these checks itself.
    if (job.uses === './.github/workflows/check.yml') options.say(`deploy.yml: ${name}: ${job.uses}, not run here`);
    else await runJob(name, job, artifacts, options);
    done.add(name);
  }
}

async function runJob(name: string, job: Job, artifacts: string, options: WorkflowOptions): Promise<void> {
  const folder = makeFolder();
  const installed = INSTALLED.map((path) => [join(folder.path, path), join(artifacts, path.replace('/', '-'))] as const);
  let credentials: Environment = {};
  const variables = { ...options.repository, ...options.environments[job.environment ?? ''] };
  const summary = join(artifacts, `${name}.md`);
  let path = process.env.PATH ?? '';
  try {
    for (const step of job.steps ?? []) {
      const title = `deploy.yml: ${name}: ${step.name ?? step.uses ?? step.run?.split('\n')[0]}`;
      options.say(title);
      const at = (text: string | number) => evaluate(String(text), variables);
      // What the first job has installed is what any other would install: the lock files are the same.
      if (step.run === INSTALL && existsSync(join(artifacts, 'node_modules'))) {
        for (const [path, kept] of installed) if (existsSync(kept)) renameSync(kept, path);
      } else if (step.uses === undefined) {
        const env = { ...job.env, ...step.env };
        const given = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, at(value)]));
        await runStep(title, at(step.run ?? ''), folder.path, {
          ...options.emulator,
          ...credentials,
          ...given,
          PATH: path,
          GITHUB_STEP_SUMMARY: summary,
        });
      } else if (step.uses.startsWith('actions/checkout@')) checkOut(folder.path);
      else if (step.uses.startsWith('aws-actions/configure-aws-credentials@')) credentials = await assumeRole(job, step, at);
      else if (step.uses.startsWith('actions/upload-artifact@'))
        upload(folder.path, String(step.with?.path), join(artifacts, String(step.with?.name)));
      else if (step.uses.startsWith('actions/download-artifact@'))
        cpSync(join(artifacts, String(step.with?.name)), join(folder.path, String(step.with?.path ?? '.')), { recursive: true });
      // The version that runs this program is the one that the workflow names: a test compares them.
      else if (step.uses.startsWith('actions/setup-node@')) path = `${dirname(process.execPath)}:${path}`;
      else throw new Error(`${title}: not supported by test/deploy/workflow.ts`);
    }
    for (const [path, kept] of installed) if (existsSync(path)) renameSync(path, kept);
  } finally {
    folder.remove();
  }
}

/** Copies paths of a job into an artifact. The action leaves out the folders that all paths have in common; these have none. */
function upload(folder: string, paths: string, artifact: string): void {
  for (const path of paths.trim().split(/\s+/)) cpSync(join(folder, path), join(artifact, path), { recursive: true });
}

/** Replaces the expressions that the workflow uses. An unset variable is empty. */
function evaluate(text: string, variables: Variables): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const variable = /^vars\.(\w+)$/.exec(expression)?.[1];
    if (variable !== undefined) return variables[variable] ?? '';
    if (expression === 'github.repository') return REPOSITORY;
    if (expression === 'toJSON(vars)') return JSON.stringify(variables);
    throw new Error(`deploy.yml: the expression ${expression} is not supported by test/deploy/workflow.ts`);
  });
}

/** Copies the project without what .gitignore lists; it need not be a git repository. */
function checkOut(folder: string): void {
  const lines = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
  const ignored = ['.git', ...lines.map((line) => line.replaceAll('/', '')).filter((name) => name !== '')];
  cpSync(ROOT, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !ignored.some((pattern) => matchesGlob(basename(source), pattern)),
  });
}

/** Returns the subject of a job's token: its environment, or the branch if it has none. */
function subjectOf({ environment }: Job): string {
  if (environment === undefined) return `${OIDC_SUBJECTS.production}:ref:refs/heads/main`;
  return `${OIDC_SUBJECTS[environment === 'production' ? 'production' : 'staging']}:environment:${environment}`;
}

/** Does what the action does: exchanges GitHub's token, which names the job's environment, for credentials of the role. */
async function assumeRole(job: Job, step: Step, at: (text: string | number) => string): Promise<Environment> {
  if (job.permissions?.['id-token'] !== 'write') throw new Error('deploy.yml: the job has no permission id-token: write');
  const region = at(step.with?.['aws-region'] ?? '');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: 'https://token.actions.githubusercontent.com',
    aud: 'sts.amazonaws.com',
    sub: subjectOf(job),
    iat: now,
    exp: now + 600,
  };
  const sts = new STSClient({ region });
  const { Credentials } = await sts.send(
    new AssumeRoleWithWebIdentityCommand({
      RoleArn: at(step.with?.['role-to-assume'] ?? ''),
      RoleSessionName: 'GitHubActions',
      WebIdentityToken: `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${part({})}`,
    }),
  );
  sts.destroy();
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: Credentials?.AccessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: Credentials?.SecretAccessKey ?? '',
    AWS_SESSION_TOKEN: Credentials?.SessionToken ?? '',
  };
}

/** Runs a step as GitHub does without `shell`: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax */
async function runStep(title: string, script: string, cwd: string, env: Environment): Promise<void> {
  const machine = Object.fromEntries(Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name)));
  const { code, output } = await runProgram('bash', ['-e', '-c', script], cwd, { ...machine, CI: 'true', GITHUB_ACTIONS: 'true', ...env });
  if (code !== 0) throw new Error(`${title} ended with ${code}:\n${output.slice(-4_000)}`);
}
