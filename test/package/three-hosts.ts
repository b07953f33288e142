// Three hosts behind HAProxy that share one PostgreSQL, with an ACME server and a mail server.

import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import { postgresPrograms, startPostgres } from '../../postgres/test/postgres.ts';
import { startChild, stopChild, untilReady } from '../support/children.ts';
import { haproxyInstalled } from '../support/haproxy.ts';
import { pebbleInstalled, startPebble } from '../support/pebble.ts';
import { freeDnsPort, freePort, listens } from '../support/ports.ts';
import { signIn } from '../support/sign-in.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { installPostgres } from './postgres-installed.ts';
import { run, type Started, startPetstore, userEnvironment } from './run.ts';

const programs = postgresPrograms();
export const isThere = (programs !== undefined && pebbleInstalled && haproxyInstalled) || process.env.CI !== undefined;

export interface Host extends Started {
  readonly ports: { readonly api: number; readonly http: number; readonly https: number; readonly dns: number };
  /** Starts it again after it was killed. */
  start(): Promise<Host>;
}

export type ThreeHosts = Awaited<ReturnType<typeof startThreeHosts>>;

/** @param validSeconds how long certificates are valid. @default five years */
export async function startThreeHosts(validSeconds?: number) {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    return { ...(await startAll(ends, validSeconds)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(ends: (() => unknown)[], validSeconds: number | undefined) {
  const packages = await installPostgres('postgresPlatform');
  ends.push(packages.remove);
  const { installed } = packages;
  const folder = mkdtempSync(join(tmpdir(), 'petstore-hosts-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const database = await startPostgres(programs ?? '');
  ends.push(database.stop);
  const smtp = await startSmtpServer();
  ends.push(smtp.stop);
  const ports = await Promise.all(
    [1, 2, 3].map(async () => ({ api: await freePort(), http: await freePort(), https: await freePort(), dns: await freeDnsPort() })),
  );
  // A name server of which each query goes to all hosts.
  const names = await startRelay(ports.map(({ dns }) => dns));
  ends.push(names.stop);
  const front = await freePort();
  const edge = await freePort();
  const visitors = await freePort();
  const origin = `http://127.0.0.1:${front}`;
  const configuration = haproxyConfiguration(ports, { api: front, http: edge, https: visitors });
  writeFileSync(join(folder, 'haproxy.cfg'), configuration);
  const pebble = await startPebble(join(folder, 'pebble'), {
    httpPort: edge,
    dnsServer: `127.0.0.1:${names.port}`,
    ...(validSeconds !== undefined && { validSeconds }),
  });
  ends.push(pebble.stop);
  const environment = {
    DATABASE_URL: database.url,
    PETSTORE_URL: origin,
    PETSTORE_ACME_DIRECTORY: pebble.directory,
    PETSTORE_ACME_CA_FILE: pebble.caFile,
    PETSTORE_ACME_ISSUERS: 'pebble.test',
    PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    PETSTORE_MAIL_FROM: 'petstore@petstore.test',
    PETSTORE_DATA: join(folder, 'h0'),
  };
  const startHost = async (n: number): Promise<Host> => {
    const each = ports[n] as Host['ports'];
    mkdirSync(join(folder, `h${n}`), { recursive: true });
    const started = await startPetstore(installed, [], {
      ...environment,
      PETSTORE_DATA: join(folder, `h${n}`),
      PETSTORE_PORT: String(each.api),
      PETSTORE_EDGE_HTTP_PORT: String(each.http),
      PETSTORE_EDGE_HTTPS_PORT: String(each.https),
      PETSTORE_SANDBOX_DNS_PORT: String(each.dns),
    });
    ends.push(started.stop);
    return { ...started, ports: each, start: () => startHost(n) };
  };
  // All at once, as after a power cut.
  const hosts = (await Promise.all(ports.map((_, n) => startHost(n)))) as [Host, Host, Host];
  // It takes its servers for ready until it has checked them.
  const haproxy = startChild('/usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: ['ignore', 'ignore', 'pipe'] });
  ends.push(() => stopChild(haproxy));
  await untilReady(haproxy, () => listens(front));
  const shown = hosts.flatMap(({ stdout }) => /(demo@petstore\.test) {2}(\S+)/.exec(stdout())?.slice(1) ?? []);
  expect(shown).toHaveLength(2);
  const credentials = shown as [email: string, password: string];
  // The form is sent to one host, and the code to another.
  const session = { tokens: await signIn(origin, ...credentials) };
  const sql = (query: string) =>
    execFileSync(join(programs ?? '', 'psql'), ['-At', '-c', `SET search_path = petstore; ${query}`, database.url], { encoding: 'utf8' })
      .split('\n')
      .slice(1);
  const petstore = async (...args: string[]) =>
    JSON.parse(await run('npx', ['petstore', ...args, '--json'], installed, userEnvironment(environment)));
  const call = async <T = unknown>(host: Host | undefined, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${session.tokens.access_token}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${host?.url}/dashboard/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as T };
  };
  /** A visit of a host's edge, or through HAProxy. */
  const visit = (port: number | undefined, name: string) =>
    new Promise<{ readonly serial: string; readonly page: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, servername: name, headers: { host: name }, rejectUnauthorized: false, agent: false }, async (response) => {
        const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
        resolve({ serial, page: await text(response) });
      })
        .once('error', reject)
        .end();
    });
  const accountId = (await call<{ accountId: string }[]>(hosts[0], 'GET', '/accounts')).body[0]?.accountId ?? '';
  const { projectId } = (await call<{ projectId: string }>(hosts[1], 'POST', `/accounts/${accountId}/projects`, { name: 'Shop' })).body;
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'hello from the shop');
  await petstore('projects', 'deploy', projectId, site);
  const statesOf = async (host: Host) =>
    (await call<{ host: string; state: string }[]>(host, 'GET', `/projects/${projectId}/domains`)).body.map(
      (domain) => `${domain.host} ${domain.state}`,
    );
  /** Adds a domain through a host, and sets its records. */
  async function add(host: Host | undefined, name: string): Promise<void> {
    const { domainId } = (await call<{ domainId: string }>(host, 'POST', `/projects/${projectId}/domains`, { host: name })).body;
    expect((await call(host, 'POST', `/projects/${projectId}/domains/${domainId}/publish`)).status).toBe(200);
    expect((await call(host, 'POST', `/projects/${projectId}/domains/${domainId}/verify`)).status).toBe(200);
  }

  return { hosts, origin, visitors, credentials, session, projectId, pebble, smtp, sql, petstore, call, visit, statesOf, add };
}

/**
 * The package's configuration of HAProxy, with the addresses of this test. Visits of hosts go past it, so that there is no PROXY protocol; and it serves the
 * dashboard without TLS, too.
 */
function haproxyConfiguration(hosts: readonly Host['ports'][], fronts: Omit<Host['ports'], 'dns'>): string {
  const kinds = { 80: 'http', 443: 'https', 8080: 'api' } as const;
  const portOf = (n: string, port: string) => hosts[Number(n) - 1]?.[kinds[port as unknown as keyof typeof kinds]];
  const documented = readFileSync(join(import.meta.dirname, '../../several-hosts/haproxy.cfg'), 'utf8')
    .replace(' send-proxy-v2', '')
    .replaceAll(/^ {2}bind :::.*\n/gm, '')
    .replaceAll(/bind :(443|80)$/gm, (_, port: string) => `bind 127.0.0.1:${port === '80' ? fronts.http : fronts.https}`)
    .replaceAll(/10\.0\.0\.1(\d)(:.* port )(8080)/g, (_, n: string, between: string, port: string) => `10.0.0.1${n}${between}${portOf(n, port)}`)
    .replaceAll(/10\.0\.0\.1(\d):(\d+)/g, (_, n: string, port: string) => `127.0.0.1:${portOf(n, port)}`);
  const servers = ['one', 'two', 'three'].map((name, n) => `  server ${name} 127.0.0.1:${hosts[n]?.api} track https/${name} cookie ${name}`);
  const api = [
    'listen api',
    '  mode http',
    `  bind 127.0.0.1:${fronts.api}`,
    '  option forwardfor',
    '  cookie HOST insert indirect nocache',
    ...servers,
  ];
  return `${documented}\n${api.join('\n')}\n`;
}

/** Answers queries with the first answer of several name servers. */
async function startRelay(ports: readonly number[]): Promise<{ readonly port: number; readonly stop: () => void }> {
  const relay = createSocket('udp4');
  relay.on('message', (query, from) => {
    const asking = createSocket('udp4');
    const end = setTimeout(() => asking.close(), 3_000);
    // A name server that is not there answers with an error.
    asking.on('error', () => {});
    asking.once('message', (answer) => {
      clearTimeout(end);
      asking.close();
      relay.send(answer, from.port, from.address);
    });
    for (const port of ports) asking.send(query, port, '127.0.0.1');
  });
  relay.bind(0, '127.0.0.1');
  await once(relay, 'listening');
  return { port: relay.address().port, stop: () => relay.close() };
}
