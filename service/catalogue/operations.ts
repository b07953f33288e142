// The operations of the API in one table: routing, scopes, documentation and the routes of API Gateway come from it.

import type { Scope } from '../../core/access/scopes.ts';

export type OperationId = 'listPets' | 'createPet' | 'getPet' | 'getOpenApi';

export type HttpMethod = 'GET' | 'POST';

/** Announced removal of an operation, in milliseconds since 1970. */
export interface Deprecation {
  /** RFC 9745. */
  readonly since: number;
  /** RFC 8594. From then on the operation answers 410. */
  readonly sunset: number;
  readonly successor: string;
}

export interface Operation {
  readonly id: OperationId;
  readonly method: HttpMethod;
  /** With at most one `{parameter}`, which is a whole segment. */
  readonly path: string;
  /** What a key needs; undefined: no key is asked for. */
  readonly scope: Scope | undefined;
  readonly deprecation?: Deprecation;
}

export const OPERATIONS: readonly Operation[] = [
  { id: 'listPets', method: 'GET', path: '/v1/pets', scope: 'pets:read' },
  { id: 'createPet', method: 'POST', path: '/v1/pets', scope: 'pets:write' },
  {
    id: 'getPet',
    method: 'GET',
    path: '/v1/pets/{petId}',
    scope: 'pets:read',
    deprecation: { since: Date.UTC(2025, 11, 5), sunset: Date.UTC(2030, 11, 5), successor: '/v1/pets' },
  },
  { id: 'getOpenApi', method: 'GET', path: '/v1/openapi.json', scope: undefined },
];

export type Route =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly parameter: string | undefined }
  | { readonly kind: 'preflight'; readonly allow: string }
  | { readonly kind: 'method_not_allowed'; readonly allow: string }
  | { readonly kind: 'not_found' };

const PATHS = [...new Set(OPERATIONS.map((operation) => operation.path))].map((path) => ({
  fixed: path.endsWith('}') ? path.slice(0, path.lastIndexOf('/') + 1) : path,
  hasParameter: path.endsWith('}'),
  operations: OPERATIONS.filter((operation) => operation.path === path),
}));

/** Which operation a request means. HEAD is as GET; a trailing slash is as none. */
export function findRoute(method: string, rawPath: string): Route {
  const path = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(0, -1) : rawPath;
  for (const { fixed, hasParameter, operations } of PATHS) {
    const parameter = hasParameter && path.startsWith(fixed) ? path.slice(fixed.length) : undefined;
    if (hasParameter ? !parameter || parameter.includes('/') : path !== fixed) continue;
    const wanted = method === 'HEAD' ? 'GET' : method;
    const operation = operations.find((candidate) => candidate.method === wanted);
    if (operation !== undefined) return { kind: 'operation', operation, parameter };
    const allow = allowOf(operations);
    return method === 'OPTIONS' ? { kind: 'preflight', allow } : { kind: 'method_not_allowed', allow };
  }
  return { kind: 'not_found' };
}

function allowOf(operations: readonly Operation[]): string {
  return [...operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}
