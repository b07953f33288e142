// JSON bodies. https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html

import { memberOf, shapeOf, type WireModel, type WireShape } from './model.ts';

/** @param body an empty one is an empty structure */
export function fromJsonBody(model: WireModel, shape: WireShape, body: Buffer): unknown {
  return body.length === 0 ? {} : fromJson(model, shape, JSON.parse(body.toString()));
}

function fromJson(model: WireModel, shape: WireShape, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((each) => fromJson(model, shapeOf(model, shape.member), each));
  if (shape.type === 'blob' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (shape.type === 'timestamp') return new Date(typeof value === 'number' ? value * 1_000 : String(value));
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value);
  if (shape.type === 'map') return Object.fromEntries(entries.map(([key, each]) => [key, fromJson(model, shapeOf(model, shape.value), each)]));
  return Object.fromEntries(
    entries.map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromJson(model, shapeOf(model, member), each)];
    }),
  );
}
