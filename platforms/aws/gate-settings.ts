// Settings of the gate's Lambda function, from its environment. The constructs set them; a missing one fails the cold start.

import * as z from 'zod';
import { SCOPES, type Scope } from '../../core/access/permissions.ts';
import { readEnvironment } from './environment.ts';

export interface GateSettings {
  readonly tables: { readonly usage: string; readonly control: string };
  readonly target: { readonly functionArn: string } | { readonly url: string; readonly secretParameter: string | undefined };
  readonly timeoutMs: number;
  readonly scopes: { readonly read: Scope; readonly write: Scope };
  readonly draftHeaders: boolean;
  /** The service name in logs and metrics; distinguishes deployments. */
  readonly serviceName: string;
}

const tableName = z.string().regex(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table');

const schema = z
  .object({
    USAGE_TABLE: tableName,
    CONTROL_TABLE: tableName,
    TARGET_FUNCTION: z.string().min(1, 'the ARN of a Lambda function').optional(),
    TARGET_URL: z.url({ protocol: /^https$/, error: 'an https URL' }).optional(),
    TARGET_SECRET_PARAMETER: z.string().min(1, 'the name of an SSM parameter').optional(),
    TARGET_TIMEOUT_MS: z.coerce.number().int().min(1).max(28_000),
    READ_SCOPE: z.enum(SCOPES),
    WRITE_SCOPE: z.enum(SCOPES),
    SERVICE_NAME: z.string().regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, hyphens and underscores'),
    DRAFT_HEADERS: z.enum(['on', 'off']).default('off'),
  })
  .refine(({ TARGET_FUNCTION, TARGET_URL }) => (TARGET_FUNCTION === undefined) !== (TARGET_URL === undefined), {
    path: ['TARGET_FUNCTION'],
    message: 'either it or TARGET_URL',
  })
  .refine(({ TARGET_URL, TARGET_SECRET_PARAMETER }) => TARGET_URL !== undefined || TARGET_SECRET_PARAMETER === undefined, {
    path: ['TARGET_SECRET_PARAMETER'],
    message: 'only with TARGET_URL',
  });

/** Parses the settings. @throws Error that names every missing or invalid setting */
export function parseGateSettings(environment: Readonly<Record<string, string | undefined>>): GateSettings {
  const parsed = readEnvironment(schema, environment);
  const { TARGET_FUNCTION: functionArn, TARGET_URL: url = '', TARGET_SECRET_PARAMETER: secretParameter } = parsed;
  return {
    tables: { usage: parsed.USAGE_TABLE, control: parsed.CONTROL_TABLE },
    target: functionArn === undefined ? { url, secretParameter } : { functionArn },
    timeoutMs: parsed.TARGET_TIMEOUT_MS,
    scopes: { read: parsed.READ_SCOPE, write: parsed.WRITE_SCOPE },
    draftHeaders: parsed.DRAFT_HEADERS === 'on',
    serviceName: parsed.SERVICE_NAME,
  };
}
