// Settings of the probe's Lambda function, from its environment.

import * as z from 'zod/mini';
import { parserOf, some } from './environment.ts';

const schema = z.object({
  API_URL: z.url({ protocol: /^https?$/, error: 'the URL of the API' }),
  KEY_MODE: z.enum(['live', 'test']),
  SERVICE_NAME: some('the service name in logs and metrics'),
});

export type ProbeEnvironment = z.input<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseProbeSettings = parserOf(schema);
