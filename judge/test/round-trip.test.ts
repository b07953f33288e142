// Parses what the real SDK clients send: for nearly every operation in both a client and its service model, the judge parses the operation and the input
// that the client was given, and no rule refuses them.

import { SmithyRpcV2CborProtocol } from '@smithy/core/cbor';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { violationsOf, violationText } from '../rules/service-model.ts';
import { type Input, shapeOf, type WireModel } from '../wire/model.ts';
import { type Exceptions, inputsOf } from './support/model-inputs.ts';
import { readCall } from './support/models.ts';
import { clientOf, modelOf, SERVICES, type ServiceName } from './support/services.ts';

/** Inputs for each operation. */
const RUNS = Number(process.env.FC_RUNS ?? 6);

/** Members whose values the SDK itself checks or changes. */
const EXCEPTIONS: Readonly<Partial<Record<ServiceName, Exceptions>>> = {
  'cloudfront-keyvaluestore': { KvsARN: fc.constant('arn:aws:cloudfront::123456789012:key-value-store/0a1b') },
  s3: {
    Bucket: fc.constantFrom('my-bucket', 'bucket.with.dots'),
    ChecksumAlgorithm: fc.constantFrom('CRC32', 'SHA256'),
    ContentLength: fc.constant(undefined),
    Metadata: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/), fc.constantFrom('x', 'a b', 'a+b'), { minKeys: 1, noNullPrototype: true }),
    Policy: fc.constant('{"Version":"2012-10-17"}'),
    SSECustomerKey: fc.constant(undefined),
    CopySourceSSECustomerKey: fc.constant(undefined),
  },
  // Moves to the host; the signature is for all regions.
  sesv2: { EndpointId: fc.constant(undefined) },
};

/** Operations on other endpoints, or with patterns that the generator can't handle. */
const LEFT_OUT: Readonly<Partial<Record<ServiceName, RegExp>>> = {
  acm: /Acme/,
  'cognito-idp': /Terms$|ManagedLoginBranding$/,
  lambda: /CodeSigningConfig$|DurableExecution/,
  route53: /Cidr/,
  // Two old spellings of operations, which the SDK does not have; and S3 Object Lambda.
  s3: /^(?:Get|Put)Bucket(?:Lifecycle|Notification)$|^WriteGetObjectResponse$/,
  ssm: /Association|^DeleteActivation$|^CreateCloudConnector$/,
};

const services = Object.keys(SERVICES).filter((name): name is ServiceName => Object.hasOwn(SERVICES, name));

const CLIENTS = [
  ...services.map((service) => ({ name: service, service, settings: {} })),
  { name: 'cloudwatch with CBOR', service: 'cloudwatch', settings: { protocol: SmithyRpcV2CborProtocol } },
] as const;

describe.each(CLIENTS)('$name', ({ service, settings }) => {
  const [model, client] = [modelOf(service), clientOf(service, settings)];

  test.each(Object.keys(model.operations).filter((operation) => LEFT_OUT[service]?.test(operation) !== true))('%s', async (operation) => {
    const inputs = inputsOf(model, operation, EXCEPTIONS[service]);
    if (inputs === undefined) throw new Error('no input can be generated');
    const isUnsigned = model.operations[operation]?.authtype === 'none';
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        expect(violationsOf(model, service, operation, input).map(violationText)).toEqual([]);
        const call = readCall(await client.request(operation, input));
        expect(call).toMatchObject({ service, operation, accessKeyId: isUnsigned ? undefined : 'AKIDEXAMPLE' });
        expect(violationsOf(model, service, operation, call.input).map(violationText)).toEqual([]);
        expect(comparable(withoutAdditions(model, operation, input, call.input))).toEqual(comparable(input));
      }),
      { numRuns: RUNS },
    );
  });
});

test('nearly every operation is tested', () => {
  const all = services.map((service) => Object.keys(modelOf(service).operations).filter((operation) => !LEFT_OUT[service]?.test(operation)).length);
  expect(all.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(1_100);
});

/** Members that S3's client sets if they are missing. */
const ADDED_BY_S3 = ['ChecksumAlgorithm', 'ChecksumCRC32', 'ChecksumSHA256', 'ChecksumMode', 'ContentLength', 'ContentType'];

/** The parsed input, without what the SDK added. */
function withoutAdditions(model: WireModel, operation: string, given: Input, read: Input = {}): Input {
  const { members = {}, payload } = shapeOf(model, model.operations[operation]?.input);
  const isAdded = ([name, value]: readonly [string, unknown]) => {
    const isEmptyBody = name === payload && JSON.stringify(value) === '{}';
    const isByS3 = model.metadata.serviceId === 'S3' && ADDED_BY_S3.includes(name);
    return given[name] === undefined && (members[name]?.idempotencyToken === true || isEmptyBody || isByS3);
  };
  return Object.fromEntries(Object.entries(read).filter((entry) => !isAdded(entry)));
}

/** The value, with dates and bytes as strings, and without unset members. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, comparable(each)]])));
}
