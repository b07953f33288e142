// Finds the operation that a request calls.

import type * as z from 'zod/v4/core';
import { normalPath } from '../../core/http/request-form.ts';

export type Route<Op extends Operation> =
  | { readonly kind: 'operation'; readonly operation: Op; readonly parameters: Readonly<Record<string, string>> }
  | { readonly kind: 'preflight'; readonly allow: string }
  /** `operations`: the path's operations. */
  | { readonly kind: 'method_not_allowed'; readonly allow: string; readonly operations: readonly Op[] }
  | { readonly kind: 'not_found' };

export type Router<Op extends Operation> = (method: string, rawPath: string) => Route<Op>;

interface PathRow<Op> {
  readonly operations: readonly Op[];
  readonly allow: string;
}

const NO_PARAMETERS = {};

/** Creates the function that finds a request's route. HEAD counts as GET; a trailing slash is ignored. */
export function createRouter<Op extends Operation>(operations: readonly Op[]): Router<Op> {
  const rows = [...new Set(operations.map(({ path }) => path))].map((path) => {
    const here = operations.filter((operation) => operation.path === path);
    return { path, segments: path.split('/'), row: { operations: here, allow: allowOf(here) } };
  });
  const fixed = new Map(rows.filter(({ path }) => !path.includes('{')).map(({ path, row }) => [path, row]));
  const patterns = rows.filter(({ path }) => path.includes('{'));

  function find(path: string): { readonly row: PathRow<Op>; readonly parameters: Readonly<Record<string, string>> } | undefined {
    const exact = fixed.get(path);
    if (exact !== undefined) return { row: exact, parameters: NO_PARAMETERS };
    const given = path.split('/');
    for (const { segments, row } of patterns) {
      const parameters = match(segments, given);
      if (parameters !== undefined) return { row, parameters };
    }
    return undefined;
  }

  return (method, rawPath) => {
    const found = find(normalPath(rawPath));
    if (found === undefined) return { kind: 'not_found' };
    const { row, parameters } = found;
    const wanted = method === 'HEAD' ? 'GET' : method;
    const operation = row.operations.find((candidate) => candidate.method === wanted);
    if (operation !== undefined) return { kind: 'operation', operation, parameters };
    return method === 'OPTIONS' ? { kind: 'preflight', allow: row.allow } : { kind: 'method_not_allowed', ...row };
  };
}

/** Returns the parameters in a path that matches the template; none of them is empty. */
function match(segments: readonly string[], given: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (segments.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? '';
    if (segment.startsWith('{')) {
      if (text === '') return undefined;
      parameters[segment.slice(1, -1)] = text;
    } else if (segment !== text) return undefined;
  }
  return parameters;
}

function allowOf(operations: readonly Operation[]): string {
  return [...operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

// An API as a table of operations: the source of routing, the document and API Gateway's routes.

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The announced removal of an operation. Times are in milliseconds since 1970. */
export interface Deprecation {
  /** RFC 9745. */
  readonly since: number;
  /** RFC 8594. The operation returns 410 from this time on. */
  readonly sunset: number;
  readonly successor: string;
}

export interface Operation<Id extends string = string> {
  readonly id: Id;
  readonly method: HttpMethod;
  /** Each `{parameter}` is a whole segment. */
  readonly path: string;
  readonly deprecation?: Deprecation | undefined;
  /** The JSON body. @default none */
  readonly body?: z.$ZodType | undefined;
  /** Maximum size of the body. @default MAX_BODY_BYTES */
  readonly maxBodyBytes?: number | undefined;
  /** The query parameters; unknown ones are refused. @default none */
  readonly query?: z.$ZodType | undefined;
}
