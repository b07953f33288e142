// Valid inputs of AWS's operations, generated from the rules of the service models that service-model.ts checks.

import fc from 'fast-check';
import { expressionOf } from '../../rules/patterns.ts';
import { sizeOf } from '../../rules/values.ts';
import { type Input, shapeOf, type WireModel, type WireReference, type WireShape } from '../../wire/model.ts';

/** Structures below this depth have their required members only. */
const DEPTH = 3;
/** Maximum items in a list or map, or its minimum if higher. */
const ITEMS = 3;

/** Strings that protocols encode, and that careless parsers corrupt. */
const HARD_TEXTS = [
  'a b',
  'a+b',
  'a%20b',
  'a/b',
  'a&b=c',
  '<a>&amp;',
  '"quoted"',
  'ä€🐕',
  'true',
  '007',
  '1e3',
  '{"a":1}',
  'a,b',
  "it's",
  ' a ',
  'a\nb',
  'a\r\nb',
  'a&#x0A;b',
  ']]>',
  '\u2028',
  '<!--',
];
/** Texts that are valid in a header. */
const HARD_HEADERS = ['a b', 'a+b', 'a%20b', 'a/b', 'a&b=c', '<a>&amp;', 'true', '007', '1e3', '{a}', "it's"];

/** Values for patterns that the generator can't handle. */
const EXAMPLES = [
  'abc',
  'a'.repeat(40),
  'example.com',
  'https://example.com/a',
  '10.0.0.0/8',
  'arn:aws:iam::123456789012:role/name',
  'arn:aws:lambda:us-east-1:123456789012:function:name',
  'arn:aws:states:us-east-1:123456789012:stateMachine:name',
  'arn:aws:s3:::bucket',
  'AQID',
];

/** Generators of members with rules that are not in the models, by the member's name. */
export type Exceptions = Readonly<Record<string, fc.Arbitrary<unknown>>>;

interface Place {
  /** `uri`, `header`, …, or the body. */
  readonly location: string | undefined;
  readonly depth: number;
}

/** Undefined if no valid value is known. */
type Values = fc.Arbitrary<unknown> | undefined;

/** @returns undefined if a required member has a pattern for which no value is known */
export function inputsOf(model: WireModel, operation: string, exceptions: Exceptions = {}): fc.Arbitrary<Input> | undefined {
  return new Generator(model, exceptions).structure(shapeOf(model, model.operations[operation]?.input), { location: undefined, depth: 0 });
}

class Generator {
  readonly #model: WireModel;
  readonly #exceptions: Exceptions;

  constructor(model: WireModel, exceptions: Exceptions) {
    this.#model = model;
    this.#exceptions = exceptions;
  }

