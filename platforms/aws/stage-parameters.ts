// The SSM parameters that contain the names AWS gave to a stage's resources. The stacks write them; the command line and the functions read them.
// Policies grant access to the same paths.

const GROUPS = {
  // `key-mode`, for new keys, is with the tables because all code that opens them needs it.
  tables: ['pets', 'usage', 'control', 'key-mode'],
  edge: ['name', 'targets', 'routing-endpoint', 'bucket', 'map', 'workflow'],
  dashboard: ['bucket', 'distribution', 'configuration'],
  // The settings with which the stage was deployed, as JSON: infra/recorded-settings.ts.
  deployment: ['settings'],
} as const;

/** The path of the parameters of all stages. */
export const STAGES_PATH = '/petstore/';

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
