// Stands in for the dashboard's distribution for a browser on this machine: serves files from the bucket, through the same function that CloudFront
// runs in front of its cache, and the control API behind its prefix.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { dashboardPolicy, OPENER_POLICY } from '../../core/dashboard-policy.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';

const ONE_PAGE = readFileSync(join(import.meta.dirname, '../../adapters/edge/one-page.js'), 'utf8');

export interface OneOrigin {
  readonly url: string;
  stop(): Promise<void>;
}

interface Served {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** @param api the control API, without a trailing slash */
export async function startOneOrigin(bucket: string, api: string): Promise<OneOrigin> {
  const s3 = new S3Client({});
  const uriOf = (path: string): string => runInNewContext(`${ONE_PAGE}; handler({ request: { uri: ${JSON.stringify(path)} } }).uri`);

  async function file(path: string): Promise<Served> {
    try {
      const { Body, ContentType = '', CacheControl = '' } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: uriOf(path).slice(1) }));
      const headers = {
        'content-type': ContentType,
        'cache-control': CacheControl,
        'content-security-policy': dashboardPolicy(),
        [OPENER_POLICY.name]: OPENER_POLICY.value,
      };
      return { status: 200, headers, body: (await Body?.transformToByteArray()) ?? new Uint8Array() };
    } catch {
      return { status: 403, headers: {}, body: new Uint8Array() };
    }
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? '/';
    const served = [CONTROL_PREFIX, DEPLOY_PREFIX].some((prefix) => path.startsWith(`${prefix}/`))
      ? await forward(`${api}${path}`, request, Buffer.concat(chunks))
      : await file(path);
    response.writeHead(served.status, served.headers);
    response.end(request.method === 'HEAD' ? undefined : served.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function forward(url: string, { method = 'GET', headers }: IncomingMessage, body: Buffer): Promise<Served> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(headers.authorization !== undefined && { authorization: headers.authorization }) },
    ...(body.length > 0 && { body }),
  });
  return {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? '', 'cache-control': answer.headers.get('cache-control') ?? '' },
    body: new Uint8Array(await answer.arrayBuffer()),
  };
}
