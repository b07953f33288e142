import { describe, expect, test } from 'vitest';
import { PROVIDERS, providerOf } from '../../../core/domains/diagnosis/providers.ts';

/** Zones' name servers as the providers assign them. */
const NAME_SERVERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  all_inkl: [['ns5.kasserver.com', 'ns6.kasserver.com']],
  azure: [
    ['ns1-04.azure-dns.com', 'ns2-04.azure-dns.net', 'ns3-04.azure-dns.org', 'ns4-04.azure-dns.info'],
    ['ns1-205.azure-dns.com', 'ns2-205.azure-dns.net', 'ns3-205.azure-dns.org', 'ns4-205.azure-dns.info'],
  ],
  bluehost: [['ns1.bluehost.com', 'ns2.bluehost.com']],
  cloudflare: [
    ['clark.ns.cloudflare.com', 'mallory.ns.cloudflare.com'],
    ['cortney.ns.cloudflare.com', 'glen.ns.cloudflare.com'],
  ],
  digitalocean: [['ns1.digitalocean.com', 'ns2.digitalocean.com', 'ns3.digitalocean.com']],
  dnsimple: [
    ['ns1.dnsimple-edge.com', 'ns2.dnsimple-edge.net', 'ns3.dnsimple-edge.io', 'ns4.dnsimple-edge.org'],
    ['ns1.dnsimple.com', 'ns2.dnsimple.com', 'ns3.dnsimple.com', 'ns4.dnsimple.com'],
    ['ns1.dnsimple.com', 'ns2.dnsimple-edge.net', 'ns3.dnsimple.com', 'ns4.dnsimple-edge.org'],
  ],
  dreamhost: [['ns1.dreamhost.com', 'ns2.dreamhost.com', 'ns3.dreamhost.com']],
  gandi: [
    ['ns-142-c.gandi.net', 'ns-161-a.gandi.net', 'ns-142-b.gandi.net'],
    ['a.dns.gandi.net', 'b.dns.gandi.net', 'c.dns.gandi.net'],
  ],
  godaddy: [
    ['ns59.domaincontrol.com', 'ns60.domaincontrol.com'],
    ['ns07.domaincontrol.com', 'ns08.domaincontrol.com'],
  ],
  google: [['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com', 'ns-cloud-a3.googledomains.com', 'ns-cloud-a4.googledomains.com']],
  hetzner: [
    ['hydrogen.ns.hetzner.com', 'oxygen.ns.hetzner.com', 'helium.ns.hetzner.de'],
    ['ns1.your-server.de', 'ns.second-ns.com', 'ns3.second-ns.de'],
  ],
  hostinger: [['ns1.dns-parking.com', 'ns2.dns-parking.com']],
  hover: [['ns1.hover.com', 'ns2.hover.com']],
  infomaniak: [['ns11.infomaniak.ch', 'ns12.infomaniak.ch']],
  ionos: [
    ['ns1098.ui-dns.biz', 'ns1106.ui-dns.com', 'ns1109.ui-dns.org', 'ns1110.ui-dns.de'],
    ['ns1033.ui-dns.com', 'ns1045.ui-dns.de', 'ns1096.ui-dns.biz', 'ns1108.ui-dns.org'],
  ],
  name_com: [
    ['ns1.name.com', 'ns2.name.com', 'ns3.name.com', 'ns4.name.com'],
    ['ns1cvw.name.com', 'ns2dky.name.com', 'ns3gmv.name.com', 'ns4fpy.name.com'],
  ],
  namecheap: [
    ['dns1.registrar-servers.com', 'dns2.registrar-servers.com'],
    ['pdns1.registrar-servers.com', 'pdns2.registrar-servers.com'],
  ],
  network_solutions: [['ns41.worldnic.com', 'ns42.worldnic.com']],
  ovh: [
    ['dns19.ovh.net', 'ns19.ovh.net'],
    ['dns200.anycast.me', 'ns200.anycast.me'],
  ],
  porkbun: [['curitiba.ns.porkbun.com', 'fortaleza.ns.porkbun.com', 'maceio.ns.porkbun.com', 'salvador.ns.porkbun.com']],
  route_53: [['ns-155.awsdns-22.com', 'ns-326.awsdns-15.net', 'ns-1352.awsdns-29.org', 'ns-1536.awsdns-08.co.uk']],
  squarespace: [
    ['nsd1.squarespacedns.com', 'nsd2.squarespacedns.com', 'nsd3.squarespacedns.com', 'nsd4.squarespacedns.com'],
    ['connect1.squarespacedns.com', 'connect2.squarespacedns.com'],
  ],
  strato: [['docks10.rzone.de', 'shades01.rzone.de']],
  vercel: [['ns1.vercel-dns.com', 'ns2.vercel-dns.com']],
  wix: [
    ['ns0.wixdns.net', 'ns1.wixdns.net'],
    ['ns8.wixdns.net', 'ns9.wixdns.net'],
  ],
};

