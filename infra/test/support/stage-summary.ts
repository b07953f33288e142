// A stage's templates as text for reviewers: each resource with its logical id, removal policy and a digest of all else; each policy
// statement; the outputs; and the differences between two stages.

import { hash } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { PetstorePlatform } from '../../petstore-platform.ts';

// biome-ignore lint/suspicious/noExplicitAny: templates are what CloudFormation takes, and that is anything
type Json = any;

/** CloudFormation templates by stack. */
export type Templates = ReadonlyMap<string, Json>;

/** Returns a stage's templates by stack, without the parts that change whenever the code is edited. */
export function templatesOf(stage: PetstorePlatform): Templates {
  return new Map(
    stage.node.children.filter(Stack.isStack).map((stack) => [stack.node.id, withoutAssets(JSON.stringify(Template.fromStack(stack).toJSON()))]),
  );
}

function withoutAssets(template: string): Json {
  return JSON.parse(template.replace(/[0-9a-f]{64}/g, 'ASSET').replace(/(CurrentVersion\w{8})[0-9a-f]{32}/g, '$1'));
}

/** Returns a line for each resource, for each of its policy statements, and for each output. */
export function summaryOf(templates: Templates): string {
  return [...templates]
    .map(([stack, { Resources = {}, Outputs = {} }]) =>
      [`# ${stack}`, '', ...Object.entries<Json>(Resources).flatMap(linesOf), ...Object.entries<Json>(Outputs).map(outputLine), ''].join('\n'),
    )
    .join('\n');
}

function outputLine([name, { Value }]: [string, Json]): string {
  return `output ${name}  ${text(Value)}`;
}

function linesOf([id, { Type, DeletionPolicy = '-', UpdateReplacePolicy = '-', Metadata: _, ...rest }]: [string, Json]): string[] {
  const removal = DeletionPolicy === UpdateReplacePolicy ? DeletionPolicy : `${DeletionPolicy}, replaced: ${UpdateReplacePolicy}`;
  const digest = hash('sha256', JSON.stringify(rest)).slice(0, 8);
  return [`${id}  ${Type.replace('AWS::', '')}  ${removal}  ${digest}`, ...statementsIn(rest).map((statement) => `    ${statementText(statement)}`)];
}

/** Returns the statements of all policy documents in these properties. */
function statementsIn(value: Json): Json[] {
  if (value === null || typeof value !== 'object') return [];
  const own = Array.isArray(value.Statement) ? value.Statement : [];
  return [...own, ...Object.values(value).flatMap(statementsIn)];
}

function statementText({ Effect, Action, Principal, Resource, Condition, Sid: _, ...unusual }: Json): string {
  const who = Principal === undefined ? '' : ` by ${text(Principal)}`;
  const what = Resource === undefined ? '' : ` on ${[Resource].flat().map(text).join(', ')}`;
  const when = Condition === undefined ? '' : ` if ${text(Condition)}`;
  // Such as NotAction, which permits more than it shows.
  const others = Object.entries<Json>(unusual).map(([name, value]) => ` ${name} ${text(value)}`);
  return `${Effect} ${[Action ?? []].flat().join(', ')}${who}${what}${when}${others.join('')}`;
}

/** Writes a value with its references in the form of Fn::Sub: `${Table.Arn}/index/*`. */
function text(value: Json): string {
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map(text).join(', ');
  const [[name, argument] = ['', undefined], ...rest] = Object.entries<Json>(value);
  if (rest.length === 0) {
    if (name === 'Ref') return `\${${argument}}`;
    if (name === 'Fn::GetAtt') return `\${${argument.join('.')}}`;
    if (name === 'Fn::GetStackOutput') return `\${${argument.StackName}.${argument.OutputName}}`;
    if (name === 'Fn::Join') return argument[1].map(text).join(argument[0]);
    if (name === 'Fn::Sub' && typeof argument === 'string') return argument;
  }
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}: ${text(each)}`)
    .join('; ')}}`;
}

/** Returns a line for each value that differs between two stages, with its path. The stages' own names are treated as equal. */
export function differencesOf(from: Templates, to: Templates, names: readonly [string, string]): string {
  const [left, right] = [neutral(from, names[0]), neutral(to, names[1])];
  const lines = [...new Set([...left.keys(), ...right.keys()])].flatMap((stack) => differences(stack, left.get(stack), right.get(stack)));
  return `# Differences from ${names[0]} to ${names[1]}\n\n${lines.join('\n')}\n`;
}

function neutral(templates: Templates, name: string): Templates {
  return new Map([...templates].map(([stack, { Resources }]) => [stack, JSON.parse(JSON.stringify(Resources).replaceAll(name, 'STAGE'))]));
}

function differences(path: string, left: Json, right: Json): string[] {
  if (JSON.stringify(left) === JSON.stringify(right)) return [];
  if (left === undefined) return [`+ ${path}: ${shortened(right)}`];
  if (right === undefined) return [`- ${path}: ${shortened(left)}`];
  const bothObjects = [left, right].every((value) => typeof value === 'object' && value !== null && !isReference(value));
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) return [`  ${path}: ${shortened(left)} -> ${shortened(right)}`];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) => differences(`${path}.${key}`, left[key], right[key]));
}

function isReference(value: object): boolean {
  return Object.keys(value).every((key) => key === 'Ref' || key.startsWith('Fn::'));
}

/** Shortens a whole resource definition to its type. */
function shortened(value: Json): string {
  return value?.Type?.startsWith('AWS::') ? value.Type : text(value);
}
