// Finds the operation for a request's method, path and query.

import { shapeOf, type WireModel } from './model.ts';
import { partsOf, type WireRequest } from './request.ts';

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly segments: readonly string[];
  /** The fixed query parameters. */
  readonly query: URLSearchParams;
  /** The required members in the query and in the headers. */
  readonly required: readonly { readonly place: 'querystring' | 'header'; readonly wireName: string }[];
  readonly isDeprecated: boolean;
}

export interface Match {
  readonly operation: string;
  /** The values of the path's labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** The names of the query parameters that select the operation. */
  readonly parameters: readonly string[];
}

const cache = new WeakMap<WireModel, readonly Route[]>();

/** @returns undefined if no operation has this method and path */
export function routeOf(model: WireModel, request: WireRequest): Match | undefined {
  const { query } = partsOf(request.url);
  const path = pathOf(model, request);
  const matches = routesOf(model)
    .filter((route) => route.method === request.method && [...route.query].every(([name, value]) => query.get(name) === value))
    .flatMap((route) => {
      const labels = labelsOf(route.segments, path);
      return labels === undefined ? [] : [{ route, labels, missing: missingIn(route, query, request.headers) }];
    })
    .sort(
      (a, b) =>
        specificity(b.route) - specificity(a.route) ||
        a.missing - b.missing ||
        b.route.required.length - a.route.required.length ||
        Number(a.route.isDeprecated) - Number(b.route.isDeprecated),
    );
  // The SDK names the operation where the path is ambiguous.
  const id = query.get('x-id');
  const { route, labels } = matches.find((each) => each.route.operation === id) ?? matches[0] ?? {};
  return route && labels && { operation: route.operation, labels, parameters: [...route.query.keys()] };
}

function routesOf(model: WireModel): readonly Route[] {
  const known = cache.get(model);
  if (known !== undefined) return known;
  const made = Object.entries(model.operations).map(([operation, { http, input, deprecated }]): Route => {
    const { path, query } = partsOf(http?.requestUri ?? '');
    const { members = {}, required = [] } = shapeOf(model, input);
    return {
      operation,
      method: http?.method ?? '',
      segments: segmentsOf(path),
      query,
      required: required.flatMap((name) => {
        const { location, locationName: wireName = name } = members[name] ?? {};
        return location === 'querystring' || location === 'header' ? [{ place: location, wireName }] : [];
      }),
      isDeprecated: deprecated === true,
    };
  });
  cache.set(model, made);
  return made;
}

const segmentsOf = (path: string) => path.replace(/^\//, '').replace(/\/$/, '').split('/');

const specificity = ({ segments, query }: Route) => segments.filter((each) => !each.startsWith('{')).length * 100 + [...query].length;

/** The number of required members that the request lacks: `PUT /bucket/key` uploads a part only if it has an upload id. */
function missingIn({ required }: Route, query: URLSearchParams, headers: WireRequest['headers']): number {
  return required.filter(({ place, wireName }) => (place === 'header' ? headers[wireName.toLowerCase()] === undefined : !query.has(wireName))).length;
}

/** S3's bucket may be in the host name: `bucket.s3.us-east-1.amazonaws.com`, `bucket.localhost`. */
function pathOf(model: WireModel, { url, headers }: WireRequest): string {
  const { path } = partsOf(url);
  if (model.metadata.endpointPrefix !== 's3') return path;
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  const bucket = /^(.+)\.s3(?:[.-][a-z0-9-]+)*\.amazonaws\.com$/.exec(host)?.[1] ?? /^(.{3,}?)(?:\.s3)?\.localhost$/.exec(host)?.[1];
  return bucket === undefined ? path : `/${bucket}${path}`;
}

/** The values of a path's labels, `{Key+}` for the rest of the path. @returns undefined if the path does not match */
function labelsOf(pattern: readonly string[], path: string): Match['labels'] | undefined {
  const isGreedy = pattern.at(-1)?.endsWith('+}') === true;
  // A trailing slash is part of a greedy label's value, and ignored otherwise.
  const parts = isGreedy ? path.replace(/^\//, '').split('/') : segmentsOf(path);
  if (isGreedy ? parts.length < pattern.length : parts.length !== pattern.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const [, label, plus] = /^\{([\w-]+)(\+?)\}$/.exec(segment) ?? [];
    const value = plus === '+' ? parts.slice(index).join('/') : (parts[index] ?? '');
    if (label === undefined ? segment !== value : value === '') return undefined;
    if (label !== undefined) labels[label] = decodeURIComponent(value);
  }
  return labels;
}
