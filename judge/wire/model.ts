// The wire format in a service model: protocols, paths, and the names that members have on the wire.

import type { ServiceModel, Shape, ShapeReference } from '../rules/service-model.ts';

export interface WireReference extends ShapeReference {
  /** The member's name on the wire. @default the member's own */
  readonly locationName?: string;
  /** Whether the member is an attribute of its structure's XML element. */
  readonly xmlAttribute?: boolean;
}

export interface WireShape extends Shape {
  readonly members?: Readonly<Record<string, WireReference>>;
  readonly member?: WireReference;
  readonly key?: WireReference;
  readonly value?: WireReference;
  /** Whether a list or map has no enclosing element. */
  readonly flattened?: boolean;
  /** The member that is the whole body. */
  readonly payload?: string;
  /** The name of the XML element, where it is a body's root. */
  readonly locationName?: string;
}

interface WireOperation {
  readonly name: string;
  readonly input?: WireReference;
  readonly http?: { readonly method: string; readonly requestUri: string };
  /** `none` for operations that are called without a signature. */
  readonly authtype?: string;
  readonly deprecated?: boolean;
}

export interface WireModel extends ServiceModel {
  readonly metadata: ServiceModel['metadata'] & { readonly apiVersion: string; readonly targetPrefix?: string; readonly endpointPrefix: string };
  readonly operations: Readonly<Record<string, WireOperation>>;
  readonly shapes: Readonly<Record<string, WireShape>>;
}

export type Input = Record<string, unknown>;

const NOTHING: WireShape = { type: 'structure', members: {} };

/** @returns an empty structure for an operation without input */
export function shapeOf(model: WireModel, reference: WireReference | undefined): WireShape {
  return (reference && model.shapes[reference.shape]) ?? NOTHING;
}

/**
 * The member with this name in a body. An unknown name is kept, so that the model's rules refuse it; the name of a member that belongs elsewhere,
 * such as in the path, is marked.
 */
export function memberOf({ members = {} }: WireShape, wireName: string): readonly [name: string, member: WireReference | undefined] {
  const found = Object.entries(members).find(([name, { locationName = name, location }]) => location === undefined && locationName === wireName);
  return found ?? [Object.hasOwn(members, wireName) ? `{${wireName}}` : wireName, undefined];
}

/** A value that is sent as text. Text that is not a value of the type is kept, so that the model's rules refuse it. */
export function fromText({ type }: WireShape, text: string): unknown {
  switch (type) {
    case 'integer':
    case 'long':
      return integerFrom(text) ?? text;
    case 'float':
    case 'double':
      return text.trim() === '' || (text !== 'NaN' && Number.isNaN(Number(text))) ? text : Number(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'blob':
      return Buffer.from(text, 'base64');
    case 'timestamp':
      return new Date(/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : text);
    default:
      return text;
  }
}

/** @returns a bigint if a number would not be exact, undefined for text that is not an integer */
export function integerFrom(text: string): number | bigint | undefined {
  if (!/^-?\d+$/.test(text)) return undefined;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

/** Data from the request alone. */
export interface Reading {
  /** The protocol of this request, because a service may have several. */
  readonly protocol: string;
  readonly operation: string;
  readonly input: Input;
}
