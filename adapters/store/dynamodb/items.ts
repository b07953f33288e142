// Items and values. A kind lists the attributes that its items are written with and read from. Every attribute is validated: a malformed item is a
// fault, never a wrong answer. A change to a list is a migration, because stages contain such items (test/adapters/store/dynamodb-items.test.ts).

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { StoreFault } from '../../../core/refusal.ts';
import { TTL_ATTRIBUTE } from './tables.ts';

export type Item = Record<string, AttributeValue>;

/** A value from which an attribute is built. Undefined and an empty list give no attribute, because DynamoDB has no empty sets. */
export type Stored = string | number | bigint | boolean | readonly string[] | AttributeValue | undefined;

/** Builds an item, or the values of an expression; each attribute's type is that of its value. */
export function attributes(values: Readonly<Record<string, Stored>>): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') item[name] = { S: value };
    else if (typeof value === 'number' || typeof value === 'bigint') item[name] = { N: String(value) };
    else if (typeof value === 'boolean') item[name] = { BOOL: value };
    else if (!Array.isArray(value)) Object.assign(item, value && { [name]: value });
    else if (value.length > 0) item[name] = { SS: value };
  }
  return item;
}

/** Returns the key of an item in the control table. */
export function controlKey(pk: string, sk: string): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** Returns seconds since 1970, which DynamoDB compares with its clock. @param at milliseconds since 1970 */
export function secondsOf(at: number): number {
  return Math.ceil(at / 1_000);
}

/** Returns the attribute that makes DynamoDB delete an item. @param at milliseconds since 1970 */
export function timeToLive(at: number): Item {
  return attributes({ [TTL_ATTRIBUTE]: secondsOf(at) });
}

/** How a field of a value is stored. */
export interface Field<T> {
  /** @param name of the field */
  readonly write: (value: T, name: string) => Item;
  /** @throws StoreFault if it is malformed */
  readonly read: (item: Item, name: string) => T;
  /** Whether the property exists even if its value is undefined. @default false */
  readonly isKept?: true;
}

/** A kind of item. If it is a field of another kind, both share one item. */
export interface Kind<Value> {
  readonly write: (value: Value) => Item;
  /** @throws StoreFault if it is malformed */
  readonly read: (item: Item) => Value;
}

type Fields<Value> = { readonly [Name in keyof Value]-?: Field<Value[Name]> };

/** Describes a kind of item. `@__NO_SIDE_EFFECTS__`: bundles drop unused kinds. @param others attributes that are not read. @default none */
export function kindOf<Value extends object>(fields: Fields<Value>, others: (value: Value) => Item = () => ({})): Kind<Value> {
  const table = Object.entries(fields) as [keyof Value & string, Field<unknown>][];
  return {
    write: (value) => Object.assign({}, ...table.map(([name, field]) => field.write(value[name], name)), others(value)),
    read: (item) => {
      const value: Partial<Record<keyof Value, unknown>> = {};
      for (const [name, field] of table) {
        const read = field.read(item, name);
        if (read !== undefined || field.isKept) value[name] = read;
      }
      return value as Value;
    },
  };
}

/** Describes a field of one attribute. `@__NO_SIDE_EFFECTS__` */
export function field<T>(read: Field<T>['read'], stored: (value: T) => Stored): Field<T> {
  return { write: (value, name) => attributes({ [name]: stored(value) }), read };
}

const same = <T>(value: T) => value;

export const TEXT = field<string>(text, same);
export const INTEGER = field<number>(integer, same);
export const BIG_INTEGER = field<bigint>(bigInteger, same);
/** A boolean; false if it is missing. */
export const FLAG = field<boolean>((item, name) => item[name]?.BOOL === true, same);
/** A set. */
export const TEXTS = field<readonly string[]>((item, name) => item[name]?.SS ?? [], same);

/** A field stored as JSON; the caller vouches for its shape. */
export const jsonField = <T>() => field<T>(json, (value) => JSON.stringify(value));

/** A string with a prefix. */
export const after = (prefix: string) =>
  field<string>(
    (item, name) => text(item, name).slice(prefix.length),
    (value) => prefix + value,
  );

