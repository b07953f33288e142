// The settings of the Lambda functions, from their environment. The stacks set them, type-checked against these schemas
// (infra/constructs/service-function.ts); a missing setting fails the cold start. Schemas are functions, so that each bundle has only its own.

import * as z from 'zod/mini';
import { parseNameServer } from '../../adapters/dns/name-server.ts';
import { SCOPES } from '../../core/access/plans.ts';
import { parseSender, SENDER_FORM } from '../../core/notifications/sender.ts';
import { zoneIdsOf } from './stage-parameters.ts';

const matching = (pattern: RegExp, allowed: string) => z.string(allowed).check(z.regex(pattern, allowed));
const some = (what: string) => matching(/./, what);
const table = () => matching(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table');
const https = (what: string) => z.url({ protocol: /^https$/, error: what });

// A stage's settings (infra/settings.ts) that are copied unchanged into a function's environment.

/** Returns a schema for a switch. */
export function onOff() {
  return z.pipe(
    z.enum(['on', 'off'], 'on, off'),
    z.transform((state) => state === 'on'),
  );
}

const PORT_ALLOWED = 'a port from 1 to 65535';

/** Returns a schema for a port. */
export function port() {
  return z.int(PORT_ALLOWED).check(z.minimum(1, PORT_ALLOWED), z.maximum(65_535, PORT_ALLOWED));
}

/** Returns a schema for a list of resolvers. */
export function nameServers() {
  const allowed = 'addresses with ports, separated by commas, such as 9.9.9.9:53,1.1.1.1:53';
  const list = z.pipe(
    z.string(allowed),
    z.transform((text) => text.split(',')),
  );
  return list.check(z.refine((servers) => servers.every((server) => parseNameServer(server) !== undefined), allowed));
}

/** The name in logs and metrics, which distinguishes stages. */
const named = () => ({ SERVICE_NAME: matching(/^[\w-]{1,64}$/, '1 to 64 letters, digits, hyphens and underscores') });
const switched = () => z._default(onOff(), false);
const keyMode = () => z.enum(['live', 'test'], 'live or test');
const admission = () => ({ ...named(), USAGE_TABLE: table(), CONTROL_TABLE: table(), DRAFT_HEADERS: switched() });
/** There is no AUDIT_TABLE on stages without an audit log. */
const audited = () => ({ ...named(), CONTROL_TABLE: table(), AUDIT_TABLE: z.optional(table()) });
const domains = () => ({
  ...audited(),
  EDGE_NAME: some('the parent of all targets, a host name'),
  /** Whether projects are served at their targets. */
  SERVES_TARGETS: switched(),
  EDGE_MAP_ARN: some('the ARN of a CloudFront KeyValueStore'),
});

/** The catalogue. */
export const catalogueSettings = () => z.object({ PETS_TABLE: table(), ...admission(), SERVICE_NAME: z._default(named().SERVICE_NAME, 'petstore') });

/** The control API. */
export const controlSettings = () =>
  z.object({
    PETS_TABLE: table(),
    USAGE_TABLE: table(),
    ...domains(),
    KEY_MODE: keyMode(),
    ROUTING_ENDPOINT_PARAMETER: some('the name of an SSM parameter'),
    SITES_BUCKET: some('the name of a bucket'),
    WORKFLOW_ARN: some('the ARN of a state machine'),
    /** Whether the stage has the function that sends emails to owners. */
    SENDS_MAIL: switched(),
    /** Ids of the users who operate the stage in the dashboard, separated by commas. */
    OPERATORS: z.optional(z.string()),
    PUBLISH_FUNCTION: some('the ARN of the function that publishes records'),
  });

/** The functions that process domains. */
export const domainSettings = () =>
  z.object({
    ...domains(),
    STAGE: some('the name of the stage'),
    DISTRIBUTION_ID: some('the id of a distribution'),
    CONNECTION_GROUP: some('the name of a connection group'),
    /** Set only for the sweep, which starts executions. */
    WORKFLOW_ARN: z._default(z.string(), ''),
    /** Set only for the sweep, which removes files and reads logs. */
    SITES_BUCKET: z._default(z.string(), ''),
    DNS_SERVERS: z.pipe(
      nameServers(),
      z.transform((servers) => servers.flatMap((server) => parseNameServer(server) ?? [])),
    ),
    DNS_PORT: z._default(z.pipe(z.coerce.number<string>(PORT_ALLOWED), port()), 53),
    DNS_PRIVATE_NETWORKS: switched(),
    /** The zones in which owners' records may be set. Undefined for all zones. */
    ZONE_IDS: z.pipe(z.optional(z.string()), z.transform(zoneIdsOf)),
  });

/** The edge's failover. */
export const failoverSettings = () => z.object({ SITES_BUCKET: some('the name of a bucket'), ...named() });

/** A gate. */
export const gateSettings = () =>
  z
    .object({
      ...admission(),
      TARGET_FUNCTION: z.optional(some('the ARN of a Lambda function')),
      TARGET_URL: z.optional(https('an https URL')),
      TARGET_SECRET_PARAMETER: z.optional(some('the name of an SSM parameter')),
      TARGET_TIMEOUT_MS: z.coerce.number<string>().check(z.int(), z.minimum(1), z.maximum(28_000)),
      READ_SCOPE: z.enum(SCOPES),
      WRITE_SCOPE: z.enum(SCOPES),
    })
    .check(
      z.refine(({ TARGET_FUNCTION, TARGET_URL }) => (TARGET_FUNCTION === undefined) !== (TARGET_URL === undefined), {
        path: ['TARGET_FUNCTION'],
        message: 'either this setting or TARGET_URL',
      }),
      z.refine(({ TARGET_URL, TARGET_SECRET_PARAMETER }) => TARGET_URL !== undefined || TARGET_SECRET_PARAMETER === undefined, {
        path: ['TARGET_SECRET_PARAMETER'],
        message: 'only with TARGET_URL',
      }),
    );

/** The function that sends emails to owners. */
export const notifierSettings = () =>
  z.object({
    ...audited(),
    USAGE_TABLE: table(),
    USER_POOL_ID: some('the id of a Cognito user pool'),
    /** An address in a domain that SES has verified, optionally with a name. */
    MAIL_FROM: z.string().check(z.refine((text) => parseSender(text) !== undefined, SENDER_FORM)),
    /** If not set, plan requests are not mailed. */
    OPERATOR_MAIL: z.optional(z.email('an email address')),
    MAIL_REGION: some('the region of that domain in SES'),
    DASHBOARD_URL: https('the origin of the dashboard'),
  });

/** The probe. */
export const probeSettings = () =>
  z.object({ ...named(), API_URL: z.url({ protocol: /^https?$/, error: 'the URL of the API' }), KEY_MODE: keyMode() });

type Variables<Schema extends () => z.core.$ZodType> = z.input<ReturnType<Schema>>;

/** The environment variables that each function reads. */
export interface Environments {
  catalogue: Variables<typeof catalogueSettings>;
  control: Variables<typeof controlSettings>;
  'domain-step': Variables<typeof domainSettings>;
  'domain-sweep': Variables<typeof domainSettings>;
  'edge-failover': Variables<typeof failoverSettings>;
  gate: Variables<typeof gateSettings>;
  notifier: Variables<typeof notifierSettings>;
  probe: Variables<typeof probeSettings>;
}

/** The settings that a schema returns. */
export type FunctionSettings<Schema extends () => z.core.$ZodType> = z.output<ReturnType<Schema>>;

/** Parses a function's environment. @throws Error that names every missing or invalid setting */
export function parseEnvironment<Output>(schema: () => z.core.$ZodType<Output>, environment: Readonly<Record<string, string | undefined>>): Output {
  const result = z.safeParse(schema(), environment);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Error(`invalid settings of the function:\n${lines.join('\n')}`);
}
