// A domain's workflow, interrupted and failing at every point: it reaches the right final state, leaves nothing behind, and requests no second
// certificate.

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { adviceOf } from '../../core/domains/diagnosis/advice.ts';
import type { DnsFacts, ServerAnswer } from '../../core/domains/diagnosis/dns-facts.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { domainView } from '../../core/domains/domain-view.ts';
import { transition } from '../../core/domains/lifecycle.ts';
import { AuthoritySilent, type CertificateStatus } from '../../core/domains/ports.ts';
import { ownershipToken, projectTarget } from '../../core/domains/records.ts';
import { type CertificateLife, renewalDueAt } from '../../core/domains/renewal.ts';
import type { DomainWork } from '../../core/domains/work.ts';
import { EMPTY_CONFIGURATION } from '../../core/projects/project.ts';
import { advance } from '../../service/workflow/advance.ts';
import { sampleProject } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { makeInstallation } from '../support/folders.ts';
import { emptyEdge } from '../support/sweeps.ts';

const HOST = 'www.shop.dev';
const DAY_MS = 86_400_000;
const ISSUED: CertificateStatus = { kind: 'issued', life: { notBefore: NOON, notAfter: NOON + 90 * DAY_MS }, issuer: 'CA' };
const EDGE = 'edge.platform.dev';

/** The outside world in memory. It counts everything that is created in it, and fails on demand. */
class World {
  target = '';
  txt: string[] = [];
  readonly certificates = new Map<string, string>();
  readonly served = new Map<string, string>();
  requests = 0;
  status: CertificateStatus = ISSUED;
  /** The lifetimes of certificates by reference, for those that differ. */
  lifeOf: ((reference: string) => CertificateLife) | undefined;
  serving = true;
  /** What resolvers see, if it is not what is configured. */
  behind: readonly ServerAnswer[] = [];
  released = true;
  readonly withdrawn: string[] = [];
  /** The external call that fails; undefined if none does. With `after`, the call has done its work, and only the answer is lost. */
  failAt: { readonly call: number; readonly after: boolean } | undefined;
  calls = 0;

  async outside<T>(work: () => T): Promise<T> {
    this.calls += 1;
    const fails = this.failAt?.call === this.calls;
    if (fails && !this.failAt?.after) throw new Error('fault before');
    const result = work();
    if (fails) throw new Error('fault after');
    return result;
  }

  facts(host: string): DnsFacts {
    const records = { cname: this.target === '' ? [] : [this.target], a: [], aaaa: [], txt: [] };
    const answer = { server: 'ns', kind: 'records', records } as const;
    return {
      host,
      zone: 'shop.dev',
      nameServers: ['clark.ns.cloudflare.com', 'mallory.ns.cloudflare.com'],
      authoritative: [answer],
      recursive: this.behind.length > 0 ? this.behind : [answer],
      chain: [],
      loops: false,
      edge: { a: [], aaaa: [] },
      misplaced: undefined,
      caa: [],
      ...{ registered: true, bogus: undefined, referred: [], rotating: false, wildcard: false },
    };
  }
}

let stores: SqliteStores;
let world: World;
let now: number;
let work: DomainWork;

