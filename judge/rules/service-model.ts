// Checks the inputs of AWS's operations against the rules that AWS publishes: the service models, service-2.json in botocore
// (https://github.com/boto/botocore/tree/develop/botocore/data). Inputs are what the SDK accepts, or what a parser reads from a request.

import { expressionOf } from './patterns.ts';
import { isOfType, sizeOf } from './values.ts';

export interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, ShapeReference>>;
  readonly required?: readonly string[];
  readonly member?: ShapeReference;
  readonly key?: ShapeReference;
  readonly value?: ShapeReference;
  /** Bounds, both inclusive, on a number, or on how many characters a string has, bytes a blob has, or items a list or map has. */
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  /** Whether exactly one member is set. */
  readonly union?: boolean;
  /** Whether any JSON value is allowed. */
  readonly document?: boolean;
  readonly eventstream?: boolean;
  readonly streaming?: boolean;
}

export interface ShapeReference {
  readonly shape: string;
  /** Where the member is sent, if not in the body: `uri`, `querystring`, `header`, `headers`. */
  readonly location?: string;
  readonly idempotencyToken?: boolean;
  readonly streaming?: boolean;
}

export interface ServiceModel {
  /** The package and version the model comes from. */
  readonly source?: string;
  readonly metadata: { readonly protocol: string; readonly serviceId: string };
  readonly operations: Readonly<Record<string, { readonly name: string; readonly input?: ShapeReference }>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

export interface Violation {
  /** Such as `cloudfront:CreateDistributionTenant`. */
  readonly operation: string;
  /** Path, such as `Domains[0].Domain`; empty for the input itself. */
  readonly member: string;
  readonly value: unknown;
  readonly rule: string;
}

/** A part of an input, and whether it is sent as text, where numbers are written as digits. */
interface Part {
  readonly reference: ShapeReference;
  readonly value: unknown;
  readonly path: string;
  readonly isText: boolean;
}

type Problem = Omit<Violation, 'operation'>;

/** Protocols whose bodies are text. */
const TEXT_PROTOCOLS = ['rest-xml', 'query', 'ec2'];

/** Maximum length of a value in a violation's message, in characters. */
const SHOWN = 100;

/** Checks an operation's input against its model. @param service botocore's name for it @param input undefined members count as absent */
export function violationsOf(model: ServiceModel, service: string, operation: string, input: unknown): readonly Violation[] {
  const name = `${service}:${operation}`;
  const known = Object.hasOwn(model.operations, operation) ? model.operations[operation] : undefined;
  if (known === undefined) return [{ operation: name, member: '', value: undefined, rule: `${model.source ?? 'the service'} has no such operation` }];
  const isText = TEXT_PROTOCOLS.includes(model.metadata.protocol);
  const problems =
    known.input === undefined ? unknownMembers(input, {}, '') : problemsOf(model, { reference: known.input, value: input, path: '', isText });
  return [...problems].map((problem) => ({ operation: name, ...problem }));
}

/** One line: operation, member, value (shortened), rule. */
export function violationText({ operation, member, value, rule }: Violation): string {
  const text = value instanceof Uint8Array ? `${value.length} bytes` : (JSON.stringify(value) ?? String(value));
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `${operation}: ${member === '' ? 'the input' : member} is ${shown}; ${rule}`;
}

/** The patterns that can't be checked, because JavaScript has no equivalent; violationsOf skips them. */
export function uncheckablePatterns(model: ServiceModel): readonly { readonly shape: string; readonly pattern: string; readonly reason: string }[] {
  return Object.entries(model.shapes).flatMap(([shape, { pattern }]) => {
    const compiled = pattern === undefined ? undefined : compile(pattern);
    return pattern !== undefined && typeof compiled === 'string' ? [{ shape, pattern, reason: compiled }] : [];
  });
}

function* problemsOf(model: ServiceModel, { reference, value, path, isText }: Part): Generator<Problem> {
  const shape = model.shapes[reference.shape];
  if (shape === undefined) throw new Error(`the model has no shape ${reference.shape}`);
  if (shape.document === true || shape.eventstream === true) return;
  const isStreaming = shape.streaming === true || reference.streaming === true;
  if (!isOfType(shape.type, value, { isText, isStreaming })) {
    yield { member: path, value, rule: `type: ${shape.type}` };
    return;
  }
  yield* brokenRules(shape, value, path, sizeOf(shape.type, value, isStreaming));
  const below = (next: ShapeReference, each: unknown, at: string) =>
    problemsOf(model, { reference: next, value: each, path: at, isText: isText || next.location !== undefined });
  if (shape.members !== undefined) yield* problemsOfMembers(shape, shape.members, value, path, below);
  if (shape.member !== undefined && Array.isArray(value))
    for (const [index, item] of value.entries()) yield* below(shape.member, item, `${path}[${index}]`);
  if (shape.key === undefined || shape.value === undefined) return;
  for (const [key, each] of present(value)) {
    yield* below(shape.key, key, `key of ${path}`);
    yield* below(shape.value, each, join(path, key));
  }
}

function* problemsOfMembers(
  { required = [], union = false }: Shape,
  members: Readonly<Record<string, ShapeReference>>,
  value: unknown,
  path: string,
  below: (reference: ShapeReference, value: unknown, path: string) => Iterable<Problem>,
): Generator<Problem> {
  const set = new Map(present(value));
  for (const name of required) {
    // The SDK fills these in.
    if (!set.has(name) && members[name]?.idempotencyToken !== true) yield { member: join(path, name), value: undefined, rule: 'required' };
  }
  if (union && set.size !== 1) yield { member: path, value, rule: `exactly one of: ${Object.keys(members).join(', ')}` };
  yield* unknownMembers(value, members, path);
  for (const [name, reference] of Object.entries(members)) if (set.has(name)) yield* below(reference, set.get(name), join(path, name));
}

function unknownMembers(value: unknown, members: Readonly<Record<string, ShapeReference>>, path: string): readonly Problem[] {
  const rule = `unknown member; known: ${Object.keys(members).join(', ') || 'none'}`;
  return present(value).flatMap(([name, each]) => (Object.hasOwn(members, name) ? [] : [{ member: join(path, name), value: each, rule }]));
}

function* brokenRules(shape: Shape, value: unknown, member: string, size: ReturnType<typeof sizeOf>): Generator<Problem> {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, pattern, enum: allowed } = shape;
  if (size !== undefined && (size.count < min || size.count > max)) {
    const bounds = [shape.min !== undefined && `at least ${min}`, shape.max !== undefined && `at most ${max}`].filter((bound) => bound !== false);
    yield { member, value, rule: `${size.unit}: ${bounds.join(', ')}; here: ${size.count}` };
  }
  if (allowed !== undefined && !allowed.includes(String(value))) yield { member, value, rule: `one of: ${allowed.join(', ')}` };
  const expression = pattern === undefined ? undefined : compile(pattern);
  if (expression instanceof RegExp && !expression.test(String(value))) yield { member, value, rule: `pattern: ${pattern}` };
}

/** The members or entries that are set. In JSON, null means absent. */
function present(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value).filter(([, each]) => each !== undefined && each !== null) : [];
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

const compiled = new Map<string, RegExp | string>();

/** @returns the reason if the pattern has no equivalent */
function compile(pattern: string): RegExp | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  let result: RegExp | string;
  try {
    result = expressionOf(pattern);
  } catch (error) {
    result = String(error);
  }
  compiled.set(pattern, result);
  return result;
}
