// Each stage's settings, checked as a whole before anything is created.

import { defaultTablePrefix, globalNameOf, maxTablePrefix, type StageName, settingsPrefix, stageNameProblem } from '../platforms/aws/stage-name.ts';
import type { ApiDomainProps } from './constructs/api-domain.ts';
import { type EdgeNameProps, PUBLIC_RESOLVERS, type ZoneProps } from './constructs/service-props.ts';
import type { PlatformSettings } from './platform-settings.ts';
import { DEFAULT_PROFILE, isProfileName, PROFILES } from './profiles.ts';
import type { SettingsRecord } from './recorded-settings.ts';
import { withSamples } from './sample-settings.ts';
import { type Environment, readSender, settingsIn, settingsOf } from './settings.ts';

/** The stages that are synthesized unless others are selected, and that the pipeline deploys. */
export const STAGE_NAMES: readonly StageName[] = ['staging', 'production'];

/** A stage's settings. */
export interface StageSettings extends PlatformSettings {
  readonly record: SettingsRecord;
}

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
function readApiDomain(prefix: string, given: (setting: string) => string | undefined, problems: string[]): ApiDomainProps | undefined {
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

function readEdge(
  prefix: string,
  tablePrefix: string,
  given: (setting: string) => string | undefined,
  problems: string[],
): EdgeNameProps | undefined {
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
    dnsServers: given('DNS_SERVERS')?.split(',') ?? PUBLIC_RESOLVERS,
    dnsPort: Number(given('DNS_PORT') ?? 53),
    dnsPrivateNetworks: given('DNS_PRIVATE_NETWORKS') === 'on',
    zoneIds: undefined,
  };
}

/** Reads the zone in which one of the stage's names is set. */
function readZone(
  prefix: string,
  nameSetting: string,
  zoneSetting: string,
  given: (setting: string) => string | undefined,
  problems: string[],
): ZoneProps | undefined {
  const host = given(nameSetting)?.toLowerCase();
  const [name, id] = given(zoneSetting)?.split(':') ?? [];
  if (name === undefined || id === undefined) return undefined;
  if (host === undefined) problems.push(`${prefix}${nameSetting}: missing; ${prefix}${zoneSetting} requires a name to set`);
  else if (host !== name && !host.endsWith(`.${name}`)) {
    problems.push(`${prefix}${nameSetting}: got ${JSON.stringify(host)}; allowed: a name in the zone ${name} of ${prefix}${zoneSetting}`);
  }
  return { name, id };
}
