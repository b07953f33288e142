// Uploads the dashboard and the API reference to their stage. Files with a hash in their names are uploaded first, and the page that references them
// last, so that no visitor gets a page whose files are missing. Files of earlier releases are kept for users who still have an earlier page open.

import { CloudFrontClient, CreateInvalidationCommand } from '@aws-sdk/client-cloudfront';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { readDashboardFiles, readReferenceFiles } from '../built-files.ts';
import { PlatformError } from '../platform.ts';
import { CLOUDFRONT } from './platform.ts';
import { type StageName, settingsPrefix } from './stage-name.ts';
import { parameterPath } from './stage-parameters.ts';
import { readParameters } from './stage-stores.ts';

/** Uploads both sites, and invalidates their start pages. @param ifAny return undefined, rather than fail, if the stage has no dashboard */
export async function publishDashboard(stage: StageName, ifAny: boolean): Promise<{ readonly files: number } | undefined> {
  const found = await readParameters(stage, 'dashboard');
  const [bucket, distribution, configuration] = [found.get('bucket'), found.get('distribution'), found.get('configuration')];
  if (bucket === undefined || distribution === undefined || configuration === undefined) {
    if (ifAny) return undefined;
    throw new PlatformError(
      `--stage ${stage}: no parameters ${parameterPath(stage, 'dashboard')}…: the stage has no dashboard; deploy it with ${settingsPrefix(stage)}EDGE_NAME set`,
    );
  }
  const [pages, reference] = [readDashboardFiles(configuration), readReferenceFiles()];
  if (pages === undefined || reference === undefined) throw new PlatformError('the dashboard has not been built; run npm run build');
  const named = [...reference.map((file) => ({ ...file, name: `docs/${file.name}` })), ...pages];
  const files = named.toSorted((one, other) => Number(one.isEntry) - Number(other.isEntry));
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
