// The deployed code of the CloudFront functions: it stays within the runtime's limits, and runs in njs.

import { CloudFrontClient, GetFunctionCommand, ListFunctionsCommand } from '@aws-sdk/client-cloudfront';
import { beforeAll, describe, expect, test } from 'vitest';
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

  describe.runIf(njsInstalled || process.env.CI === 'true')('in njs', () => edgeFunctionSuite('njs', (file) => String(codes.get(file))));
});
