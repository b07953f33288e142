// Diagnosis based on real packets: from Knot and Unbound where a real server can produce the case, otherwise from a scripted server.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDnsLookup } from '../../../adapters/dns/lookup.ts';
import { query } from '../../../adapters/dns/query.ts';
import { diagnose } from '../../../core/domains/diagnosis/diagnose.ts';
import type { Expected } from '../../../core/domains/diagnosis/diagnosis.ts';
import { isApex } from '../../../core/domains/host-name.ts';
import { type NameServers, nameServersInstalled, startNameServers, type TestZone } from '../../support/name-servers.ts';

const TARGET = 'abcdefgh23456789.edge.platform.dev';
const TOKEN = 'petstore-project=abcdefgh23456789';

const ZONES: readonly TestZone[] = [
  // The registry of an expired name still has an address of its name server.
  { name: 'dev', records: ['platform NS ns1', 'shop NS ns1', 'ns1.expired A 192.0.2.53', 'kept A 192.0.2.80'] },
  {
    name: 'platform.dev',
    records: ['*.edge A 192.0.2.10', '*.edge A 192.0.2.11', '*.edge AAAA 2001:db8::10', 'relay CNAME abcdefgh23456789.edge'],
  },
  {
    name: 'shop.dev',
    records: [
      `good CNAME ${TARGET}.`,
      `GoodCase CNAME ${TARGET.toUpperCase()}.`,
      'elsewhere CNAME other.host.dev.',
      `suffixed CNAME ${TARGET}`,
      'relayed CNAME relay.platform.dev.',
      'address A 192.0.2.10',
      'foreign A 198.51.100.7',
      'six AAAA 2001:db8:ffff::1',
      'cloud A 104.16.1.1',
      'text TXT "hello"',
      'loop CNAME pool',
      'pool CNAME loop',
      `doubled.shop.dev CNAME ${TARGET}.`,
      `deep CNAME ${TARGET}.`,
      '*.wild A 198.51.100.8',
      '*.alias CNAME other.host.dev.',
      'renamed DNAME renamed.other.dev.',
      `claimed CNAME ${TARGET}.`,
      `proved CNAME ${TARGET}.`,
      `_petstore.proved TXT "${TOKEN}"`,
    ],
  },
  { name: 'flat.dev', records: ['@ A 192.0.2.10', '@ AAAA 2001:db8:0:0::10', `_petstore TXT "petstore-project=" "abcdefgh23456789"`] },
  { name: 'unproved.dev', records: ['@ A 192.0.2.11'] },
  { name: 'mixed.dev', records: ['@ A 192.0.2.10', '@ A 198.51.100.9'] },
  { name: 'strange.dev', records: ['@ A 192.0.2.10', '@ AAAA 2001:db8:ffff::1', `_petstore TXT "${TOKEN}"`] },
  { name: 'https.dev', records: ['@ A 192.0.2.10', '@ HTTPS 0 Old.host.dev.', `_petstore TXT "${TOKEN}"`] },
  { name: 'own.dev', records: ['@ A 192.0.2.10', '@ HTTPS 1 . alpn=h2', `_petstore TXT "${TOKEN}"`] },
  // On the same servers as the zone above, which gives no referral.
  { name: 'below.shop.dev', records: ['deep TXT "x"', `www CNAME ${TARGET}.`] },
  { name: 'signed.dev', records: [`www CNAME ${TARGET}.`], signed: 'valid' },
  { name: 'stale.dev', records: [`www CNAME ${TARGET}.`], signed: 'expired' },
  { name: 'half.dev', records: [`www CNAME ${TARGET}.`], recordsOfSecond: ['www CNAME old.host.dev.'] },
  { name: 'bogus.dev', records: [`www CNAME ${TARGET}.`], bogus: true },
  { name: 'caa.dev', records: [`www CNAME ${TARGET}.`, '@ CAA 0 issue "other-ca.dev"', `ours CNAME ${TARGET}.`, `sub.ours CNAME ${TARGET}.`] },
  { name: 'allowed.dev', records: [`www CNAME ${TARGET}.`, '@ CAA 0 issue "ca.dev"', '@ CAA 0 iodef "mailto:a@allowed.dev"'] },
];

