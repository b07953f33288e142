// Answers visitors if S3 can't: adapters/edge/failover.ts with the stage's bucket.

import { S3Client } from '@aws-sdk/client-s3';
import { createFailover } from '../../adapters/edge/failover.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import type { FunctionSettings, failoverSettings } from './function-settings.ts';

/** Creates the function that answers requests. @param onFault receives S3's faults, which are answered with 503 */
export function createEdgeFailover({ SITES_BUCKET }: FunctionSettings<typeof failoverSettings>, onFault: (error: unknown) => void) {
  return createFailover(createS3SiteStore(new S3Client({}), SITES_BUCKET), onFault);
}
