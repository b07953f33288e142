// Makes the archive of a release, once, when it is released: `node test/deploy/release/make.ts <commit>`. Set RELEASE in archive.ts first.

import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../support/folders.ts';
import { releaseSettings } from '../account.ts';
import { ASSEMBLY, CLI, packRelease, RELEASE } from './archive.ts';

const ROOT = join(import.meta.dirname, '../../..');
const [, , commit] = process.argv;
if (commit === undefined) throw new Error('usage: node test/deploy/release/make.ts <commit>');

const folder = makeFolder();
const [source, contents] = [join(folder.path, 'source'), join(folder.path, 'contents')];
// The CDK runs the application with the first `node` in the path.
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
const run = (program: string, args: readonly string[], cwd: string, env = {}) =>
  execFileSync(program, args, { cwd, env: { ...process.env, PATH, ...env }, stdio: 'inherit' });
try {
  run('git', ['worktree', 'add', '--detach', source, commit], ROOT);
  run('npm', ['ci', '--ignore-scripts'], source);
  run('npm', ['ci', '--ignore-scripts', '--prefix', 'infra'], source);
  const context = ['--context', 'stage=staging', '--context', 'need-account=true'];
  const cdk = join(source, 'infra/node_modules/aws-cdk/bin/cdk');
  run(process.execPath, [cdk, 'synth', 'staging/*', '--quiet', '--output', join(contents, ASSEMBLY), ...context], source, releaseSettings());
  const banner = "--banner:js=import{createRequire as c}from'node:module';const require=c(import.meta.url);";
  const options = ['--bundle', '--platform=node', '--format=esm', '--target=node24', '--minify', '--legal-comments=none', banner];
  run(join(source, 'node_modules/.bin/esbuild'), ['cli/petstore.ts', ...options, `--outfile=${join(contents, CLI)}`], source);
  const { bytes } = packRelease(contents);
  console.log(`release ${RELEASE} of ${commit}: ${Math.round(bytes / 1_000)} kB`);
} finally {
  run('git', ['worktree', 'remove', '--force', source], ROOT);
  folder.remove();
}
