import { describe, expect, test } from 'vitest';
import { providerView } from '../../../core/domains/diagnosis/providers.ts';
import { recordsFor } from '../../../core/domains/records.ts';

const NAME_SERVERS = {
  cloudflare: ['clark.ns.cloudflare.com', 'mallory.ns.cloudflare.com'],
  gandi: ['ns-142-c.gandi.net', 'ns-161-a.gandi.net'],
  ionos: ['ns1098.ui-dns.biz', 'ns1106.ui-dns.com'],
  name_com: ['ns1.name.com', 'ns2.name.com'],
  ovh: ['dns19.ovh.net', 'ns19.ovh.net'],
  route_53: ['ns-155.awsdns-22.com', 'ns-326.awsdns-15.net'],
} as const;

const zoneAt = (provider: keyof typeof NAME_SERVERS, name = 'shop.dev') => ({ name, nameServers: NAME_SERVERS[provider], editable: false, at: 0 });
const records = (host: string, apex = false) => recordsFor({ token: 'token' }, host, apex, { host: 'edge.dev' });
const formOf = (provider: keyof typeof NAME_SERVERS, host: string, apex = false, zone = 'shop.dev') =>
  providerView(zoneAt(provider, zone), records(host, apex))?.records.map(({ type, name, value, ttl }) => [type, name, value, ttl]);

describe('at the provider of its zone, a record', () => {
  test('of a subdomain has its label as name', () => {
    expect(formOf('cloudflare', 'www.shop.dev')).toEqual([['CNAME', 'www', 'token.edge.dev', 'Auto']]);
    expect(formOf('ionos', 'a.b.shop.dev')).toEqual([['CNAME', 'a.b', 'token.edge.dev', '3600']]);
  });

  test('has a dot at the end of its value where the provider would otherwise append the zone, but not in a text', () => {
    expect(formOf('ovh', 'www.shop.dev')).toEqual([['CNAME', 'www', 'token.edge.dev.', '3600']]);
    expect(formOf('gandi', 'shop.dev', true)).toEqual([
      ['ALIAS', '@', 'token.edge.dev.', '3600'],
      ['TXT', '_petstore', 'petstore-project=token', '3600'],
    ]);
  });

  test('of the apex has the name and the type that the provider knows', () => {
    expect(formOf('cloudflare', 'shop.dev', true)?.[0]).toEqual(['CNAME', '@', 'token.edge.dev', 'Auto']);
    expect(formOf('name_com', 'shop.dev', true)?.[0]).toEqual(['ANAME', '', 'token.edge.dev', '300']);
  });

  test('is named relative to the zone that holds it, not to the registered domain', () => {
    expect(formOf('route_53', 'www.team.shop.dev', false, 'team.shop.dev')?.[0]?.[1]).toBe('www');
    expect(formOf('route_53', 'team.shop.dev', false, 'team.shop.dev')?.[0]?.[1]).toBe('');
  });
});

describe('the instructions', () => {
  test('end with entering the records', () => {
    expect(providerView(zoneAt('ionos'), records('www.shop.dev'))).toMatchObject({
      id: 'ionos',
      name: 'IONOS',
      steps: [expect.any(String), expect.any(String), expect.any(String), 'Enter each record below, and save.'],
      fields: { name: 'Hostname' },
      automation: null,
    });
    expect(providerView(zoneAt('ionos'), records('shop.dev', true))?.steps.at(-1)).toBe('Enter each record below, one after the other, and save.');
  });

  test('say what to do where the apex can’t point to another name, and what the provider calls it where it can', () => {
    expect(providerView(zoneAt('ionos'), records('shop.dev', true))?.notes[0]).toMatch(
      /IONOS can't point shop\.dev itself .* use www\.shop\.dev instead/,
    );
    expect(providerView(zoneAt('ionos'), records('www.shop.dev'))?.notes).toEqual([]);
    expect(providerView(zoneAt('cloudflare'), records('shop.dev', true))).toMatchObject({
      apexAlias: 'CNAME flattening',
      notes: ['Cloudflare calls this CNAME flattening.', expect.stringContaining('DNS only')],
    });
  });

  test('are missing for an unknown provider, and while the zone is unknown', () => {
    expect(providerView({ ...zoneAt('ionos'), nameServers: ['ns1.example.net'] }, records('www.shop.dev'))).toBeUndefined();
    expect(providerView(undefined, records('www.shop.dev'))).toBeUndefined();
  });
});
