// What a browser needs to send files to S3: the dashboard's policy allows the address of the signed requests, and the bucket allows the requests.

import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, expect, test } from 'vitest';
import { createS3Uploads } from '../../adapters/sites/s3.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { S3_CREDENTIALS } from '../../test/support/memory-s3.ts';
import { mockedClient } from '../../test/support/mocked-clients.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { deployedStage, REGION } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

test.each(stages)('%s: the dashboard can send files', async (name, stage) => {
  const bucket = String(stage.parameter(parameterName(name, 'edge', 'bucket')));
  const s3 = new S3Client({ region: REGION, credentials: S3_CREDENTIALS });
  mockedClient(s3).on(ListObjectsV2Command).resolves({});
  const uploads = createS3Uploads(s3, bucket);
  const { items } = await uploads.targets({ projectId: 'prj_1', id: 'dpl_1' }, [{ name: 'a.txt', bytes: 1, sha256: '0'.repeat(64) }]);
  const policies = stage
    .resources('AWS::CloudFront::ResponseHeadersPolicy')
    .map(({ properties }) => properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig.ContentSecurityPolicy?.ContentSecurityPolicy ?? '');
  const connect = policies.flatMap((policy: string) => /connect-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? []);
  expect(items).toHaveLength(1);
  expect(connect).toContain(new URL(items[0]?.url ?? '').origin);
  const [rule] = stage.resources('AWS::S3::Bucket').flatMap(({ properties }) => properties.CorsConfiguration?.CorsRules ?? []);
  expect(rule).toMatchObject({ AllowedMethods: ['PUT'], AllowedOrigins: ['*'], AllowedHeaders: ['*'] });
  // The browser asks for permission once, not for each file: it may remember the answer as long as the signed requests are valid.
  expect(rule.MaxAge).toBe(uploads.targetsValidMs / 1_000);
});
