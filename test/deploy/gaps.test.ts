// Templates that are uploaded to the emulator: what it can't create is left out or replaced, and references to it stay valid.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `Fn::Sub`'s own placeholders

import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServiceModels, readCall, type WireRequest } from '../../judge/index.ts';
import { EMULATOR_PYTHON } from '../support/emulator-python.ts';
import { freePort } from '../support/ports.ts';
import { createGapCloser, type GapCloser } from './gaps.ts';

const ADMINISTRATOR = { accessKeyId: 'test', secretAccessKey: 'test' };
const GROUP = '<ConnectionGroup><Id>cg_1</Id><Arn>arn:cg_1</Arn><RoutingEndpoint>d1.cloudfront.net</RoutingEndpoint></ConnectionGroup>';

const MODELS = createServiceModels(EMULATOR_PYTHON);

let exists = false;
const cloudFront = createServer((request, response) => {
  const isRefused = request.method === 'POST' && exists;
  const refusal = '<ErrorResponse><Error><Code>EntityAlreadyExists</Code><Message>exists</Message></Error></ErrorResponse>';
  response.writeHead(isRefused ? 409 : 200).end(isRefused ? refusal : GROUP);
});
let gaps: GapCloser;

beforeAll(async () => {
  const port = await freePort();
  cloudFront.listen(port, '127.0.0.1');
  gaps = createGapCloser(`http://127.0.0.1:${port}`, ADMINISTRATOR);
});
afterAll(() => {
  cloudFront.closeAllConnections();
  cloudFront.close();
});

const AUTHORIZATION = 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, Signature=0';

/** The request after the change, of an upload of this content as the SDK makes it. */
async function adjusted(content: string, key = 'a.json') {
  const body = Buffer.from(content);
  const sums = { 'content-length': String(body.length), 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-sdk-checksum-algorithm': 'CRC32' };
  return changed({
    method: 'PUT',
    url: `/assets/${key}?x-id=PutObject`,
    headers: { host: 'localhost', authorization: AUTHORIZATION, ...sums },
    body,
  });
}

const changed = (request: WireRequest) => gaps.adjust(readCall(request, MODELS), request);

const APPLICATION = { Type: 'AWS::CodeDeploy::Application' };
const GROUPED = { Type: 'AWS::CloudFront::ConnectionGroup', Properties: { Name: 'group' } };

/** The template that the emulator receives. @param template additions to the left-out `App` and the `Group` that is created elsewhere */
async function closed({ Resources = {}, ...template }: { readonly Resources?: object; readonly Outputs?: object }) {
  const request = await adjusted(JSON.stringify({ ...template, Resources: { App: APPLICATION, Group: GROUPED, ...Resources } }));
  if (request === undefined) throw new Error('the template was not changed');
  return JSON.parse(request.body.toString());
}

const queue = (Properties: object, others: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties, ...others });

describe('references to resources that are not in the template', () => {
  test.each<[string, unknown, unknown]>([
    ['Ref', { Ref: 'App' }, 'App'],
    ['Ref, of one created elsewhere', { Ref: 'Group' }, 'cg_1'],
    ['Ref, of another one', { Ref: 'Kept' }, { Ref: 'Kept' }],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Group', 'RoutingEndpoint'] }, 'd1.cloudfront.net'],
    ['Fn::GetAtt as a string', { 'Fn::GetAtt': 'Group.Arn' }, 'arn:cg_1'],
    ['Fn::GetAtt of one left out', { 'Fn::GetAtt': 'App.Arn' }, 'App'],
    ['Fn::GetAtt of another one', { 'Fn::GetAtt': 'Kept.Arn' }, { 'Fn::GetAtt': 'Kept.Arn' }],
    ['Fn::GetAtt of one whose name is similar', { 'Fn::GetAtt': ['Apps', 'Arn'] }, { 'Fn::GetAtt': ['Apps', 'Arn'] }],
    [
      'Fn::Sub',
      { 'Fn::Sub': '${App}/${Group.Arn}/${Group}/${Kept.Arn}/${AWS::Region}' },
      { 'Fn::Sub': 'App/arn:cg_1/cg_1/${Kept.Arn}/${AWS::Region}' },
    ],
    ['Fn::Sub, a literal', { 'Fn::Sub': '${!App}' }, { 'Fn::Sub': '${!App}' }],
    [
      'Fn::Sub with variables of its own',
      { 'Fn::Sub': ['${Own}/${App}/${Group}', { Own: { Ref: 'Group' }, App: 'x' }] },
      { 'Fn::Sub': ['${Own}/${App}/cg_1', { Own: 'cg_1', App: 'x' }] },
    ],
    [
      'within other functions',
      { 'Fn::Join': ['', ['a', { 'Fn::If': ['Is', { Ref: 'App' }, { Ref: 'Kept' }] }]] },
      { 'Fn::Join': ['', ['a', { 'Fn::If': ['Is', 'App', { Ref: 'Kept' }] }]] },
    ],
  ])('%s', async (_, value, expected) => {
    const { Resources } = await closed({ Resources: { Kept: queue({}), User: queue({ Value: value }) } });
    expect(Resources.User.Properties.Value).toEqual(expected);
    expect(Object.keys(Resources)).toEqual(['Kept', 'User']);
  });

  test.each<[string, unknown, unknown]>([
    ['a text', 'App', undefined],
    ['a list', ['App', 'Kept', 'Group'], ['Kept']],
    ['a list of left-out ones', ['App', 'Group'], undefined],
    ['another one', 'Kept', ['Kept']],
    ['none', undefined, undefined],
  ])('DependsOn: %s', async (_, DependsOn, expected) => {
    const { Resources } = await closed({ Resources: { Kept: queue({}), User: queue({}, { DependsOn }) } });
    expect(Resources.User.DependsOn).toEqual(expected);
  });

  test('a property called DependsOn or Ref is a property', async () => {
    const Properties = { DependsOn: [{ ContainerName: 'App' }], Other: { Ref: 'App', Name: 'x' } };
    const { Resources } = await closed({ Resources: { User: queue(Properties) } });
    expect(Resources.User.Properties).toEqual(Properties);
  });

  test('outputs, conditions and other parts', async () => {
    const template = {
      Parameters: { P: { Type: 'String' } },
      Conditions: { Is: { 'Fn::Equals': [{ Ref: 'P' }, 'x'] } },
      Outputs: { Name: { Value: { Ref: 'App' }, Condition: 'Is', Export: { Name: { 'Fn::Sub': '${AWS::StackName}-${Group}' } } } },
    };
    const result = await closed(template);
    expect(result).toMatchObject({ Parameters: template.Parameters, Conditions: template.Conditions });
    expect(result.Outputs.Name).toEqual({ Value: 'App', Condition: 'Is', Export: { Name: { 'Fn::Sub': '${AWS::StackName}-cg_1' } } });
  });
});

