// What the whole service shows to owners whose zones are on real servers; following its advice leads to a live domain.

import dnsPacket from 'dns-packet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-edge.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { verifyDomain } from '../../core/domains/actions.ts';
import { type Advice, adviceOf } from '../../core/domains/diagnosis/advice.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { EMPTY_CONFIGURATION } from '../../core/projects/project.ts';
import { sampleAccount } from '../../testing/samples.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { type DelegatedDns, delegatedDnsInstalled, startDelegatedDns } from '../support/delegated-dns.ts';
import { makeFolder } from '../support/folders.ts';
import type { Reply, Script } from '../support/scripted-dns.ts';

const EDGE = 'edge.platform.dev';
const TOKEN = 'abcdefgh23456789';
const TARGET = `${TOKEN}.${EDGE}`;
const PROOF = `petstore-project=${TOKEN}`;
const RECORD = `www CNAME ${TARGET}.`;

/** Answers as CDNs do: each response has a different two of eight addresses. */
let asked = 0;
const twoOfEight = (name: string): Reply => {
  asked += 1;
  return { answers: [0, 1].map((n) => ({ type: 'A', name, ttl: 1, data: `192.0.2.${((2 * asked + n) % 8) + 1}` })) };
};

/** What the owners of the scripted zones have done so far. */
const done = new Set<string>();

const script: Script = ({ name, type }, _transport, query) => {
  const zone = name.split('.').slice(-2).join('.');
  if (zone === 'upward.dev' && !done.has('upward')) {
    // Answers as old servers do when queried for unknown names: "ask the root".
    const root = { type: 'NS', name: '.', ttl: 60, data: 'a.root' } as const;
    return { raw: dnsPacket.encode({ type: 'response', id: query.id, questions: query.questions, authorities: [root] }) };
  }
  if (name === zone && type === 'NS') return { answers: [{ type: 'NS', name, ttl: 60, data: `ns.${zone}` }] };
  if (name === `ns.${zone}` && type === 'A') return { answers: [{ type: 'A', name, ttl: 60, data: '127.0.0.14' }] };
  if (name === 'www.upward.dev') return { answers: [{ type: 'CNAME', name, ttl: 60, data: TARGET }] };
  if (type === 'A' && (name === 'rotating.dev' || name.endsWith(`.${EDGE}`))) return twoOfEight(name);
  if (type === 'TXT' && name === '_petstore.rotating.dev' && done.has('proof')) return { answers: [{ type: 'TXT', name, ttl: 60, data: PROOF }] };
  const soa = { type: 'SOA', name: zone, ttl: 60, data: { mname: `ns.${zone}`, rname: `hostmaster.${zone}`, minimum: 60 } } as const;
  return { authorities: [soa] };
};

