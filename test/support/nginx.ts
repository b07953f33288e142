// nginx (Debian package: nginx), run as an ordinary user, with all of its files in a separate folder.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startChild, stopChild, untilReady } from './children.ts';

const EXECUTABLE = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find(existsSync);

export const nginxInstalled = EXECUTABLE !== undefined;

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

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
