// The edge map on AWS: a CloudFront KeyValueStore, which the function in front of the cache asks for each request (viewer-request.js).
//   <host>     → <project>, or <project> <status> <host> for a redirect
//   <project>  → <deployment>
// Changing a value changes what is served everywhere within seconds, without an invalidation: the deployment is part of what the
// cache knows a file by.

import {
  type CloudFrontKeyValueStoreClient,
  ConflictException,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  paginateListKeys,
  ResourceNotFoundException,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
// The client signs for all regions at once, and finds the implementation by this import.
import '@aws-sdk/signature-v4a';
import type { EdgeMap } from '../../core/domains/ports.ts';
import type { Project } from '../../core/projects/project.ts';

/** What UpdateKeys takes (API reference). */
const BATCH = 50;
/** Another one changed the store in between: read its version again, so often. */
const TRIES = 5;

interface Changes {
  readonly puts?: readonly { readonly Key: string; readonly Value: string }[];
  readonly deletes?: readonly { readonly Key: string }[];
}

export function createKeyValueMap(client: CloudFrontKeyValueStoreClient, storeArn: string): EdgeMap {
  /** @param changesNow the changes, decided on what is in the store by then; undefined: none are needed */
  async function change(changesNow: () => Promise<Changes | undefined>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      // Its version comes first: whatever is read after it and has changed since then, the store takes no changes over it.
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

  async function list(): Promise<readonly { readonly Key: string; readonly Value: string }[]> {
    const found: { Key: string; Value: string }[] = [];
    for await (const { Items = [] } of paginateListKeys({ client }, { KvsARN: storeArn }))
      for (const { Key = '', Value = '' } of Items) found.push({ Key, Value });
    return found;
  }

  return {
    detach: ({ host, projectId }) => change(async () => ((await get(host))?.split(' ')[0] === projectId ? { deletes: [{ Key: host }] } : undefined)),

    publish: async (project, hosts) => {
      const puts = [
        ...(project.currentDeploymentId === undefined ? [] : [{ Key: project.id, Value: project.currentDeploymentId }]),
        ...hosts.map((host) => ({ Key: host, Value: entryOf(project, host) })),
      ];
      for (let start = 0; start < puts.length; start += BATCH) await change(async () => ({ puts: puts.slice(start, start + BATCH) }));
    },

    hosts: async () => {
      const entries = await list();
      return entries.filter(({ Key }) => isHost(Key)).map(({ Key, Value }) => ({ host: Key, projectId: Value.split(' ')[0] ?? '' }));
    },

    kept: {
      projects: async () => (await list()).map(({ Key }) => Key).filter((key) => !isHost(key)),
      forget: (projectId) => change(async () => ({ deletes: [{ Key: projectId }] })),
    },
  };
}

/** Ids of projects have no dot. */
const isHost = (key: string) => key.includes('.');

function entryOf({ id, configuration }: Project, host: string): string {
  const redirect = configuration.domains.redirects.find(({ from }) => from === host);
  return redirect === undefined ? id : `${id} ${redirect.status} ${redirect.to}`;
}