describe('replaced resources', () => {
  test('an alarm on metric math keeps its condition and its dependencies', async () => {
    const MetricStat = { Metric: { Namespace: 'N', MetricName: 'M' }, Period: 60, Stat: 'Sum' };
    const alarm = {
      Type: 'AWS::CloudWatch::Alarm',
      Condition: 'Is',
      DependsOn: ['App', 'Kept'],
      Properties: { Threshold: 1, Metrics: [{ Expression: 'a + 1' }, { Id: 'a', MetricStat }] },
    };
    const { Resources } = await closed({ Resources: { Kept: queue({}), Alarm: alarm } });
    const Properties = { Threshold: 1, Namespace: 'N', MetricName: 'M', Period: 60, Statistic: 'Sum' };
    expect(Resources.Alarm).toEqual({ Type: alarm.Type, Condition: 'Is', DependsOn: ['Kept'], Properties });
  });

  test("an alias that CodeDeploy moves has no update policy, and others' are kept", async () => {
    const UpdatePolicy = { CodeDeployLambdaAliasUpdate: { ApplicationName: { Ref: 'App' } } };
    const Other = { Type: 'AWS::AutoScaling::AutoScalingGroup', UpdatePolicy: { AutoScalingRollingUpdate: {} } };
    const { Resources } = await closed({ Resources: { Alias: { Type: 'AWS::Lambda::Alias', UpdatePolicy }, Other } });
    expect(Resources).toEqual({ Alias: { Type: 'AWS::Lambda::Alias' }, Other });
  });

  test('a connection group that exists is used', async () => {
    exists = true;
    const { Resources } = await closed({ Resources: { User: queue({ Value: { Ref: 'Group' } }) } });
    expect(Resources.User.Properties.Value).toBe('cg_1');
  });

  test('only what is neither created nor replaced is listed as left out', async () => {
    await closed({});
    expect(Object.fromEntries(gaps.leftOut)).toEqual({ App: 'AWS::CodeDeploy::Application' });
  });
});

describe('requests', () => {
  test('a changed template is signed by the administrator, with its own length and no checksum of the old one', async () => {
    const request = await adjusted(JSON.stringify({ Resources: { App: APPLICATION, Kept: queue({}) } }));
    expect(request).toMatchObject({ method: 'PUT', body: Buffer.from(JSON.stringify({ Resources: { Kept: queue({}) } })) });
    expect(request?.headers.authorization).toContain('Credential=test/');
    expect(Object.keys(request?.headers ?? {}).filter((name) => /checksum|trailer|content-length|decoded/.test(name))).toEqual([]);
  });

  test('a template sent in chunks is parsed', async () => {
    const body = JSON.stringify({ Resources: { App: APPLICATION, Kept: queue({}) } });
    const headers = { host: 'localhost', authorization: AUTHORIZATION, 'content-encoding': 'aws-chunked', 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const chunked = Buffer.from(`${body.length.toString(16)}\r\n${body}\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n`);
    const request = await changed({ method: 'PUT', url: '/assets/a.json', headers, body: chunked });
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual({ Resources: { Kept: queue({}) } });
    expect(Object.keys(request?.headers ?? {}).filter((name) => /encoding|trailer|checksum/.test(name))).toEqual([]);
  });

  test.each([
    ['another file', JSON.stringify({ Resources: { App: APPLICATION } }), 'a.zip'],
    ['JSON that is not a template', '{"a":1}', 'a.json'],
    ['no JSON', '<html>', 'a.json'],
  ])('%s is not changed', async (_, content, key) => {
    expect(await adjusted(content, key)).toBeUndefined();
  });
});
