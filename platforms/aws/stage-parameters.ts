// The SSM parameters that contain the names AWS gave to a stage's resources. The stacks write them; the command line and the functions read them.
// Policies grant access to the same paths.

const GROUPS = {
  // Stages from releases before 0.4.0 have no `audit`. `key-mode`, for new keys, is with the tables because all code that opens them needs it.
  tables: ['pets', 'usage', 'control', 'audit', 'key-mode'],
  // `distribution`, `connection-group` and `tag` are for tenants that an operator creates; stages from releases before 0.4.0 don't have them. `zones`
  // exists only if owners' records are restricted to certain zones.
  edge: ['name', 'targets', 'routing-endpoint', 'bucket', 'map', 'workflow', 'zones', 'distribution', 'connection-group', 'tag'],
  dashboard: ['bucket', 'distribution', 'configuration'],
  // The settings with which the stage was deployed, as JSON: infra/recorded-settings.ts.
  deployment: ['settings'],
} as const;

/** The path of the parameters of all stages. */
const STAGES_PATH = '/petstore/';

export type ParameterGroup = keyof typeof GROUPS;

export type ParameterOf<Group extends ParameterGroup> = (typeof GROUPS)[Group][number];

/** Returns a group's path for GetParametersByPath, with a trailing slash. */
export function parameterPath(stage: string, group: ParameterGroup): string {
  return `${STAGES_PATH}${stage}/${group}/`;
}

/** Returns the name of one parameter. */
export function parameterName<Group extends ParameterGroup>(stage: string, group: Group, parameter: ParameterOf<Group>): string {
  return `${parameterPath(stage, group)}${parameter}`;
}

/** A parameter can't be empty. */
const NO_ZONES = 'none';

/** Returns Route 53 zones as text, for the parameter `zones` and the functions' environments. @param zoneIds their ids */
export function zoneList(zoneIds: readonly string[]): string {
  return zoneIds.length === 0 ? NO_ZONES : zoneIds.join(',');
}

/** Returns the ids of the zones; undefined for all zones. @param text the result of zoneList. @default all zones */
export function zoneIdsOf(text: string | undefined): readonly string[] | undefined {
  return text === NO_ZONES ? [] : text?.split(',');
}
