// What answers visitors if S3 can't: adapters/edge/failover.ts with the stage's bucket. The stack sets the settings; a missing one fails the cold
// start.

import { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { createFailover } from '../../adapters/edge/failover.ts';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { readEnvironment } from './environment.ts';

const schema = z.object({
  SITES_BUCKET: z.string().min(1, 'the name of a bucket'),
  SERVICE_NAME: z.string().min(1, 'the service name in logs'),
});

export type FailoverSettings = z.infer<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export function parseFailoverSettings(environment: Readonly<Record<string, string | undefined>>): FailoverSettings {
  return readEnvironment(schema, environment);
}

/** Creates the answering function. @param onFault gets faults of S3, which are answered with 503 */
export function createEdgeFailover({ SITES_BUCKET }: FailoverSettings, onFault: (error: unknown) => void) {
  return createFailover(createS3SiteStore(new S3Client({}), SITES_BUCKET), onFault);
}
