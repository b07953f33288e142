// The dashboard on the embedded host: the built files, and the start page for every address that a browser asks for.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { dashboardPolicy } from '../core/dashboard-policy.ts';
import { type DashboardFile, readDashboardFiles, START_PAGE } from '../platforms/dashboard-files.ts';
import type { PageSource } from './host.ts';

const POLICY = dashboardPolicy();

interface ServedFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/**
 * @param client what the dashboard must know to sign in here
 * @returns undefined if the dashboard has not been built
 */
export function openDashboard(client: object): PageSource | undefined {
  const built = readDashboardFiles(JSON.stringify(client));
  if (built === undefined) return undefined;
  const files = new Map(built.map((file) => [`/${file.name}`, servedFile(file)]));
  const start = files.get(`/${START_PAGE}`);
  return {
    pageFor: ({ headers }, path) => {
      const file = files.get(path);
      if (file !== undefined) return (request, response) => send(request, response, file);
      // Addresses within the dashboard are pages for a browser; for a program they are nothing.
      const wantsPage = /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(v1|docs|healthz|oidc|dashboard)(\/|$)/.test(path);
      return wantsPage && start !== undefined ? (request, response) => send(request, response, start) : undefined;
    },
  };
}

function servedFile({ content, contentType, cacheControl }: DashboardFile): ServedFile {
  return {
    type: contentType,
    cacheControl,
    plain: content,
    gzip: gzipSync(content, { level: constants.Z_BEST_COMPRESSION }),
    brotli: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  };
}

function send(request: IncomingMessage, response: ServerResponse, { type, cacheControl, plain, gzip, brotli }: ServedFile): void {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  const content = encoding === 'br' ? brotli : encoding === 'gzip' ? gzip : plain;
  response.writeHead(200, {
    'content-type': type,
    'content-length': content.byteLength,
    'cache-control': cacheControl,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'Accept-Encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}
