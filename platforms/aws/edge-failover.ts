// Answers visitors if S3 can't: adapters/edge/failover.ts with the stage's bucket.

import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { createFailover } from '../../adapters/edge/failover.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { parserOf, some } from './environment.ts';

const schema = z.object({
  SITES_BUCKET: some('the name of a bucket'),
  SERVICE_NAME: some('the service name in logs'),
});

export type FailoverEnvironment = z.input<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseFailoverSettings = parserOf(schema);

/** Creates the function that answers. @param onFault receives S3's faults, which are answered with 503 */
export function createEdgeFailover({ SITES_BUCKET }: FailoverEnvironment, onFault: (error: unknown) => void) {
  return createFailover(createS3SiteStore(new S3Client({}), SITES_BUCKET), onFault);
}
