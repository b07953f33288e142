// A small internet of name servers: the root and .dev on Knot, owners' zones on NSD and on scripted servers, each at a separate address, and BIND,
// which resolves from the root as public resolvers do. All of them use the same port, which is not 53: BIND is the only resolver that can be
// configured to send its queries there. Debian packages: knot, nsd, bind9.

import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../../adapters/dns/query.ts';
import { stopChild } from './children.ts';
import { makeFolder } from './folders.ts';
import { isInstalled } from './installed.ts';
import { startNameServer } from './name-servers.ts';
import { freeDnsPort } from './ports.ts';
import { type Script, startScriptedDns } from './scripted-dns.ts';

const ROOT = '127.0.0.11';
const NSD = '127.0.0.12';
const SCRIPTED = '127.0.0.14';
/** BIND listens only on addresses of network interfaces. */
const RESOLVER = '127.0.0.1';
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
const READY_MS = 30_000;

export const delegatedDnsInstalled = isInstalled(
  ['knotd', 'nsd', 'named'].every((program) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH } }).status === 0),
);

export interface DelegatedDnsOptions {
  /** Zones on NSD, and their records besides SOA and NS. If undefined, NSD is configured with the zone, but has no zone file. */
  readonly zones: Readonly<Record<string, readonly string[] | undefined>>;
  /** Zones that are delegated to NSD, but not configured on it. */
  readonly unknown: readonly string[];
  /** Zones that are delegated to the scripted servers. */
  readonly scripted: readonly string[];
  readonly script: Script;
  /** Zones whose parent has a DS record that matches no key. */
  readonly wrongDs: readonly string[];
}