describe.each(PROVIDERS)('$name', ({ id, steps, sources, link, fields, alias, automation }) => {
  test('is recognized by its name servers, in any case and with a trailing dot', () => {
    const zones = NAME_SERVERS[id] ?? [];
    expect(zones.length).toBeGreaterThan(0);
    for (const servers of zones) {
      expect([id, providerOf(servers)?.id]).toEqual([id, id]);
      expect(providerOf(servers.map((name) => `${name.toUpperCase()}.`))?.id).toBe(id);
    }
  });

  test('is not recognized by names that only contain those of its name servers', () => {
    for (const name of NAME_SERVERS[id]?.flat() ?? []) {
      for (const other of [`${name}.evil.example`, `evil-${name}.example`, `x${name.replace('.', '-')}`, `${name}x`, name.replace(/\./g, 'x')]) {
        expect([other, providerOf([other])]).toEqual([other, undefined]);
      }
    }
  });

  test('has steps with a source, and links to pages', () => {
    expect(steps.length).toBeGreaterThanOrEqual(2);
    expect(sources.length).toBeGreaterThanOrEqual(1);
    for (const url of [...sources, link, ...(automation === undefined ? [] : [automation])]) expect(new URL(url).protocol).toBe('https:');
    expect([...steps, fields.name, fields.value, alias?.type ?? 'none'].every((text) => text.trim() === text && text !== '')).toBe(true);
    expect(steps.every((step) => /^[A-Z].*\.$/.test(step) && step.length <= 100)).toBe(true);
  });
});

describe('a zone', () => {
  test('of at least 20 providers is recognized, each in one row', () => {
    expect(PROVIDERS.length).toBeGreaterThanOrEqual(20);
    expect(Object.keys(NAME_SERVERS).sort()).toEqual(PROVIDERS.map(({ id }) => id).sort());
    for (const [id, zones] of Object.entries(NAME_SERVERS)) {
      for (const servers of zones)
        expect([id, ...PROVIDERS.filter(({ nameServers }) => servers.every((name) => nameServers.test(name))).map((row) => row.id)]).toEqual([
          id,
          id,
        ]);
    }
  });

  test('of another provider is not, nor one without name servers', () => {
    expect(providerOf(['ns1.example.net', 'ns2.example.net'])).toBeUndefined();
    expect(providerOf([])).toBeUndefined();
  });

  test('that several providers serve is not: a record would have to be set at each', () => {
    expect(providerOf(['clark.ns.cloudflare.com', 'ns1.hover.com'])).toBeUndefined();
    expect(providerOf(['clark.ns.cloudflare.com', 'ns1.example.net'])).toBeUndefined();
  });

  test('with a look-alike name server is not', () => {
    for (const name of [
      'ns1.cloudflare.com.evil.example',
      'clark.ns.cloudflare.com.evil.example',
      'ns.cloudflare.com',
      'clark.ns.cIoudflare.co',
      'x.clark.ns.cloudflare.com',
    ])
      expect([name, providerOf([name])]).toEqual([name, undefined]);
  });
});
