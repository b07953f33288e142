// Each stage's settings, checked as a whole before anything is created.

import * as z from 'zod';
import { defaultTablePrefix, type StageName, settingsPrefix, stageNameProblem } from '../platforms/aws/stage-name.ts';
import { checkBucketPrefix, checkZone, problem } from './constructs/allowed-values.ts';
import type { PetstorePlatformProps } from './platform-props.ts';
import type { SettingsRecord } from './recorded-settings.ts';
import { isProfileName, propertiesOf, SETTINGS, type Setting, type SettingValues } from './settings.ts';

/** The stages that are synthesized by default, and that the pipeline deploys. */
export const STAGE_NAMES: readonly StageName[] = ['staging', 'production'];

/** A stage: the properties of its platform, and its name. */
export interface StageSettings extends PetstorePlatformProps {
  readonly name: StageName;
  readonly record: SettingsRecord;
}

export type StagesResult =
  | { readonly ok: true; readonly stages: readonly StageSettings[] }
  | { readonly ok: false; readonly problems: readonly string[] };

export interface ReadOptions {
  /** Whether to refuse a stage without an account and a region: for deployments, where a guess is dangerous. @default false */
  readonly needAccount?: boolean;
  /** Whether to give unset settings sample values, so that every stack is synthesized; never for a deployment. @default false */
  readonly sampleSettings?: boolean;
}

/** Reads the settings of the selected stages, from variables or SETTINGS_VARIABLE. @param wanted `staging` and `production` if empty */
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
  // An invalid name has no settings, and without a valid JSON object all settings are missing.
  if (problems.length > 0) return { ok: false, problems };
  const stages = selected.map((name) => {
    const own = ownVariables(name, settings, selected);
    return readStage(name, sampleSettings ? withSamples(name, own) : own, needAccount, problems);
  });
  for (const [index, stage] of stages.entries()) {
    const other = stages.slice(0, index).find(({ tablePrefix }) => tablePrefix === stage.tablePrefix);
    if (other === undefined) continue;
    problems.push(
      `${settingsPrefix(stage.name)}TABLE_PREFIX: got ${JSON.stringify(stage.tablePrefix)}, the prefix of ${other.name}; allowed: a different one, because stages don't share tables`,
    );
  }
  return problems.length === 0 ? { ok: true, stages } : { ok: false, problems };
}

/** Returns a stage's own variables. `DEV_1_ALARM_EMAIL` is a setting of `dev-1` if that stage is selected or has an account; otherwise, of `dev`. */
function ownVariables(name: StageName, environment: Environment, selected: readonly StageName[]): Environment {
  const prefix = settingsPrefix(name);
  const withAccount = Object.keys(environment).flatMap((key) => (environment[key] && /^.+_(?=ACCOUNT$)/.exec(key)) || []);
  const longer = [...selected.map(settingsPrefix), ...withAccount].filter((each) => each.startsWith(prefix) && each !== prefix);
  const isOwn = (key: string) => key.startsWith(prefix) && !longer.some((each) => key.startsWith(each));
  return Object.fromEntries(Object.entries(environment).filter(([key]) => isOwn(key)));
}

function readStage(name: StageName, environment: Environment, needAccount: boolean, problems: string[]): StageSettings {
  const prefix = settingsPrefix(name);
  const { values, record } = readSettings(name, environment, problems);
  const { ACCOUNT: account, REGION: region, API_DOMAIN, API_CERTIFICATE_ARN, EDGE_NAME, EDGE_CERTIFICATE_ARN } = values;
  if (needAccount && account === undefined && region === undefined)
    problems.push(`${prefix}ACCOUNT: missing; a deployment requires ${prefix}ACCOUNT and ${prefix}REGION`);
  const profile = isProfileName(name) ? name : (values.PROFILE ?? 'staging');
  const tablePrefix = values.TABLE_PREFIX ?? defaultTablePrefix(name);
  const homeRegion = values.HOME ?? region;
  // A certificate from elsewhere, or a zone that does not contain the name, would only fail halfway through a deployment.
  const [, , , apiRegion, apiAccount] = API_CERTIFICATE_ARN?.split(':') ?? [];
  for (const [certificate, place, got, allowed] of [
    ['API_CERTIFICATE_ARN', 'REGION', apiRegion, region],
    ['API_CERTIFICATE_ARN', 'ACCOUNT', apiAccount, account],
    ['EDGE_CERTIFICATE_ARN', 'ACCOUNT', EDGE_CERTIFICATE_ARN?.split(':')[4], account],
  ] as const)
    if (got !== undefined && allowed !== undefined && got !== allowed)
      problems.push(`${prefix}${certificate}: got a certificate from ${got}; allowed: one from ${allowed} (${prefix}${place})`);
  if (API_DOMAIN && values.API_ZONE) checkZone(`${prefix}API_ZONE`, API_DOMAIN, values.API_ZONE.name, problems);
  if (EDGE_NAME && values.EDGE_ZONE) checkZone(`${prefix}EDGE_ZONE`, EDGE_NAME, values.EDGE_ZONE.name, problems);
  if (EDGE_NAME) checkBucketPrefix(`${prefix}TABLE_PREFIX`, tablePrefix, region, problems);
  return {
    name,
    ...propertiesOf(values, profile),
    record: { ...record, TABLE_PREFIX: tablePrefix, PROFILE: profile, ...(homeRegion !== undefined && { HOME: homeRegion }) },
    ...(account !== undefined && region !== undefined && { env: { account, region } }),
    homeRegion,
    tablePrefix,
  };
}

