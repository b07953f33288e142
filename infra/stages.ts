// Each stage's settings, checked as a whole before anything is created.

import { defaultTablePrefix, globalNameOf, maxTablePrefix, type StageName, settingsPrefix, stageNameProblem } from '../platforms/aws/stage-name.ts';
import { DEFAULT_PROFILE, isProfileName, PROFILES, type Profile } from './profiles.ts';
import type { SettingsRecord } from './recorded-settings.ts';
import { withSamples } from './sample-settings.ts';
import { type Environment, type MailSender, readSender, settingsIn, settingsOf } from './settings.ts';

/** The stages that are synthesized unless others are selected, and that the pipeline deploys. */
export const STAGE_NAMES: readonly StageName[] = ['staging', 'production'];

export interface ApiDomain {
  readonly name: string;
  readonly certificateArn: string;
  /** The Route 53 zone for the record. @default none: the record is set manually */
  readonly zone: ZoneSettings | undefined;
  /** Also serve the API at API Gateway's own host name. */
  readonly gatewayUrl: boolean;
}

export interface EdgeSettings {
  /** The parent of all projects' targets, such as `edge.example.com`. */
  readonly name: string;
  /** The Route 53 zone for the edge's records. @default none: they are set manually */
  readonly zone: ZoneSettings | undefined;
  /** A certificate for all targets, with which projects are served there. @default they are not */
  readonly certificateArn: string | undefined;
  /** Recursive resolvers for domain checks, as `address:port`. */
  readonly dnsServers: readonly string[];
  /** Port of authoritative name servers. @default 53 */
  readonly dnsPort: number;
  /** Whether name servers may be queried at addresses outside the public internet. */
  readonly dnsPrivateNetworks: boolean;
}

export interface SignInSettings {
  /** Whether anyone may sign up to the dashboard. Otherwise an administrator invites users. */
  readonly openSignUp: boolean;
  /** Whether each sign-in takes a code of an authenticator app too. Users set it up at their first sign-in. */
  readonly mfa: boolean;
  /** The sender of emails to users: an address of a verified domain in Amazon SES. @default Cognito's own sender, 50 emails a day */
  readonly mailFrom: MailSender | undefined;
}

export interface ZoneSettings {
  readonly name: string;
  readonly id: string;
}

export interface StageSettings extends Profile {
  readonly name: StageName;
  /**
   * The stage's name in the names of roles and of everything in CloudFront, which are shared by all regions: with the region, unless it is the
   * stage's first one.
   */
  readonly globalName: string;
  /** All settings in effect, for the next deployment to compare. */
  readonly record: SettingsRecord;
  /** If both are undefined, the template fits any account, and the command line's credentials decide. */
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** Prefix of all the stage's table names; must differ between stages. */
  readonly tablePrefix: string;
  /** The GitHub repository, as `owner/name`, whose pipeline may deploy the stage. @default none */
  readonly repository: string | undefined;
  /** The start of the subject in the tokens of the repository's workflows. @default `repo:owner/name` */
  readonly oidcSubject: string | undefined;
  /** Email address for alarms. @default none */
  readonly alarmEmail: string | undefined;
  /** US dollars a month above which an email is sent. @default none */
  readonly budget: number | undefined;
  /** Host name of the API, with its certificate. @default the host name from API Gateway */
  readonly apiDomain: ApiDomain | undefined;
  /** Custom domains. @default the stage has none */
  readonly edge: EdgeSettings | undefined;
  /** Users of the dashboard, which a stage without custom domains does not have. */
  readonly signIn: SignInSettings;
  /** Also send the RateLimit headers from the IETF draft. @default false */
  readonly draftHeaders: boolean;
}

/** Two independent public resolvers: if one still has an old answer in its cache, the other may not. */
const PUBLIC_RESOLVERS = '1.1.1.1:53,9.9.9.9:53';

