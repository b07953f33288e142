// What `npm run deploy` checks before it changes the first stack.

import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readDashboardFiles, readReferenceFiles } from '../../platforms/built-files.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { mockedClient } from '../../test/support/mocked-clients.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import { synthesizedRecord } from '../commands/assembly.ts';
import { missingFor } from '../commands/readiness.ts';
import type { SettingsRecord } from '../recorded-settings.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

vi.mock(import('../../platforms/built-files.ts'), async (original) => ({
  ...(await original()),
  readDashboardFiles: vi.fn(() => []),
  readReferenceFiles: vi.fn(() => []),
}));

const STAGE = 'production';
const [acm, lambda, ssm] = [mockedClient(ACMClient), mockedClient(LambdaClient), mockedClient(SSMClient)];
const folder = makeFolder();
afterAll(() => folder.remove());
let next: SettingsRecord = {};

beforeAll(() => {
  const app = makeApp(folder.path);
  makeStages(app, everySetting(), [STAGE]);
  app.synth();
  next = synthesizedRecord(folder.path, STAGE);
});

beforeEach(() => {
  acm.reset();
  lambda.reset();
  ssm.reset();
  vi.mocked(readDashboardFiles).mockReturnValue([]);
  vi.mocked(readReferenceFiles).mockReturnValue([]);
  ssm.on(GetParameterCommand).resolves({ Parameter: { Value: '30' } });
  acm.on(DescribeCertificateCommand).resolves({ Certificate: { Status: 'ISSUED' } });
  lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 192 } });
});

const callCounts = () => [acm.calls().length, lambda.calls().length, ssm.calls().length];
const missing = (deployed?: SettingsRecord) => missingFor({ stage: STAGE, assembly: folder.path, region: 'eu-central-1', deployed, next });

describe('a first deployment', () => {
  test('may begin if nothing is missing: both regions, both certificates and the concurrency are checked', async () => {
    expect(await missing()).toEqual([]);
    expect(callCounts()).toEqual([2, 1, 2]);
  });

  test('names everything that is missing, with what was found, what is needed and what to do', async () => {
    vi.mocked(readDashboardFiles).mockReturnValue(undefined);
    vi.mocked(readReferenceFiles).mockReturnValue(undefined);
    ssm
      .on(GetParameterCommand)
      .rejectsOnce(new ParameterNotFound({ message: '', $metadata: {} }))
      .resolves({ Parameter: { Value: '5' } });
    const gone = Object.assign(new Error('no'), { name: 'ResourceNotFoundException' });
    acm
      .on(DescribeCertificateCommand)
      .resolvesOnce({ Certificate: { Status: 'PENDING_VALIDATION' } })
      .rejects(gone);
    lambda.on(GetAccountSettingsCommand).resolves({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } });
    const bootstrap = (region: string) => `run npm run cdk -- bootstrap aws://${next.ACCOUNT}/${region}`;
    expect(await missing()).toEqual([
      'dashboard/dist: missing; needed: the built pages, which are uploaded after the deployment; run npm run build',
      'reference/dist: missing; needed: the built pages, which are uploaded after the deployment; run npm run build',
      `cdk bootstrap in eu-central-1: got none; needed: version 6 or newer; ${bootstrap('eu-central-1')}`,
      `cdk bootstrap in us-east-1: got 5; needed: version 6 or newer; ${bootstrap('us-east-1')}`,
      expect.stringMatching(/^PRODUCTION_API_CERTIFICATE_ARN: got a certificate with the status PENDING_VALIDATION; needed: ISSUED; /),
      expect.stringMatching(/^PRODUCTION_EDGE_CERTIFICATE_ARN: got a certificate with the status NOT_FOUND; /),
      'Lambda concurrency in eu-central-1: got 10 unreserved; needed: 92 for the stage, and 100 that must stay unreserved; raise the quota L-B99A9384 to 192 under Service Quotas',
    ]);
  });

  test('goes on with a warning if something may not be read', async () => {
    const warnings = vi.spyOn(console, 'error').mockReturnValue();
    const denied = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
    ssm.on(GetParameterCommand).rejects(denied);
    acm.on(DescribeCertificateCommand).rejects(denied);
    lambda.on(GetAccountSettingsCommand).rejects(denied);
    expect(await missing()).toEqual([]);
    expect(warnings.mock.calls.flat()).toHaveLength(5);
    expect(warnings.mock.calls.flat()).toContain("production: not checked: Lambda's concurrency: AccessDeniedException: not authorized");
  });
});

describe('a further deployment', () => {
  test('asks AWS nothing, which its role might not be permitted to', async () => {
    expect(await missing(next)).toEqual([]);
    expect(callCounts()).toEqual([0, 0, 0]);
  });

  test('that adds custom domains needs what they need', async () => {
    const { EDGE_NAME: _, EDGE_CERTIFICATE_ARN: __, ...without } = next;
    expect(await missing(without)).toEqual([]);
    expect(callCounts()).toEqual([1, 1, 2]);
  });
});
