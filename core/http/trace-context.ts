// W3C Trace Context, Level 1 (https://www.w3.org/TR/trace-context-1/): which trace a request belongs to.

import { printable } from '../text.ts';

/** Cryptographically random bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/** A valid `traceparent` header. All strings are lower-case hexadecimal. */
export interface TraceParent {
  /** 32 digits, not all zero. */
  readonly traceId: string;
  /** The caller's part of the trace: 16 digits, not all zero. */
  readonly parentId: string;
  /** Whether the caller records its part; level 1 has no other flag. */
  readonly isSampled: boolean;
}

/** Where a request is in its trace. */
export interface TraceContext {
  readonly traceId: string;
  /** Our part of the trace, 16 digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** What other systems store about the trace; not read here. Undefined if there is nothing. */
  readonly state: string | undefined;
}

/** Version, trace id, parent id and flags; anything after them belongs to a later version. */
const PATTERN = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZERO = /^0+$/;
const FIRST_VERSION = '00';
const INVALID_VERSION = 'ff';
const SAMPLED = 0x01;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** Parses a `traceparent` header; undefined if invalid, so that a new trace begins. Reads only the fields of the first version (section 4.3). */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] = PATTERN.exec(header ?? '') ?? [];
  if (version === undefined || version === INVALID_VERSION) return undefined;
  if (version === FIRST_VERSION && more !== undefined) return undefined;
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/**
 * Returns where a request is in its trace, or begins a new one, which is not recorded. Without a valid parent, the state is dropped.
 *
 * @param traceparent several headers, joined with commas, are not valid
 */
export function traceContext(traceparent: string | undefined, tracestate: string | undefined, randomBytes: RandomBytes): TraceContext {
  const parent = parseTraceParent(traceparent);
  const spanId = randomId(SPAN_ID_BYTES, randomBytes);
  if (parent === undefined) return { traceId: randomId(TRACE_ID_BYTES, randomBytes), spanId, isSampled: false, state: undefined };
  return { traceId: parent.traceId, spanId, isSampled: parent.isSampled, state: tracestate === '' ? undefined : tracestate };
}

/** Returns the headers for a request to another service that continues the trace, always in the first version. */
export function traceHeaders({
  traceId,
  spanId,
  isSampled,
  state,
}: TraceContext): Readonly<Record<'traceparent' | 'tracestate', string | undefined>> {
  return { traceparent: `${FIRST_VERSION}-${traceId}-${spanId}-${isSampled ? '01' : '00'}`, tracestate: state };
}

function randomId(bytes: number, randomBytes: RandomBytes): string {
  for (;;) {
    const id = Array.from(randomBytes(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (!ALL_ZERO.test(id)) return id;
  }
}

// A log entry as one line of JSON.

/** Characters that terminals interpret, or that some readers take for the end of a line. JSON itself escapes all other such characters. */
const CONTROL = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Values of an entry; undefined ones are left out. */
export type LogEntry = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns the entry with a line end. Whatever the values contain, it is one line of printable characters, and parsing it gives the same values. */
export function logLine(entry: LogEntry): string {
  const text = JSON.stringify(entry);
  return `${text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

// A request's path as a log may show it: without secrets, and of limited length.

/** Maximum length of a path in characters; longer ones are truncated. */
export const LOGGED_PATH_LENGTH = 512;

/** API keys and deploy tokens, which should not be in a path. */
const CREDENTIAL = /petstore_(live|test|deploy)_[0-9A-Za-z]+/g;

/**
 * Returns the path of a request target. The query is left out, because it may hold codes, tokens and people's names. Credentials in the path are
 * replaced, control characters are escaped, and a long path is truncated and ends with an ellipsis.
 */
export function loggedPath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  // Done before the path is truncated, so that no part of a credential remains.
  const clean = path.includes('petstore_') ? path.replace(CREDENTIAL, 'petstore_$1_…') : path;
  if (clean.length > LOGGED_PATH_LENGTH) return `${printable(clean.slice(0, LOGGED_PATH_LENGTH))}…`;
  return printable(clean);
}
