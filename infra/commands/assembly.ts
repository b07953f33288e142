// Reads the templates written by `npm run cdk -- synth --output <folder>`, for commands that compare them with a deployed stage.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { readParameters } from '../../platforms/aws/stage-stores.ts';
import { PlatformError } from '../../platforms/platform.ts';
import type { SettingsRecord } from '../recorded-settings.ts';
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
  /** The stack's region. @default the templates fit any region */
  readonly region: string | undefined;
  /** In the stage's folder. */
  readonly templateFile: string;
  /** The required version of `cdk bootstrap` in the stack's region, and the parameter with the actual one; undefined if none is required. */
  readonly bootstrap: { readonly version: number; readonly parameter: string } | undefined;
}

/** Returns the error for a folder without `cdk synth` output for the stage. */
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

/**
 * Reads the stage's record in the region AWS_REGION; undefined if no stage of this name is deployed there. @param region the same region
 * @throws CommandFailed if the parameters can't be read, or the stage is from a release before 0.2.0
 */
export async function deployedRecord(stage: StageName, region: string): Promise<SettingsRecord | undefined> {
  try {
    const settings = (await readParameters(stage, 'deployment')).get('settings');
    if (settings !== undefined) return JSON.parse(settings) as SettingsRecord;
    if ((await readParameters(stage, 'tables')).size === 0) return undefined;
    throw new CommandFailed(
      `${stage}: the stage in ${region} has recorded no settings, so it predates 0.2.0; supported: 0.2.0 and later; deploy release 0.2.0 first`,
    );
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const message = error.cause instanceof Error ? error.cause.message : '';
    throw new CommandFailed(`${stage}: can't read the settings of the deployed stage in ${region}: ${message}; check AWS credentials`);
  }
}

/** Reads a stage's record in a folder written by `cdk synth`. @throws CommandFailed if the folder has no such stage */
export function synthesizedRecord(assembly: string, stage: StageName): SettingsRecord {
  const name = parameterName(stage, 'deployment', 'settings');
  for (const file of globSync(`assembly-${stage}/*Data*.template.json`, { cwd: assembly })) {
    const { Resources } = JSON.parse(readFileSync(join(assembly, file), 'utf8')) as {
      Resources: Readonly<Record<string, { readonly Properties?: { readonly Name?: unknown; readonly Value?: unknown } }>>;
    };
    const found = Object.values(Resources).find(({ Properties }) => Properties?.Name === name);
    if (found !== undefined) return JSON.parse(String(found.Properties?.Value)) as SettingsRecord;
  }
  throw notAnAssembly(assembly, stage);
}
