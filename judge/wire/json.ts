// JSON bodies. https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html

import { type Input, integerFrom, memberOf, shapeOf, type WireModel, type WireShape } from './model.ts';

/** @param body an empty one is an empty structure @throws Error for a body that is not a JSON object */
export function fromJsonBody(model: WireModel, shape: WireShape, body: Buffer): Input {
  if (body.length === 0) return {};
  const value: unknown = JSON.parse(body.toString(), exactly);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the body is not a JSON object');
  return structureFrom(model, shape, value);
}

/** Integers too large for a number become bigints. */
function exactly(_: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? (integerFrom(source) ?? value) : value;
}

function fromJson(model: WireModel, shape: WireShape, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (shape.document === true) return value;
  if (Array.isArray(value)) return value.map((each) => fromJson(model, shapeOf(model, shape.member), each));
  if (shape.type === 'blob' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (shape.type === 'timestamp') return new Date(typeof value === 'number' ? value * 1_000 : String(value));
  if ((shape.type === 'float' || shape.type === 'double') && typeof value === 'string') return NOT_IN_JSON.get(value) ?? value;
  if (typeof value !== 'object') return value;
  if (shape.type !== 'map') return structureFrom(model, shape, value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fromJson(model, shapeOf(model, shape.value), each)]));
}

/** Floating-point numbers that are strings in JSON. */
const NOT_IN_JSON: ReadonlyMap<string, number> = new Map(['NaN', 'Infinity', '-Infinity'].map((text) => [text, Number(text)]));

function structureFrom(model: WireModel, shape: WireShape, value: object): Input {
  return Object.fromEntries(
    Object.entries(value).map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromJson(model, shapeOf(model, member), each)];
    }),
  );
}
