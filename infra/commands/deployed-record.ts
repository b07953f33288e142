// Reads the settings that are recorded in a deployed stage, and those in a synthesized one.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { accountOf, readParameters } from '../../platforms/aws/stage-stores.ts';
import { PlatformError } from '../../platforms/platform.ts';
import { recordOfOlderStage, type SettingsRecord } from '../recorded-settings.ts';
import { notAnAssembly } from './assembly.ts';
import { CommandFailed } from './cdk.ts';

/**
 * Reads the record of the stage in the region AWS_REGION.
 *
 * @param region that region
 * @returns undefined if no stage of this name is deployed there
 * @throws CommandFailed if the parameters can't be read
 */
export async function deployedRecord(stage: StageName, region: string): Promise<SettingsRecord | undefined> {
  try {
    const settings = (await readParameters(stage, 'deployment')).get('settings');
    if (settings !== undefined) return JSON.parse(settings) as SettingsRecord;
    const [tables, edge] = [await readParameters(stage, 'tables'), await readParameters(stage, 'edge')];
    if (tables.size === 0) return undefined;
    const [petsTable, keyMode, edgeName] = [tables.get('pets'), tables.get('key-mode'), edge.get('name')];
    return recordOfOlderStage(stage, { petsTable, keyMode, edgeName, region, account: await accountOf(stage) });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { name = '', message = '' } = error.cause instanceof Error ? error.cause : {};
    const what = `${stage}: can't read the settings of the deployed stage in ${region}: ${message}`;
    throw new CommandFailed(name === 'AccessDeniedException' ? `${what}\n${OLDER_ROLES}` : `${what}; check AWS credentials`);
  }
}

const OLDER_ROLES =
  "If the stage was last deployed by a release before 0.2.0, its roles can't read its settings yet: deploy it once as an administrator.";

/** Reads the record of a stage in a folder that `cdk synth` has written. @throws CommandFailed if the stage is not in it */
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