/** One of a few strings. */
export const choice = <T extends string>(choices: readonly T[]) =>
  field<T>((item, name) => {
    const found = text(item, name);
    if (!(choices as readonly string[]).includes(found)) throw malformed(name, found);
    return found as T;
  }, same);

/** A field whose attribute has another name. */
export const named = <T>(name: string, { write, read }: Field<T>): Field<T> => ({
  write: (value) => write(value, name),
  read: (item) => read(item, name),
});

/** A field whose value may be missing. */
export const optional = <T>({ write, read }: Field<T>): Field<T | undefined> => ({
  write: (value, name) => (value === undefined ? {} : write(value, name)),
  read: (item, name) => (item[name] === undefined ? undefined : read(item, name)),
});

/** An optional field whose property always exists, even if it is `undefined`: code that compares values relies on this. */
export const orUndefined = <T>(field: Field<T>): Field<T | undefined> => ({ ...optional(field), isKept: true });

/** An optional field that is written only by updates. */
export const later = <T>(field: Field<T>): Field<T | undefined> => ({ ...optional(field), write: () => ({}) });

/** Reads a string attribute. @throws StoreFault if it is missing */
export function text(item: Item, attribute: string): string {
  const value = item[attribute]?.S;
  if (value === undefined) throw malformed(attribute, item[attribute]);
  return value;
}

/** Reads a safe integer attribute. @throws StoreFault if it is malformed */
export function integer(item: Item, attribute: string): number {
  const value = Number(item[attribute]?.N);
  if (!Number.isSafeInteger(value)) throw malformed(attribute, item[attribute]);
  return value;
}

/** Parses an attribute stored as JSON; the caller vouches for its shape. */
export function json<T>(item: Item, attribute: string): T {
  try {
    return JSON.parse(text(item, attribute));
  } catch {
    throw malformed(attribute, item[attribute]);
  }
}

function bigInteger(item: Item, attribute: string): bigint {
  const digits = item[attribute]?.N;
  if (digits === undefined || !/^-?\d+$/.test(digits)) throw malformed(attribute, item[attribute]);
  return BigInt(digits);
}

/** Returns the fault for a malformed attribute. */
export function malformed(attribute: string, found: unknown): StoreFault {
  return new StoreFault('corrupt', `malformed item: attribute ${attribute} is ${JSON.stringify(found) ?? 'missing'}`);
}

/** Returns a key's attribute. */
export const keyAttribute = (digest: string) => `k:${digest}`;
/** Returns the start of a digest, which names a key's other attributes; 36 bits are enough to distinguish ten keys. */
export const shortened = (digest: string) => digest.slice(0, 6);
/** Returns the key of an account's item. */
export const usageKey = (accountId: string): Item => ({ accountId: { S: accountId } });
/** Returns the key of an account's refusals item. */
export const refusalsKey = (accountId: string): Item => ({ accountId: { S: `${accountId}#refusals` } });
/** Returns the digests of all keys in the item, including expired ones. */
export function digestsOf(item: Item): readonly string[] {
  return Object.keys(item).flatMap((name) => (name.startsWith('k:') ? [name.slice(2)] : []));
}

// The size of an item as DynamoDB counts it, and bills it (DynamoDB Developer Guide, "DynamoDB item sizes and formats").

/** A write costs one unit per 1 KB of the item's size before or after the write, whichever is larger. */
export const WRITE_UNIT_BYTES = 1_024;

/** Overhead of a list or map, and of each of its elements. */
const NESTED_BYTES = 3;
const ELEMENT_BYTES = 1;

/** Returns an item's size in bytes: the names in UTF-8 and the values. For numbers, AWS documents the size as approximate. */
export function itemSize(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

function valueSize({ S, N, B, M, L }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return numberSize(N);
  if (B !== undefined) return B.length;
  if (M !== undefined) return NESTED_BYTES + Object.keys(M).length * ELEMENT_BYTES + itemSize(M);
  if (L !== undefined) return NESTED_BYTES + L.reduce((sum, value) => sum + ELEMENT_BYTES + valueSize(value), 0);
  return 1;
}

/** Returns one byte for every two significant digits, one for the number, and one for a negative sign. */
function numberSize(text: string): number {
  const digits = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
