// CBOR bodies. https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html

import { cbor } from '@smithy/core/cbor';
import { type Input, memberOf, shapeOf, type WireModel, type WireShape } from './model.ts';

/** The tag for seconds since 1970 (RFC 8949, section 3.4.2). */
const SECONDS = 1;

/** @param body an empty one is an empty structure @throws Error for a body that is not a map */
export function fromCborBody(model: WireModel, shape: WireShape, body: Buffer): Input {
  if (body.length === 0) return {};
  const value: unknown = cbor.deserialize(body);
  if (!isMap(value)) throw new Error('the body is not a CBOR map');
  return structureFrom(model, shape, value);
}

/** Only timestamps have a different form in the input. */
function fromCbor(model: WireModel, shape: WireShape, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((each) => fromCbor(model, shapeOf(model, shape.member), each));
  if (!isMap(value)) return value;
  if (shape.type === 'timestamp') return value.tag === SECONDS ? new Date(Number(value.value) * 1_000) : value;
  if (shape.type !== 'map') return structureFrom(model, shape, value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fromCbor(model, shapeOf(model, shape.value), each)]));
}

function structureFrom(model: WireModel, shape: WireShape, value: Readonly<Record<string, unknown>>): Input {
  return Object.fromEntries(
    Object.entries(value).map(([wireName, each]) => {
      const [name, member] = memberOf(shape, wireName);
      return [name, member === undefined ? each : fromCbor(model, shapeOf(model, member), each)];
    }),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
