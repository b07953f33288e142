// The dashboard on the embedded host: the built files, and the start page for every address that a browser asks for.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { lookup } from 'mrmime';
import { CLIENT_ID } from '../adapters/identity/provider.ts';
import type { Page } from './host.ts';

export const DASHBOARD_FOLDER = join(import.meta.dirname, '../dashboard/dist');

/** Everything from this host; widgets measure themselves and set styles by script, which is no inline style. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  // The design system's fonts stand in its style sheet.
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Files with a hash in their names never change. */
const FOREVER = 'public, max-age=31536000, immutable';

interface BuiltFile {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export interface Dashboard {
  /** The page or file of a path; undefined if the dashboard has none. */
  pageFor(request: IncomingMessage, path: string): Page | undefined;
}

/** @param issuer of the tokens that the control API takes */
export function openDashboard(issuer: string): Dashboard | undefined {
  if (!existsSync(join(DASHBOARD_FOLDER, 'index.html'))) return undefined;
  const files = new Map<string, BuiltFile>();
  for (const path of filesBelow(DASHBOARD_FOLDER)) {
    const name = `/${relative(DASHBOARD_FOLDER, path).split(sep).join('/')}`;
    files.set(name, builtFile(name, readFileSync(path)));
  }
  const configuration = JSON.stringify({ authority: issuer, clientId: CLIENT_ID, scope: 'openid email' });
  files.set('/dashboard/config.json', builtFile('/dashboard/config.json', Buffer.from(configuration)));
  const start = files.get('/index.html');
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

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

function builtFile(name: string, plain: Buffer): BuiltFile {
  const type = lookup(name) ?? 'application/octet-stream';
  return {
    type: /^(text\/|application\/json)/.test(type) ? `${type}; charset=utf-8` : type,
    cacheControl: name.startsWith('/assets/') ? FOREVER : 'no-cache',
    plain,
    gzip: gzipSync(plain),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  };
}

function send(request: IncomingMessage, response: ServerResponse, { type, cacheControl, plain, gzip, brotli }: BuiltFile): void {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  const content = encoding === 'br' ? brotli : encoding === 'gzip' ? gzip : plain;
  response.writeHead(200, {
    'content-type': type,
    'content-length': content.byteLength,
    'cache-control': cacheControl,
    'content-security-policy': CSP,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'Accept-Encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}