  /** In this protocol, empty structures and maps are not sent. */
  get #isQuery(): boolean {
    return this.#model.metadata.protocol === 'query';
  }

  structure(shape: WireShape, { location, depth }: Place): fc.Arbitrary<Input> | undefined {
    const { required = [], union = false } = shape;
    const members = Object.entries(shape.members ?? {}).map(([name, member]) => {
      const isNeeded = required.includes(name) || member.location === 'uri';
      const isLeft = !isNeeded && (depth > DEPTH || (depth === DEPTH && !this.#isSimple(member)));
      const exception = depth === 0 ? this.#exceptions[name] : undefined;
      const values = isLeft ? undefined : (exception ?? this.#value(member, { location: member.location ?? location, depth: depth + 1 }));
      return { name, isNeeded, values };
    });
    if (union) return this.#union(shape, { location, depth });
    const known = members.flatMap(({ name, values }): [string, fc.Arbitrary<unknown>][] => (values === undefined ? [] : [[name, values]]));
    const needed = members.filter(({ isNeeded }) => isNeeded).map(({ name }) => name);
    if (needed.some((name) => !known.some(([each]) => each === name))) return undefined;
    const records = fc.record<Input>(Object.fromEntries(known), { requiredKeys: needed, noNullPrototype: true });
    return this.#isQuery && depth > 0 ? records.filter((record) => Object.keys(record).length > 0) : records;
  }

  #union({ members = {} }: WireShape, { location, depth }: Place): fc.Arbitrary<Input> | undefined {
    const all = Object.entries(members);
    const simple = all.filter(([, member]) => this.#isSimple(member));
    const eligible = depth < DEPTH || simple.length === 0 ? all : simple;
    const one = eligible.flatMap(([name, member]) => {
      const values = depth > 2 * DEPTH ? undefined : this.#value(member, { location, depth: depth + 1 });
      return values === undefined ? [] : [values.map((value): Input => ({ [name]: value }))];
    });
    return one.length === 0 ? undefined : fc.oneof(...one);
  }

  #isSimple(reference: WireReference): boolean {
    return !['structure', 'list', 'map'].includes(shapeOf(this.#model, reference).type);
  }

  #value(reference: WireReference, place: Place): Values {
    const shape = shapeOf(this.#model, reference);
    // An empty list without an enclosing element is not sent, and neither is an empty header or an empty body.
    const isSent = shape.flattened === true || (place.location !== undefined && place.location !== 'uri') || (this.#isQuery && shape.type === 'map');
    const { min = isSent ? 1 : 0, max = Number.POSITIVE_INFINITY } = shape;
    if (shape.eventstream === true) return undefined;
    if (shape.document === true) return fc.dictionary(fc.string({ minLength: 1 }), fc.constantFrom('x', 1, true));
    const items = { minLength: isSent ? Math.max(1, min) : min, maxLength: Math.max(min, Math.min(max, place.depth > DEPTH ? min : ITEMS)) };
    switch (shape.type) {
      case 'structure':
        return this.structure(shape, place);
      case 'list': {
        const each = this.#value(shape.member ?? { shape: '' }, place);
        return each === undefined ? (min === 0 ? fc.constant([]) : undefined) : fc.array(each, items);
      }
      case 'map': {
        const [key, value] = [this.#value(shape.key ?? { shape: '' }, place), this.#value(shape.value ?? { shape: '' }, place)];
        if (key === undefined || value === undefined) return min === 0 ? fc.constant({}) : undefined;
        return fc.dictionary(key.map(String), value, { minKeys: items.minLength, maxKeys: items.maxLength, noNullPrototype: true });
      }
      case 'string':
        return texts(shape, place, this.#model.metadata.protocol);
      case 'integer':
        return fc.integer({ min: Math.max(min, shape.min ?? -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) });
      case 'long':
        return fc.maxSafeInteger().map((value) => Math.max(shape.min ?? value, Math.min(max, value)));
      case 'float':
      case 'double':
        return fc.double({ min: shape.min ?? -1e9, max: Math.min(max, 1e9), noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value));
      case 'boolean':
        return fc.boolean();
      case 'timestamp':
        return fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => new Date(seconds * 1_000));
      case 'blob':
        return fc.uint8Array({ minLength: Math.max(min, place.depth === 1 ? 1 : 0), maxLength: Math.min(max, min + 20) });
      default:
        throw new Error(`the type ${shape.type} is not known`);
    }
  }
}

const cache = new Map<string, Values>();

function texts({ min, max, pattern, enum: allowed }: WireShape, { location }: Place, protocol: string): Values {
  if (allowed !== undefined) return fc.constantFrom(...allowed);
  const key = JSON.stringify([min, max, pattern, location, protocol]);
  if (cache.has(key)) return cache.get(key);
  const values = newTexts({ min: min ?? 0, max: max ?? 1_000, pattern, location, protocol });
  cache.set(key, values);
  return values;
}

interface TextRules {
  readonly min: number;
  readonly max: number;
  readonly pattern: string | undefined;
  readonly location: string | undefined;
  readonly protocol: string;
}

function newTexts({ min, max, pattern, location, protocol }: TextRules): Values {
  const isInHead = location !== undefined;
  const isRightSize = (text: string) => {
    const { count } = sizeOf('string', text, false) ?? { count: 0 };
    return count >= min && count <= max;
  };
  const isSendable = (text: string) =>
    isInHead
      ? text !== '' && text === text.trim() && (/^[ -~]*$/.test(text) || location === 'uri' || location === 'querystring')
      : !protocol.endsWith('xml') || !/[^\P{C}\n\r\t\u2028]|[\uFFFE\uFFFF]/u.test(text);
  if (pattern === undefined) {
    const hard = (location?.startsWith('header') ? HARD_HEADERS : HARD_TEXTS).filter((text) => isRightSize(text) && isSendable(text));
    const maxLength = Math.max(min, Math.min(max, min + 20));
    const free = (unit: 'grapheme' | 'grapheme-ascii') =>
      fc.string({ unit, minLength: min, maxLength }).filter((text) => isRightSize(text) && isSendable(text));
    const usual = location?.startsWith('header') ? [free('grapheme-ascii')] : [free('grapheme-ascii'), free('grapheme')];
    return hard.length === 0 ? fc.oneof(...usual) : fc.oneof(fc.constantFrom(...hard), ...usual);
  }
  let expression: RegExp;
  try {
    expression = expressionOf(pattern);
  } catch {
    return undefined;
  }
  const isValid = (text: string) => isRightSize(text) && expression.test(text) && isSendable(text);
  const examples = [...matchesOf(expression, min, max), ...EXAMPLES, ...HARD_TEXTS].filter(isValid);
  return examples.length === 0 ? undefined : fc.constantFrom(...examples);
}

/** Strings that match. For some expressions, matches of the right size are rare, so they are generated only once. */
function matchesOf(expression: RegExp, min: number, max: number): readonly string[] {
  const size = min > 30 || max < 5 ? {} : { maxLength: Math.min(max, min + 30) };
  try {
    return fc.sample(fc.stringMatching(expression, size), { numRuns: 30, seed: 1 });
  } catch {
    return [];
  }
}
