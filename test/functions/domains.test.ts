// The work on a domain, cut off and failing wherever it can: it ends right, nothing is left over, no second certificate is asked for.

import { beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { DnsFacts } from '../../core/domains/dns-facts.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { transition } from '../../core/domains/lifecycle.ts';
import { ownershipToken, projectTarget } from '../../core/domains/project-target.ts';
import type { CertificateStatus } from '../../core/ports.ts';
import { EMPTY_CONFIGURATION } from '../../core/projects/project.ts';
import { advance, type DomainWork } from '../../functions/domains/advance.ts';
import { makeFolder } from '../support/folders.ts';
import { NOON, sampleAccount } from '../support/samples.ts';

const HOST = 'www.shop.dev';
const EDGE = 'edge.platform.dev';

/** The outside world in memory, which counts what is made of it and fails when told to. */
class World {
  target = '';
  txt: string[] = [];
  readonly certificates = new Map<string, string>();
  readonly served = new Map<string, string>();
  requests = 0;
  status: CertificateStatus = { kind: 'issued', notAfter: NOON + 1 };
  serving = true;
  /** Outside calls that are made before one fails: undefined if none does. After: it has done its work, and the answer is lost. */
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
      authoritative: [answer],
      recursive: [answer],
      chain: [],
      loops: false,
      edge: { a: [], aaaa: [] },
      misplaced: undefined,
      caa: [],
    };
  }
}

let stores: SqliteStores;
let world: World;
let now: number;
let work: DomainWork;

beforeEach(async () => {
  const folder = makeFolder();
  stores = openSqliteStores(folder.path);
  world = new World();
  now = NOON;
  const outside = world;
  work = {
    domains: stores.domains,
    projects: stores.projects,
    accounts: stores.accounts,
    dns: { look: ({ host }) => outside.outside(() => ({ facts: outside.facts(host), ownership: outside.txt })) },
    authority: {
      issuerNames: ['ca.dev'],
      request: (host, requestId) =>
        outside.outside(() => {
          if (!outside.certificates.has(requestId)) outside.requests += 1;
          outside.certificates.set(requestId, host);
          return `ref:${requestId}`;
        }),
      check: () => outside.outside(() => outside.status),
      release: (requestId) => outside.outside(() => void outside.certificates.delete(requestId)),
    },
    edge: {
      attach: (host, projectId) => outside.outside(() => void outside.served.set(host, projectId)),
      detach: (host) => outside.outside(() => void outside.served.delete(host)),
      isServing: () => outside.outside(() => outside.serving),
    },
    edgeHost: EDGE,
    clock: () => now,
  };
  return () => {
    stores.close();
    folder.remove();
  };
});

async function makeDomain(token = 'abcdefgh23456789', host = HOST): Promise<Domain> {
  const account = { ...sampleAccount(), plan: 'pro' as const };
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

/** Goes on whenever the domain wants to be looked at, as the timers do. */
async function run(domain: Domain, until: string, rounds = 50): Promise<void> {
  for (let round = 0; round < rounds && (await stateOf(domain))?.name !== until; round += 1) {
    await advance(work, domain.id).catch(() => {});
    now += 60_000;
  }
  expect((await stateOf(domain))?.name).toBe(until);
}

describe('the work on a domain', () => {
  test('goes through all steps at once where nothing has to be waited for', async () => {
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
    world.status = { kind: 'issued', notAfter: NOON };
    world.serving = false;
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'attaching', checks: 1 });
    world.serving = true;
    expect((await advance(work, domain.id))?.state.name).toBe('live');
  });

  test('tells why a certificate did not come', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    world.status = { kind: 'failed', failure: 'rate_limited', detail: 'too many certificates' };
    await command(domain, 'verify');
    expect((await advance(work, domain.id))?.state).toMatchObject({
      name: 'certificate_failed',
      failure: 'rate_limited',
      detail: 'too many certificates',
    });
    expect((await advance(work, domain.id))?.state.name).toBe('certificate_failed');
  });

  // Eight calls go outside between verify and removed; each fails once before it has done its work, and once after.
  test.each(Array.from({ length: 8 }, (_, call) => [call + 1, true] as const).flatMap(([call]) => [[call, false] as const, [call, true] as const]))(
    'call %i to the outside fails (its work done: %s): it ends right',
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

  test('a removal in the middle of a step wins', async () => {
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

  test('two workers at once do it once', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await Promise.all(Array.from({ length: 4 }, () => advance(work, domain.id)));
    await run(domain, 'live');
    expect(world.requests).toBe(1);
  });

  test('a plan that ends, or an account that is gone, stops it before the edge', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await stores.accounts.setPlan(domain.accountId, 'free', { perMinute: 60, perDay: 1_000 });
    expect((await advance(work, domain.id))?.state).toMatchObject({ name: 'suspended', reason: 'plan' });
    expect(world.served.size).toBe(0);
  });

  test('a live domain whose plan ends is not served any more, and comes back by Verify', async () => {
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

  test('who proves a name by TXT takes it over from who had it, and its traffic', async () => {
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
    await run(first, 'removed');
    expect(world.served.get(HOST)).toBe(second.projectId);
    expect([...world.certificates.keys()]).toEqual([`${second.id}-g1`]);
  });

  test('a domain that is not there is no fault', async () => {
    expect(await advance(work, 'dom_nobody')).toBeUndefined();
  });

  test('a live domain is looked at each day, and served while its record is wrong', async () => {
    const domain = await makeDomain();
    world.target = projectTarget('abcdefgh23456789', EDGE);
    await command(domain, 'verify');
    await run(domain, 'live');
    world.target = 'elsewhere.dev';
    for (let day = 1; day <= 3; day += 1) await advance(work, domain.id);
    expect(await stateOf(domain)).toMatchObject({ name: 'degraded', diagnosis: { code: 'wrong_target' } });
    expect(world.served.size).toBe(1);
    world.target = projectTarget('abcdefgh23456789', EDGE);
    expect((await advance(work, domain.id))?.state.name).toBe('live');
  });
});
