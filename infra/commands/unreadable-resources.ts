// Resources that a drift detection could not read. `cdk drift` counts them as not drifted.

import { CloudFormationClient, DescribeStackResourceDriftsCommand, type StackResourceDrift } from '@aws-sdk/client-cloudformation';
import type { SynthesizedStack } from './assembly.ts';

/**
 * Returns a line for each resource of a stack whose last drift detection ended without a result, with CloudFormation's reason. Resources of types
 * that don't support drift detection are not among them.
 *
 * @throws Error of CloudFormation, if the stack does not exist for example
 */
export async function unreadableResources({ name, region }: Pick<SynthesizedStack, 'name' | 'region'>): Promise<readonly string[]> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  const found: StackResourceDrift[] = [];
  try {
    let NextToken: string | undefined;
    do {
      const page = await client.send(new DescribeStackResourceDriftsCommand({ StackName: name, NextToken }));
      found.push(...(page.StackResourceDrifts ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
  } finally {
    client.destroy();
  }
  return found
    .filter(({ StackResourceDriftStatus: status }) => status === 'UNKNOWN')
    .map(
      ({ LogicalResourceId, ResourceType, DriftStatusReason }) =>
        `${name} ${LogicalResourceId} (${ResourceType}): ${DriftStatusReason ?? 'no reason'}`,
    );
}