export type StagesResult =
  | { readonly ok: true; readonly stages: readonly StageSettings[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export interface ReadOptions {
  /** Refuse a stage without an account and a region: for deployments, where a guess is dangerous. @default false */
  readonly needAccount?: boolean;
  /** Give unset settings sample values, so that every stack is synthesized; never for a deployment. @default false */
  readonly sampleSettings?: boolean;
}

/**
 * Reads the settings of the selected stages.
 *
 * @param environment also with settings in SETTINGS_VARIABLE
 * @param wanted names; `staging` and `production` if empty
 */
export function readStages(
  environment: Environment,
  wanted: readonly string[] = [],
  { needAccount = false, sampleSettings = false }: ReadOptions = {},
): StagesResult {
  const problems: string[] = [];
  const selected = [...new Set(wanted.length === 0 ? STAGE_NAMES : wanted)];
  for (const name of selected) {
    const allowed = stageNameProblem(name);
    if (allowed !== undefined) problems.push(`stage: got ${JSON.stringify(name)}; allowed: ${allowed}`);
  }
  if (needAccount && sampleSettings)
    problems.push('sample-settings: got true with need-account=true; allowed: false, because samples are never deployed');
  const settings = settingsIn(environment, problems);
  // An invalid name has no settings, and without the JSON object all are missing.
  if (problems.length > 0) return { ok: false, problems };
  const stages = selected.map((name) => {
    const own = ownVariables(name, settings, selected);
    return readStage(name, sampleSettings ? withSamples(name, own) : own, needAccount, problems);
  });
  for (const [index, stage] of stages.entries()) {
    const other = stages.slice(0, index).find(({ tablePrefix }) => tablePrefix === stage.tablePrefix);
    if (other === undefined) continue;
    problems.push(
      `${settingsPrefix(stage.name)}TABLE_PREFIX: got ${JSON.stringify(stage.tablePrefix)}, the prefix of ${other.name}; allowed: a different one, because stages share no tables`,
    );
  }
  return problems.length === 0 ? { ok: true, stages } : { ok: false, problems };
}

/**
 * Returns a stage's own variables. `DEV_1_ALARM_EMAIL` begins with the prefix of the stage `dev` too; it is a setting of `dev-1` if that stage is
 * selected or has an account, and otherwise an unknown setting of `dev`.
 */
function ownVariables(name: StageName, environment: Environment, selected: readonly StageName[]): Environment {
  const prefix = settingsPrefix(name);
  const withAccount = Object.keys(environment).flatMap((key) => (environment[key] && /^.+_(?=ACCOUNT$)/.exec(key)) || []);
  const longer = [...selected.map(settingsPrefix), ...withAccount].filter((each) => each.startsWith(prefix) && each !== prefix);
  const isOwn = (key: string) => key.startsWith(prefix) && !longer.some((each) => key.startsWith(each));
  return Object.fromEntries(Object.entries(environment).filter(([key]) => isOwn(key)));
}

function readStage(name: StageName, environment: Environment, needAccount: boolean, problems: string[]): StageSettings {
  const prefix = settingsPrefix(name);
  const given = (setting: string) => environment[`${prefix}${setting}`] || undefined;
  const schema = settingsOf(name);
  const settings = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, environment[key] || undefined]));
  for (const { path, message } of schema.safeParse(settings).error?.issues ?? []) {
    problems.push(`${path.join('.')}: got ${JSON.stringify(settings[String(path[0])])}; allowed: ${message}`);
  }
  for (const unknown of Object.keys(environment).filter((key) => !(key in schema.shape))) {
    problems.push(`${unknown}: unknown setting; allowed: ${Object.keys(schema.shape).join(', ')}`);
  }
  const pairs = [
    ['ACCOUNT', 'REGION'],
    ['API_DOMAIN', 'API_CERTIFICATE_ARN'],
  ] as const;
  for (const [one, two] of pairs) {
    const missing = given(one) === undefined ? one : two;
    if ((given(one) === undefined) !== (given(two) === undefined))
      problems.push(`${prefix}${missing}: missing; ${prefix}${one} and ${prefix}${two} must be set together`);
  }
  if (given('BUDGET') !== undefined && given('ALARM_EMAIL') === undefined)
    problems.push(`${prefix}ALARM_EMAIL: missing; ${prefix}BUDGET requires an address for its emails`);
  if (needAccount && given('ACCOUNT') === undefined && given('REGION') === undefined) {
    problems.push(`${prefix}ACCOUNT: missing; a deployment requires ${prefix}ACCOUNT and ${prefix}REGION`);
  }
  if (given('HOME') !== undefined && given('REGION') === undefined)
    problems.push(`${prefix}REGION: missing; ${prefix}HOME requires the region of this deployment`);
  const chosen = isProfileName(name) ? name : (given('PROFILE') ?? '');
  const profile = isProfileName(chosen) ? chosen : DEFAULT_PROFILE;
  const tablePrefix = given('TABLE_PREFIX') ?? defaultTablePrefix(name);
  const homeRegion = given('HOME') ?? given('REGION');
  const record = Object.keys(schema.shape).flatMap((key) => {
    const value = given(key.slice(prefix.length));
    return value === undefined ? [] : [[key.slice(prefix.length), value] as const];
  });
  return {
    name,
    globalName: globalNameOf(name, given('REGION'), homeRegion),
    record: {
      ...Object.fromEntries(record),
      TABLE_PREFIX: tablePrefix,
      PROFILE: profile,
      ...(homeRegion !== undefined && { HOME: homeRegion }),
    },
    account: given('ACCOUNT'),
    region: given('REGION'),
    ...PROFILES[profile],
    tablePrefix,
    alarmEmail: given('ALARM_EMAIL'),
    budget: given('BUDGET') === undefined ? undefined : Number(given('BUDGET')),
    signIn: {
      openSignUp: given('SIGN_UP') !== 'invited',
      mfa: given('MFA') === 'required',
      mailFrom: readSender(given('MAIL_FROM') ?? '', given('REGION')),
    },
    draftHeaders: given('DRAFT_HEADERS') === 'on',
    repository: given('GITHUB_REPOSITORY'),
    oidcSubject: given('OIDC_SUBJECT'),
    apiDomain: readApiDomain(prefix, given, problems),
    edge: readEdge(prefix, tablePrefix, given, problems),
  };
}

