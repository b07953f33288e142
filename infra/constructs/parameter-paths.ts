// Access to groups of a stage's SSM parameters.

import type { Stack } from 'aws-cdk-lib';
import { type ParameterGroup, parameterPath } from '../../platforms/aws/stage-parameters.ts';

/** Returns the ARNs on which to allow `ssm:GetParametersByPath`, so that a group of parameters can be read. */
export function parameterPathArns({ partition, region, account }: Stack, name: string, group: ParameterGroup): string[] {
  const path = `arn:${partition}:ssm:${region}:${account}:parameter${parameterPath(name, group)}`;
  // With and without the trailing slash: AWS does not document which one SSM authorizes.
  return [path, path.replace(/\/$/, '')];
}
