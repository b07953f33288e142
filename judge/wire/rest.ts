// Requests whose method, path and query determine the operation; the input is in these, in the headers and in the body.

import { fromJsonBody } from './json.ts';
import { fromText, type Input, type Reading, shapeOf, type WireModel, type WireReference, type WireShape } from './model.ts';
import { partsOf, type WireRequest } from './request.ts';
import { type Match, routeOf } from './routes.ts';
import { fromXmlBody } from './xml.ts';

/** Query parameters from the SDK and from signatures. */
const OWN_PARAMETERS =
  /^(?:x-id|X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Security-Token|Content-Sha256|User-Agent|Region-Set))$/;
/** Headers for signatures, for the transfer and from the SDK, which no shape contains. */
const OWN_HEADERS =
  /^x-amz-(?:date|content-sha256|security-token|user-agent|trailer|decoded-content-length|region-set|sdk-checksum-algorithm|checksum-(?:crc32c?|crc64nvme|sha(?:1|256|512)|md5|xxhash\w+))$/;

/** @returns undefined if no operation has this method and path */
export function readRest(model: WireModel, given: WireRequest): Reading | undefined {
  const request = withHoistedHeaders(given);
  const match = routeOf(model, request);
  if (match === undefined) return undefined;
  const { operation } = match;
  const reference = model.operations[operation]?.input;
  const shape = shapeOf(model, reference);
  const input = { ...fromHead(model, shape, match, request), ...fromBody(model, shape, reference, request.body) };
  return { protocol: model.metadata.protocol, operation, input };
}

/** Presigned URLs have S3's headers in the query. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
function withHoistedHeaders(request: WireRequest): WireRequest {
  const { path, query } = partsOf(request.url);
  if (!query.has('X-Amz-Signature')) return request;
  const hoisted = [...query].filter(([name]) => /^x-amz-/i.test(name) && !OWN_PARAMETERS.test(name));
  for (const [name] of hoisted) query.delete(name);
  const headers = Object.fromEntries(hoisted.map(([name, value]) => [name.toLowerCase(), value]));
  return { ...request, url: `${path}?${query}`, headers: { ...request.headers, ...headers } };
}

function fromHead(model: WireModel, shape: WireShape, { labels, parameters }: Match, { url, headers }: WireRequest): Input {
  const { query } = partsOf(url);
  const members = Object.entries(shape.members ?? {}).map(([name, member]) => ({ name, member, wireName: member.locationName ?? name }));
  const at = (location: string) => members.filter(({ member }) => member.location === location);
  const input: Input = {};
  for (const { name, member, wireName } of at('uri')) input[name] = fromText(shapeOf(model, member), labels[wireName] ?? '');
  for (const { name, member, wireName } of at('querystring'))
    if (query.has(wireName)) input[name] = fromParameters(model, member, query.getAll(wireName));
  for (const { name, member, wireName } of at('header')) {
    const value = headers[wireName.toLowerCase()];
    if (value !== undefined) input[name] = fromHeader(model, shapeOf(model, member), String(value));
  }
  const prefixes = at('headers').map(({ name, wireName }) => ({ name, prefix: wireName.toLowerCase() }));
  for (const { name, prefix } of prefixes) {
    const entries = Object.entries(headers).filter(([header]) => header.startsWith(prefix));
    if (entries.length > 0) input[name] = Object.fromEntries(entries.map(([header, value]) => [header.slice(prefix.length), value]));
  }
  // Parameters and headers without a member get a name that no member has.
  const known = [...parameters, ...at('querystring').map(({ wireName }) => wireName)];
  for (const [name, value] of query) if (!known.includes(name) && !OWN_PARAMETERS.test(name)) input[`?${name}`] = value;
  const taken = at('header').map(({ wireName }) => wireName.toLowerCase());
  for (const [name, value] of Object.entries(headers)) {
    const isTaken = taken.includes(name) || prefixes.some(({ prefix }) => name.startsWith(prefix));
    if (name.startsWith('x-amz-') && !isTaken && !OWN_HEADERS.test(name)) input[`${name}:`] = value;
  }
  return input;
}

function fromParameters(model: WireModel, member: WireReference, values: readonly string[]): unknown {
  const shape = shapeOf(model, member);
  if (shape.type === 'list') return values.map((each) => fromText(shapeOf(model, shape.member), each));
  return values.length === 1 ? fromText(shape, values[0] ?? '') : values;
}

function fromHeader(model: WireModel, shape: WireShape, text: string): unknown {
  if (shape.type !== 'list') return fromText(shape, text);
  return text === '' ? [] : text.split(',').map((each) => fromText(shapeOf(model, shape.member), each.trim()));
}

/** @param reference to the shape of the whole input */
function fromBody(model: WireModel, shape: WireShape, reference: WireReference | undefined, body: Buffer): Input {
  if (body.length === 0) return {};
  const member = shape.payload === undefined ? undefined : shape.members?.[shape.payload];
  if (shape.payload !== undefined && member !== undefined) {
    const payload = shapeOf(model, member);
    if (payload.type === 'blob') return { [shape.payload]: body };
    if (payload.type === 'string') return { [shape.payload]: body.toString() };
    return { [shape.payload]: fromDocument(model, payload, member.locationName ?? payload.locationName ?? member.shape, body) };
  }
  // If no members are in the body, everything in it is unknown.
  return { ...(fromDocument(model, shape, reference?.locationName ?? reference?.shape ?? '', body) as Input) };
}

/** @param root the name of the root element, in XML */
function fromDocument(model: WireModel, shape: WireShape, root: string, body: Buffer): unknown {
  return model.metadata.protocol === 'rest-json' ? fromJsonBody(model, shape, body) : fromXmlBody(model, shape, root, body);
}
