// Finds features that the runtime of CloudFront Functions lacks, in a function's syntax tree. CloudFront deploys such code without a warning, and then
// answers every request with 503.

import { type AnyNode, type CallExpression, type MemberExpression, type NewExpression, type Program, parse } from 'acorn';
import {
  DECLARATIONS,
  GLOBALS,
  MAX_BYTES,
  MISSING_METHODS,
  MODULES,
  OPERATORS,
  REGEXP_FLAGS,
  RESTRICTED,
  RUNTIME,
  SYNTAX,
  SYNTAX_NAMES,
} from './features.ts';
import { isFunction, type Place, walk } from './tree.ts';

/** What is used, and what the runtime has instead. */
type Problem = readonly [used: string, instead: string];

const NOT_LISTED = 'no such syntax';

/**
 * Returns a line for each violation: where it is, what is used, and what the runtime lacks.
 *
 * @param code the function as deployed
 */
export function lintEdgeFunction(code: string): string[] {
  const problems = problemsOfText(code);
  const commas: number[] = [];
  let program: Program;
  try {
    // Functions run in strict mode, as modules do.
    program = parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      onTrailingComma: (position) => void commas.push(position),
    });
  } catch (error) {
    return [...problems, String(error)];
  }
  if (!program.body.some((node) => node.type === 'FunctionDeclaration' && node.id.name === 'handler'))
    problems.push(`no handler: ${RUNTIME} calls a function of this name`);
  walk(program, (node, place) => {
    for (const [used, instead] of problemsOf(node, place, code, commas))
      problems.push(`line ${node.loc?.start.line}: ${used}: ${RUNTIME} has ${instead}`);
  });
  return problems;
}

function problemsOfText(code: string): string[] {
  const bytes = Buffer.byteLength(code);
  const problems = bytes > MAX_BYTES ? [`${bytes} bytes: allowed: at most ${MAX_BYTES}`] : [];
  const [character] = /[^\x20-\x7e\n]/.exec(code) ?? [];
  // CloudFormation returns them as question marks, so every comparison with the deployed template would show a change.
  if (character !== undefined) problems.push(`${JSON.stringify(character)}: allowed: printable ASCII and newlines`);
  return problems;
}

function problemsOf(node: AnyNode, place: Place, code: string, commas: readonly number[]): readonly Problem[] {
  if (!SYNTAX.includes(node.type)) return [[SYNTAX_NAMES[node.type] ?? node.type, NOT_LISTED]];
  if (isFunction(node)) return [...functionProblems(node, place), ...trailingComma(node.params.at(-1), node.body.start, commas)];
  switch (node.type) {
    case 'VariableDeclaration':
      return DECLARATIONS.includes(node.kind) ? [] : [[node.kind, `only ${DECLARATIONS.join(', ')}`]];
    case 'AssignmentExpression':
    case 'BinaryExpression':
    case 'LogicalExpression':
      return OPERATORS.includes(node.operator) ? [] : [[node.operator, 'the operators of ES 5.1, and **']];
    case 'CatchClause':
      return node.param ? [] : [['a catch without a binding', NOT_LISTED]];
    case 'Property':
      return propertyProblems(node);
    case 'Literal':
    case 'TemplateElement':
      return literalProblems(node, code);
    case 'AwaitExpression':
      return awaitProblems(node, place);
    case 'ImportDeclaration':
      return moduleProblems(node.source.value);
    case 'Identifier':
      return nameProblems(node.name, place);
    case 'MemberExpression':
      return memberProblems(node, place);
    case 'CallExpression':
    case 'NewExpression':
      return [...callProblems(node, place), ...trailingComma(node.arguments.at(-1), node.end, commas)];
    default:
      return [];
  }
}

function functionProblems(node: Extract<AnyNode, { async: boolean }>, { parents }: Place): readonly Problem[] {
  const isClosure = node.type !== 'FunctionDeclaration' || parents.some(isFunction);
  return [
    ...(node.generator ? [['a generator', NOT_LISTED] as const] : []),
    ...(node.async && isClosure ? [['an async closure', 'async functions only as declarations outside of functions'] as const] : []),
  ];
}

function propertyProblems({ shorthand, computed, method }: Extract<AnyNode, { type: 'Property' }>): readonly Problem[] {
  if (shorthand) return [['a shorthand property', NOT_LISTED]];
  if (computed) return [['a computed property', NOT_LISTED]];
  return method ? [['a shorthand method', NOT_LISTED]] : [];
}

