// A small internet in a network namespace: name servers, a resolver, and an ACME server that validates on port 80, all at public addresses. Needs root,
// and Debian's packages iproute2, knot, unbound and pebble.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Addresses that nothing takes for private ones. The namespace has no way out. */
export const ADDRESSES = { server: '93.184.216.10', names: '93.184.216.53', resolver: '93.184.216.9', acme: '93.184.216.14' } as const;
const ACME = 'acme.example.net';
/** The ends of the wire between the namespaces. */
const WIRE = ['inner', 'outer'] as const;
const READY_WITHIN_MS = 20_000;

/** The zones, and their records besides SOA and NS. */
export type Zones = Readonly<Record<string, readonly string[]>>;

export interface Internet {
  readonly namespace: string;
  /** Another network namespace, from which the addresses are reached over a wire: through the machine's firewall. */
  readonly outsider: string;
  readonly acmeDirectory: string;
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
  const outsider = `${namespace}-out`;
  for (const name of [namespace, outsider]) ip('netns', 'add', name);
  const stop = () => {
    for (const child of children) child.kill('SIGKILL');
    for (const name of [namespace, outsider]) ip('netns', 'del', name);
    rmSync(`/etc/netns/${namespace}`, { recursive: true, force: true });
  };
  try {
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    for (const address of Object.values(ADDRESSES)) ip('-n', namespace, 'address', 'add', `${address}/32`, 'dev', 'lo');
    ip('link', 'add', WIRE[0], 'netns', namespace, 'type', 'veth', 'peer', 'name', WIRE[1], 'netns', outsider);
    for (const [name, device, address] of [
      [namespace, WIRE[0], '93.184.217.1/24'],
      [outsider, WIRE[1], '93.184.217.2/24'],
    ] as const) {
      ip('-n', name, 'address', 'add', address, 'dev', device);
      ip('-n', name, 'link', 'set', device, 'up');
    }
    ip('-n', outsider, 'route', 'add', 'default', 'via', '93.184.217.1');
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
    return { namespace, outsider, acmeDirectory: `https://${ACME}:14000/dir`, acmeCertificate: certificate, issuingRoot, stop };
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
