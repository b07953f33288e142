// Settings of the gate's Lambda function, from its environment.

import * as z from 'zod/mini';
import { SCOPES } from '../../core/access/plans.ts';
import { onOff, parserOf, serviceName, some, table } from './environment.ts';

const schema = z
  .object({
    USAGE_TABLE: table(),
    CONTROL_TABLE: table(),
    TARGET_FUNCTION: z.optional(some('the ARN of a Lambda function')),
    TARGET_URL: z.optional(z.url({ protocol: /^https$/, error: 'an https URL' })),
    TARGET_SECRET_PARAMETER: z.optional(some('the name of an SSM parameter')),
    TARGET_TIMEOUT_MS: z.coerce.number().check(z.int(), z.minimum(1), z.maximum(28_000)),
    READ_SCOPE: z.enum(SCOPES),
    WRITE_SCOPE: z.enum(SCOPES),
    SERVICE_NAME: serviceName(),
    DRAFT_HEADERS: onOff(),
  })
  .check(
    z.refine(({ TARGET_FUNCTION, TARGET_URL }) => (TARGET_FUNCTION === undefined) !== (TARGET_URL === undefined), {
      path: ['TARGET_FUNCTION'],
      message: 'either it or TARGET_URL',
    }),
    z.refine(({ TARGET_URL, TARGET_SECRET_PARAMETER }) => TARGET_URL !== undefined || TARGET_SECRET_PARAMETER === undefined, {
      path: ['TARGET_SECRET_PARAMETER'],
      message: 'only with TARGET_URL',
    }),
  );

export type GateEnvironment = z.input<typeof schema>;

/** Parses the settings. @throws Error that names every missing or invalid setting */
export const parseGateSettings = parserOf(schema);
