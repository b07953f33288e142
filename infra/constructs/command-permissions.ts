// What `petstore --stage NAME` does on AWS for accounts, keys and usage.

import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ParameterGroup } from '../../platforms/aws/stage-parameters.ts';
import type { AccessTables } from './catalogue-tables.ts';
import { parameterPathArns } from './parameter-paths.ts';

export interface CommandStatementsProps {
  /** The deployment's name. */
  readonly name: string;
  readonly tables: AccessTables;
  /** The groups of parameters that the commands read. */
  readonly parameters: readonly ParameterGroup[];
}

/** Returns the statements that the commands need. */
export function commandStatements(scope: Construct, { name, tables, parameters }: CommandStatementsProps): PolicyStatement[] {
  const allow = (actions: string[], resources: string[]) => new PolicyStatement({ effect: Effect.ALLOW, actions, resources });
  return [
    allow(
      ['ssm:GetParametersByPath'],
      parameters.flatMap((group) => parameterPathArns(Stack.of(scope), name, group)),
    ),
    // Each write inside a transaction needs the permission of its own action.
    allow(
      ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      [tables.control.tableArn],
    ),
    allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], [tables.usage.tableArn]),
  ];
}
