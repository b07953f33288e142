// What happens to a stage's data when its stacks are deleted.

import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageSettings } from '../stages.ts';

/**
 * Returns the removal policy of tables, buckets, logs and users. Data that a stage retains is not retained if the stack's first deployment fails:
 * there is none yet, and what is left behind under a fixed name would block the next attempt (CloudFormation User Guide, `RetainExceptOnCreate`).
 */
export function dataRemovalPolicy({ retainData }: StageSettings): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
