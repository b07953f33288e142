// The rules for a stage's name. It is part of most of the stage's resource names, so AWS's rules for all of them apply together.

/** S3's limit for bucket names, in characters (S3 User Guide, "General purpose bucket naming rules"). */
export const MAX_BUCKET_NAME = 63;

/** No region in which a stage can run has a longer name. */
const LONGEST_REGION = 'ap-southeast-2';

/** A name of a stage, checked by `stageNameProblem` where it is read: in infra/stages.ts and in the command line's `--stage`. */
export type StageName = string;

/** Returns the prefix of a stage's table names, unless a setting gives another one. */
export function defaultTablePrefix(stage: StageName): string {
  return `petstore-${stage}`;
}

/**
 * Returns a stage's name as part of names that all regions share. Outside the stage's first region, two hyphens, which no stage's name contains, and
 * the region follow. In the first region, names without a region are already in use. @param homeRegion the first region. @default `region`
 */
export function globalNameOf(stage: StageName, region: string | undefined, homeRegion: string | undefined): string {
  return region === undefined || homeRegion === undefined || region === homeRegion ? stage : `${stage}--${region}`;
}

/** Returns the name of a stage's bucket for deployed files, unique across all accounts. */
export function sitesBucketOf(tablePrefix: string, account: string, region: string): string {
  return `${tablePrefix}-sites-${account}-${region}`;
}

/** Returns the length of the longest table prefix whose bucket has a valid name, in characters. @param region @default one with the longest name */
export function maxTablePrefix(region: string = LONGEST_REGION): number {
  return MAX_BUCKET_NAME - sitesBucketOf('', '000000000000', region).length;
}

/** In characters. The bucket's name reaches its limit first; infra/test/stage-names.test.ts checks the other names at this length. */
export const MAX_STAGE_NAME = maxTablePrefix() - defaultTablePrefix('').length;

/** Allows only single hyphens, so that no two stages have the same settings prefix. */
const PATTERN = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Not allowed in the domain of a user pool (Cognito Developer Guide, "Using the Amazon Cognito domain"). */
const NOT_IN_SIGN_IN_DOMAIN = ['amazon', 'aws', 'cognito'];
/** Not allowed as an ending: the alarm `slow` of a stage `dev-release` would have the name of the alarm `release-slow` of the stage `dev`. */
const PREFIX_OF_ALARMS = '-release';

/** Returns what is allowed instead of this name, or undefined if it is a valid name of a stage. */
export function stageNameProblem(name: string): string | undefined {
  if (!PATTERN.test(name) || name.length > MAX_STAGE_NAME)
    return `1 to ${MAX_STAGE_NAME} lower-case letters, digits and single hyphens, starting with a letter, such as dev-1`;
  const reserved = NOT_IN_SIGN_IN_DOMAIN.find((word) => name.includes(word));
  if (reserved !== undefined) return `a name without ${JSON.stringify(reserved)}, which Cognito does not allow in domains`;
  if (name.endsWith(PREFIX_OF_ALARMS))
    return `a name that does not end with "${PREFIX_OF_ALARMS}", as the alarms of another stage would have the same names`;
  return undefined;
}

/** Returns the prefix of the environment variables with a stage's settings: `DEV_1_` for `dev-1`. */
export function settingsPrefix(stage: StageName): string {
  return `${stage.toUpperCase().replaceAll('-', '_')}_`;
}
