// What happens to data when its stack is deleted.

import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * Returns the removal policy of tables, buckets, logs and users. Retained resources are still deleted if the stack's first deployment fails: they have no
 * data yet, and would block the next attempt under their fixed names (CloudFormation User Guide, `RetainExceptOnCreate`).
 */
export function dataRemovalPolicy(retainData: boolean): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
