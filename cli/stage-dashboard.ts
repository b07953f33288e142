// Uploads the dashboard to its stage: files with a hash in their names first, the page that names them last, so that no visitor meets a
// page whose files are not there yet. Files of earlier releases stay for those who have them open.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CloudFrontClient, CreateInvalidationCommand } from '@aws-sdk/client-cloudfront';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { lookup } from 'mrmime';
import { CliError } from './context.ts';
import { readParameters } from './stage-stores.ts';
import type { StageName } from './stores.ts';

const FOREVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** @returns undefined if the stage has none, and that is fine */
export async function publishDashboard(stage: StageName, folder: string, ifAny: boolean): Promise<{ readonly files: number } | undefined> {
  const found = await readParameters(stage, `/petstore/${stage}/dashboard/`);
  const [bucket, distribution, configuration] = [found.get('bucket'), found.get('distribution'), found.get('configuration')];
  if (bucket === undefined || distribution === undefined || configuration === undefined) {
    if (ifAny) return undefined;
    throw new CliError(
      `--stage ${stage}: no parameters /petstore/${stage}/dashboard/…: it has no dashboard; deploy it with ${stage.toUpperCase()}_EDGE_NAME`,
    );
  }
  const s3 = new S3Client({});
  const cloudFront = new CloudFrontClient({ region: 'us-east-1' });
  const put = (name: string, content: Buffer) =>
    s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: name,
        Body: content,
        ContentType: `${lookup(name) ?? 'application/octet-stream'}${/\.(html|js|css|json)$/.test(name) ? '; charset=utf-8' : ''}`,
        CacheControl: name.startsWith('assets/') ? FOREVER : ASK_AGAIN,
      }),
    );
  try {
    const names = filesBelow(folder).map((path) => relative(folder, path).split(sep).join('/'));
    for (const name of names.filter((each) => each !== 'index.html')) await put(name, readFileSync(join(folder, name)));
    await put('dashboard/config.json', Buffer.from(configuration));
    await put('index.html', readFileSync(join(folder, 'index.html')));
    const Paths = { Quantity: 2, Items: ['/index.html', '/dashboard/config.json'] };
    await cloudFront.send(
      new CreateInvalidationCommand({ DistributionId: distribution, InvalidationBatch: { CallerReference: String(Date.now()), Paths } }),
    );
    return { files: names.length + 1 };
  } finally {
    s3.destroy();
    cloudFront.destroy();
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}
