// Servers of the same files over HTTPS with the same kind of certificate (P-256): ours, bare node:https, Caddy and nginx, one core each.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { freePort, listens } from '../../test/support/ports.ts';

/** The name that all servers have a certificate for. */
export const HOST = 'd0.bench.test';

export interface SiteServer {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

/** Caddy without its extras: logs, its API, its own certificates, HTTP/3. */
const caddyfile = (folder: string, port: number) => `{
  admin off
  auto_https off
  log {
    level ERROR
  }
  servers {
    protocols h1
  }
}
https://${HOST}:${port} {
  bind 127.0.0.1
  tls ${folder}/chain.pem ${folder}/key.pem
  root * ${folder}/site
  file_server
}
`;

/** nginx as usually advised for static files. */
const nginxConfiguration = (folder: string, port: number) => `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  types { text/html html; text/css css; image/jpeg jpg; }
  client_body_temp_path ${folder}/nginx; proxy_temp_path ${folder}/nginx; fastcgi_temp_path ${folder}/nginx;
  uwsgi_temp_path ${folder}/nginx; scgi_temp_path ${folder}/nginx;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  open_file_cache max=1000;
  ssl_session_cache shared:SSL:10m;
  server {
    listen 127.0.0.1:${port} ssl;
    server_name ${HOST};
    ssl_certificate ${folder}/chain.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/site;
  }
}
`;

/** Starts all servers that are installed. @param files by name */
export async function startSiteServers(
  files: Readonly<Record<string, Buffer>>,
): Promise<{ readonly servers: readonly SiteServer[]; readonly missing: readonly string[]; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  for (const each of ['site', 'nginx', 'data', 'home']) mkdirSync(join(folder, each));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'site', name), content);
  const stores = openSqliteStores(join(folder, 'data'));
  const vault = createSqliteVault(stores.database);
  const authority = await createDevelopmentAuthority(join(folder, 'data'), vault, Date.now);
  const certificate = vault.get(await authority.request(HOST, 'dom_peers'));
  stores.close();
  writeFileSync(join(folder, 'chain.pem'), certificate?.chain ?? '');
  writeFileSync(join(folder, 'key.pem'), certificate?.privateKey ?? '');

  const children: ChildProcess[] = [];
  const missing: string[] = [];
  const servers: SiteServer[] = [];
  const start = async (name: string, command: string, argumentsAt: (port: number) => readonly string[]) => {
    if (spawnSync('which', [command]).status !== 0) return void missing.push(name);
    const port = await freePort();
    const env = { ...process.env, NODE_ENV: 'production', GOMAXPROCS: '1', HOME: join(folder, 'home') };
    const child = spawn(command, argumentsAt(port), {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const printed: string[] = [];
    child.stdout?.on('data', (chunk) => printed.push(String(chunk)));
    // Ours chooses its port and prints it.
    const portNow = () => Number(/ready at (\d+)/.exec(printed.join(''))?.[1] ?? (name === 'ours' ? Number.NaN : port));
    while (Number.isNaN(portNow()) || !(await listens(portNow()))) {
      if (child.exitCode !== null) throw new Error(`${name} ended before it was ready`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    servers.push({ name, port: portNow(), pid: child.pid ?? Number.NaN });
  };
  const script = (name: string) => join(import.meta.dirname, name);
  const stop = async () => {
    for (const child of children) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start('ours', process.execPath, () => [script('edge.ts'), join(folder, 'data'), '10', join(folder, 'site')]);
    await start('bare node:https', process.execPath, (port) => [script('bare-https.ts'), folder, String(port)]);
    await start('Caddy', 'caddy', (port) => {
      writeFileSync(join(folder, 'Caddyfile'), caddyfile(folder, port));
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    });
    await start('nginx', 'nginx', (port) => {
      writeFileSync(join(folder, 'nginx.conf'), nginxConfiguration(folder, port));
      return ['-e', 'stderr', '-c', join(folder, 'nginx.conf')];
    });
    return { servers, missing, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
