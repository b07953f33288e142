// The size of an item as DynamoDB counts it, and bills it (DynamoDB Developer Guide, "DynamoDB item sizes and formats").

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './items.ts';

/** A write costs one unit for each 1 KB of the item, the larger of before and after. */
export const WRITE_UNIT_BYTES = 1_024;

/** Overhead of a list or map, and of each of its elements. */
const NESTED_BYTES = 3;
const ELEMENT_BYTES = 1;

/** Returns an item's size in bytes: the names in UTF-8 and the values. For numbers AWS documents it as approximate. */
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

/** One byte for two significant digits, one more for the number, and one for its sign if it is negative. */
function numberSize(text: string): number {
  const digits = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}
