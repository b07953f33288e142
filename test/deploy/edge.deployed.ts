// The deployed code of the CloudFront functions: it stays within the runtime's limits, and runs in njs. The failover function, called as CloudFront
// calls it.

import { Readable } from 'node:stream';
import { CloudFrontClient, GetFunctionCommand, ListFunctionsCommand } from '@aws-sdk/client-cloudfront';
import { InvokeCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeAll, describe, expect, test } from 'vitest';
import { createS3SiteStore } from '../../adapters/sites/s3.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { edgeFunctionSuite, FUNCTIONS } from '../support/edge-function-cases.ts';
import { RUNTIME } from '../support/edge-language/features.ts';
import { lintEdgeFunction } from '../support/edge-language/lint.ts';
import { njsInstalled } from '../support/edge-runtimes.ts';
import { STAGES } from './account.ts';

/** The file of each function, by the last part of the function's name. */
const FILES: Readonly<Record<string, string>> = { 'viewer-request': 'viewer-request.js', dashboard: 'one-page.js' };

describe.each(STAGES)('CloudFront functions of %s', (stage) => {
  const codes = new Map<string, string>();
  const runtimes = new Set<string | undefined>();

  beforeAll(async () => {
    const cloudFront = new CloudFrontClient({});
    const { FunctionList } = await cloudFront.send(new ListFunctionsCommand({ Stage: 'LIVE' }));
    for (const { Name = '', FunctionConfig } of FunctionList?.Items ?? []) {
      const file = FILES[Name.replace(`petstore-${stage}-`, '')];
      if (file === undefined) continue;
      const { FunctionCode } = await cloudFront.send(new GetFunctionCommand({ Name, Stage: 'LIVE' }));
      codes.set(file, new TextDecoder().decode(FunctionCode));
      runtimes.add(FunctionConfig?.Runtime);
    }
    cloudFront.destroy();
  });

  test('are deployed, for the runtime that the lint knows', () => {
    expect([...codes.keys()].sort()).toEqual(FUNCTIONS.map(([file]) => file).sort());
    expect([...runtimes]).toEqual([RUNTIME]);
  });

  test.each(FUNCTIONS.map(([file]) => file))('%s uses only what the runtime has', (file) => {
    expect(lintEdgeFunction(String(codes.get(file)))).toEqual([]);
  });

  describe.runIf(njsInstalled)('in njs', () => edgeFunctionSuite('njs', (file) => String(codes.get(file))));
});

describe.each(STAGES)('the failover function of %s', (stage) => {
  const DEPLOYMENT = { id: 'dpl_failover', projectId: 'prj_failover' };
  const lambda = new LambdaClient({});
  let name = '';

  beforeAll(async () => {
    const ssm = new SSMClient({});
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: parameterName(stage, 'edge', 'bucket') }));
    ssm.destroy();
    const sites = createS3SiteStore(new S3Client({}), String(Parameter?.Value));
    for (const [file, content] of [
      ['404.html', '<h1>Not here</h1>'],
      ['index.html', 'start'],
    ] as const)
      await sites.put(DEPLOYMENT, file, Readable.from([Buffer.from(content)]), content.length);
    for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
      name ||= Functions.find(({ FunctionName = '' }) => FunctionName.startsWith(`${stage}-Edge-FailoverFunction`))?.FunctionName ?? '';
  });

  async function answerTo(rawPath: string, headers: Readonly<Record<string, string>> = {}) {
    const event = { version: '2.0', rawPath, rawQueryString: '', headers, requestContext: { http: { method: 'GET', path: rawPath } } };
    const { Payload } = await lambda.send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }));
    const { statusCode, headers: sent, body, isBase64Encoded } = JSON.parse(new TextDecoder().decode(Payload));
    return [statusCode, sent['content-type'], Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString()];
  }

  test("answers with the project's page for missing files", async () => {
    expect(await answerTo('/prj_failover/dpl_failover/shop/missing')).toEqual([404, 'text/html; charset=utf-8', '<h1>Not here</h1>']);
    expect(await answerTo('/prj_failover/dpl_other/missing')).toEqual([404, 'text/plain; charset=utf-8', 'no such page\n']);
    expect(await answerTo('/prj_failover/dpl_failover/', { range: 'bytes=10-' })).toEqual([416, 'text/plain; charset=utf-8', 'no such range\n']);
  });
});