export interface DelegatedDns {
  readonly port: number;
  readonly resolver: string;
  /** Changes that an owner makes at the DNS provider. */
  setZone(zone: string, records: readonly string[]): Promise<void>;
  /** Changes that an owner makes at the registrar. */
  removeDs(zone: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts all of the servers, and returns once they answer for their zones. */
export async function startDelegatedDns({ zones, unknown, scripted, script, wrongDs }: DelegatedDnsOptions): Promise<DelegatedDns> {
  const folder = makeFolder();
  const port = await freeDnsPort();
  const current = new Map(Object.entries(zones));
  const anchors = new Set(wrongDs);
  const knot = startKnot(folder.path, port, [...current.keys(), ...unknown], scripted);
  let nsd = startNsd(folder.path, port, current);
  let named = startNamed(folder.path, port, anchors);
  const authority = await startScriptedDns(script, SCRIPTED, port);
  const settled = async () => {
    await answers(ROOT, port, 'dev');
    await answers(RESOLVER, port, 'dev');
    for (const [zone, records] of current) if (records !== undefined) await answers(NSD, port, zone);
  };
  await settled();
  return {
    port,
    resolver: RESOLVER,
    setZone: async (zone, records) => {
      current.set(zone, records);
      await stopChild(nsd);
      nsd = startNsd(folder.path, port, current);
      await settled();
    },
    removeDs: async (zone) => {
      anchors.delete(zone);
      await stopChild(named);
      named = startNamed(folder.path, port, anchors);
      await settled();
    },
    stop: async () => {
      await Promise.all([...[knot, nsd, named].map((child) => stopChild(child)), authority.stop()]);
      folder.remove();
    },
  };
}

/** Waits until the server answers for the zone. */
async function answers(address: string, port: number, zone: string): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; ) {
    const answer = await query({ address, port }, { name: zone, type: 'SOA', recursive: true }, { triesMs: [500] });
    if (answer.kind === 'answer' && answer.answers.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the name server at ${address}:${port} does not answer for ${zone}`);
}

function zoneText(zone: string, nameServer: string, address: string, records: readonly string[]): string {
  const origin = zone === '.' ? '.' : `${zone}.`;
  return [
    ...[`$ORIGIN ${origin}`, '$TTL 3600', `@ 3600 SOA ${nameServer} hostmaster.dev. 1 3600 600 86400 3600`, `@ NS ${nameServer}`],
    ...[`${nameServer} A ${address}`, ...records, ''],
  ].join('\n');
}

function startKnot(folder: string, port: number, atNsd: readonly string[], atScript: readonly string[]): ChildProcess {
  const home = join(folder, 'knot');
  mkdirSync(home);
  const delegation = (zone: string, address: string) => [`${zone}. NS ns.${zone}.`, `ns.${zone}. A ${address}`];
  const delegations = [...atNsd.flatMap((zone) => delegation(zone, NSD)), ...atScript.flatMap((zone) => delegation(zone, SCRIPTED))];
  writeFileSync(join(home, 'root.zone'), zoneText('.', 'a.root.', ROOT, ['dev. NS a.nic.dev.', `a.nic.dev. A ${ROOT}`]));
  writeFileSync(join(home, 'dev.zone'), zoneText('dev', 'a.nic.dev.', ROOT, delegations));
  const zoneOf = (name: string, file: string) => [
    `  - domain: "${name}"`,
    `    file: "${join(home, file)}"`,
    '    zonefile-sync: -1',
    '    journal-content: none',
  ];
  const configuration = [
    ...['server:', `    listen: ${ROOT}@${port}`, `    rundir: "${home}"`, 'database:', `    storage: "${home}"`],
    ...['log:', '  - target: stderr', '    any: error', 'zone:', ...zoneOf('.', 'root.zone'), ...zoneOf('dev', 'dev.zone')],
  ];
  writeFileSync(join(home, 'knot.conf'), `${configuration.join('\n')}\n`);
  return startNameServer('knotd', ['-c', join(home, 'knot.conf')]);
}

function startNsd(folder: string, port: number, zones: ReadonlyMap<string, readonly string[] | undefined>): ChildProcess {
  const home = join(folder, 'nsd');
  mkdirSync(home, { recursive: true });
  for (const [zone, records] of zones)
    if (records !== undefined) writeFileSync(join(home, `${zone}.zone`), zoneText(zone, `ns.${zone}.`, NSD, records));
  const configuration = [
    ...['server:', `    ip-address: ${NSD}@${port}`, `    port: ${port}`, '    username: ""', '    chroot: ""', `    zonesdir: "${home}"`],
    ...['    database: ""', `    pidfile: "${join(home, 'nsd.pid')}"`, `    xfrdfile: "${join(home, 'xfrd.state')}"`, `    xfrdir: "${home}"`],
    ...[`    zonelistfile: "${join(home, 'zone.list')}"`, `    logfile: "${join(home, 'nsd.log')}"`, '    server-count: 1', '    rrl-ratelimit: 0'],
    ...['remote-control:', '    control-enable: no'],
    ...[...zones.keys()].flatMap((zone) => ['zone:', `    name: "${zone}"`, `    zonefile: "${zone}.zone"`]),
  ];
  writeFileSync(join(home, 'nsd.conf'), `${configuration.join('\n')}\n`);
  return startNameServer('nsd', ['-d', '-c', join(home, 'nsd.conf')]);
}

function startNamed(folder: string, port: number, wrongDs: ReadonlySet<string>): ChildProcess {
  const home = join(folder, 'named');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'root.hints'), `. 3600 NS a.root.\na.root. 3600 A ${ROOT}\n`);
  const anchors = [...wrongDs].map((zone) => `  "${zone}." static-ds 12345 8 2 "${'0'.repeat(64)}";`);
  const configuration = [
    ...['options {', `  directory "${home}";`, `  port ${port};`, `  listen-on { ${RESOLVER}; };`, '  listen-on-v6 { none; };', '  recursion yes;'],
    ...[
      '  allow-query { any; };',
      '  allow-recursion { any; };',
      '  pid-file none;',
      '  max-cache-size 16m;',
      '  session-keyfile none;',
      '  empty-zones-enable no;',
    ],
    ...[`  dnssec-validation ${anchors.length > 0 ? 'yes' : 'no'};`, '};', 'controls { };'],
    ...['logging { category default { null; }; };', 'zone "." { type hint; file "root.hints"; };'],
    ...(anchors.length > 0 ? ['trust-anchors {', ...anchors, '};'] : []),
  ];
  writeFileSync(join(home, 'named.conf'), `${configuration.join('\n')}\n`);
  return startNameServer('named', ['-f', '-4', '-c', join(home, 'named.conf')]);
}
