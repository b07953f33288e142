// What both APIs' responses have in common.

/** The error in a response. Its code is undefined if the body is not the service's and no code is known for the status. */
export interface Refusal {
  readonly code: string | undefined;
  readonly message: string;
  readonly status: number;
}

/** The codes for responses that come from API Gateway or a proxy and not from the service; these have a status, but no code. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'payload_too_large',
  429: 'rate_limit_exceeded',
  431: 'headers_too_large',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** Reads the error from a response. If the body is API Gateway's or a proxy's, and not the service's, the status decides the code. Never rejects. */
export async function readRefusal(response: Response): Promise<Refusal> {
  const { status } = response;
  // The connection may break before the body is complete.
  const text = await response.text().catch(() => '');
  let message = `HTTP ${status} with an unrecognized body`;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string') {
      message = body.message;
      if ('code' in body && typeof body.code === 'string') return { code: body.code, message, status };
    }
  } catch {
    // Not JSON: handled below.
  }
  return { code: CODES[status], message, status };
}

/** Returns Retry-After in seconds; undefined if it is missing or not a whole number. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  return wholeNumber(headers, 'retry-after');
}

/** Parses a header with a whole number; returns undefined if it is missing or invalid. Allows at most 12 digits, so that dates stay in range. */
export function wholeNumber(headers: Headers, name: string): number | undefined {
  const value = headers.get(name);
  return value !== null && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
}

/** Returns the id by which the operator can find the request: API Gateway's id, if the service has not seen the request. */
export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('x-request-id') ?? headers.get('apigw-requestid') ?? undefined;
}

/** Returns the cursor of the next page from a response's `Link` (RFC 8288); undefined on the last page. */
export function nextCursor(headers: Headers): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return target === undefined ? undefined : (new URL(target, 'http://relative').searchParams.get('cursor') ?? undefined);
}

// JSON in which int64 values keep every digit, for old and new engines: JSON.rawJSON and the source text of numbers (ES2025) are missing in Node 20
// and in many browsers. All use the same implementation, so that none behaves differently.

/** The characters between a string's quotation marks. Written so that a long string needs no backtracking. */
const CHARACTERS = String.raw`[^"\\]*(?:\\.[^"\\]*)*`;

/** A string, or a property's name with its integer or string value. Matches whole strings, so no match begins inside one. */
const TOKENS = new RegExp(String.raw`"(${CHARACTERS})"(?:(\s*:\s*)(?:(-?(?:0|[1-9]\d*))(?![\d.eE])|"(${CHARACTERS})")?)?`, 'g');

/** Parses JSON. Properties with these names become bigints if their value is an integer literal; others stay as they are. @throws SyntaxError */
export function parseJson(text: string, bigints: ReadonlySet<string>): unknown {
  // Integers become strings that begin with `#`, and the strings of such properties begin with `=`, so that neither is taken for the other.
  const marked = text.replace(TOKENS, (token: string, name: string, colon?: string, digits?: string, characters?: string) => {
    if (colon === undefined || (digits ?? characters) === undefined) return token;
    if (!bigints.has(name.includes('\\') ? JSON.parse(`"${name}"`) : name)) return token;
    return `"${name}"${colon}"${digits === undefined ? `=${characters}` : `#${digits}`}"`;
  });
  return JSON.parse(marked, (name, value: unknown) => {
    if (!bigints.has(name) || typeof value !== 'string') return value;
    return value.startsWith('#') ? BigInt(value.slice(1)) : value.slice(1);
  });
}

/** Writes plain data as JSON.stringify does, and bigints with all of their digits. */
export function writeJson(value: unknown): string {
  return write(value) ?? 'null';
}

/** Writes a value as JSON; returns undefined for values that JSON leaves out, such as undefined. */
function write(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (each) => write(each) ?? 'null').join()}]`;
  const members = Object.entries(value).map(([name, each]) => [JSON.stringify(name), write(each)]);
  return `{${members
    .filter(([, text]) => text !== undefined)
    .map((member) => member.join(':'))
    .join()}}`;
}

/** Returns a response with its whole body. @throws Error if the body breaks off, so that the request is sent again */
export async function whole(response: Response): Promise<Response> {
  return new Response((await response.text()) || null, response);
}
