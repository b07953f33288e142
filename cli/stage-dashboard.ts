// Uploads the dashboard to its stage: files with a hash in their names first, the page that names them last, so that no visitor meets a
// page whose files are not there yet. Files of earlier releases stay for those who have them open.

import { CloudFrontClient, CreateInvalidationCommand } from '@aws-sdk/client-cloudfront';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { CLOUDFRONT } from '../adapters/platform/aws.ts';
import { parameterPath } from '../adapters/platform/stage-parameters.ts';
import { CONFIGURATION_FILE, cacheControlOf, readBuiltDashboard, START_PAGE } from '../adapters/sites/built-dashboard.ts';
import { contentTypeOf } from '../adapters/sites/content-type.ts';
import { CliError } from './context.ts';
import { readParameters } from './stage-stores.ts';
import type { StageName } from './stores.ts';

/** @returns undefined if the stage has none, and that is fine */
export async function publishDashboard(stage: StageName, ifAny: boolean): Promise<{ readonly files: number } | undefined> {
  const found = await readParameters(stage, 'dashboard');
  const [bucket, distribution, configuration] = [found.get('bucket'), found.get('distribution'), found.get('configuration')];
  if (bucket === undefined || distribution === undefined || configuration === undefined) {
    if (ifAny) return undefined;
    throw new CliError(
      `--stage ${stage}: no parameters ${parameterPath(stage, 'dashboard')}…: it has no dashboard; deploy it with ${stage.toUpperCase()}_EDGE_NAME`,
    );
  }
  const built = readBuiltDashboard();
  if (built === undefined) throw new CliError('the dashboard is not built yet; npm run build');
  const s3 = new S3Client({});
  const cloudFront = new CloudFrontClient(CLOUDFRONT);
  const files = [
    ...built.filter(({ name }) => name !== START_PAGE),
    { name: CONFIGURATION_FILE, content: Buffer.from(configuration) },
    ...built.filter(({ name }) => name === START_PAGE),
  ];
  try {
    for (const { name, content } of files) {
      const described = { ContentType: contentTypeOf(name), CacheControl: cacheControlOf(name) };
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: content, ...described }));
    }
    const Items = [START_PAGE, CONFIGURATION_FILE].map((name) => `/${name}`);
    const InvalidationBatch = { CallerReference: String(Date.now()), Paths: { Quantity: Items.length, Items } };
    await cloudFront.send(new CreateInvalidationCommand({ DistributionId: distribution, InvalidationBatch }));
    return { files: files.length };
  } finally {
    s3.destroy();
    cloudFront.destroy();
  }
}
