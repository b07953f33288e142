// The evaluation of policies, by the rules and examples of the IAM User Guide (https://docs.aws.amazon.com/IAM/latest/UserGuide/).

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policy variables

import { describe, expect, test } from 'vitest';
import { type Authorization, decidedBy, isAllowed, type Statement } from '../../rules/policy-evaluation.ts';

type Condition = NonNullable<Statement['Condition']>;
type Context = NonNullable<Authorization['context']>;

const OBJECT = 'arn:aws:s3:::pets/photos/bella.jpg';
const READ: Authorization = { action: 's3:GetObject', resource: OBJECT };
const ALLOW: Statement = { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' };

const allows = (statement: Partial<Statement>, authorization: Partial<Authorization> = {}) =>
  isAllowed([{ Effect: 'Allow', Resource: '*', ...statement }], { ...READ, ...authorization });
/** Whether a condition holds in a request context. */
const holds = (Condition: Condition, context: Context) => allows({ Action: '*', Condition }, { context });

// reference_policies_evaluation-logic.html, "How AWS enforcement code logic evaluates requests to allow or deny access"
describe('decisions', () => {
  const deny: Statement = { Effect: 'Deny', Action: 's3:*', Resource: '*' };

  test.each<[string, Statement[], boolean]>([
    ['nothing is allowed by default', [], false],
    ['an explicit allow overrides the default', [ALLOW], true],
    ['an explicit deny overrides any allow', [ALLOW, deny, ALLOW], false],
    ['a denial of another action changes nothing', [ALLOW, { ...deny, Action: 's3:PutObject' }], true],
    [
      'a denial under a condition that does not hold changes nothing',
      [ALLOW, { ...deny, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      true,
    ],
    ['a statement without a resource, as in trust policies, allows nothing', [{ Effect: 'Allow', Action: '*' }], false],
    ['a statement without an action allows nothing', [{ Effect: 'Allow', Resource: '*' }], false],
  ])('%s', (_, statements, expected) => {
    expect(isAllowed(statements, { ...READ, context: { 'aws:SecureTransport': 'true' } })).toBe(expected);
  });

  test('the deciding statements are those that allow', () => {
    const other: Statement = { Effect: 'Allow', Action: 's3:PutObject', Resource: '*' };
    expect(decidedBy([other, ALLOW], READ)).toEqual([ALLOW]);
    expect(decidedBy([ALLOW, deny], READ)).toEqual([]);
  });
});

// reference_policies_elements_action.html, reference_policies_elements_notaction.html
describe('actions', () => {
  test.each<[string | string[], boolean]>([
    ['s3:GetObject', true],
    ['S3:getobject', true],
    ['s3:*', true],
    ['*', true],
    ['s3:Get*', true],
    ['s3:GetObjec?', true],
    ['s3:Get?Object', false],
    ['s3:GetObject*', true],
    ['s3:GetObjectVersion', false],
    ['s3:Get', false],
    ['s3', false],
    [['s3:PutObject', 's3:GetObject'], true],
    [[], false],
  ])('%j', (Action, expected) => {
    expect(allows({ Action })).toBe(expected);
  });

  test.each<[string | string[], boolean]>([
    ['s3:GetObject', false],
    ['s3:PutObject', true],
    ['iam:*', true],
    [['iam:*', 'S3:get*'], false],
  ])('NotAction %j', (NotAction, expected) => {
    expect(allows({ NotAction })).toBe(expected);
  });
});

// reference_policies_elements_resource.html, reference_policies_elements_notresource.html
describe('resources', () => {
  test.each<[string | string[], boolean]>([
    ['*', true],
    [OBJECT, true],
    ['arn:aws:s3:::pets/*', true],
    ['arn:aws:s3:::pets/*/bella.jpg', true],
    ['arn:aws:s3:::pets/photos/bella.???', true],
    ['arn:aws:s3:::pets/photos/bella.????', false],
    ['arn:aws:s3:::pets', false],
    ['arn:aws:s3:::Pets/*', false],
    ['arn:aws:s3:::pets/photos/bella-jpg', false],
    ['arn:aws:*', true],
    [['arn:aws:s3:::other/*', 'arn:aws:s3:::pets/*'], true],
  ])('%j', (Resource, expected) => {
    expect(allows({ Action: '*', Resource })).toBe(expected);
  });

  test('special characters of regular expressions have no meaning', () => {
    const resource = 'arn:aws:s3:::pets/a+b(c)[d].{e}|f^$';
    expect(allows({ Action: '*', Resource: resource }, { resource })).toBe(true);
    expect(allows({ Action: '*', Resource: 'arn:aws:s3:::pets/a.b' }, { resource: 'arn:aws:s3:::pets/axb' })).toBe(false);
    expect(allows({ Action: '*', Resource: 'arn:aws:s3:::pets/*' }, { resource: 'arn:aws:s3:::pets/a\nb' })).toBe(true);
  });

  test.each([
    ['arn:aws:s3:::pets/*', false],
    ['arn:aws:s3:::other/*', true],
  ])('NotResource %j', (NotResource, expected) => {
    expect(isAllowed([{ Effect: 'Allow', Action: '*', NotResource }], READ)).toBe(expected);
  });
});

// reference_policies_elements_condition_operators.html
describe('conditions on single values', () => {
  const own = { 'aws:PrincipalTag/team': 'Pets', 'aws:SecureTransport': 'true', 'aws:SourceArn': 'arn:aws:sns:us-east-1:111122223333:topic' };

  test.each<[string, Condition, boolean]>([
    ['StringEquals', { StringEquals: { 'aws:PrincipalTag/team': 'Pets' } }, true],
    ['case', { StringEquals: { 'aws:PrincipalTag/team': 'pets' } }, false],
    ['an asterisk is not a wildcard', { StringEquals: { 'aws:PrincipalTag/team': 'P*' } }, false],
    ['any of the values', { StringEquals: { 'aws:PrincipalTag/team': ['Dogs', 'Pets'] } }, true],
    ['no value', { StringEquals: { 'aws:PrincipalTag/team': [] } }, false],
    ['keys are case-insensitive', { StringEquals: { 'AWS:principaltag/TEAM': 'Pets' } }, true],
    ['StringNotEquals', { StringNotEquals: { 'aws:PrincipalTag/team': 'Dogs' } }, true],
    ['StringNotEquals, none of the values', { StringNotEquals: { 'aws:PrincipalTag/team': ['Dogs', 'Pets'] } }, false],
    ['StringEqualsIgnoreCase', { StringEqualsIgnoreCase: { 'aws:PrincipalTag/team': 'pETS' } }, true],
    ['StringNotEqualsIgnoreCase', { StringNotEqualsIgnoreCase: { 'aws:PrincipalTag/team': 'pETS' } }, false],
    ['StringLike', { StringLike: { 'aws:PrincipalTag/team': 'P?t*' } }, true],
    ['StringLike, case', { StringLike: { 'aws:PrincipalTag/team': 'p*' } }, false],
    ['StringLike, the whole value', { StringLike: { 'aws:PrincipalTag/team': 'Pe' } }, false],
    ['StringNotLike', { StringNotLike: { 'aws:PrincipalTag/team': 'P*' } }, false],
    ['Bool', { Bool: { 'aws:SecureTransport': 'true' } }, true],
    ['Bool, as a JSON boolean', { Bool: { 'aws:SecureTransport': true } }, true],
    ['Bool, not', { Bool: { 'aws:SecureTransport': 'false' } }, false],
    ['ArnEquals', { ArnEquals: { 'aws:SourceArn': 'arn:aws:sns:*:111122223333:top?c' } }, true],
    ['ArnLike', { ArnLike: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:*:topic' } }, true],
    ['ArnLike, each part separately', { ArnLike: { 'aws:SourceArn': 'arn:aws:sns:*:topic' } }, false],
    ['ArnNotLike', { ArnNotLike: { 'aws:SourceArn': 'arn:aws:sns:*:*:*' } }, false],
    ['ArnNotEquals', { ArnNotEquals: { 'aws:SourceArn': 'arn:aws:sqs:*:*:*' } }, true],
    ['all operators', { Bool: { 'aws:SecureTransport': 'true' }, StringLike: { 'aws:PrincipalTag/team': 'D*' } }, false],
    ['all keys', { StringEquals: { 'aws:PrincipalTag/team': 'Pets', 'aws:SecureTransport': 'false' } }, false],
  ])('%s', (_, condition, expected) => {
    expect(holds(condition, own)).toBe(expected);
  });
});

// reference_policies_elements_condition_operators.html, "...IfExists condition operators", "Condition operator to check existence of condition keys"
describe('keys that the request does not have', () => {
  test.each<[string, boolean]>([
    ['StringEquals', false],
    ['StringLike', false],
    ['Bool', false],
    ['ArnLike', false],
    ['StringNotEquals', true],
    ['StringNotLike', true],
    ['ArnNotEquals', true],
    ['StringEqualsIfExists', true],
    ['StringNotEqualsIfExists', true],
    ['BoolIfExists', true],
    ['ForAllValues:StringEquals', true],
    ['ForAllValues:StringNotEquals', true],
    ['ForAnyValue:StringEquals', false],
    ['ForAnyValue:StringLike', false],
    ['ForAnyValue:StringNotEquals', false],
  ])('%s', (operator, expected) => {
    expect(holds({ [operator]: { 'aws:TagKeys': 'x' } }, {})).toBe(expected);
    // "… or if the key value resolves to a null dataset"
    expect(holds({ [operator]: { 'aws:TagKeys': 'x' } }, { 'aws:TagKeys': [] })).toBe(expected);
  });

  test.each<[string | boolean | string[], Context, boolean]>([
    ['true', {}, true],
    ['false', {}, false],
    ['true', { 'aws:TagKeys': ['a'] }, false],
    ['false', { 'aws:TagKeys': ['a'] }, true],
    ['true', { 'aws:TagKeys': [] }, true],
    [true, {}, true],
    [['true', 'false'], {}, true],
  ])('Null %j with %j', (value, context, expected) => {
    expect(holds({ Null: { 'aws:TagKeys': value } }, context)).toBe(expected);
  });

  test('a key that exists is compared, with IfExists too', () => {
    expect(holds({ StringEqualsIfExists: { 'aws:RequestTag/a': 'x' } }, { 'aws:RequestTag/a': 'y' })).toBe(false);
    expect(holds({ StringNotEqualsIfExists: { 'aws:RequestTag/a': 'x' } }, { 'aws:RequestTag/a': 'x' })).toBe(false);
  });
});

// reference_policies_condition-single-vs-multi-valued-context-keys.html
describe('keys with several values', () => {
  test.each<[string, string[], string[], boolean]>([
    ['ForAllValues:StringEquals', ['a', 'b'], ['a', 'b', 'c'], true],
    ['ForAllValues:StringEquals', ['a', 'd'], ['a', 'b', 'c'], false],
    ['ForAnyValue:StringEquals', ['a', 'd'], ['a', 'b'], true],
    ['ForAnyValue:StringEquals', ['c', 'd'], ['a', 'b'], false],
    ['ForAllValues:StringLike', ['ax', 'ay'], ['a*'], true],
    ['ForAllValues:StringNotEquals', ['c', 'd'], ['a', 'b'], true],
    ['ForAllValues:StringNotEquals', ['a', 'd'], ['a', 'b'], false],
    ['ForAnyValue:StringNotEquals', ['a', 'd'], ['a', 'b'], true],
    ['ForAnyValue:StringNotEquals', ['a', 'b'], ['a', 'b'], false],
    ['ForAllValues:StringEqualsIfExists', ['d'], ['a'], false],
  ])('%s: %j of %j', (operator, values, allowed, expected) => {
    expect(holds({ [operator]: { 'aws:TagKeys': allowed } }, { 'aws:TagKeys': values })).toBe(expected);
  });

  test('set operators take a single value too', () => {
    expect(holds({ 'ForAnyValue:StringEquals': { 'aws:RequestTag/a': 'x' } }, { 'aws:RequestTag/a': 'x' })).toBe(true);
  });

  test.each(['StringEquals', 'StringNotEquals', 'StringLikeIfExists'])('%s needs a set operator', (operator) => {
    expect(() => holds({ [operator]: { 'aws:TagKeys': 'a' } }, { 'aws:TagKeys': ['a'] })).toThrow('needs ForAllValues or ForAnyValue');
  });
});

describe('what is not implemented is an error', () => {
  test.each([
    'NumericEquals',
    'NumericLessThanIfExists',
    'DateGreaterThan',
    'IpAddress',
    'NotIpAddress',
    'BinaryEquals',
    'NullIfExists',
    'ForSomeValues:StringEquals',
    'stringequals',
  ])('%s', (operator) => {
    for (const context of [{}, { 'aws:SourceIp': '10.0.0.1' }])
      expect(() => holds({ [operator]: { 'aws:SourceIp': '1' } }, context)).toThrow(`${operator}: not supported`);
    expect(() => holds({ Bool: { 'aws:SecureTransport': 'true' }, [operator]: { 'aws:SourceIp': '1' } }, {})).toThrow('not supported');
  });

  // reference_policies_variables.html
  test('policy variables', () => {
    const variable = '${aws:PrincipalTag/team}';
    expect(() => allows({ Action: '*', Resource: `arn:aws:s3:::pets/${variable}/*` })).toThrow('policy variables');
    expect(() => isAllowed([{ Effect: 'Allow', Action: '*', NotResource: `arn:aws:s3:::${variable}` }], READ)).toThrow('policy variables');
    for (const operator of ['StringEquals', 'StringLike', 'StringNotEquals', 'ArnLike', 'StringEqualsIgnoreCase'])
      expect(() => holds({ [operator]: { 'aws:ResourceTag/team': variable } }, { 'aws:ResourceTag/team': variable })).toThrow('policy variables');
  });

  test('statements about other actions are not evaluated', () => {
    expect(allows({ Action: 'iam:*', Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })).toBe(false);
  });
});
