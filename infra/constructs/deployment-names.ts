// Keeps deployments' names unique in an account and region: two constructs with the same name would create the same tables, parameters and
// alarms, and CloudFormation would report that only in the middle of a deployment.

import { Stack, Token } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import { problem, refuseProblems } from './allowed-values.ts';

interface Named {
  readonly control: object;
}

/** Per application, the path of the construct that claimed each name. */
const claims = new WeakMap<IConstruct, Map<string, string>>();
/** The names under which the command line finds each control table. */
const namesOfTables = new WeakMap<object, Set<string>>();

/**
 * Claims a deployment's name for a group of its parameters, because an API and the custom domains of its accounts have the same name. @throws Error
 * if another construct in the same account and region has claimed it. If these are unknown, only names in the same stack are compared
 */
export function claimName(scope: Construct, name: string, group: ParameterGroup): void {
  const { root } = scope.node;
  const claimed = claims.get(root) ?? new Map<string, string>();
  claims.set(root, claimed);
  const key = [placeOf(Stack.of(scope)), group, name].join(' ');
  const other = claimed.get(key);
  if (other !== undefined) {
    const own = group === 'edge' ? '' : "; for custom domains of an API's accounts, pass its `tables`";
    refuseProblems(scope.node.path, [problem('name', name, `a name that is unique in its account and region; ${other} has this one${own}`)]);
  }
  claimed.set(key, scope.node.path);
}

function placeOf({ account, region, node }: Stack): string {
  return Token.isUnresolved(account) || Token.isUnresolved(region) ? node.path : `${account}/${region}`;
}

/** Records the name under which the command line finds tables. */
export function nameTables({ control }: Named, name: string): void {
  namesOfTables.set(control, (namesOfTables.get(control) ?? new Set()).add(name));
}

/** Returns a problem if this app has given the tables other names, under which alone `petstore --stage NAME` finds them. */
export function tablesProblems({ control }: Named, name: string): string[] {
  const names = namesOfTables.get(control);
  if (names === undefined || names.has(name)) return [];
  return [problem('name', name, `${[...names].join(' or ')}, the name under which \`petstore --stage NAME\` finds these tables`)];
}
