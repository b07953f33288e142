// The JavaScript values of each type in AWS's service models: as the SDK accepts them, or as a parser reads them from a request.

interface Sending {
  /** Whether the value is sent as text, in XML, a header, a query or a path. If so, digits are a valid number, and a number is a valid string. */
  readonly isText: boolean;
  /** Whether a blob may be a stream. */
  readonly isStreaming: boolean;
}

/** Whether a value has a type from the models, such as `structure`. @throws Error for a type that the models don't have */
export function isOfType(type: string, value: unknown, { isText, isStreaming }: Sending): boolean {
  switch (type) {
    case 'structure':
    case 'map':
      return isRecord(value);
    case 'list':
      return Array.isArray(value);
    case 'string':
      return typeof value === 'string' || (isText && ['number', 'bigint', 'boolean'].includes(typeof value));
    case 'integer':
    case 'long':
      return Number.isInteger(value) || typeof value === 'bigint' || (isText && typeof value === 'string' && /^-?\d+$/.test(value));
    case 'float':
    case 'double':
      return typeof value === 'number' || (typeof value === 'string' && (NOT_IN_JSON.includes(value) || (isText && isNumeric(value))));
    case 'boolean':
      return typeof value === 'boolean' || (isText && (value === 'true' || value === 'false'));
    case 'timestamp':
      return isTimestamp(value);
    case 'blob':
      return typeof value === 'string' || value instanceof Uint8Array || value instanceof ArrayBuffer || (isStreaming && isStream(value));
    default:
      throw new Error(`the type ${type} is not known`);
  }
}

/** The size that a shape's minimum and maximum limit; undefined if they limit nothing or the size is unknown. */
export function sizeOf(type: string, value: unknown, isStreaming: boolean): { readonly count: number; readonly unit: string } | undefined {
  switch (type) {
    case 'string':
      // Unicode scalar values (https://smithy.io/2.0/spec/constraint-traits.html#length-trait).
      return { count: [...String(value)].length, unit: 'characters' };
    case 'list':
      return { count: Array.isArray(value) ? value.length : 0, unit: 'items' };
    case 'map':
      return { count: isRecord(value) ? Object.values(value).filter((each) => each !== undefined).length : 0, unit: 'items' };
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
      return { count: Number(value), unit: 'value' };
    case 'blob': {
      const count = bytesOf(value, isStreaming);
      return count === undefined ? undefined : { count, unit: 'bytes' };
    }
    default:
      return undefined;
  }
}

/** Floating-point numbers that are strings in JSON (https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html). */
const NOT_IN_JSON = ['NaN', 'Infinity', '-Infinity'];

const isNumeric = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date) && !ArrayBuffer.isView(value);
}

/** A date, seconds since 1970, or a string such as `2026-11-21T10:00:00Z` or `Sat, 21 Nov 2026 10:00:00 GMT`. */
function isTimestamp(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return Number.isFinite(value) || (typeof value === 'string' && (isNumeric(value) || !Number.isNaN(Date.parse(value))));
}

const isStream = (value: unknown) =>
  value instanceof Blob || (typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || 'pipe' in value));

/** A string is a blob in base64, unless it is the content of a stream. */
function bytesOf(value: unknown, isStreaming: boolean): number | undefined {
  if (typeof value === 'string') return Buffer.byteLength(value, isStreaming ? 'utf8' : 'base64');
  return value instanceof Uint8Array || value instanceof ArrayBuffer ? value.byteLength : undefined;
}
