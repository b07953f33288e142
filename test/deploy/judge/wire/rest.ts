// Requests whose operation is in method, path and query, and whose input is in these, in the headers and in the body.

import { fromJsonBody } from './json.ts';
import { fromText, type Input, shapeOf, type WireModel, type WireReference, type WireShape } from './model.ts';
import type { WireRequest } from './request.ts';
import { fromXmlBody } from './xml.ts';

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

type Labels = Readonly<Record<string, string>>;

/** Query parameters that belong to signatures or to the SDK. */
const OWN_PARAMETERS = /^(?:x-id|X-Amz-.*)$/i;
/** Headers of signatures, of the transfer and of the SDK, which no shape contains. */
const OWN_HEADERS =
  /^x-amz-(?:date|content-sha256|security-token|user-agent|trailer|decoded-content-length|sdk-checksum-algorithm|checksum-.*|region-set|meta-.*)$/;

const routes = new WeakMap<WireModel, readonly Route[]>();

/** @returns undefined if no operation has this method and path */
export function readRest(model: WireModel, request: WireRequest): { readonly operation: string; readonly input: Input } | undefined {
  const query = new URL(request.url, 'http://aws').searchParams;
  const path = pathOf(model, request);
  const matches = routesOf(model)
    .filter((route) => route.method === request.method && [...route.query].every(([name, value]) => query.get(name) === value))
    .flatMap((route) => {
      const labels = labelsOf(route.segments, path);
      return labels === undefined ? [] : [{ route, labels }];
    })
    .sort((a, b) => specificity(b.route) - specificity(a.route));
  // The SDK names the operation where the path does not distinguish it.
  const id = query.get('x-id');
  const match = matches.find(({ route }) => route.operation === id) ?? matches[0];
  if (match === undefined) return undefined;
  const { operation } = match.route;
  const shape = shapeOf(model, model.operations[operation]?.input);
  const input = {
    ...fromHead(model, shape, match.route, match.labels, query, request),
    ...fromBody(model, shape, request.body),
  };
  return { operation, input };
}

function routesOf(model: WireModel): readonly Route[] {
  const known = routes.get(model);
  if (known !== undefined) return known;
  const made = Object.entries(model.operations).map(([operation, { http }]) => {
    const [path = '', query = ''] = (http?.requestUri ?? '').split('?');
    return { operation, method: http?.method ?? '', segments: segmentsOf(path), query: new URLSearchParams(query) };
  });
  routes.set(model, made);
  return made;
}

const segmentsOf = (path: string) => path.replace(/^\//, '').replace(/\/$/, '').split('/');

const specificity = ({ segments, query }: Route) => segments.filter((each) => !each.startsWith('{')).length * 100 + [...query].length;

/** S3's bucket may be in the host name: `bucket.localhost`. */
function pathOf(model: WireModel, { url, headers }: WireRequest): string {
  const [path = ''] = url.split('?');
  const bucket = /^(.+)\.(?:s3[.-]|localhost)/.exec(headers.host ?? '')?.[1];
  return model.metadata.endpointPrefix === 's3' && bucket !== undefined ? `/${bucket}${path}` : path;
}

/** The values of a path's labels, `{Key+}` for the rest of the path. @returns undefined if the path does not match */
function labelsOf(pattern: readonly string[], path: string): Labels | undefined {
  const isGreedy = pattern.at(-1)?.endsWith('+}') === true;
  // A trailing slash belongs to a greedy label's value, and else to nothing.
  const parts = isGreedy ? path.replace(/^\//, '').split('/') : segmentsOf(path);
  if (isGreedy ? parts.length < pattern.length : parts.length !== pattern.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const [, label, plus] = /^\{(\w+)(\+?)\}$/.exec(segment) ?? [];
    const part = parts[index] ?? '';
    if (label === undefined ? segment !== part : part === '') return undefined;
    if (label !== undefined) labels[label] = (plus === '+' ? parts.slice(index) : [part]).map(decodeURIComponent).join('/');
  }
  return labels;
}

function fromHead(model: WireModel, shape: WireShape, route: Route, labels: Labels, query: URLSearchParams, { headers }: WireRequest): Input {
  const members = Object.entries(shape.members ?? {}).map(([name, member]) => ({ name, member, wireName: member.locationName ?? name }));
  const at = (location: string) => members.filter(({ member }) => member.location === location);
  const input: Input = {};
  for (const { name, member, wireName } of at('uri')) input[name] = fromText(shapeOf(model, member), labels[wireName] ?? '');
  for (const { name, member, wireName } of at('querystring'))
    if (query.has(wireName)) input[name] = fromParameters(model, member, query.getAll(wireName));
  for (const { name, member, wireName } of at('header')) {
    const value = headers[wireName.toLowerCase()];
    if (value !== undefined) input[name] = fromHeader(shapeOf(model, member), String(value));
  }
  // What no member takes is kept under a name that no member has.
  const parameters = [...route.query.keys(), ...at('querystring').map(({ wireName }) => wireName)];
  for (const [name, value] of query) if (!parameters.includes(name) && !OWN_PARAMETERS.test(name)) input[`?${name}`] = value;
  const known = at('header').map(({ wireName }) => wireName.toLowerCase());
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('x-amz-') && !known.includes(name) && !OWN_HEADERS.test(name)) input[`${name}:`] = value;
  return input;
}

function fromParameters(model: WireModel, member: WireReference, values: readonly string[]): unknown {
  const shape = shapeOf(model, member);
  return shape.type === 'list' ? values.map((each) => fromText(shapeOf(model, shape.member), each)) : fromText(shape, values[0] ?? '');
}

function fromHeader(shape: WireShape, text: string): unknown {
  return shape.type === 'list' ? text.split(',').map((each) => each.trim()) : fromText(shape, text);
}

function fromBody(model: WireModel, shape: WireShape, body: Buffer): Input {
  if (body.length === 0) return {};
  const payload = shape.payload === undefined ? undefined : shapeOf(model, shape.members?.[shape.payload]);
  if (shape.payload !== undefined && payload !== undefined) {
    if (payload.type === 'blob') return { [shape.payload]: body };
    return { [shape.payload]: payload.type === 'string' ? body.toString() : fromDocument(model, payload, body) };
  }
  const hasMembers = Object.values(shape.members ?? {}).some(({ location }) => location === undefined);
  return hasMembers ? { ...(fromDocument(model, shape, body) as object) } : {};
}

function fromDocument(model: WireModel, shape: WireShape, body: Buffer): unknown {
  return model.metadata.protocol === 'rest-json' ? fromJsonBody(model, shape, body) : fromXmlBody(model, shape, body);
}
