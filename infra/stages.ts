// Each stage's settings: what differs between staging and production, checked as a whole before anything is created.

import * as z from 'zod';
import { parseNameServer } from '../adapters/dns/name-server.ts';

export type StageName = 'staging' | 'production';

export interface ApiDomain {
  readonly name: string;
  readonly certificateArn: string;
  /** The Route 53 zone for the record. @default none: the record is set manually */
  readonly zone: ZoneSettings | undefined;
}

export interface EdgeSettings {
  /** The parent of all projects' targets, such as `edge.example.com`. */
  readonly name: string;
  /** The Route 53 zone for the edge's records. @default none: they are set manually */
  readonly zone: ZoneSettings | undefined;
  /** Recursive resolvers for domain checks, as `address:port`. */
  readonly dnsServers: readonly string[];
  /** Port of authoritative name servers. @default 53 */
  readonly dnsPort: number;
  /** Whether name servers may be queried at addresses outside the public internet. */
  readonly dnsPrivateNetworks: boolean;
}

export interface ZoneSettings {
  readonly name: string;
  readonly id: string;
}

export interface StageSettings {
  readonly name: StageName;
  /** If both are undefined, the template fits any account, and the command line's credentials decide. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** Prefix of all the stage's table names; must differ between stages. */
  readonly tablePrefix: string;
  readonly logRetentionDays: 30 | 365;
  /** Retain tables and logs when a stack is deleted, and protect tables against deletion. */
  readonly retainData: boolean;
  /** Shift traffic gradually, and shift it back if an alarm goes off. */
  readonly canary: boolean;
  /** Run the black-box suite against the stage; it creates its own accounts and animals. */
  readonly acceptance: boolean;
  /** The GitHub repository, as `owner/name`, whose pipeline may deploy the stage. @default none */
  readonly repository: string | undefined;
  /** Email address for alarms. @default none */
  readonly alarmEmail: string | undefined;
  /** Host name of the API, with its certificate. @default the host name from API Gateway */
  readonly apiDomain: ApiDomain | undefined;
  /** Custom domains. @default the stage has none */
  readonly edge: EdgeSettings | undefined;
  /** Also send the RateLimit headers from the IETF draft. @default false */
  readonly draftHeaders: boolean;
  /** Safety limit for the whole stage, in requests a second; accounts have their own limits. */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

/** Each stage's fixed settings. The others come from the environment, prefixed with the stage's name in capitals. */
const FIXED: Readonly<
  Record<StageName, Pick<StageSettings, 'tablePrefix' | 'logRetentionDays' | 'retainData' | 'canary' | 'acceptance' | 'throttle'>>
> = {
  staging: {
    tablePrefix: 'petstore-staging',
    logRetentionDays: 30,
    retainData: false,
    canary: false,
    acceptance: true,
    throttle: { rate: 500, burst: 1_000 },
  },
  production: {
    tablePrefix: 'petstore-production',
    logRetentionDays: 365,
    retainData: true,
    canary: true,
    acceptance: false,
    throttle: { rate: 5_000, burst: 5_000 },
  },
};

export const STAGE_NAMES = Object.keys(FIXED) as readonly StageName[];

const zone = z.string().regex(/^[a-z0-9.-]+:Z[A-Z0-9]+$/, 'name and id of a Route 53 zone, such as example.com:Z0123456789');

const SERVERS = 'addresses with ports, separated by commas, such as 9.9.9.9:53,1.1.1.1:53';
const PORT = 'a port from 1 to 65535';

/** S3's limit for bucket names, in characters. */
const MAX_BUCKET_NAME = 63;

const LONGEST_REGION = 'ap-southeast-2';

/**
 * Returns the name of a stage's bucket with deployed files. Bucket names are unique across all accounts, so account and region are part of the
 * name.
 */
export function sitesBucketOf(tablePrefix: string, account: string, region: string): string {
  return `${tablePrefix}-sites-${account}-${region}`;
}

/** Two independent public resolvers: if one still has an old answer in its cache, the other may not. */
const PUBLIC_RESOLVERS = '1.1.1.1:53,9.9.9.9:53';

/** Returns the schema of a stage's environment variables. */
export const settingsOf = (name: StageName) => {
  const prefix = name.toUpperCase();
  return z.object({
    [`${prefix}_ACCOUNT`]: z
      .string()
      .regex(/^\d{12}$/, '12 digits')
      .optional(),
    [`${prefix}_REGION`]: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region name, such as eu-central-1')
      .optional(),
    [`${prefix}_TABLE_PREFIX`]: z
      .string()
      .regex(/^[a-z][a-z0-9-]{2,40}$/, '3 to 41 lower-case letters, digits and hyphens, starting with a letter')
      .optional(),
    [`${prefix}_DRAFT_HEADERS`]: z.enum(['on', 'off'], 'on, off').optional(),
    [`${prefix}_ALARM_EMAIL`]: z.email('an email address').optional(),
    [`${prefix}_API_DOMAIN`]: z.hostname('a host name, such as api.example.com').optional(),
    [`${prefix}_API_ZONE`]: zone.optional(),
    [`${prefix}_EDGE_NAME`]: z.hostname('a host name, such as edge.example.com').optional(),
    [`${prefix}_EDGE_ZONE`]: zone.optional(),
    [`${prefix}_DNS_SERVERS`]: z
      .string()
      .refine((list) => list.split(',').every((each) => parseNameServer(each) !== undefined), SERVERS)
      .optional(),
    [`${prefix}_DNS_PORT`]: z
      .string()
      .regex(/^\d{1,5}$/, PORT)
      .refine((port) => Number(port) >= 1 && Number(port) <= 65_535, PORT)
      .optional(),
    [`${prefix}_DNS_PRIVATE_NETWORKS`]: z.enum(['on', 'off'], 'on, off').optional(),
    [`${prefix}_GITHUB_REPOSITORY`]: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+$/, 'owner/name')
      .optional(),
    [`${prefix}_API_CERTIFICATE_ARN`]: z
      .string()
      .regex(/^arn:aws[\w-]*:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of an ACM certificate')
      .optional(),
  });
};

export type StagesResult =
  | { readonly ok: true; readonly stages: readonly StageSettings[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the settings of the selected stages.
 *
 * @param wanted names; all stages if empty
 * @param needAccount refuse a stage without account and region: for deployments, where a guess is dangerous
 */
export function readStages(
  environment: Readonly<Record<string, string | undefined>>,
  wanted: readonly string[] = [],
  needAccount = false,
): StagesResult {
  const problems: string[] = [];
  const unknown = wanted.filter((name) => !(STAGE_NAMES as readonly string[]).includes(name));
  problems.push(...unknown.map((name) => `stage: got ${JSON.stringify(name)}; allowed: ${STAGE_NAMES.join(', ')}`));
  const stages = STAGE_NAMES.filter((name) => wanted.length === 0 || wanted.includes(name)).map((name) =>
    readStage(name, environment, needAccount, problems),
  );
  for (const [index, stage] of stages.entries()) {
    const other = stages.slice(0, index).find(({ tablePrefix }) => tablePrefix === stage.tablePrefix);
    if (other === undefined) continue;
    problems.push(
      `${stage.name.toUpperCase()}_TABLE_PREFIX: got ${JSON.stringify(stage.tablePrefix)}, the prefix of ${other.name}; allowed: a different one, because stages share no tables`,
    );
  }
  return problems.length === 0 ? { ok: true, stages } : { ok: false, problems };
}

function readStage(
  name: StageName,
  environment: Readonly<Record<string, string | undefined>>,
  needAccount: boolean,
  problems: string[],
): StageSettings {
  const prefix = name.toUpperCase();
  const given = (setting: string) => environment[`${prefix}_${setting}`] || undefined;
  const schema = settingsOf(name);
  const settings = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, environment[key] || undefined]));
  for (const { path, message } of schema.safeParse(settings).error?.issues ?? []) {
    problems.push(`${path.join('.')}: got ${JSON.stringify(settings[String(path[0])])}; allowed: ${message}`);
  }
  for (const unknown of Object.keys(environment).filter((key) => key.startsWith(`${prefix}_`) && !(key in schema.shape))) {
    problems.push(`${unknown}: unknown setting; allowed: ${Object.keys(schema.shape).join(', ')}`);
  }
  const pairs = [
    ['ACCOUNT', 'REGION'],
    ['API_DOMAIN', 'API_CERTIFICATE_ARN'],
  ] as const;
  for (const [one, two] of pairs) {
    const missing = given(one) === undefined ? one : two;
    if ((given(one) === undefined) !== (given(two) === undefined))
      problems.push(`${prefix}_${missing}: missing; ${prefix}_${one} and ${prefix}_${two} must be set together`);
  }
  if (needAccount && given('ACCOUNT') === undefined && given('REGION') === undefined) {
    problems.push(`${prefix}_ACCOUNT: missing; a deployment requires ${prefix}_ACCOUNT and ${prefix}_REGION`);
  }
  return {
    name,
    account: given('ACCOUNT'),
    region: given('REGION'),
    ...FIXED[name],
    tablePrefix: given('TABLE_PREFIX') ?? FIXED[name].tablePrefix,
    alarmEmail: given('ALARM_EMAIL'),
    draftHeaders: given('DRAFT_HEADERS') === 'on',
    repository: given('GITHUB_REPOSITORY'),
    apiDomain: readApiDomain(prefix, given, problems),
    edge: readEdge(prefix, given('TABLE_PREFIX') ?? FIXED[name].tablePrefix, given, problems),
  };
}

