// Real name servers for tests: two instances of Knot DNS as the authoritative servers for some zones, on two loopback addresses and one port, and
// Unbound as a recursive resolver that knows only these zones. Debian packages: knot, unbound, bind9-dnsutils.

import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../../adapters/dns/query.ts';
import { startChild, stopChild } from './children.ts';
import { makeFolder } from './folders.ts';
import { isInstalled } from './installed.ts';
import { freeDnsPort } from './ports.ts';

/** A zone's records, without SOA and NS, which are added automatically; the name servers are ns1 and ns2 in the zone. */
export interface TestZone {
  readonly name: string;
  readonly records: readonly string[];
  /** The second server's records. @default the same */
  readonly recordsOfSecond?: readonly string[];
  /** Whether the recursive resolver expects signatures, which the zone lacks. @default false */
  readonly bogus?: boolean;
  /** Signs the zone, and the recursive resolver expects that; `expired`: in 2020, for a month. @default not signed */
  readonly signed?: 'valid' | 'expired';
}

export interface NameServers {
  /** The port of both authoritative servers, on 127.0.0.1 and 127.0.0.2. */
  readonly authoritativePort: number;
  readonly recursive: { readonly address: string; readonly port: number };
  stop(): Promise<void>;
}

/** The folders with the programs: not every PATH contains them. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

export const nameServersInstalled = isInstalled(
  ['knotd', 'unbound', 'dig', 'dnssec-signzone'].every(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH } }).status === 0,
  ),
);

/** Starts the servers, and returns once they answer for the first zone. */
export async function startNameServers(zones: readonly TestZone[]): Promise<NameServers> {
  const folder = makeFolder();
  const [authoritativePort, recursivePort] = [await freeDnsPort(), await freeDnsPort()];
  const keys = new Map(zones.filter(({ signed }) => signed !== undefined).map(({ name }) => [name, createZoneKey(folder.path, name)]));
  const children = [
    startKnot(join(folder.path, 'one'), `127.0.0.1@${authoritativePort}`, zones, (zone) => zone.records),
    startKnot(join(folder.path, 'two'), `127.0.0.2@${authoritativePort}`, zones, (zone) => zone.recordsOfSecond ?? zone.records),
    startUnbound(folder.path, recursivePort, authoritativePort, zones, [...keys.values()]),
  ];
  const [first] = zones;
  if (first === undefined) throw new Error('at least one zone');
  const recursive = { address: '127.0.0.1', port: recursivePort };
  await Promise.all(
    [{ address: '127.0.0.1', port: authoritativePort }, { address: '127.0.0.2', port: authoritativePort }, recursive].map(async (server) => {
      for (const end = Date.now() + 20_000; Date.now() < end; ) {
        const answer = await query(server, { name: first.name, type: 'SOA', recursive: true }, { triesMs: [200] });
        if (answer.kind === 'answer' && answer.answers.length > 0) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`the name server on ${server.address}:${server.port} did not get ready`);
    }),
  );
  return {
    authoritativePort,
    recursive,
    stop: async () => {
      await Promise.all(children.map((child) => stopChild(child)));
      folder.remove();
    },
  };
}

function startKnot(folder: string, listen: string, zones: readonly TestZone[], recordsOf: (zone: TestZone) => readonly string[]): ChildProcess {
  mkdirSync(folder, { recursive: true });
  for (const zone of zones) {
    const lines = [
      `$ORIGIN ${zone.name}.`,
      '$TTL 3600',
      '@ 3600 SOA ns1 hostmaster 1 3600 600 86400 45',
      ...['1', '2'].flatMap((number) => [`@ NS ns${number}`, `ns${number} A 127.0.0.${number}`]),
      ...recordsOf(zone),
    ];
    const file = join(folder, `${zone.name}.zone`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    if (zone.signed !== undefined) signZone(folder, zone.name, file, zone.signed);
  }
  const configuration = [
    'server:',
    `    listen: ${listen}`,
    `    rundir: "${folder}"`,
    'database:',
    `    storage: "${folder}"`,
    'log:',
    '  - target: stderr',
    '    any: warning',
    'zone:',
    ...zones.flatMap(({ name }) => [
      `  - domain: ${name}`,
      `    file: "${join(folder, `${name}.zone`)}"`,
      '    zonefile-sync: -1',
      '    journal-content: none',
    ]),
  ];
  writeFileSync(join(folder, 'knot.conf'), `${configuration.join('\n')}\n`);
  return startNameServer('knotd', ['-c', join(folder, 'knot.conf')]);
}

/** Creates a zone's key in the folder above those of the servers. @returns its DS record */
function createZoneKey(folder: string, zone: string): string {
  const key = run('dnssec-keygen', ['-K', folder, '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone]).trim();
  return run('dnssec-dsfromkey', ['-2', join(folder, key)]).trim();
}

/** Replaces a zone's file with a signed one. */
function signZone(folder: string, zone: string, file: string, signed: 'valid' | 'expired'): void {
  const period = signed === 'valid' ? ['-s', 'now-3600', '-e', 'now+86400'] : ['-s', '20200101000000', '-e', '20200201000000'];
  // -z: one key for everything. -P: signatures that have expired are no mistake here.
  run('dnssec-signzone', ['-S', '-z', '-P', '-K', join(folder, '..'), '-d', folder, ...period, '-o', zone, '-f', file, file]);
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { env: { ...process.env, PATH }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return stdout;
}

/** @param anchors DS records of the zones that have to be signed */
function startUnbound(folder: string, port: number, authoritativePort: number, zones: readonly TestZone[], anchors: readonly string[]): ChildProcess {
  const configuration = [
    'server:',
    `    interface: 127.0.0.1@${port}`,
    `    port: ${port}`,
    '    do-daemonize: no',
    '    use-syslog: no',
    '    verbosity: 0',
    '    chroot: ""',
    '    username: ""',
    `    directory: "${folder}"`,
    '    pidfile: ""',
    '    do-not-query-localhost: no',
    '    module-config: "validator iterator"',
    '    num-threads: 1',
    '    ede: yes',
    ...anchors.map((record) => `    trust-anchor: "${record}"`),
    ...zones.filter(({ bogus }) => bogus).map(({ name }) => `    trust-anchor: "${name}. DS 12345 8 2 ${'0'.repeat(64)}"`),
    ...zones.flatMap(({ name }) => [
      'stub-zone:',
      `    name: "${name}."`,
      `    stub-addr: 127.0.0.1@${authoritativePort}`,
      `    stub-addr: 127.0.0.2@${authoritativePort}`,
      '    stub-no-cache: yes',
    ]),
  ];
  const file = join(folder, 'unbound.conf');
  writeFileSync(file, `${configuration.join('\n')}\n`);
  return startNameServer('unbound', ['-d', '-c', file]);
}

/** Starts a name server that ends with this process. */
export function startNameServer(program: string, args: readonly string[]): ChildProcess {
  return startChild(program, args, { env: { ...process.env, PATH }, stdio: ['ignore', 'ignore', 'inherit'] });
}
