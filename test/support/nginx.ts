// nginx (Debian package: nginx), run as an ordinary user, with all of its files in a separate folder.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, stopChild, untilReady } from './children.ts';
import { isInstalled } from './installed.ts';
import { listens } from './ports.ts';

const EXECUTABLE = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find(existsSync);

export const nginxInstalled = isInstalled(EXECUTABLE !== undefined);

/** Debian package: libnginx-mod-stream. */
const STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';
export const nginxStreamInstalled = isInstalled(nginxInstalled && existsSync(STREAM_MODULE));

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

export interface Nginx {
  stop(): Promise<void>;
}

/**
 * @param configuration the contents of the `http` block
 * @param port that it listens on
 */
export async function startNginx(folder: string, configuration: string, port: number): Promise<Nginx> {
  mkdirSync(folder, { recursive: true });
  const paths = TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${join(folder, 'nginx.pid')};\nevents {}\nhttp {\naccess_log off;\n${paths}\n${configuration}\n}\n`);
  const args = ['-p', folder, '-c', file, '-e', join(folder, 'error.log'), '-g', 'daemon off;'];
  const child = startChild(EXECUTABLE ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await untilReady(child, () => listens(port));
  return { stop: () => stopChild(child) };
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

/** Starts it so that it passes connections through with version 1 of the PROXY protocol, the only one that it sends. */
export async function startNginxStream(folder: string, front: Ports, edge: Ports): Promise<Nginx> {
  mkdirSync(folder, { recursive: true });
  const servers = (['http', 'https'] as const).map(
    (name) => `server { listen 127.0.0.1:${front[name]}; proxy_pass 127.0.0.1:${edge[name]}; proxy_protocol on; }`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `load_module ${STREAM_MODULE};\npid ${join(folder, 'nginx.pid')};\nevents {}\nstream {\n${servers.join('\n')}\n}\n`);
  const child = startChild(EXECUTABLE ?? '', ['-p', folder, '-c', file, '-e', join(folder, 'error.log'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await untilReady(child, () => listens(front.https));
  return { stop: () => stopChild(child) };
}
