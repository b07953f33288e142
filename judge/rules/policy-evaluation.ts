// Decides, as IAM does, whether policies allow a call.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly NotResource?: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | boolean | readonly string[]>>>>;
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
  const { Resource, NotResource, Condition = {} } = statement;
  const isResource = (pattern: string) => isLike(pattern, resource);
  return (
    concernsAction(statement, action) &&
    (NotResource === undefined ? listOf(Resource).some(isResource) : !listOf(NotResource).some(isResource)) &&
    // Evaluates all conditions, so that an unknown operator throws even if another one does not hold.
    Object.entries(Condition)
      .flatMap(([operator, keys]) => Object.entries(keys).map(([key, allowed]) => holds(operator, key, context, listOf(allowed).map(String))))
      .every((each) => each)
  );
}

/** Whether a statement is about the action. Actions are case-insensitive. */
export function concernsAction({ Action, NotAction }: Statement, action: string): boolean {
  const isAction = (pattern: string) => isLike(pattern.toLowerCase(), action.toLowerCase());
  return NotAction === undefined ? listOf(Action).some(isAction) : !listOf(NotAction).some(isAction);
}

/** The condition keys of a statement. */
export function conditionKeysOf({ Condition = {} }: Statement): readonly string[] {
  return Object.values(Condition).flatMap((keys) => Object.keys(keys));
}

/**
 * A condition key missing from the call fails every operator except negated ones, those with IfExists, and ForAllValues.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 * @throws Error for operators and policy variables that are not implemented, and for a key with several values without a set operator
 */
function holds(operator: string, key: string, context: NonNullable<Authorization['context']>, allowed: readonly string[]): boolean {
  const [, set = '', name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  const value = contextValue(context, key);
  const values = listOf(value);
  if (operator === 'Null') return allowed.includes(String(values.length === 0));
  const isNegated = name.includes('Not');
  const comparison = COMPARISONS[name.replace('Not', '')];
  if (comparison === undefined) throw new Error(`${operator}: not supported by judge/rules/policy-evaluation.ts`);
  if (values.length === 0) return ifExists !== undefined || set === 'ForAllValues' || (isNegated && set === '');
  if (set === '' && typeof value !== 'string') throw new Error(`${key} has several values; ${operator} needs ForAllValues or ForAnyValue`);
  const matches = (each: string) => allowed.some((pattern) => comparison(withoutVariables(pattern), each)) !== isNegated;
  return set === 'ForAllValues' ? values.every(matches) : values.some(matches);
}

const COMPARISONS: Readonly<Record<string, (allowed: string, value: string) => boolean>> = {
  ArnEquals: isLikeArn,
  ArnLike: isLikeArn,
  Bool: isSameInAnyCase,
  StringEquals: (allowed, value) => allowed === value,
  StringEqualsIgnoreCase: isSameInAnyCase,
  StringLike: isLike,
};

function isSameInAnyCase(allowed: string, value: string): boolean {
  return allowed.toLowerCase() === value.toLowerCase();
}

/** Each of the six parts is compared separately, so that no wildcard matches a colon before the last part. */
function isLikeArn(pattern: string, value: string): boolean {
  const [patterns, parts] = [pattern, value].map((arn) => {
    const [partition = '', service = '', region = '', account = '', resource = '', ...rest] = arn.split(':').slice(1);
    return [arn.split(':')[0] ?? '', partition, service, region, account, [resource, ...rest].join(':')];
  });
  return (patterns ?? []).every((each, index) => isLike(each, parts?.[index] ?? ''));
}

/** Condition keys are case-insensitive. */
function contextValue(context: NonNullable<Authorization['context']>, key: string): string | readonly string[] | undefined {
  return Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];
}

/** The values of a policy element, which may be a single value, a list or absent. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : ([value].flat() as T[]);
}

/** Whether a text matches a pattern in a policy: `*` matches any string, `?` any character. @throws Error for policy variables */
export function isLike(pattern: string, value: string): boolean {
  const escaped = withoutVariables(pattern)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, 's').test(value);
}

/**
 * Policy variables, such as `${aws:PrincipalTag/stage}`, are not implemented.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html @throws Error for a pattern that has one
 */
function withoutVariables(pattern: string): string {
  if (pattern.includes('${')) throw new Error(`${pattern}: policy variables are not supported by judge/rules/policy-evaluation.ts`);
  return pattern;
}
