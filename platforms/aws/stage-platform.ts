// Opens a stage's platform on AWS, located through the parameters that its stacks wrote.

import type { Actor } from '../../core/audit/entry.ts';
import { type Platform, PlatformError } from '../platform.ts';
import { type AwsPlatformOptions, createAwsPlatform } from './platform.ts';
import { type StageName, settingsPrefix } from './stage-name.ts';
import { type ParameterOf, parameterName, zoneIdsOf } from './stage-parameters.ts';
import { dataOf, readParameters } from './stage-stores.ts';

/** Opens a stage with its edge, using the environment's credentials and region. @param actor who makes the changes, for the audit log */
export async function openStagePlatform(stage: StageName, actor: () => Actor): Promise<Platform> {
  const [tables, edge] = await Promise.all([dataOf(stage), edgeOf(stage)]);
  return createAwsPlatform({ tables, ...edge, actor });
}

async function edgeOf(stage: StageName): Promise<Omit<AwsPlatformOptions, 'tables' | 'actor'>> {
  const found = await readParameters(stage, 'edge');
  const parameter = (name: ParameterOf<'edge'>) => {
    const value = found.get(name);
    if (value === undefined) {
      throw new PlatformError(
        `--stage ${stage}: no parameter ${parameterName(stage, 'edge', name)}: this stage has no custom domains; deploy it with ${settingsPrefix(stage)}EDGE_NAME, or with the construct CustomDomains`,
      );
    }
    return value;
  };
  return {
    edgeName: parameter('name'),
    // Stages deployed before 0.3.0 lack this parameter.
    servesTargets: found.get('targets') === 'on',
    sitesBucket: parameter('bucket'),
    edgeMapArn: parameter('map'),
    workflowArn: parameter('workflow'),
    zoneIds: zoneIdsOf(found.get('zones')),
    routingEndpoint: parameter('routing-endpoint'),
  };
}
