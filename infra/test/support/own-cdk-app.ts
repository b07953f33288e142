// The example of an app that installs the package, synthesized from source.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';

const ROOT = join(import.meta.dirname, '../../..');
export const OWN_CDK_APP = join(ROOT, 'examples/own-cdk-app/app.ts');

/** Synthesizes the app, without our feature flags and without bundling, into a folder, where its template is `Orders.template.json`. */
export function synthesizeOwnCdkApp(outdir: string): void {
  const environment = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ [BUNDLING_STACKS]: [] }) };
  execFileSync(process.execPath, ['--import', join(ROOT, 'examples/from-source.ts'), OWN_CDK_APP], { env: environment, stdio: 'pipe' });
}
