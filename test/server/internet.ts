// A small internet in a network namespace: name servers, a resolver, and an ACME server that validates on port 80, all at public addresses; and the
// network that machines are connected to. Needs root, and Debian's packages iproute2, knot, unbound and pebble.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Addresses that nothing takes for private ones. The namespace has no way out. */
export const ADDRESSES = { names: '93.184.216.53', resolver: '93.184.216.9', acme: '93.184.216.14' } as const;
/** From which the namespace's programs can visit, as from several homes. */
export const VISITORS = [101, 102, 103, 104, 105, 106].map((last) => `93.184.216.${last}`);
const ACME = 'acme.example.net';
export const ACME_DIRECTORY = `https://${ACME}:14000/dir`;
const NETWORK = 'lan';
const READY_WITHIN_MS = 20_000;

/** The zones, and their records besides SOA and NS. */
export type Zones = Readonly<Record<string, readonly string[]>>;

export interface Internet {
  /** The servers', in which visitors are, too: they reach machines through their firewalls. */
  readonly namespace: string;
  /** Makes a network namespace for a machine, with a wire to this one. @returns its name */
  connect(machine: string, addresses: readonly string[]): string;
  /** Cuts a machine's wire: nothing answers any more. */
  cut(machine: string): void;
  /** Certificate to trust for the directory. */
  readonly acmeCertificate: string;
  /** Returns the certificate that signs all others, as PEM. */
  issuingRoot(): Promise<string>;
  stop(): void;
}

/** Creates the namespace and starts the servers. @param folder for their files */
export async function startInternet(folder: string, namespace: string, zones: Zones): Promise<Internet> {
  mkdirSync(folder, { recursive: true });
  const inside = ['netns', 'exec', namespace];
  const ip = (...args: string[]) => execFileSync('ip', args);
  const children: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, PEBBLE_VA_NOSLEEP: '1' };
    children.push(spawn('ip', [...inside, program, ...args], { stdio: ['ignore', 'ignore', 'inherit'], env: environment }));
  };
  const namespaces = [namespace];
  ip('netns', 'add', namespace);
  const stop = () => {
    for (const child of children) child.kill('SIGKILL');
    for (const name of namespaces) ip('netns', 'del', name);
    rmSync(`/etc/netns/${namespace}`, { recursive: true, force: true });
  };
  const connect: Internet['connect'] = (machine, addresses) => {
    const name = `${namespace}-${machine}`;
    ip('netns', 'add', name);
    namespaces.push(name);
    ip('link', 'add', machine, 'netns', namespace, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('-n', namespace, 'link', 'set', machine, 'master', NETWORK, 'up');
    for (const address of addresses) ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', name, 'link', 'set', device, 'up');
    return name;
  };
  try {
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', namespace, 'link', 'add', NETWORK, 'type', 'bridge');
    for (const address of [...Object.values(ADDRESSES), ...VISITORS]) ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', NETWORK);
    ip('-n', namespace, 'link', 'set', NETWORK, 'up');
    // `ip netns exec` shows programs this file as /etc/resolv.conf.
    mkdirSync(`/etc/netns/${namespace}`, { recursive: true });
    writeFileSync(`/etc/netns/${namespace}/resolv.conf`, `nameserver ${ADDRESSES.resolver}\n`);

    const own = { 'example.net': [`acme A ${ADDRESSES.acme}`, `ns1 A ${ADDRESSES.names}`] };
    const all: Zones = { com: [], net: [], ...zones, ...own };
    for (const [zone, records] of Object.entries(all)) setZone(folder, zone, records);
    writeFileSync(join(folder, 'knot.conf'), knotConfiguration(folder, Object.keys(all)));
    start('knotd', '-c', join(folder, 'knot.conf'));
    writeFileSync(join(folder, 'unbound.conf'), unboundConfiguration(folder, Object.keys(all)));
    start('unbound', '-d', '-c', join(folder, 'unbound.conf'));

    const [key, certificate] = [join(folder, 'acme-key.pem'), join(folder, 'acme.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', `/CN=${ACME}`];
    await run('openssl', [...request, '-addext', `subjectAltName=DNS:${ACME}`, '-keyout', key, '-out', certificate]);
    writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble: { ...PEBBLE, certificate, privateKey: key } }));
    start('pebble', '-config', join(folder, 'pebble.json'), '-dnsserver', `${ADDRESSES.resolver}:53`);

    const issuingRoot = async () =>
      (await run('ip', [...inside, 'curl', '--silent', '--fail', '--cacert', certificate, `https://${ACME}:15000/roots/0`])).stdout;
    for (const end = Date.now() + READY_WITHIN_MS; (await issuingRoot().catch(() => '')) === ''; await sleep(200))
      if (Date.now() > end) throw new Error('the name servers or the ACME server are not ready');
    const cut = (machine: string) => void ip('-n', namespace, 'link', 'set', machine, 'down');
    return { namespace, connect, cut, acmeCertificate: certificate, issuingRoot, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

const PEBBLE = {
  listenAddress: `${ADDRESSES.acme}:14000`,
  managementListenAddress: `${ADDRESSES.acme}:15000`,
  httpPort: 80,
  tlsPort: 443,
  ocspResponderURL: '',
  externalAccountBindingRequired: false,
};

/** What a domain's owner does at the DNS provider: sets all records of a zone. Also called by processes in the namespace. */
export function publishZone(folder: string, zone: string, records: readonly string[]): void {
  setZone(folder, zone, records);
  execFileSync('/usr/sbin/knotc', ['-c', join(folder, 'knot.conf'), 'zone-reload', zone]);
}

let serial = 1;

function setZone(folder: string, zone: string, records: readonly string[]): void {
  serial += 1;
  const soa = `@ SOA ns1.example.net. host.example.net. ${Math.floor(Date.now() / 1_000) + serial} 60 60 600 1`;
  writeFileSync(join(folder, `${zone}.zone`), `$ORIGIN ${zone}.\n$TTL 1\n${[soa, '@ NS ns1.example.net.', ...records].join('\n')}\n`);
}

function knotConfiguration(folder: string, zones: readonly string[]): string {
  return `server:
  rundir: ${folder}
  listen: ${ADDRESSES.names}@53
database:
  storage: ${folder}
zone:
${zones.map((zone) => `  - domain: ${zone}\n    file: ${folder}/${zone}.zone\n    zonefile-load: whole`).join('\n')}
`;
}

function unboundConfiguration(folder: string, zones: readonly string[]): string {
  return `server:
  interface: ${ADDRESSES.resolver}
  access-control: 0.0.0.0/0 allow
  do-daemonize: no
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: "${folder}/unbound.pid"
  module-config: "iterator"
  do-ip6: no
  cache-max-ttl: 1
  cache-max-negative-ttl: 1
remote-control:
  control-enable: no
${zones.map((zone) => `stub-zone:\n  name: "${zone}"\n  stub-addr: ${ADDRESSES.names}`).join('\n')}
`;
}
