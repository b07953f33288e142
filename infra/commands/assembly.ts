// The templates that `npm run cdk -- synth --output <folder>` has written, for commands that compare them with what is deployed.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailed } from './cdk.ts';

interface Artifact {
  readonly type: string;
  /** `aws://account/region`. */
  readonly environment?: string;
  readonly properties?: {
    readonly stackName?: string;
    readonly templateFile: string;
    readonly requiresBootstrapStackVersion?: number;
    readonly bootstrapStackVersionSsmParameter?: string;
  };
}

export interface SynthesizedStack {
  /** Such as `staging-Data`. */
  readonly name: string;
  /** @default the templates fit any region */
  readonly region: string | undefined;
  /** In the stage's folder. */
  readonly templateFile: string;
  /** What `cdk bootstrap` must have made in the stack's region, and the parameter with its version. Undefined: nothing. */
  readonly bootstrap: { readonly version: number; readonly parameter: string } | undefined;
}

/** Returns the error for a folder in which `cdk synth` has not written the stage. */
export function notAnAssembly(assembly: string, stage: string): CommandFailed {
  return new CommandFailed(`--assembly: got ${JSON.stringify(assembly)}; allowed: output of npm run cdk -- synth with the stage ${stage}`, 2);
}

/** Returns a stage's stacks. @param assembly the folder @throws CommandFailed if the folder has no such stage */
export function stacksIn(assembly: string, stage: string): readonly SynthesizedStack[] {
  const file = join(assembly, `assembly-${stage}`, 'manifest.json');
  if (!existsSync(file)) throw notAnAssembly(assembly, stage);
  const { artifacts } = JSON.parse(readFileSync(file, 'utf8')) as { artifacts: Readonly<Record<string, Artifact>> };
  return Object.values(artifacts).flatMap(({ type, environment, properties }) => {
    const { stackName: name, templateFile, requiresBootstrapStackVersion: version, bootstrapStackVersionSsmParameter: parameter } = properties ?? {};
    if (type !== 'aws:cloudformation:stack' || name === undefined || templateFile === undefined) return [];
    const bootstrap = version === undefined || parameter === undefined ? undefined : { version, parameter };
    const [, region] = /^aws:\/\/[^/]+\/(.+)$/.exec(environment ?? '') ?? [];
    return [{ name, region: region === 'unknown-region' ? undefined : region, templateFile, bootstrap }];
  });
}
