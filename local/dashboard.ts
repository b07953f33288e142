// The dashboard on the embedded host: the built files, and the start page for every address that a browser asks for.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { CLIENT_ID } from '../adapters/identity/provider.ts';
import { type BuiltFile, CONFIGURATION_FILE, cacheControlOf, readBuiltDashboard, START_PAGE } from '../adapters/sites/built-dashboard.ts';
import { contentTypeOf } from '../adapters/sites/content-type.ts';
import { dashboardPolicy } from '../core/dashboard-policy.ts';
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
 * @param issuer of the tokens that the control API takes
 * @returns undefined if the dashboard has not been built
 */
export function openDashboard(issuer: string): PageSource | undefined {
  const built = readBuiltDashboard();
  if (built === undefined) return undefined;
  const configuration = JSON.stringify({ authority: issuer, clientId: CLIENT_ID, scope: 'openid email' });
  const all = [...built, { name: CONFIGURATION_FILE, content: Buffer.from(configuration) }];
  const files = new Map(all.map((file) => [`/${file.name}`, servedFile(file)]));
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

function servedFile({ name, content }: BuiltFile): ServedFile {
  return {
    type: contentTypeOf(name),
    cacheControl: cacheControlOf(name),
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