/** A certificate in another region, or a zone that does not contain the name, would only fail halfway through a deployment. */
function readApiDomain(prefix: string, given: (setting: string) => string | undefined, problems: string[]): ApiDomain | undefined {
  const name = given('API_DOMAIN');
  const certificateArn = given('API_CERTIFICATE_ARN');
  const zoneOfName = readZone(prefix, 'API_DOMAIN', 'API_ZONE', given, problems);
  const [, , , certificateRegion, certificateAccount] = certificateArn?.split(':') ?? [];
  for (const [what, inCertificate, ofStage] of [
    ['REGION', certificateRegion, given('REGION')],
    ['ACCOUNT', certificateAccount, given('ACCOUNT')],
  ] as const) {
    if (inCertificate === undefined || ofStage === undefined || inCertificate === ofStage) continue;
    problems.push(`${prefix}_API_CERTIFICATE_ARN: got a certificate from ${inCertificate}; allowed: one from ${ofStage} (${prefix}_${what})`);
  }
  if (name === undefined || certificateArn === undefined) return undefined;
  return { name, certificateArn, zone: zoneOfName };
}

function readEdge(prefix: string, tablePrefix: string, given: (setting: string) => string | undefined, problems: string[]): EdgeSettings | undefined {
  const name = given('EDGE_NAME')?.toLowerCase();
  const zoneOfName = readZone(prefix, 'EDGE_NAME', 'EDGE_ZONE', given, problems);
  if (name === undefined) return undefined;
  const longest = MAX_BUCKET_NAME - sitesBucketOf('', '000000000000', given('REGION') ?? LONGEST_REGION).length;
  if (tablePrefix.length > longest) {
    problems.push(
      `${prefix}_TABLE_PREFIX: got ${JSON.stringify(tablePrefix)}; allowed: at most ${longest} characters with ${prefix}_EDGE_NAME, because a bucket is named after it`,
    );
  }
  return {
    name,
    zone: zoneOfName,
    dnsServers: (given('DNS_SERVERS') ?? PUBLIC_RESOLVERS).split(','),
    dnsPort: Number(given('DNS_PORT') ?? 53),
    dnsPrivateNetworks: given('DNS_PRIVATE_NETWORKS') === 'on',
  };
}

/** Reads the zone in which one of the stage's names is set. */
function readZone(
  prefix: string,
  nameSetting: string,
  zoneSetting: string,
  given: (setting: string) => string | undefined,
  problems: string[],
): ZoneSettings | undefined {
  const host = given(nameSetting);
  const [name, id] = given(zoneSetting)?.split(':') ?? [];
  if (name === undefined || id === undefined) return undefined;
  if (host === undefined) problems.push(`${prefix}_${nameSetting}: missing; ${prefix}_${zoneSetting} requires a name to set`);
  else if (host !== name && !host.endsWith(`.${name}`)) {
    problems.push(`${prefix}_${nameSetting}: got ${JSON.stringify(host)}; allowed: a name in the zone ${name} of ${prefix}_${zoneSetting}`);
  }
  return { name, id };
}