/** A certificate in another region, or a zone that does not contain the name, would only fail halfway through a deployment. */
function readApiDomain(prefix: string, given: (setting: string) => string | undefined, problems: string[]): ApiDomain | undefined {
  const name = given('API_DOMAIN')?.toLowerCase();
  const certificateArn = given('API_CERTIFICATE_ARN');
  const zoneOfName = readZone(prefix, 'API_DOMAIN', 'API_ZONE', given, problems);
  const [, , , certificateRegion, certificateAccount] = certificateArn?.split(':') ?? [];
  for (const [what, inCertificate, ofStage] of [
    ['REGION', certificateRegion, given('REGION')],
    ['ACCOUNT', certificateAccount, given('ACCOUNT')],
  ] as const) {
    if (inCertificate === undefined || ofStage === undefined || inCertificate === ofStage) continue;
    problems.push(`${prefix}API_CERTIFICATE_ARN: got a certificate from ${inCertificate}; allowed: one from ${ofStage} (${prefix}${what})`);
  }
  if (name === undefined && given('API_GATEWAY_URL') !== undefined)
    problems.push(
      `${prefix}API_GATEWAY_URL: got ${JSON.stringify(given('API_GATEWAY_URL'))}; allowed: only with ${prefix}API_DOMAIN, because the API has no other address`,
    );
  if (name === undefined || certificateArn === undefined) return undefined;
  return { name, certificateArn, zone: zoneOfName, gatewayUrl: given('API_GATEWAY_URL') === 'on' };
}

function readEdge(prefix: string, tablePrefix: string, given: (setting: string) => string | undefined, problems: string[]): EdgeSettings | undefined {
  const name = given('EDGE_NAME')?.toLowerCase();
  const zoneOfName = readZone(prefix, 'EDGE_NAME', 'EDGE_ZONE', given, problems);
  if (name === undefined && given('EDGE_CERTIFICATE_ARN') !== undefined)
    problems.push(`${prefix}EDGE_NAME: missing; ${prefix}EDGE_CERTIFICATE_ARN is for the names below it`);
  if (name === undefined) return undefined;
  const longest = maxTablePrefix(given('REGION'));
  if (tablePrefix.length > longest) {
    problems.push(
      `${prefix}TABLE_PREFIX: got ${JSON.stringify(tablePrefix)}; allowed: at most ${longest} characters with ${prefix}EDGE_NAME, because a bucket is named after it`,
    );
  }
  const certificateAccount = given('EDGE_CERTIFICATE_ARN')?.split(':')[4];
  const account = given('ACCOUNT');
  if (certificateAccount !== undefined && account !== undefined && certificateAccount !== account)
    problems.push(`${prefix}EDGE_CERTIFICATE_ARN: got a certificate from ${certificateAccount}; allowed: one from ${account} (${prefix}ACCOUNT)`);
  return {
    name,
    zone: zoneOfName,
    certificateArn: given('EDGE_CERTIFICATE_ARN'),
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
  const host = given(nameSetting)?.toLowerCase();
  const [name, id] = given(zoneSetting)?.split(':') ?? [];
  if (name === undefined || id === undefined) return undefined;
  if (host === undefined) problems.push(`${prefix}${nameSetting}: missing; ${prefix}${zoneSetting} requires a name to set`);
  else if (host !== name && !host.endsWith(`.${name}`)) {
    problems.push(`${prefix}${nameSetting}: got ${JSON.stringify(host)}; allowed: a name in the zone ${name} of ${prefix}${zoneSetting}`);
  }
  return { name, id };
}
