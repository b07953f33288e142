// Where the names that AWS has given to the parts of a stage are found: SSM parameters, which the stacks write and which the command line and
// the functions read. Policies grant access by the same paths.

const GROUPS = {
  tables: ['pets', 'usage', 'control'],
  edge: ['name', 'routing-endpoint', 'bucket', 'map', 'workflow'],
  dashboard: ['bucket', 'distribution', 'configuration'],
} as const;

export type ParameterGroup = keyof typeof GROUPS;

export type ParameterOf<Group extends ParameterGroup> = (typeof GROUPS)[Group][number];

/** What GetParametersByPath is asked for, with a slash at its end. */
export function parameterPath(stage: string, group: ParameterGroup): string {
  return `/petstore/${stage}/${group}/`;
}

/** The name of one parameter. */
export function parameterName<Group extends ParameterGroup>(stage: string, group: Group, parameter: ParameterOf<Group>): string {
  return `${parameterPath(stage, group)}${parameter}`;
}