beforeEach(async () => {
  const folder = makeInstallation();
  stores = openSqliteStores(folder.path);
  world = new World();
  now = NOON;
  const outside = world;
  work = {
    domains: stores.domains,
    projects: stores.projects,
    accounts: stores.accounts,
    dns: { lookUp: ({ host }) => outside.outside(() => ({ facts: outside.facts(host), ownership: outside.txt })), zoneOf: async () => undefined },
    authority: {
      caaIdentity: async () => ({ issuers: ['ca.dev'] }),
      request: (host, requestId) =>
        outside.outside(() => {
          if (!outside.certificates.has(requestId)) outside.requests += 1;
          outside.certificates.set(requestId, host);
          return `ref:${requestId}`;
        }),
      check: (reference) =>
        outside.outside(() => (outside.lifeOf === undefined ? outside.status : { kind: 'issued', life: outside.lifeOf(reference), issuer: 'CA' })),
      renewsAutomatically: false,
      release: ({ id }, except) =>
        outside.outside(() => {
          for (const requestId of outside.certificates.keys()) {
            if (requestId.startsWith(`${id}-`) && `ref:${requestId}` !== except) outside.certificates.delete(requestId);
          }
        }),
    },
    edge: {
      attach: ({ host, projectId }) => outside.outside(() => void outside.served.set(host, projectId)),
      isServing: () => outside.outside(() => outside.serving),
      release: () => outside.outside(() => outside.released),
      publish: async ({ id }, current, hosts = []) => {
        const publication = await current();
        return outside.outside(() => {
          for (const host of hosts) if (outside.served.get(host) === id && !publication?.hosts.includes(host)) outside.served.delete(host);
        });
      },
      ...emptyEdge,
    },
    edgeHost: EDGE,
    publisher: {
      publish: async () => ({ kind: 'published' }),
      manages: async () => false,
      withdraw: async (_accountId, host) => void outside.withdrawn.push(host),
    },
    rules: async () => ({ policy: { ours: [EDGE], extraSuffixes: [] }, edge: { host: EDGE } }),
    clock: () => now,
  };
  return () => {
    stores.close();
    folder.remove();
  };
});

/** @param of the account. @default a new one */
async function makeDomain(token = 'abcdefgh23456789', host = HOST, of?: string): Promise<Domain> {
  const account = { ...sampleAccount(), plan: 'pro' as const, ...(of !== undefined && { id: of }) };
  await stores.accounts.createAccount(account);
  const projectId = `prj_${token}`;
  await stores.projects.createProject({
    id: projectId,
    accountId: account.id,
    name: 'Shop',
    token,
    createdAt: NOON,
    currentDeploymentId: undefined,
    configuration: EMPTY_CONFIGURATION,
  });
  await stores.projects.deploy({ id: `dpl_${token}`, projectId, createdAt: NOON, files: 1, bytes: 1 });
  const domain = newDomain({ id: `dom_${token}`, host, projectId, accountId: account.id }, NOON);
  await stores.domains.addDomain(domain);
  return domain;
}

async function command(domain: Domain, kind: 'verify' | 'remove'): Promise<void> {
  const read = (await stores.domains.getDomain(domain.id)) as Domain;
  const result = transition(read, { kind }, now);
  if (result.kind !== 'moved') throw new Error(result.kind);
  expect(await stores.domains.saveDomain(result.domain, read)).toBe('saved');
}

const stateOf = async (domain: Domain) => (await stores.domains.getDomain(domain.id))?.state;

/** Runs whenever a check of the domain is due, as the timers do. */
async function run(domain: Domain, until: string, rounds = 50): Promise<void> {
  for (let round = 0; round < rounds && (await stateOf(domain))?.name !== until; round += 1) {
    await advance(work, domain.id).catch(() => {});
    now += 60_000;
  }
  expect((await stateOf(domain))?.name).toBe(until);
}

