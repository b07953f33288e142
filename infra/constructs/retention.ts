// What happens to data when its stack is deleted.

import { RemovalPolicy } from 'aws-cdk-lib';

/**
 * Returns the removal policy of tables, buckets, logs and users. Data that is retained is not retained if the stack's first deployment fails:
 * there is none yet, and what is left behind under a fixed name would block the next attempt (CloudFormation User Guide, `RetainExceptOnCreate`).
 */
export function dataRemovalPolicy(retainData: boolean): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