function literalProblems(node: Extract<AnyNode, { type: 'Literal' | 'TemplateElement' }>, code: string): readonly Problem[] {
  const raw = code.slice(node.start, node.end);
  if (node.type === 'Literal' && node.regex !== undefined) {
    const { flags, pattern } = node.regex;
    if (!REGEXP_FLAGS.test(flags)) return [[`the flags of ${raw}`, 'the flags g, i, m and y']];
    return /\(\?<[=!]/.test(pattern) ? [[`the lookbehind of ${raw}`, 'regular expressions of ES 5.1, and named groups']] : [];
  }
  if (node.type === 'Literal' && typeof node.value === 'bigint') return [[raw, 'no BigInt']];
  if (node.type === 'Literal' && typeof node.value === 'number') return /^0[bo]/i.test(raw) ? [[raw, 'no binary or octal numbers']] : [];
  return /(^|[^\\])(\\\\)*\\u\{/.test(raw) ? [['\\u{…}', 'only \\uXXXX']] : [];
}

/** "await can be used inside async functions only. async arguments and closures are not supported." */
function awaitProblems(node: AnyNode, { parents }: Place): readonly Problem[] {
  const around = parents.slice(parents.findLastIndex(isFunction) + 1);
  if (around.length === parents.length) return [['await outside of a function', 'await in async functions only']];
  const path = [...around, node];
  const isArgument = around.some((parent, index) => isCall(parent) && parent.arguments.some((argument) => argument === path[index + 1]));
  return isArgument ? [['await in an argument', 'no async arguments']] : [];
}

function moduleProblems(name: unknown): readonly Problem[] {
  return typeof name === 'string' && MODULES.includes(name) ? [] : [[`the module ${name}`, `only ${MODULES.join(', ')}`]];
}

function nameProblems(name: string, { declared }: Place): readonly Problem[] {
  if (declared.has(name) || Object.hasOwn(GLOBALS, name)) return [];
  return [[name, RESTRICTED[name] ?? 'no such global']];
}

/** A member of a global. Members of other values are checked where they are called, because data may have any names. */
function memberProblems(node: MemberExpression, { declared }: Place): readonly Problem[] {
  const member = memberOf(node);
  if (node.object.type !== 'Identifier' || member === undefined || declared.has(node.object.name)) return [];
  const { name } = node.object;
  if (name === 'globalThis') return nameProblems(member, { parents: [], declared: new Set() });
  const members = GLOBALS[name];
  if (members === undefined || members.includes(member) || member === 'prototype' || name === 'arguments') return [];
  return [[`${name}.${member}`, `only ${[...members, 'prototype'].join(', ')} of ${name}`]];
}

function callProblems(node: CallExpression | NewExpression, { declared }: Place): readonly Problem[] {
  const { callee, arguments: args } = node;
  if (callee.type === 'Identifier' && callee.name === 'require') {
    const [name] = args;
    return moduleProblems(name?.type === 'Literal' ? name.value : 'with a computed name');
  }
  if (callee.type !== 'MemberExpression') return [];
  const method = memberOf(callee);
  const owner = callee.object.type === 'Identifier' && !declared.has(callee.object.name) ? callee.object.name : undefined;
  if (owner === 'console' && args.length > 1) return [['console.log with several arguments', 'only one argument']];
  if (owner === 'Object' && method === 'create' && args.length > 1) return [['Object.create with properties', 'Object.create without properties']];
  // `[].flat.call(list)` calls `flat`.
  if (callee.object.type === 'MemberExpression' && (method === 'call' || method === 'apply' || method === 'bind'))
    return methodProblems(memberOf(callee.object));
  return owner !== undefined && Object.hasOwn(GLOBALS, owner) ? [] : methodProblems(method);
}

function methodProblems(method: string | undefined): readonly Problem[] {
  const types = method === undefined ? undefined : MISSING_METHODS.get(method);
  if (types === undefined) return [];
  return [[`.${method}()`, method === 'constructor' ? 'no dynamic code evaluation' : `no such method (in Node of ${types})`]];
}

/** ES 8 allows a comma after the last parameter and the last argument. */
function trailingComma(last: AnyNode | undefined, end: number, commas: readonly number[]): readonly Problem[] {
  if (last === undefined || !commas.some((position) => position >= last.end && position < end)) return [];
  return [['a comma after the last parameter or argument', NOT_LISTED]];
}

function isCall(node: AnyNode): node is CallExpression | NewExpression {
  return node.type === 'CallExpression' || node.type === 'NewExpression';
}

/** The name of a member, unless it is computed from anything but a string literal. */
function memberOf({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}