describe("a domain's workflow", () => {
  test('performs all steps at once if there is nothing to wait for', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'live', certificate: `ref:${domain.id}-g1` });
    expect([world.requests, [...world.served]]).toEqual([1, [[HOST, domain.projectId]]]);
    await command(domain, 'remove');
    expect((await advance(work, domain.id))?.state.name).toBe('removed');
    expect([world.certificates.size, world.served.size]).toEqual([0, 0]);
  });

  test('waits for the record, the certificate and the edge', async () => {
    const domain = await makeDomain();
    await command(domain, 'verify');
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'verifying', checks: 1, diagnosis: { code: 'not_found' } });
    world.target = projectTarget('abcdefgh23456789', EDGE);
    world.status = { kind: 'pending' };
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'certificate_pending', checks: 1 });
    world.status = ISSUED;
    world.serving = false;
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'attaching', checks: 1 });
    world.serving = true;
    expect((await advance(work, domain.id))?.state.name).toBe('live');
  });

  test("names the account's other project to which a record leads, and nobody else's", async () => {
    const domain = await makeDomain();
    const other = sampleProject({ id: 'prj_other', accountId: domain.accountId, name: 'Café', token: 'zyxwvuts98765432' });
    await stores.projects.createProject(other);
    const stranger = await makeDomain('stranger23456789', 'www.stranger.dev');
    await command(domain, 'verify');
    const seenWith = async (token: string) => {
      world.target = projectTarget(token, EDGE);
      now += 7_200_000;
      const { state } = (await advance(work, domain.id)) as Domain;
      return state.name === 'verifying' ? state.diagnosis?.seen : state.name;
    };
    expect(await seenWith(other.token)).toBe(`a CNAME to zyxwvuts98765432.${EDGE}, which is for your project "Café"`);
    expect(await seenWith('stranger23456789')).toBe(`a CNAME to stranger23456789.${EDGE}`);
    expect(stranger.accountId).not.toBe(domain.accountId);
  });

  test("does not read the account's projects for a record that is right", async () => {
    const domain = await makeDomain();
    const listProjects = vi.spyOn(stores.projects, 'listProjects');
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    expect((await advance(work, domain.id))?.state.name).toBe('live');
    expect(listProjects).not.toHaveBeenCalled();
  });

  test('waits for caches for as long as they said, and no longer, however often it looks', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    world.behind = [{ server: '9.9.9.9', kind: 'none', ttlSeconds: 600 }];
    await command(domain, 'verify');
    const actors: unknown[] = [];
    for (let minute = 0; minute <= 30; minute += 10) {
      const { state } = (await advance(work, domain.id)) as Domain;
      actors.push(state.name === 'verifying' && [minute, state.diagnosis?.code, state.diagnosis?.actor]);
      now += 600_000;
    }
    expect(actors).toEqual([
      [0, 'propagating', 'nobody'],
      [10, 'propagating', 'nobody'],
      [20, 'propagating', 'nobody'],
      [30, 'propagating', 'dns_provider'],
    ]);
    world.behind = [];
    expect((await advance(work, domain.id))?.state.name).toBe('live');
  });

  test('remembers the zone that a check saw, and whether its records can be set for the owner', async () => {
    const domain = await makeDomain();
    let managed: () => Promise<boolean> = async () => true;
    work = { ...work, publisher: { ...work.publisher, manages: () => managed() } };
    await command(domain, 'verify');
    const zone = { name: 'shop.dev', nameServers: ['clark.ns.cloudflare.com', 'mallory.ns.cloudflare.com'] };
    expect((await advance(work, domain.id))?.zone).toEqual({ ...zone, editable: true, at: now });
    // The DNS check is worth more than this: it goes on with what is known.
    managed = () => Promise.reject(new Error('throttled'));
    now += 60_000;
    expect((await advance(work, domain.id))?.zone).toEqual({ ...zone, editable: true, at: now });
    managed = async () => false;
    now += 60_000;
    expect((await advance(work, domain.id))?.zone).toEqual({ ...zone, editable: false, at: now });
  });

  test('begins the redirects that wait for the domain when it goes live, and repeats the step if that fails', async () => {
    const domain = await makeDomain();
    const other = { ...domain, id: 'dom_other', host: 'shop.dev', redirectTo: HOST };
    await stores.domains.addDomain(other);
    world.target = projectTarget('abcdefgh23456789', EDGE);
    const { putConfiguration } = stores.projects;
    await putConfiguration(domain.projectId, { domains: { redirects: [] }, logs: { access: true } });
    let fails = true;
    work = {
      ...work,
      projects: { ...work.projects, putConfiguration: (...args) => (fails ? Promise.reject(new Error('down')) : putConfiguration(...args)) },
    };
    await command(domain, 'verify');
    await expect(advance(work, domain.id)).rejects.toThrow('down');
    expect((await stateOf(domain))?.name).toBe('attaching');
    fails = false;
    expect((await advance(work, domain.id))?.state.name).toBe('live');
    expect((await stores.projects.getProject(domain.projectId))?.configuration).toEqual({
      domains: { redirects: [{ from: 'shop.dev', to: HOST, status: 301 }] },
      logs: { access: true },
    });
    expect((await stores.domains.getDomain(other.id))?.redirectTo).toBeUndefined();
  });

  test('goes on by itself after an attempt that failed, and says why it is late', async () => {
    const told: string[] = [];
    work = { ...work, warn: (message) => told.push(message) };
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    world.status = { kind: 'failed', failure: 'rate_limited', detail: 'too many certificates', retryAt: now + 2 * 3_600_000 };
    await command(domain, 'verify');
    const late = (await advance(work, domain.id)) as Domain;
    expect(late).toMatchObject({
      state: { name: 'certificate_pending', nextCheckAt: now + 2 * 3_600_000 },
      lastFailure: { failure: 'rate_limited', detail: 'too many certificates', attempts: 1 },
    });
    expect(adviceOf(late, now)).toMatchObject({ code: 'certificate_late', actor: 'nobody' });
    expect(told).toEqual([
      `${HOST}: no certificate yet (rate_limited: too many certificates); failed attempts: 1, the next one at ${new Date(now + 2 * 3_600_000).toISOString()}`,
    ]);
    now += 2 * 3_600_000;
    world.status = ISSUED;
    expect((await advance(work, domain.id))?.state.name).toBe('certificate_pending');
    expect(await advance(work, domain.id)).toMatchObject({ state: { name: 'live' } });
    expect((await stores.domains.getDomain(domain.id))?.lastFailure).toBeUndefined();
  });

  test('looks at the record before each attempt, and asks for no certificate while it is wrong', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    world.status = { kind: 'failed', failure: 'other', detail: 'the server has a fault' };
    await command(domain, 'verify');
    await advance(work, domain.id);
    world.target = 'elsewhere.dev';
    now += 60_000;
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'verifying', diagnosis: { code: 'wrong_target' } });
    expect(world.requests).toBe(1);
  });

  test('reports a name that is refused again and again as one that gets no certificate, and still goes on', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    world.status = { kind: 'failed', failure: 'name_refused', detail: 'the policy forbids this name' };
    await command(domain, 'verify');
    for (let round = 0; round < 6; round += 1) {
      await advance(work, domain.id);
      now += 7 * 3_600_000;
    }
    const refused = (await stores.domains.getDomain(domain.id)) as Domain;
    expect(refused.state).toMatchObject({ name: 'certificate_failed', failure: 'name_refused' });
    expect(adviceOf(refused, now)).toMatchObject({ code: 'certificate_refused', actor: 'owner' });
    world.status = ISSUED;
    now += 8 * DAY_MS;
    await run(domain, 'live');
  });

  // Eight external calls are made between verify and removed; each one fails once before doing its work, and once after.
  test.each(Array.from({ length: 8 }, (_, call) => [call + 1, true] as const).flatMap(([call]) => [[call, false] as const, [call, true] as const]))(
    'recovers if external call %i fails (its work done: %s)',
    async (call, after) => {
      const domain = await makeDomain();
      world.target = projectTarget('abcdefgh23456789', EDGE);
      world.failAt = { call, after };
      await command(domain, 'verify');
      await run(domain, 'live');
      expect([world.requests, world.certificates.size, world.served.get(HOST)]).toEqual([1, 1, domain.projectId]);
      await command(domain, 'remove');
      await run(domain, 'removed');
      expect([world.requests, world.certificates.size, world.served.size]).toEqual([1, 0, 0]);
      expect(world.calls).toBeGreaterThan(call);
    },
  );

  test('lets a removal during a step win', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    const attach = work.edge.attach;
    let once = true;
    const interrupted: DomainWork = {
      ...work,
      edge: {
        ...work.edge,
        attach: async (...args) => {
          await attach(...args);
          if (once) await command(domain, 'remove');
          once = false;
        },
      },
    };
    expect((await advance(interrupted, domain.id))?.state.name).toBe('removing');
    expect((await advance(work, domain.id))?.state.name).toBe('removed');
    expect([world.certificates.size, world.served.size]).toEqual([0, 0]);
  });

  test('performs each step only once with concurrent workers', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await Promise.all(Array.from({ length: 4 }, () => advance(work, domain.id)));
    await run(domain, 'live');
    expect(world.requests).toBe(1);
  });

  test('stops before the edge if the plan no longer allows domains or the account is deleted', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await stores.accounts.setPlan(domain.accountId, 'free', { perMinute: 60, perDay: 1_000 });
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'suspended', reason: 'plan' });
    expect(world.served.size).toBe(0);
  });

  test('stops serving a live domain if its plan no longer allows domains; Verify restores it', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await run(domain, 'live');
    await stores.accounts.setPlan(domain.accountId, 'free', { perMinute: 60, perDay: 1_000 });
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'suspended', reason: 'plan' });
    expect(world.served.size).toBe(0);
    await stores.accounts.setPlan(domain.accountId, 'business', { perMinute: 1_000, perDay: 100_000 });
    await command(domain, 'verify');
    await run(domain, 'live');
    expect(world.served.size).toBe(1);
  });

  test('lets an account that proves a name with a TXT record take it over, with its traffic', async () => {
    const [first, second] = [await makeDomain('abcdefgh23456789'), await makeDomain('bcdefgh23456789a')];
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(first, 'verify');
    await run(first, 'live');
    world.target = projectTarget('bcdefgh23456789a', EDGE);
    await command(second, 'verify');
    expect((await advance(work, second.id))?.state).toMatchObject({ name: 'verifying', diagnosis: { code: 'ownership_required' } });
    world.txt = [ownershipToken('bcdefgh23456789a')];
    await run(second, 'live');
    expect(world.served.get(HOST)).toBe(second.projectId);
    await run(first, 'taken_over');
    // The previous owner sees when this happened and because of which record, and may remove the domain or claim it again with another record.
    const lost = await work.domains.getDomain(first.id);
    expect(lost?.lost).toEqual({ at: expect.any(Number), proof: `_petstore.${HOST}` });
    expect(lost && adviceOf(lost, now)).toMatchObject({
      code: 'taken_over',
      seen: expect.stringMatching(/another account proved on 20.*TXT record at _petstore/),
    });
    expect((await stores.domains.listDomains(first.projectId)).map(({ id }) => id)).toEqual([first.id]);
    expect(world.served.get(HOST)).toBe(second.projectId);
    expect([...world.certificates.keys()]).toEqual([`${second.id}-g1`]);
  });

  test('a name that moves between projects of an account is not taken over: it leaves the one for the other', async () => {
    const first = await makeDomain('abcdefgh23456789');
    const second = await makeDomain('bcdefgh23456789a', HOST, first.accountId);
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(first, 'verify');
    await run(first, 'live');
    world.target = projectTarget('bcdefgh23456789a', EDGE);
    world.txt = [ownershipToken('bcdefgh23456789a')];
    await command(second, 'verify');
    await run(second, 'live');
    await run(first, 'removed');
    expect(await stores.domains.listDomains(first.projectId)).toEqual([]);
    expect(world.served.get(HOST)).toBe(second.projectId);
    expect([...world.certificates.keys()]).toEqual([`${second.id}-g1`]);
  });

  test('goes on while an authority is silent: the owner and the operator see it, and nothing is requested twice', async () => {
    const told: string[] = [];
    work = { ...work, warn: (message) => told.push(message) };
    const { request } = work.authority;
    work.authority.request = async () => Promise.reject(new AuthoritySilent('no route'));
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    for (let times = 1; times <= 3; times += 1) {
      const after = (await advance(work, domain.id)) as Domain;
      expect(after).toMatchObject({ state: { name: 'certificate_pending' }, lastFailure: { attempts: times, detail: 'no route' } });
      expect(adviceOf(after, now)).toMatchObject({ code: 'certificate_late', actor: 'nobody' });
      now = after.lastFailure?.nextTryAt ?? 0;
    }
    expect(told).toHaveLength(3);
    work.authority.request = request;
    await run(domain, 'live');
    expect(world.requests).toBe(1);
  });

  test('does not treat a domain that does not exist as a fault', async () => {
    expect(await advance(work, 'dom_nobody')).toBeUndefined();
  });

  test('checks a live domain every day, and keeps serving it while its record is wrong', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await run(domain, 'live');
    world.target = 'elsewhere.dev';
    now += DAY_MS;
    await advance(work, domain.id);
    expect((await stateOf(domain))?.name).toBe('live');
    // On the same day.
    now += 3_600_000;
    await advance(work, domain.id);
    expect(await stateOf(domain)).toMatchObject({ name: 'degraded', diagnosis: { code: 'wrong_target' } });
    expect(world.served.size).toBe(1);
    world.target = projectTarget('abcdefgh23456789', EDGE);
    now += 3_600_000;
    expect((await advance(work, domain.id))?.state.name).toBe('live');
  });

  test('renews a certificate in time, attaches it and deletes the old one, only once even if calls fail', async () => {
    for (let call = 0; call <= 9; call += 1) {
      for (const after of [false, true]) {
        const token = `renew${call}${after ? 'after' : 'before'}`;
        const domain = await makeDomain(token, `www.${token}.dev`);
        world.target = projectTarget(token, EDGE);
        await command(domain, 'verify');
        await run(domain, 'live');
        const before = world.requests;
        const old = { notBefore: now - 80 * DAY_MS, notAfter: now + 10 * DAY_MS };
        const renewed = { notBefore: now, notAfter: now + 90 * DAY_MS };
        world.lifeOf = (reference) => (reference.includes('-r') ? renewed : old);
        world.failAt = call === 0 ? undefined : { call: world.calls + call, after };
        for (let round = 0; round < 12; round += 1) {
          await advance(work, domain.id).catch(() => {});
          now += 3_600_000;
        }
        const state = await stateOf(domain);
        expect(state, token).toMatchObject({ name: 'live', certificate: expect.stringMatching(/-g1-r\d+$/) });
        expect([world.requests - before, [...world.certificates.keys()].filter((id) => id.startsWith(domain.id)).length], token).toEqual([1, 1]);
        world.lifeOf = undefined;
        world.failAt = undefined;
      }
    }
  });

  test('remembers the certificate that it is served with, also after its renewal', async () => {
    const life = { notBefore: NOON, notAfter: NOON + 90 * DAY_MS };
    world.status = { kind: 'issued', life, issuer: "Let's Encrypt" };
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    const live = await advance(work, domain.id);
    const renewAt = renewalDueAt(life, domain.id);
    expect(live?.certificate).toEqual({ issuer: "Let's Encrypt", ...life, renewAt });
    expect(domainView(live as Domain, now).certificate).toMatchObject({
      issuer: "Let's Encrypt",
      notAfter: new Date(life.notAfter).toISOString(),
      renewsAt: new Date(renewAt).toISOString(),
    });
    now = renewAt;
    for (let round = 0; round < 3; round += 1) await advance(work, domain.id);
    expect(await stores.domains.getDomain(domain.id)).toMatchObject({
      certificate: { issuer: "Let's Encrypt" },
      state: { name: 'live', certificate: expect.stringContaining('-r') },
    });
    world.status = { kind: 'issued', life: undefined };
    const [, again] = [await command(domain, 'remove'), await stateOf(domain)];
    expect(again?.name).toBe('removing');
    expect(domainView((await stores.domains.getDomain(domain.id)) as Domain, now).certificate).toBeNull();
  });

  test('does not renew a certificate early, nor without the record, nor while the authority asks it to wait', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await run(domain, 'live');
    const first = await stateOf(domain);
    const look = async () => {
      await advance(work, domain.id);
      now += DAY_MS;
      return (await stateOf(domain)) as { certificate?: string };
    };
    expect(await look()).toMatchObject({ certificate: (first as { certificate: string }).certificate });
    world.status = { kind: 'issued', life: { notBefore: now - 80 * DAY_MS, notAfter: now + 10 * DAY_MS } };
    world.target = 'elsewhere.dev';
    await look();
    expect(world.requests).toBe(1);
    world.target = projectTarget('abcdefgh23456789', EDGE);
    const check = work.authority.check;
    // The old certificate is in use; the new one is still pending.
    work = {
      ...work,
      authority: { ...work.authority, check: async (reference) => (reference.includes('-r') ? { kind: 'pending' } : check(reference)) },
    };
    await look();
    await look();
    expect(world.requests).toBe(2);
    expect(await stateOf(domain)).toMatchObject({ certificate: (first as { certificate: string }).certificate });
  });

  test('leaves renewal to an authority that renews automatically', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    work = { ...work, authority: { ...work.authority, renewsAutomatically: true } };
    await command(domain, 'verify');
    await run(domain, 'live');
    world.status = { kind: 'issued', life: { notBefore: now - 87 * DAY_MS, notAfter: now + 3 * DAY_MS } };
    const look = async () => {
      now += 12 * 3_600_000;
      await advance(work, domain.id);
    };
    for (let times = 0; times < 2; times += 1) await look();
    expect([world.requests, (await stateOf(domain))?.name]).toEqual([1, 'live']);
    // It says that it can't: the owner is told, and it is not asked for another one.
    const problem = { failure: 'validation', detail: 'not reachable' } as const;
    world.status = { ...world.status, life: { notBefore: now - 87 * DAY_MS, notAfter: now + 3 * DAY_MS }, problem };
    for (let times = 0; times < 2; times += 1) await look();
    const troubled = (await stores.domains.getDomain(domain.id)) as Domain;
    expect([world.requests, troubled.state, troubled.lastFailure]).toMatchObject([1, { name: 'live', late: true }, problem]);
    expect(adviceOf(troubled, now)).toMatchObject({ code: 'renewal_late' });
    world.status = { kind: 'issued', life: { notBefore: now, notAfter: now + 90 * DAY_MS } };
    for (let times = 0; times < 3; times += 1) await look();
    const mended = (await stores.domains.getDomain(domain.id)) as Domain;
    expect([mended.state.name, 'late' in mended.state, mended.lastFailure]).toEqual(['live', false, undefined]);
    // One that is dead is replaced.
    world.lifeOf = (reference) => (reference.includes('-r') ? { notBefore: now, notAfter: now + 90 * DAY_MS } : { notBefore: 0, notAfter: 1 });
    for (let times = 0; times < 4; times += 1) await look();
    expect(await stateOf(domain)).toMatchObject({ name: 'live', certificate: expect.stringContaining('-r') });
  });

  test('deletes published records with the domain, and keeps other records', async () => {
    const [ours, theirs] = [await makeDomain(), await makeDomain('bcdefgh23456789a', 'www.theirs.dev')];
    expect(await stores.domains.saveDomain({ ...ours, published: true }, ours)).toBe('saved');
    for (const domain of [ours, theirs]) {
      await command(domain, 'remove');
      await run(domain, 'removed');
    }
    expect(world.withdrawn).toEqual([HOST]);
  });

  test('retries a slow teardown', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await run(domain, 'live');
    world.released = false;
    await command(domain, 'remove');
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'removing', checks: 1 });
    expect([world.served.size, world.certificates.size]).toEqual([0, 1]);
    for (let round = 0; round < 30; round += 1) await advance(work, domain.id);
    expect(await stateOf(domain)).toMatchObject({ name: 'removing', nextCheckAt: now + 300_000 });
    world.released = true;
    expect((await advance(work, domain.id))?.state.name).toBe('removed');
    expect(world.certificates.size).toBe(0);
  });
});
