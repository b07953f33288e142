// `npm run -s restore:files -- --stage <stage> --since <time>`: restores deleted files whose deployment still exists, because nothing would delete
// the others again. The bucket keeps deleted files for as long as the tables can be restored, behind markers, which this command removes.

import { parseArgs } from 'node:util';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import type { DeploymentName } from '../../core/projects/ports.ts';
import { type StageName, stageNameProblem } from '../../platforms/aws/stage-name.ts';
import { openStage, readParameters } from '../../platforms/aws/stage-stores.ts';
import { CommandFailed, runCommand } from './cdk.ts';

const USAGE = `AWS_REGION=<region> npm run -s restore:files -- --stage <stage> --since <time> [--project <id>] [--dry-run]

  --stage <stage>  which stage, in this region
  --since <time>   files that were deleted from then on, such as 2026-11-24T10:00:00Z
  --project <id>   only files of this project
  --dry-run        count them, and change nothing`;

interface Arguments {
  readonly stage: StageName;
  readonly since: Date;
  readonly project: string | undefined;
  readonly dryRun: boolean;
}

await runCommand(USAGE, readArguments, async ({ stage, since, project, dryRun }) => {
  const Bucket = (await readParameters(stage, 'edge')).get('bucket');
  if (Bucket === undefined) throw new CommandFailed(`--stage ${stage}: no such stage with custom domains is deployed in this region`, 2);
  const s3 = new S3Client({});
  const stores = await openStage(stage, () => ({ kind: 'operator' }));
  const isStored = async (deployment: DeploymentName) =>
    (await stores.projects.getProject(deployment.projectId)) !== undefined && (await stores.projects.getDeployment(deployment)) !== undefined;
  const known = new Map<string, Promise<boolean>>();
  const isKnown = (key: string): Promise<boolean> => {
    const [projectId = '', id = ''] = key.split('/');
    const name = `${projectId}/${id}`;
    const found = known.get(name) ?? isStored({ projectId, id });
    known.set(name, found);
    return found;
  };
  let restored = 0;
  try {
    for (let page: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}; page !== undefined; ) {
      const list: ListObjectVersionsCommand = new ListObjectVersionsCommand({ Bucket, Prefix: project === undefined ? '' : `${project}/`, ...page });
      const { DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = await s3.send(list);
      const deleted = DeleteMarkers.filter(({ IsLatest = false, LastModified = new Date(0) }) => IsLatest && LastModified >= since);
      const isWanted = await Promise.all(deleted.map(({ Key = '' }) => isKnown(Key)));
      const markers = deleted.filter((_, n) => isWanted[n]);
      restored += markers.length;
      if (markers.length > 0 && !dryRun) {
        const Objects = markers.map(({ Key, VersionId }) => ({ Key, VersionId }));
        const { Errors: [first] = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
        if (first !== undefined) throw new CommandFailed(`${first.Key} was not restored: ${first.Message}`);
      }
      page = IsTruncated === true ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
    }
  } finally {
    stores.close();
    s3.destroy();
  }
  console.log(`${restored} files ${dryRun ? 'would be restored' : 'restored'}`);
});

function readArguments(): Arguments {
  const { values } = parseArgs({
    options: {
      stage: { type: 'string' },
      since: { type: 'string' },
      project: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const { stage, since, project, 'dry-run': dryRun } = values;
  if (stage === undefined) throw new Error('--stage: missing');
  const problem = stageNameProblem(stage);
  if (problem !== undefined) throw new Error(`--stage: got ${JSON.stringify(stage)}; allowed: ${problem}`);
  const at = new Date(since ?? '');
  if (Number.isNaN(at.getTime())) throw new Error(`--since: got ${JSON.stringify(since)}; allowed: a time such as 2026-11-24T10:00:00Z`);
  return { stage, since: at, project, dryRun };
}
