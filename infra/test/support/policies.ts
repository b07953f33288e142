// Evaluates, as IAM does, whether a role may make a call, using the templates' policies.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

import type { DeployedStage } from './deployed-templates.ts';

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** The permission that a call needs. */
export interface Authorization {
  readonly action: string;
  /** An ARN, or `*` for an action without resources. */
  readonly resource: string;
  /** The values of condition keys in the call, such as `aws:RequestTag/stage`. */
  readonly context?: Readonly<Record<string, string>>;
}

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

/** Whether a statement allows the call and none denies it. */
export function isAllowed(statements: readonly Statement[], authorization: Authorization): boolean {
  const effects = statements.filter((statement) => applies(statement, authorization)).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

function applies({ Action, Resource, Condition = {} }: Statement, { action, resource, context = {} }: Authorization): boolean {
  return (
    listOf(Action).some((pattern) => isLike(pattern.toLowerCase(), action.toLowerCase())) &&
    listOf(Resource).some((pattern) => isLike(pattern, resource)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, allowed]) => holds(operator, contextValue(context, key), listOf(allowed))),
    )
  );
}

/** A condition key missing from the call fails every operator except those with IfExists. */
function holds(operator: string, value: string | undefined, allowed: readonly string[]): boolean {
  if (value === undefined) return false;
  switch (operator) {
    case 'StringEquals':
    case 'Bool':
      return allowed.includes(value);
    case 'StringLike':
      return allowed.some((pattern) => isLike(pattern, value));
    default:
      throw new Error(`${operator}: not known in test/support/policies.ts`);
  }
}

/** Condition keys are case-insensitive. */
function contextValue(context: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];
}

/** The values of a policy element, which may be a single value, a list or absent. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : ([value].flat() as T[]);
}

/** `*` matches any string, `?` any character. */
function isLike(pattern: string, value: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's').test(value);
}