/** Variables by name, as in `process.env`. An empty variable counts as not set. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the settings that a stage can have, with the names of their variables. The profiles of `staging` and `production` are fixed. */
function settingsOf(stage: StageName): (readonly [name: string, variable: string, setting: Setting])[] {
  const all = Object.entries<Setting>(SETTINGS).map(([name, setting]) => [name, settingsPrefix(stage) + name, setting] as const);
  return all.filter(([name]) => name !== 'PROFILE' || !isProfileName(stage));
}

/** Returns the names of a stage's variables. */
export function variablesOf(stage: StageName): string[] {
  return settingsOf(stage).map(([, variable]) => variable);
}

/** Returns a stage's variables, parsed and as they are stored. @param problems gets a line for each that is invalid, missing or unknown */
function readSettings(stage: StageName, environment: Environment, problems: string[]) {
  const values: Record<string, unknown> = {};
  const record: Record<string, string> = {};
  for (const [name, variable, { value, needs }] of settingsOf(stage)) {
    const given = environment[variable];
    if (!given) continue;
    record[name] = given;
    const { data, error } = z.safeParse(value, given);
    values[name] = data;
    if (error !== undefined) problems.push(problem(variable, given, error.issues[0]?.message ?? ''));
    const needed = needs && settingsPrefix(stage) + needs;
    if (needed && !environment[needed]) problems.push(`${needed}: missing; ${variable} requires it`);
  }
  const known = variablesOf(stage);
  for (const unknown of Object.keys(environment).filter((variable) => !known.includes(variable)))
    problems.push(`${unknown}: unknown setting; allowed: ${known.join(', ')}`);
  return { values: values as SettingValues, record };
}

/** Returns a stage's variables, with a sample for each setting that is not set, unless it might contradict one that is. */
export function withSamples(stage: StageName, environment: Environment): Environment {
  const filled: Record<string, string | undefined> = { ...environment };
  const given = (name: string) => filled[settingsPrefix(stage) + name] ?? '';
  for (const [name, variable, { sample }] of settingsOf(stage)) {
    // A name, its zone and its certificate must be set together.
    const together = /^(API|EDGE)_/.exec(name)?.[0] ?? name;
    if (settingsOf(stage).some(([other, each]) => other.startsWith(together) && environment[each])) continue;
    filled[variable] = typeof sample === 'string' ? sample : sample(given, stage);
  }
  return filled;
}

/** The variable that may contain all settings, as a JSON object: `toJSON(vars)` in a workflow. Other variables are ignored. */
const SETTINGS_VARIABLE = 'STAGE_SETTINGS';

/** Returns the settings, each from its own variable or else from SETTINGS_VARIABLE. @param problems gets a line if that is not an object of strings */
function settingsIn(environment: Environment, problems: string[]): Environment {
  const json = environment[SETTINGS_VARIABLE];
  if (!json) return environment;
  const parsed = z.record(z.string(), z.string()).safeParse(jsonIn(json));
  if (!parsed.success) problems.push(problem(SETTINGS_VARIABLE, json.slice(0, 40), 'a JSON object with strings'));
  return { ...parsed.data, ...Object.fromEntries(Object.entries(environment).filter(([, value]) => value)) };
}

function jsonIn(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
