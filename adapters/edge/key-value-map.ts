// The edge map on AWS: a CloudFront KeyValueStore, read for each request by the function in front of the cache (viewer-request.js).
//   <host>     → <project>, or <project> <status> <host> for a redirect
//   <target>   → <project>, if projects are served at their targets
//   <project>  → <deployment>
// A changed value takes effect everywhere within seconds and needs no invalidation, because the deployment is part of the cache key.

import {
  type CloudFrontKeyValueStoreClient,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  ListKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
// The client signs for all regions at once (SigV4A); this import registers the implementation.
import '@aws-sdk/signature-v4a';
import type { EdgeMap, MapEntry, Publication } from '../../core/domains/ports.ts';
import { redirectOf } from '../../core/domains/publication.ts';
import { projectTarget } from '../../core/domains/records.ts';
import type { RedirectStatus } from '../../core/domains/redirects.ts';
import { asStalePage, unlessNamed } from '../aws-errors.ts';
import { type ChangeOptions, createKeyValueChanges } from './key-value-changes.ts';

/** Maximum number of keys per ListKeys call; the default is 10 (API reference). Each call is charged. */
const PAGE = 50;

export interface KeyValueMapOptions extends ChangeOptions {
  /** The parent of all targets, if projects are served at their targets. @default they are not */
  readonly targetsBelow?: string | undefined;
}

/** Creates the edge map in a KeyValueStore. */
export function createKeyValueMap(client: CloudFrontKeyValueStoreClient, storeArn: string, options: KeyValueMapOptions = {}): EdgeMap {
  const { targetsBelow } = options;
  const changes = createKeyValueChanges(client, storeArn, options);

  async function get(key: string): Promise<string | undefined> {
    const found = await client.send(new GetKeyCommand({ KvsARN: storeArn, Key: key })).catch(unlessNamed('ResourceNotFoundException'));
    return found?.Value;
  }

  const targetOf = (token: string | undefined) => (token === undefined || targetsBelow === undefined ? [] : [projectTarget(token, targetsBelow)]);

  function entryOf(Key: string, Value: string): MapEntry {
    if (!isHost(Key)) return { host: undefined, projectId: Key, content: { deploymentId: Value } };
    const [projectId = '', status, to = ''] = Value.split(' ');
    if (targetsBelow !== undefined && Key.endsWith(`.${targetsBelow}`)) return { host: Key, projectId, isTarget: true };
    return { host: Key, projectId, content: { redirect: status === undefined ? undefined : { to, status: Number(status) as RedirectStatus } } };
  }

  function entriesOf(publication: Publication, hosts = publication.hosts): Map<string, string> {
    const { id, token, currentDeploymentId } = publication.project;
    return new Map([
      ...(currentDeploymentId === undefined ? [] : [[id, currentDeploymentId] as const]),
      ...targetOf(token).map((target) => [target, id] as const),
      ...publication.hosts.filter((host) => hosts.includes(host)).map((host) => [host, hostEntry(publication, host)] as const),
    ]);
  }

  return {
    publish: (project, current, hosts) =>
      changes.apply(async (written) => {
        const publication = await current();
        const keys = [project.id, ...targetOf(project.token)];
        const wanted: Map<string, string | undefined> =
          publication === undefined ? new Map(keys.map((key) => [key, undefined])) : entriesOf(publication, hosts);
        const left = [...(hosts ?? []), ...written.keys()].filter(
          (key) => isHost(key) && !wanted.has(key) && !(written.has(key) && written.get(key) === undefined),
        );
        for (const [host, value] of await Promise.all([...new Set(left)].map(async (key) => [key, await get(key)] as const))) {
          // Another project may have the host by now.
          if (value?.split(' ')[0] === project.id) wanted.set(host, undefined);
        }
        return wanted;
      }),

    entries: async (after) => {
      const command = new ListKeysCommand({ KvsARN: storeArn, MaxResults: PAGE, NextToken: after });
      const { Items = [], NextToken } = await client.send(command).catch(asStalePage(after, 'ValidationException'));
      return { items: Items.map(({ Key = '', Value = '' }) => entryOf(Key, Value)), next: NextToken };
    },

    bytes: async () => (await client.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }))).TotalSizeInBytes ?? 0,
  };
}

/** Project ids contain no dot. */
const isHost = (key: string) => key.includes('.');

function hostEntry(publication: Publication, host: string): string {
  const { id } = publication.project;
  const redirect = redirectOf(publication, host);
  return redirect === undefined ? id : `${id} ${redirect.status} ${redirect.to}`;
}
