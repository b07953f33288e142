// The edge map on AWS: a CloudFront KeyValueStore, read for each request by the function in front of the cache (viewer-request.js).
//   <host>     → <project>, or <project> <status> <host> for a redirect
//   <target>   → <project>, if projects are served at their targets
//   <project>  → <deployment>
// A changed value takes effect everywhere within seconds and needs no invalidation, because the deployment is part of the cache key.

import {
  type CloudFrontKeyValueStoreClient,
  ConflictException,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  ListKeysCommand,
  ResourceNotFoundException,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
// The client signs for all regions at once (SigV4A); this import registers the implementation.
import '@aws-sdk/signature-v4a';
import type { EdgeMap } from '../../core/domains/ports.ts';
import { projectTarget } from '../../core/domains/project-target.ts';
import { StalePage } from '../../core/page.ts';
import type { Project } from '../../core/projects/project.ts';

/** Keys per UpdateKeys call (API reference). */
const BATCH = 50;
/** Keys per ListKeys call, the maximum; the default is 10 (API reference). Each call is charged. */
const PAGE = 50;
/** Attempts when another writer changes the store in between; each reads its version again. */
const TRIES = 5;

interface Changes {
  readonly puts?: readonly { readonly Key: string; readonly Value: string }[];
  readonly deletes?: readonly { readonly Key: string }[];
}

/**
 * Creates the edge map in a KeyValueStore.
 *
 * @param targetsBelow the parent of all targets, if projects are served at their targets. @default they are not
 */
export function createKeyValueMap(client: CloudFrontKeyValueStoreClient, storeArn: string, targetsBelow?: string): EdgeMap {
  /** @param changesNow computes the changes from the current content; undefined if none are needed */
  async function change(changesNow: () => Promise<Changes | undefined>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      // The version is read first: if anything read after it has changed in the meantime, the update is rejected.
      const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
      const changes = await changesNow();
      if (changes === undefined) return;
      try {
        const { puts = [], deletes = [] } = changes;
        await client.send(new UpdateKeysCommand({ KvsARN: storeArn, IfMatch: ETag, Puts: [...puts], Deletes: [...deletes] }));
        return;
      } catch (error) {
        if (attempt >= TRIES || !(error instanceof ConflictException)) throw error;
      }
    }
  }

  async function get(key: string): Promise<string | undefined> {
    try {
      return (await client.send(new GetKeyCommand({ KvsARN: storeArn, Key: key }))).Value;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  const targetOf = (token: string | undefined) => (token === undefined || targetsBelow === undefined ? [] : [projectTarget(token, targetsBelow)]);

  return {
    detach: ({ host, projectId }) => change(async () => ((await get(host))?.split(' ')[0] === projectId ? { deletes: [{ Key: host }] } : undefined)),

    publish: async (project, hosts) => {
      const puts = [
        ...(project.currentDeploymentId === undefined ? [] : [{ Key: project.id, Value: project.currentDeploymentId }]),
        ...targetOf(project.token).map((target) => ({ Key: target, Value: project.id })),
        ...hosts.map((host) => ({ Key: host, Value: entryOf(project, host) })),
      ];
      for (let start = 0; start < puts.length; start += BATCH) await change(async () => ({ puts: puts.slice(start, start + BATCH) }));
    },

    forget: ({ id, token }) => change(async () => ({ deletes: [id, ...targetOf(token)].map((Key) => ({ Key })) })),

    ...(targetsBelow !== undefined && {
      serveTarget: async ({ id, token }: Project) => {
        const target = projectTarget(token, targetsBelow);
        if ((await get(target)) === undefined) await change(async () => ({ puts: [{ Key: target, Value: id }] }));
      },
    }),

    entries: async (after) => {
      const command = new ListKeysCommand({ KvsARN: storeArn, MaxResults: PAGE, NextToken: after });
      const { Items = [], NextToken } = await client.send(command).catch((error: unknown) => {
        if (after !== undefined && error instanceof Error && error.name === 'ValidationException')
          throw new StalePage(error.message, { cause: error });
        throw error;
      });
      const isTarget = (key: string) => targetsBelow !== undefined && key.endsWith(`.${targetsBelow}`);
      const items = Items.map(({ Key = '', Value = '' }) =>
        isHost(Key)
          ? { host: Key, projectId: Value.split(' ')[0] ?? '', ...(isTarget(Key) && { isTarget: true }) }
          : { host: undefined, projectId: Key },
      );
      return { items, next: NextToken };
    },

    bytes: async () => (await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }))).TotalSizeInBytes ?? 0,
  };
}

/** Project ids contain no dot. */
const isHost = (key: string) => key.includes('.');

function entryOf({ id, configuration }: Project, host: string): string {
  const redirect = configuration.domains.redirects.find(({ from }) => from === host);
  return redirect === undefined ? id : `${id} ${redirect.status} ${redirect.to}`;
}