describe.runIf(nameServersInstalled)('diagnosis with Knot and Unbound', () => {
  let servers: NameServers;

  beforeAll(async () => {
    servers = await startNameServers(ZONES);
  });

  afterAll(() => servers.stop());

  async function diagnosisOf(host: string, change: Partial<Expected> = {}, recursives = [servers.recursive]) {
    const lookup = createDnsLookup({ recursives, authoritativePort: servers.authoritativePort, triesMs: [500], privateNetworks: true });
    const { facts, ownership } = await lookup.lookUp({ host, target: TARGET, token: TOKEN });
    const expected: Expected = {
      host,
      apex: isApex(host),
      target: TARGET,
      token: TOKEN,
      claimed: 'none',
      authority: { issuers: ['ca.dev'] },
      ...change,
    };
    return { facts, ...diagnose(expected, facts, ownership) };
  }

  test.each<[string, string, RegExp, RegExp, string]>([
    ['good.shop.dev', 'ok', /CNAME abcdefgh/, /nothing/, 'nobody'],
    ['goodcase.shop.dev', 'ok', /CNAME abcdefgh/, /nothing/, 'nobody'],
    [
      'missing.shop.dev',
      'not_found',
      /no CNAME and no addresses at missing\.shop\.dev/,
      /CNAME, name missing \(in full missing\.shop\.dev\), value abcdefgh/,
      'owner',
    ],
    ['text.shop.dev', 'not_found', /only other records/, /CNAME/, 'owner'],
    ['doubled.shop.dev', 'not_found', /CNAME abcdefgh\S+ at doubled\.shop\.dev\.shop\.dev, which is another name/, /name doubled \(in full/, 'owner'],
    ['www.deep.shop.dev', 'not_found', /CNAME abcdefgh\S+ at deep\.shop\.dev: if it is meant for/, /name www\.deep \(in full/, 'owner'],
    ['elsewhere.shop.dev', 'wrong_target', /other\.host\.dev/, /change the record to: CNAME/, 'owner'],
    [
      'suffixed.shop.dev',
      'wrong_target',
      /edge\.platform\.dev\.shop\.dev/,
      /type a dot at the end of the value, since your DNS provider has added shop\.dev/,
      'owner',
    ],
    ['relayed.shop.dev', 'indirect_cname', /relay\.platform\.dev, which ends up at/, /only a direct CNAME/, 'owner'],
    ['address.shop.dev', 'cname_required', /192\.0\.2\.10/, /use this record instead: CNAME, name address/, 'owner'],
    ['foreign.shop.dev', 'conflict_a', /A 198\.51\.100\.7/, /remove all A and AAAA records/, 'owner'],
    ['any.wild.shop.dev', 'conflict_a', /198\.51\.100\.8/, /wildcard/, 'owner'],
    ['six.shop.dev', 'conflict_aaaa', /2001:db8:ffff/, /remove all A and AAAA records/, 'owner'],
    ['cloud.shop.dev', 'proxied', /Cloudflare/, /gray cloud/, 'owner'],
    ['loop.shop.dev', 'cname_loop', /loop\.shop\.dev → pool\.shop\.dev → loop\.shop\.dev/, /change the record/, 'owner'],
    ['flat.dev', 'ok_flattened', /192\.0\.2\.10/, /nothing/, 'nobody'],
    [
      'unproved.dev',
      'ownership_required',
      /no TXT record at _petstore\.unproved\.dev/,
      /TXT, name _petstore \(in full _petstore\.unproved\.dev\), value petstore-project=/,
      'owner',
    ],
    ['mixed.dev', 'conflict_a', /A 198\.51\.100\.9/, /ALIAS or ANAME/, 'owner'],
    ['half.dev', 'not_found', /no CNAME and no addresses at half\.dev/, /ALIAS or ANAME, name @ \(that is half\.dev itself\)/, 'owner'],
    [
      'www.half.dev',
      'propagating',
      /ns1\.half\.dev \(127\.0\.0\.1\): CNAME abcdefgh.*ns2\.half\.dev \(127\.0\.0\.2\): CNAME old\.host\.dev/,
      /wait/,
      'nobody',
    ],
    ['www.bogus.dev', 'dnssec_bogus', /a DS record announces DNSSEC signatures for bogus\.dev, which has none/, /DS record/, 'owner'],
    ['www.signed.dev', 'ok', /CNAME/, /nothing/, 'nobody'],
    ['www.stale.dev', 'dnssec_bogus', /signatures of stale\.dev have expired/, /a new DS record does not help/, 'dns_provider'],
    ['strange.dev', 'conflict_aaaa', /AAAA 2001:db8:ffff::1 at strange\.dev, alongside our addresses/, /keep: ALIAS or ANAME/, 'owner'],
    ['https.dev', 'conflict_https', /HTTPS record at https\.dev that points to old\.host\.dev/, /remove the HTTPS record/, 'owner'],
    ['own.dev', 'ok_flattened', /192\.0\.2\.10/, /nothing/, 'nobody'],
    ['any.alias.shop.dev', 'wrong_target', /other\.host\.dev, from the wildcard record/, /^add the record: CNAME, name any\.alias/, 'owner'],
    [
      'www.renamed.shop.dev',
      'wrong_target',
      /www\.renamed\.other\.dev, from the DNAME record at renamed\.shop\.dev/,
      /remove the DNAME record/,
      'owner',
    ],
    ['www.expired.dev', 'unregistered', /expired\.dev is not in use|dev is not in use/, /if you have bought it/, 'owner'],
    ['www.kept.dev', 'not_found', /no CNAME/, /add the record/, 'owner'],
    ['www.below.shop.dev', 'ok', /CNAME/, /nothing/, 'nobody'],
    [
      'other.below.shop.dev',
      'not_found',
      /no CNAME/,
      /CNAME, name other \(in full other\.below\.shop\.dev\).*at the name servers of below\.shop\.dev/,
      'owner',
    ],
    ['deep.below.shop.dev', 'not_found', /only other records/, /name deep \(in full deep\.below/, 'owner'],
    ['below.shop.dev', 'not_found', /no CNAME/, /in the zone shop\.dev, remove the NS records of below\.shop\.dev/, 'owner'],
    [
      'www.caa.dev',
      'caa_blocked',
      /the CAA records at caa\.dev, such as 0 issue "other-ca\.dev"/,
      /CAA, name @ \(that is caa\.dev itself\), value 0 issue "ca\.dev"/,
      'owner',
    ],
    ['www.allowed.dev', 'ok', /CNAME/, /nothing/, 'nobody'],
  ])('%s is diagnosed as %s', async (host, code, seen, fix, actor) => {
    expect(await diagnosisOf(host)).toMatchObject({ code, seen: expect.stringMatching(seen), fix: expect.stringMatching(fix), actor });
  });

  test('a name that another account has claimed needs its TXT record', async () => {
    expect(await diagnosisOf('claimed.shop.dev', { claimed: 'other_account' })).toMatchObject({
      code: 'ownership_required',
      fix: expect.stringMatching(/another account has this name/),
    });
    expect(await diagnosisOf('proved.shop.dev', { claimed: 'other_account' })).toMatchObject({ code: 'ok' });
    expect(await diagnosisOf('proved.shop.dev', { claimed: 'other_account', token: 'other' })).toMatchObject({
      code: 'ownership_required',
      seen: expect.stringContaining(TOKEN),
    });
  });

  test('queries resolvers for a name only once it exists, because they cache its absence', async () => {
    expect((await diagnosisOf('missing.shop.dev')).facts).toMatchObject({ recursive: [], caa: [] });
    const asked = await query(servers.recursive, { name: 'missing.shop.dev', type: 'CNAME' });
    // If recursion is not requested, the resolver returns only what it has cached.
    expect(asked).not.toMatchObject({ kind: 'answer', exists: false });
  });

  test('skips a silent recursive resolver', async () => {
    const silent = { address: '127.0.0.3', port: servers.recursive.port };
    expect(await diagnosisOf('good.shop.dev', {}, [silent, servers.recursive])).toMatchObject({ code: 'ok' });
    const { facts } = await diagnosisOf('good.shop.dev', {}, [silent, servers.recursive]);
    expect(facts.recursive.map(({ kind }) => kind)).toEqual(['failed', 'records']);
  });

  test('reports that nothing is known if no server answers', async () => {
    const silent = { address: '127.0.0.3', port: servers.recursive.port };
    expect(await diagnosisOf('good.shop.dev', {}, [silent])).toMatchObject({ code: 'dns_unreachable', actor: 'platform' });
  });
});
