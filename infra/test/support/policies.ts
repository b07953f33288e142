// The policy statements in a stage's templates.

import type { Statement } from '../../../judge/rules.ts';
import type { DeployedStage } from './deployed-templates.ts';

const POLICIES = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::S3::BucketPolicy', 'AWS::SNS::TopicPolicy', 'AWS::SQS::QueuePolicy'];

export interface PlacedStatement extends Statement {
  /** The stack and logical id of the policy. */
  readonly place: string;
  readonly roles: readonly string[];
}

/** Every statement in every policy of a stage. */
export function statementsOf(stage: DeployedStage): readonly PlacedStatement[] {
  return POLICIES.flatMap((type) =>
    stage.resources(type).flatMap(({ stack, id, properties }) =>
      (properties.PolicyDocument.Statement as Statement[]).map((statement) => ({
        ...statement,
        place: `${stack} ${id}`,
        roles: (properties.Roles ?? []) as string[],
      })),
    ),
  );
}

/** The statements that apply to a role. @param role its name, or its location: the stack's name and the start of its logical id */
export function statementsOfRole(stage: DeployedStage, role: string | { readonly stack: string; readonly id: string }): readonly Statement[] {
  const found = statementsOf(stage).filter(({ roles }) =>
    roles.some((name) => (typeof role === 'string' ? name === role : name.startsWith(`${role.stack}-${role.id}`.toLowerCase()))),
  );
  if (found.length === 0) throw new Error(`no policy of the role ${JSON.stringify(role)}`);
  return found;
}
