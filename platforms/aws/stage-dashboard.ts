// Uploads the dashboard to its stage: files with a hash in their names first, the page that names them last, so that no visitor meets a
// page whose files are not there yet. Files of earlier releases stay for those who have them open.

import { CloudFrontClient, CreateInvalidationCommand } from '@aws-sdk/client-cloudfront';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { readDashboardFiles } from '../built-files.ts';
import type { StageName } from '../open.ts';
import { PlatformError } from '../platform.ts';
import { CLOUDFRONT } from './platform.ts';
import { parameterPath } from './stage-parameters.ts';
import { readParameters } from './stage-stores.ts';

/** @returns undefined if the stage has none, and that is fine */
export async function publishDashboard(stage: StageName, ifAny: boolean): Promise<{ readonly files: number } | undefined> {
  const found = await readParameters(stage, 'dashboard');
  const [bucket, distribution, configuration] = [found.get('bucket'), found.get('distribution'), found.get('configuration')];
  if (bucket === undefined || distribution === undefined || configuration === undefined) {
    if (ifAny) return undefined;
    throw new PlatformError(
      `--stage ${stage}: no parameters ${parameterPath(stage, 'dashboard')}…: it has no dashboard; deploy it with ${stage.toUpperCase()}_EDGE_NAME`,
    );
  }
  const files = readDashboardFiles(configuration);
  if (files === undefined) throw new PlatformError('the dashboard is not built yet; npm run build');
  const s3 = new S3Client({});
  const cloudFront = new CloudFrontClient(CLOUDFRONT);
  try {
    for (const { name, content, contentType, cacheControl } of files)
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: content, ContentType: contentType, CacheControl: cacheControl }));
    const Items = files.filter(({ isEntry }) => isEntry).map(({ name }) => `/${name}`);
    const InvalidationBatch = { CallerReference: String(Date.now()), Paths: { Quantity: Items.length, Items } };
    await cloudFront.send(new CreateInvalidationCommand({ DistributionId: distribution, InvalidationBatch }));
    return { files: files.length };
  } finally {
    s3.destroy();
    cloudFront.destroy();
  }
}