describe.runIf(delegatedDnsInstalled)('a domain whose zone is served by other servers than those that its parent zone names', () => {
  const folder = makeFolder();
  let dns: DelegatedDns;
  let host: ControlHost;
  let stores: SqliteStores;

  beforeAll(async () => {
    dns = await startDelegatedDns({
      zones: { 'bogus.dev': [RECORD], 'late.dev': [], 'silent.dev': undefined, 'parked.dev': ['* A 198.51.100.7', '@ A 198.51.100.7'] },
      unknown: ['refused.dev'],
      scripted: ['upward.dev', 'rotating.dev', 'platform.dev'],
      script,
      wrongDs: ['bogus.dev'],
    });
    host = await startControlHost(folder.path, 0, {
      PETSTORE_DNS_SERVERS: `${dns.resolver}:${dns.port}`,
      PETSTORE_DNS_PORT: String(dns.port),
      PETSTORE_DNS_PRIVATE_NETWORKS: 'on',
      PETSTORE_EDGE_NAME: EDGE,
    });
    stores = openSqliteStores(folder.path);
    const account = { ...sampleAccount(undefined, Date.now()), plan: 'pro' as const };
    await stores.accounts.createAccount(account);
    await stores.projects.createProject({
      ...{ id: 'prj_1', accountId: account.id, name: 'Shop', token: TOKEN, createdAt: Date.now(), currentDeploymentId: 'dpl_1' },
      configuration: EMPTY_CONFIGURATION,
    });
  });

  afterAll(async () => {
    expect(host.faults).toEqual([]);
    stores.close();
    await host.stop();
    await dns.stop();
    folder.remove();
  });

  async function add(name: string): Promise<string> {
    const accountId = (await stores.projects.getProject('prj_1'))?.accountId ?? '';
    const id = `dom_${name.replaceAll('.', '')}`;
    await stores.domains.addDomain(newDomain({ id, host: name, projectId: 'prj_1', accountId }, Date.now()));
    return id;
  }

  /** @returns the advice to the owner; 'live' once there is none left */
  async function verify(id: string): Promise<Advice | 'live'> {
    const platform = { ...stores, edge: createSqliteEdgeMap(stores.database), workflow: { start: async () => {} } };
    const current = async () => (await stores.domains.getDomain(id)) as Domain;
    expect(await verifyDomain(platform, await current(), Date.now())).toMatchObject({ ok: true });
    await expect.poll(async () => isSettled(await current())).toBe(true);
    const domain = await current();
    return domain.state.name === 'live' ? 'live' : (adviceOf(domain, Date.now()) as Advice);
  }

  const isSettled = ({ state }: Domain) =>
    state.name === 'verifying' ? state.checks > 0 : !['verified', 'certificate_pending', 'attaching'].includes(state.name);

  test.each<[what: string, host: string, told: object, fix: () => Promise<void> | void]>([
    [
      'a DS record that matches no key',
      'www.bogus.dev',
      { code: 'dnssec_bogus', actor: 'owner', fix: expect.stringMatching(/switch DNSSEC off where bogus\.dev is registered/) },
      () => dns.removeDs('bogus.dev'),
    ],
    [
      'a server without a file for its zone',
      'www.silent.dev',
      { code: 'dns_unreachable', actor: 'dns_provider', seen: expect.stringContaining('ns.silent.dev (127.0.0.12) reports an internal failure') },
      () => dns.setZone('silent.dev', [RECORD]),
    ],
    [
      'a server that does not know the zone',
      'www.refused.dev',
      { code: 'dns_unreachable', actor: 'owner', fix: expect.stringMatching(/^add refused\.dev at the DNS provider/) },
      () => dns.setZone('refused.dev', [RECORD]),
    ],
    [
      'a server that refers to the root',
      'www.upward.dev',
      { code: 'dns_unreachable', actor: 'owner', seen: expect.stringContaining('is not responsible for this name') },
      () => void done.add('upward'),
    ],
    [
      'a name that does not exist yet, whose absence resolvers would cache for an hour',
      'www.late.dev',
      { code: 'not_found', actor: 'owner', fix: `add the record: CNAME, name www (in full www.late.dev), value ${TARGET}` },
      () => dns.setZone('late.dev', [RECORD]),
    ],
    [
      'a wildcard',
      'www.parked.dev',
      {
        code: 'conflict_a',
        actor: 'owner',
        fix: expect.stringMatching(/^it comes from the wildcard record \*, which can stay; add the record: CNAME, name www/),
      },
      () => dns.setZone('parked.dev', ['* A 198.51.100.7', RECORD]),
    ],
    [
      'an ALIAS whose answers rotate through several addresses',
      'rotating.dev',
      {
        code: 'ownership_required',
        actor: 'owner',
        fix: expect.stringContaining(`add the record: TXT, name _petstore (in full _petstore.rotating.dev), value ${PROOF}`),
      },
      () => void done.add('proof'),
    ],
  ])('%s', async (_, name, told, fix) => {
    const id = await add(name);
    // A server that a busy machine keeps from answering in time is said to be unreachable. A domain is verified six times a minute at most.
    const patience = { interval: 11_000, timeout: 130_000 };
    await expect.poll(() => verify(id), patience).toMatchObject(told);
    await fix();
    await expect.poll(() => verify(id), patience).toBe('live');
  });

  test('a name that is not registered', async () => {
    expect(await verify(await add('www.nobody-has-this.dev'))).toMatchObject({
      code: 'unregistered',
      seen: 'nobody-has-this.dev is not in use: not registered, expired or on hold',
    });
  });
});
