// Pebble, the ACME server that Let's Encrypt provides for testing clients (Debian package: pebble), with a configurable resolver.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { ROOT_FILE } from '../../adapters/files/data-folder.ts';
import { MIGRATIONS } from '../../adapters/store/sqlite/migrations.ts';
import { collect, startChild, stopChild, untilReady } from './children.ts';
import { isInstalled } from './installed.ts';
import { freePort } from './ports.ts';

export const pebbleInstalled = isInstalled(spawnSync('sh', ['-c', 'command -v pebble']).status === 0);

export interface Pebble {
  readonly directory: string;
  /** The root to trust for the directory itself. */
  readonly caFile: string;
  /** How many orders it has got. */
  orders(): number;
  /** PEM of the root that signs its certificates. */
  issuingRoot(): Promise<string>;
  stop(): Promise<void>;
}

interface PebbleOptions {
  /** The port where it validates challenges, instead of port 80. */
  readonly httpPort: number;
  readonly dnsServer: string;
  /** How long a certificate is valid, in seconds. @default five years */
  readonly validSeconds?: number;
}

export async function startPebble(folder: string, options: PebbleOptions): Promise<Pebble> {
  const [port, managementPort] = [await freePort(), await freePort()];
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const vault = createSqliteVault(database);
  const authority = await createDevelopmentAuthority(folder, vault, Date.now);
  const own = vault.get(await authority.request('localhost', 'pebble'));
  const [certificate, privateKey, configuration] = ['cert.pem', 'key.pem', 'pebble.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(certificate, own?.chain ?? '');
  writeFileSync(privateKey, own?.privateKey ?? '');
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate,
    privateKey,
    httpPort: options.httpPort,
    tlsPort: 1,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    ...(options.validSeconds !== undefined && { certificateValidityPeriod: options.validSeconds }),
  };
  writeFileSync(configuration, JSON.stringify({ pebble }));
  const child = startChild('pebble', ['-config', configuration, '-dnsserver', options.dnsServer], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = collect(child.stdout);
  const caFile = join(folder, ROOT_FILE);
  const get = (url: string) =>
    new Promise<string>((resolve, reject) => {
      request(url, { ca: readFileSync(caFile), agent: false }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      })
        .once('error', reject)
        .end();
    });
  const directory = `https://localhost:${port}/dir`;
  await untilReady(child, () =>
    get(directory).then(
      (body) => body !== '',
      () => false,
    ),
  );
  return {
    directory,
    caFile,
    orders: () => log().match(/Added order /g)?.length ?? 0,
    issuingRoot: () => get(`https://localhost:${managementPort}/roots/0`),
    stop: () => stopChild(child),
  };
}
