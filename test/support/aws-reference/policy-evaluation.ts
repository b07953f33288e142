// Decides, as IAM does, whether policies allow a call.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly NotResource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** The permission that a call needs. */
export interface Authorization {
  readonly action: string;
  /** An ARN, or `*` for an action without resources. */
  readonly resource: string;
  /** The values of condition keys in the call, such as `aws:RequestTag/stage`; a list for keys with several values. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
}

/** Whether a statement allows the call and none denies it. */
export function isAllowed(statements: readonly Statement[], authorization: Authorization): boolean {
  return decidedBy(statements, authorization).length > 0;
}

/** The statements that allow the call. @returns none if a statement denies it */
export function decidedBy<Each extends Statement>(statements: readonly Each[], authorization: Authorization): readonly Each[] {
  const matching = statements.filter((statement) => applies(statement, authorization));
  return matching.some(({ Effect }) => Effect === 'Deny') ? [] : matching;
}

function applies(statement: Statement, { action, resource, context = {} }: Authorization): boolean {
  const { Action, NotAction, Resource, NotResource, Condition = {} } = statement;
  const isAction = (pattern: string) => isLike(pattern.toLowerCase(), action.toLowerCase());
  const isResource = (pattern: string) => isLike(pattern, resource);
  return (
    (NotAction === undefined ? listOf(Action).some(isAction) : !listOf(NotAction).some(isAction)) &&
    (NotResource === undefined ? listOf(Resource).some(isResource) : !listOf(NotResource).some(isResource)) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, allowed]) => holds(operator, contextValues(context, key), listOf(allowed))),
    )
  );
}

/**
 * A condition key missing from the call fails every operator except negated ones, those with IfExists, and ForAllValues.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
function holds(operator: string, values: readonly string[] | undefined, allowed: readonly string[]): boolean {
  const [, set = '', name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  if (name === 'Null') return allowed.includes(String(values === undefined));
  const isNegated = name.includes('Not');
  if (values === undefined) return ifExists !== undefined || set === 'ForAllValues' || (isNegated && set === '');
  const matches = (value: string) => allowed.some((each) => compare(name.replace('Not', ''), each, value)) !== isNegated;
  return set === 'ForAllValues' ? values.every(matches) : values.some(matches);
}

function compare(operator: string, allowed: string, value: string): boolean {
  switch (operator) {
    case 'StringEquals':
    case 'ArnEquals':
    case 'ArnLike':
      return operator === 'StringEquals' ? allowed === value : isLike(allowed, value);
    case 'StringEqualsIgnoreCase':
    case 'Bool':
      return allowed.toLowerCase() === value.toLowerCase();
    case 'StringLike':
      return isLike(allowed, value);
    default:
      throw new Error(`${operator}: not known in test/support/aws-reference/policy-evaluation.ts`);
  }
}

/** Condition keys are case-insensitive. */
function contextValues(context: NonNullable<Authorization['context']>, key: string): readonly string[] | undefined {
  const value = Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];
  return value === undefined ? undefined : listOf(value);
}

/** The values of a policy element, which may be a single value, a list or absent. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : ([value].flat() as T[]);
}

/** Whether a text matches a pattern of a policy: `*` matches any string, `?` any character. */
export function isLike(pattern: string, value: string): boolean {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's').test(value);
}
