// Builds a request from a form's values, and shows it as code.

import { type ApiName, needsKey, type OperationAt } from './document.ts';

export interface FormValues {
  readonly key: string;
  /** Values by location and name, such as `query limit`. Empty values are not sent. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RequestParts {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The placeholder in code samples until a key is entered. */
const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** Builds the request from a completed form. @param key sent as a bearer token; undefined for an operation without a key */
export function requestOf(operation: OperationAt, { parameters, body }: FormValues, key: string | undefined): RequestParts {
  const headers: Record<string, string> = {};
  if (key !== undefined) headers.Authorization = `Bearer ${key}`;
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { name, in: location } of operation.parameters ?? []) {
    const value = (parameters[`${location} ${name}`] ?? '').trim().toWellFormed();
    if (location === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (location === 'query') query.set(name, value);
    else headers[name] = value;
  }
  const sent = operation.requestBody === undefined ? undefined : body;
  if (sent !== undefined) headers['Content-Type'] = 'application/json';
  return { method: operation.method, target: query.size === 0 ? path : `${path}?${query}`, headers, body: sent };
}

/** Builds the same request for a code sample, with a placeholder until a key is entered. */
export function sampleOf(operation: OperationAt, values: FormValues, withKey: boolean): RequestParts {
  return requestOf(operation, values, withKey ? values.key || KEY_PLACEHOLDER : undefined);
}

/** Returns the headers whose values are not allowed: values may contain visible ASCII, spaces and Latin-1 (RFC 9110, section 5.5). */
export function invalidHeaders({ headers }: RequestParts): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (/^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? [] : [name]));
}

const LANGUAGES = ['curl', 'JavaScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number] | 'Typed client';

/** Returns the languages of an operation's samples. The package petstore-client has functions for the catalogue's operations that need a key. */
export function languagesFor(api: ApiName, operation: OperationAt): readonly Language[] {
  return api === 'catalogue' && needsKey(operation) ? [...LANGUAGES, 'Typed client'] : LANGUAGES;
}

/** Returns code that sends the request. @param origin such as `https://pets.example.com` */
export function codeOf(language: Language, operation: OperationAt, { method, target, headers, body }: RequestParts, origin: string): string {
  const url = origin + target;
  switch (language) {
    case 'curl': {
      const lines = [`curl ${shell(url)}`];
      if (method !== 'GET' && !(method === 'POST' && body !== undefined)) lines.push(`-X ${method}`);
      for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
      if (body !== undefined) lines.push(`--data-raw ${shell(body)}`);
      return lines.join(' \\\n  ');
    }
    case 'JavaScript': {
      const options = [
        ...(method === 'GET' ? [] : [`  method: '${method}',`]),
        `  headers: ${indented(JSON.stringify(headers, null, 2))},`,
        ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
      ];
      return `const response = await fetch(${JSON.stringify(url)}, {\n${options.join('\n')}\n});\nconsole.log(response.status, await response.text());`;
    }
    case 'Typed client':
      return `import { createClient } from 'petstore-client';\n\nconst petstore = createClient({ baseUrl: '${origin}', apiKey: process.env.PETSTORE_KEY ?? '' });\nconsole.log(await petstore.${operation.operationId}(${clientArguments(operation, target, body)}));`;
    case 'Python': {
      const data = body === undefined ? '' : `    data=${JSON.stringify(body)}.encode(),\n`;
      return `import requests\n\nresponse = requests.request(\n    "${method}",\n    ${JSON.stringify(url)},\n    headers=${JSON.stringify(headers)},\n${data}    timeout=10,\n)\nprint(response.status_code, response.text)`;
    }
  }
}

/** Returns the arguments for the typed client's function, which has the operation's name. */
function clientArguments({ path }: OperationAt, target: string, body: string | undefined): string {
  // The client uses bigints.
  if (body !== undefined) return body.replace(/("categoryId"\s*:\s*)(-?\d+)/, '$1$2n');
  const [address = '', search = ''] = target.split('?');
  const { length } = path.split('{')[0] ?? '';
  if (path.includes('{')) return address.slice(length);
  const query = Object.fromEntries(new URLSearchParams(search));
  return search === '' ? '' : JSON.stringify({ ...query, ...(query.limit !== undefined && { limit: Number(query.limit) }) });
}

/** Quotes a word for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

function indented(text: string): string {
  return text.replace(/\n/g, '\n  ');
}

// Indents JSON without parsing it, because a parser would round integers beyond 2^53.

/** Indents JSON by two spaces. @returns the text unchanged if it is not JSON */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let result = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  // Tokens are strings, punctuation, and anything else up to the next string or punctuation. White space between tokens is dropped.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      result += token + line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      const empty = /[{[]\s*$/.exec(result);
      result = empty ? result.trimEnd() + token : result + line() + token;
    } else if (token === ',') result += token + line();
    else result += token === ':' ? ': ' : token;
  }
  return result;
}
