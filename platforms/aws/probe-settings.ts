// Settings of the probe's Lambda function, from its environment. The stack sets them; a missing one fails the cold start.

import * as z from 'zod';
import { readEnvironment } from './environment.ts';

const schema = z.object({
  API_URL: z.url({ protocol: /^https?$/, error: 'the URL of the API' }),
  KEY_MODE: z.enum(['live', 'test']),
  SERVICE_NAME: z.string().min(1, 'the service name in logs and metrics'),
});

export type ProbeSettings = z.infer<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export function parseProbeSettings(environment: Readonly<Record<string, string | undefined>>): ProbeSettings {
  return readEnvironment(schema, environment);
}
