// HAProxy (Debian package: haproxy), which passes connections through with version 2 of the PROXY protocol.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, stopChild, untilReady } from './children.ts';
import { isInstalled } from './installed.ts';
import { listens } from './ports.ts';

const EXECUTABLE = '/usr/sbin/haproxy';

export const haproxyInstalled = isInstalled(existsSync(EXECUTABLE));

interface Ports {
  readonly http: number;
  readonly https: number;
}

/** Starts it. @param front the ports to listen on @param edge the ports that it passes connections to */
export async function startHaproxy(folder: string, front: Ports, edge: Ports): Promise<{ stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'haproxy.cfg');
  const listeners = (['http', 'https'] as const).map(
    (name) => `listen ${name}\n  bind 127.0.0.1:${front[name]}\n  server edge 127.0.0.1:${edge[name]} send-proxy-v2 check`,
  );
  writeFileSync(file, `defaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n${listeners.join('\n')}\n`);
  const child = startChild(EXECUTABLE, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  await untilReady(child, () => listens(front.https));
  return { stop: () => stopChild(child) };
}
