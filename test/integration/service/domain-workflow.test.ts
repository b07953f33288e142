// The state machine with the AWS adapters: every call is throttled, times out, fails or is answered twice. The workflow reaches the right final
// state, leaves nothing behind, and requests no second certificate.

import { RequestCertificateCommand } from '@aws-sdk/client-acm';
import { CreateDistributionTenantCommand } from '@aws-sdk/client-cloudfront';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDnsValidatedAuthority } from '../../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority, createManagedAuthority } from '../../../adapters/certificates/aws.ts';
import { createRoute53Publisher } from '../../../adapters/dns/route53-publisher.ts';
import { createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { createCloudFrontEdge, createTenants, tenantName } from '../../../adapters/edge/cloudfront.ts';
import { createKeyValueMap } from '../../../adapters/edge/key-value-map.ts';
import { createMemorySweepStore } from '../../../adapters/store/memory/single-process.ts';
import { openSqliteStores, type SqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { addDomain, type DomainPorts, removeDomain, verifyDomain } from '../../../core/domains/actions.ts';
import type { DnsFacts } from '../../../core/domains/diagnosis/dns-facts.ts';
import type { Domain } from '../../../core/domains/domain.ts';
import type { SweepStore } from '../../../core/domains/queue.ts';
import { ownershipToken, projectTarget } from '../../../core/domains/records.ts';
import type { DomainWork } from '../../../core/domains/work.ts';
import { EMPTY_CONFIGURATION, type Project } from '../../../core/projects/project.ts';
import { domainWorkflow } from '../../../infra/workflow/definition.ts';
import { performWorkflowStep, stepInputSchema } from '../../../service/workflow/advance.ts';
import { sweep } from '../../../service/workflow/sweep.ts';
import { sweepOrphans as sweepEdge, UNKNOWN_FOR_MS } from '../../../service/workflow/sweep-orphans.ts';
import { currentOf } from '../../../testing/projects.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { makeInstallation } from '../../support/folders.ts';
import { FAULTS } from '../../support/memory-aws/account.ts';
import { STORE_ARN } from '../../support/memory-aws/key-value-store.ts';
import { MemoryAws } from '../../support/memory-aws.ts';
import { execute } from '../../support/state-machine.ts';
import { sweepRun } from '../../support/sweeps.ts';

const EDGE = 'edge.platform.dev';
const HOST = 'www.shop.dev';
const ENDPOINT = 'd1.cloudfront.net';
const RULES = { policy: { ours: [EDGE], extraSuffixes: [] }, edge: { host: EDGE, challenge: ENDPOINT } };
const DEFINITION = domainWorkflow('arn:aws:lambda:eu-central-1:123456789012:function:steps');

let aws: MemoryAws;
let stores: SqliteStores;
let work: DomainWork;
let ports: DomainPorts;
let now: number;
let target: string;
let txt: string[];
let close: () => void;
let sweeps: SweepStore;

beforeEach(setUp);

function setUp(): void {
  const folder = makeInstallation();
  stores = openSqliteStores(folder.path);
  close = () => {
    stores.close();
    folder.remove();
  };
  aws = new MemoryAws();
  [now, target, txt, sweeps] = [NOON, '', [], createMemorySweepStore()];
  const tenants = createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'petstore-test', stage: 'test' });
  const map = createKeyValueMap(aws.keyValueStore, STORE_ARN);
  const zones = createRoute53Zones(aws.route53);
  // The stores fail as well; their contract suite tests whether DynamoDB's stores keep their promises.
  work = {
    domains: aws.failing(stores.domains),
    projects: aws.failing(stores.projects),
    accounts: aws.failing(stores.accounts),
    dns: { lookUp: async ({ host }) => ({ facts: factsOf(host), ownership: txt }), zoneOf: async () => undefined },
    authority: createAwsAuthority({
      managed: createManagedAuthority(aws.acm, tenants),
      dnsValidated: createDnsValidatedAuthority(aws.acm, zones, zones.zoneOf, 'test'),
      zoneOf: zones.zoneOf,
    }),
    edge: createCloudFrontEdge(tenants, map),
    edgeHost: EDGE,
    publisher: createRoute53Publisher(zones, async () => ENDPOINT),
    rules: async () => RULES,
    clock: () => now,
  };
  ports = { ...stores, edge: map, workflow: { start: async () => {} } };
}

afterEach(() => {
  close();
  // The workflow retries failures, so otherwise a denied call would only show as work that never ends.
  expect([...new Set(aws.refused)]).toEqual([]);
});

function factsOf(host: string): DnsFacts {
  const records = { cname: target === '' ? [] : [target], a: [], aaaa: [], txt: [] };
  const answer = { server: 'ns', kind: 'records', records } as const;
  const none = {
    registered: true,
    bogus: undefined,
    referred: [],
    rotating: false,
    wildcard: false,
    chain: [],
    loops: false,
    edge: { a: [], aaaa: [] },
    misplaced: undefined,
    caa: [],
  };
  return { host, zone: 'shop.dev', nameServers: ['ns.shop.dev'], authoritative: [answer], recursive: [answer], ...none };
}

async function makeDomain(token = 'abcdefgh23456789', host = HOST): Promise<{ domain: Domain; project: Project }> {
  const account = { ...sampleAccount(), plan: 'pro' as const };
  await stores.accounts.createAccount(account);
  const id = `prj_${token}`;
  await stores.projects.createProject({
    id,
    accountId: account.id,
    name: 'Shop',
    token,
    createdAt: NOON,
    currentDeploymentId: undefined,
    configuration: EMPTY_CONFIGURATION,
  });
  await stores.projects.deploy({ id: `dpl_${token}`, projectId: id, createdAt: NOON, files: 1, bytes: 1 });
  const project = (await stores.projects.getProject(id)) as Project;
  const added = await addDomain(ports, project, host, RULES, (length) => crypto.getRandomValues(new Uint8Array(length)), now);
  if (!added.ok) throw new Error(added.message);
  return { domain: added.domain, project };
}

/** Sweeps the edge once, to the end. */
async function sweepOrphans() {
  const report = await sweepEdge(work, sweepRun(work.clock, sweeps), { onFault: (error) => expect.unreachable(String(error)) });
  expect(report).toMatchObject({ complete: true, failed: 0, known: { tenants: report?.tenants } });
  const { tenants, orphans, unknown } = report ?? {};
  return { tenants, orphans, unknown };
}

const current = async ({ id }: Domain) => (await stores.domains.getDomain(id)) as Domain;

function run({ id, generation }: Domain, onSleep: () => void | Promise<void> = () => {}, mostStates?: number) {
  return execute(
    DEFINITION,
    { domainId: id, generation },
    (payload) => performWorkflowStep(work, stepInputSchema.parse(payload)),
    (seconds) => {
      now += seconds * 1_000;
      return onSleep();
    },
    mostStates,
  );
}

async function verify(domain: Domain): Promise<Domain> {
  const verified = await verifyDomain(ports, await current(domain), now);
  if (!verified.ok) throw new Error(verified.message);
  return verified.domain;
}

async function remove(domain: Domain): Promise<Domain> {
  for (;;) {
    // The owner presses the button again if the work has failed.
    const removed = await removeDomain(ports, await current(domain), now).catch(() => undefined);
    if (removed?.ok) return removed.domain;
  }
}

describe.each(['managed by CloudFront', 'validated by our record'])('a certificate %s', (way) => {
  const dnsValidated = way === 'validated by our record';

  async function prepare(): Promise<Domain> {
    const { domain } = await makeDomain();
    if (dnsValidated) aws.zones.set('Z1', { name: 'shop.dev', tags: [{ Key: 'petstore:account', Value: domain.accountId }], records: [] });
    target = projectTarget('abcdefgh23456789', EDGE);
    return domain;
  }

  function expectNothingLeft(): void {
    expect([
      aws.tenants.size,
      aws.certificates.size,
      [...aws.keys.keys()].filter((key) => key.includes('.')),
      aws.zones.get('Z1')?.records ?? [],
    ]).toEqual([0, 0, [], []]);
  }

  test('goes live and is removed again', async () => {
    const domain = await prepare();
    const there = await run(await verify(domain));
    expect(there.end).toBe('Live');
    expect(there.path).toEqual(expect.arrayContaining(['WaitForCertificate', 'WaitForEdge']));
    expect([aws.requested, aws.keys.get(HOST), aws.tenants.size]).toEqual([1, domain.projectId, 1]);
    const removing = await remove(domain);
    expect(aws.keys.has(HOST)).toBe(false);
    const back = await run(removing);
    expect(back.end).toBe('Removed');
    expect(back.path).toContain('WaitForTeardown');
    expectNothingLeft();
    expect((await current(domain)).state.name).toBe('removed');
  });

  // Tests every call that the workflow makes, from Verify to removed, with every fault.
  test.each(FAULTS)('reaches the right final state with each of its calls %s', async (kind) => {
    let calls = Number.POSITIVE_INFINITY;
    for (let call = 1; call <= calls; call += 1) {
      close();
      setUp();
      const domain = await prepare();
      aws.fault = { call, kind };
      expect((await run(await verify(domain))).end, `call ${call}`).toBe('Live');
      expect([aws.requested, aws.tenants.size, aws.keys.get(HOST)], `call ${call}`).toEqual([1, 1, domain.projectId]);
      expect((await run(await remove(domain))).end, `call ${call}`).toBe('Removed');
      expectNothingLeft();
      calls = Math.min(calls, aws.calls);
    }
    expect(calls).toBeGreaterThan(80);
  });

  test('is finished by the next execution if one dies in any state', async () => {
    const { path: whole } = await run(await verify(await prepare()));
    for (let states = 1; states < whole.length; states += 1) {
      close();
      setUp();
      const domain = await verify(await prepare());
      await expect(run(domain, undefined, states)).rejects.toThrow('no end after');
      await run(domain);
      expect([(await current(domain)).state.name, aws.requested, aws.tenants.size], `dead after ${states}`).toEqual(['live', 1, 1]);
    }
  });
});

describe('domain workflow on AWS', () => {
  test.each([
    ['CAA_ERROR', 'caa'],
    ['DOMAIN_NOT_ALLOWED', 'name_refused'],
    ['ADDITIONAL_VERIFICATION_REQUIRED', 'name_refused'],
    ['OTHER', 'other'],
  ] as const)("reports ACM's reason, and tries again by itself: %s", async (reason, failure) => {
    const { domain } = await makeDomain();
    target = projectTarget('abcdefgh23456789', EDGE);
    aws.failureReason = reason;
    const seen: Domain[] = [];
    const { end } = await run(await verify(domain), async () => {
      seen.push(await current(domain));
      if ((seen.at(-1)?.lastFailure?.attempts ?? 0) >= 4) aws.failureReason = undefined;
    });
    const failing = seen.filter(({ lastFailure }) => lastFailure !== undefined);
    expect(new Set(failing.map(({ lastFailure }) => lastFailure?.failure))).toEqual(new Set([failure]));
    // A name that is refused three times is reported as such, and asked for all the same.
    expect(failing.map(({ state }) => state.name).includes('certificate_failed')).toBe(failure === 'name_refused');
    expect([end, (await current(domain)).lastFailure]).toEqual(['Live', undefined]);
    // Each attempt is another request, for the same tenant.
    expect([aws.requested, aws.tenants.size]).toEqual([5, 1]);
  });

  test.each([
    ['VALIDATION_TIMED_OUT', 'timed_out'],
    ['REVOKED', 'other'],
  ] as const)('replaces a certificate that is %s while it waits, whichever way the certificate is validated', async (status, failure) => {
    for (const zoned of [false, true]) {
      close();
      setUp();
      const { domain } = await makeDomain();
      if (zoned) aws.zones.set('Z1', { name: 'shop.dev', tags: [{ Key: 'petstore:account', Value: domain.accountId }], records: [] });
      target = projectTarget('abcdefgh23456789', EDGE);
      let failed: Domain['lastFailure'];
      const { end } = await run(await verify(domain), async () => {
        failed ??= (await current(domain)).lastFailure;
        if (failed === undefined) for (const certificate of aws.certificates.values()) certificate.Status = status;
      });
      expect([end, failed?.failure], String(zoned)).toEqual(['Live', failure]);
    }
  });

  test('replaces a deleted certificate, and repeats a lost request', async () => {
    const { domain } = await makeDomain();
    aws.zones.set('Z1', { name: 'shop.dev', tags: [{ Key: 'petstore:account', Value: domain.accountId }], records: [] });
    target = projectTarget('abcdefgh23456789', EDGE);
    let deleted = 0;
    const first = await run(await verify(domain), () => {
      if (deleted < 3 && aws.certificates.size > 0) deleted += 1;
      if (deleted < 3) aws.certificates.clear();
    });
    expect([first.end, deleted]).toEqual(['Live', 3]);
    await run(await remove(domain));
    aws.zones.clear();
    let lost = false;
    const again = await makeDomain('bcdefgh23456789a');
    target = projectTarget('bcdefgh23456789a', EDGE);
    const { end } = await run(await verify(again.domain), () => {
      const [tenant] = aws.tenants.values();
      if (tenant !== undefined && !lost) {
        tenant.managed = undefined;
        lost = true;
      }
    });
    expect([end, lost]).toEqual(['Live', true]);
  });

  test('waits until CloudFront sees the record', async () => {
    const { domain } = await makeDomain();
    target = projectTarget('abcdefgh23456789', EDGE);
    aws.resolves = false;
    let sleeps = 0;
    const { end } = await run(await verify(domain), () => {
      sleeps += 1;
      if (sleeps === 3) aws.resolves = true;
    });
    expect(end).toBe('Live');
  });

  test('reports a name that another AWS account has at CloudFront, until that has released it', async () => {
    const { domain } = await makeDomain();
    target = projectTarget('abcdefgh23456789', EDGE);
    aws.takenElsewhere = HOST;
    let refused: Domain | undefined;
    const { end } = await run(await verify(domain), async () => {
      const seen = await current(domain);
      if (seen.lastFailure === undefined) return;
      refused ??= seen;
      aws.takenElsewhere = undefined;
    });
    expect(refused?.lastFailure).toMatchObject({ failure: 'name_in_use', detail: expect.stringContaining('another AWS account') });
    expect(end).toBe('Live');
  });

  test('replaces a waiting execution on Verify and Remove', async () => {
    const { domain } = await makeDomain();
    const first = await verify(domain);
    let sleeps = 0;
    const { end } = await execute(
      DEFINITION,
      { domainId: first.id, generation: first.generation },
      (payload) => performWorkflowStep(work, stepInputSchema.parse(payload)),
      async () => {
        sleeps += 1;
        if (sleeps === 2) await verify(domain);
      },
    );
    expect([end, sleeps]).toEqual(['Stopped', 2]);
    expect((await current(domain)).generation).toBe(2);
  });

  test('lets an account that proves a name take over its tenant once the older domain is deleted', async () => {
    const [{ domain: first }, { domain: second }] = [await makeDomain('abcdefgh23456789'), await makeDomain('bcdefgh23456789a')];
    target = projectTarget('abcdefgh23456789', EDGE);
    await run(await verify(first));
    target = projectTarget('bcdefgh23456789a', EDGE);
    txt = [ownershipToken('bcdefgh23456789a')];
    const verifying = await verify(second);
    let removal: Promise<unknown> | undefined;
    const { end } = await execute(
      DEFINITION,
      { domainId: verifying.id, generation: verifying.generation },
      (payload) => performWorkflowStep(work, stepInputSchema.parse(payload)),
      async (seconds) => {
        now += seconds * 1_000;
        const other = await current(first);
        // The executions that the sweep starts.
        if (other.state.name === 'removing') removal ??= run(other);
        await removal;
      },
    );
    expect(end).toBe('Live');
    expect([...aws.tenants.keys()]).toEqual([tenantName(second.id)]);
    expect(aws.keys.get(HOST)).toBe(second.projectId);
  });

  test('lets the sweep check live domains, restart lost work, and report stuck domains', async () => {
    const [{ domain: live }, { domain: lost }] = [await makeDomain('abcdefgh23456789'), await makeDomain('bcdefgh23456789a', 'www.lost.dev')];
    target = projectTarget('abcdefgh23456789', EDGE);
    // It is late with the renewal of this one from the second day on.
    aws.life = { notBefore: NOON, notAfter: NOON + 1.1 * 86_400_000 };
    await run(await verify(live));
    await verify(lost);
    const restarted: string[] = [];
    const faults: unknown[] = [];
    const look = () => sweep({ ...work, restart: async ({ id }) => void restarted.push(id) }, sweepRun(work.clock), (error) => faults.push(error));
    expect(await look()).toMatchObject({ checked: 0, restarted: 0, stuck: 0 });
    now += 16 * 60_000;
    expect(await look()).toMatchObject({ checked: 0, restarted: 1, stuck: 0 });
    now += 86_400_000;
    expect(await look()).toMatchObject({ checked: 1, restarted: 1, stuck: 1, renewalOverdue: 1, failed: 0 });
    expect(restarted).toEqual([lost.id, lost.id]);
    now += 86_400_000;
    // The first call queries the domains that are due.
    aws.fault = { call: aws.calls + 2, kind: 'failed' };
    expect(await look()).toMatchObject({ checked: 1, failed: 1 });
    expect(faults).toHaveLength(1);
  });

  test('lets the sweep delete edge entries without a domain, and keep those in use', async () => {
    const { domain, project } = await makeDomain();
    target = projectTarget('abcdefgh23456789', EDGE);
    await run(await verify(domain));
    const gone = { ...project, id: 'prj_gone' };
    await work.edge.publish(gone, currentOf(gone, ['www.gone.dev']));
    const tenants = createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'petstore-test', stage: 'test' });
    await tenants.create(
      { id: 'dom_gone', host: 'www.gone.dev' },
      { request: { PrimaryDomainName: 'www.gone.dev', ValidationTokenHost: 'cloudfront' } },
    );
    // The sweep also deletes the leftovers of a deleted project.
    aws.keys.set('prj_gone', 'dpl_1');
    // None of it is in storage, which may have been restored to an earlier state.
    expect(await sweepOrphans()).toEqual({ tenants: 2, orphans: 0, unknown: 3 });
    now += UNKNOWN_FOR_MS - 1;
    expect(await sweepOrphans()).toEqual({ tenants: 2, orphans: 0, unknown: 3 });
    expect(aws.keys.get('www.gone.dev')).toBe('prj_gone');
    now += 1;
    expect(await sweepOrphans()).toEqual({ tenants: 2, orphans: 3, unknown: 0 });
    expect([aws.keys.has('prj_gone'), aws.keys.has(domain.projectId)]).toEqual([false, true]);
    for (let times = 0; times < 5; times += 1) await sweepOrphans();
    expect(await sweepOrphans()).toEqual({ tenants: 1, orphans: 0, unknown: 0 });
    expect([...aws.tenants.keys(), aws.keys.get(HOST), aws.keys.get('www.gone.dev'), aws.certificates.size]).toEqual([
      tenantName(domain.id),
      domain.projectId,
      undefined,
      1,
    ]);
  });
});

test('the sweep deletes certificates whose domain is gone, and no others', async () => {
  const { domain } = await makeDomain();
  const request = (DomainName: string, tags: Readonly<Record<string, string>>) =>
    aws.acm.send(
      new RequestCertificateCommand({
        DomainName,
        IdempotencyToken: DomainName.replaceAll(/\W/g, ''),
        ...(Object.keys(tags).length > 0 && { Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }),
      }),
    );
  const removed = { ...domain, id: 'dom_removed1', host: 'www.removed.dev' };
  await stores.domains.addDomain(removed);
  await stores.domains.saveDomain({ ...removed, state: { name: 'removed', since: NOON, until: NOON + 1 } }, removed);
  await request(domain.host, { 'petstore:request': `${domain.id}-g1`, 'petstore:stage': 'test' });
  await request('www.removed.dev', { 'petstore:request': 'dom_removed1-g1', 'petstore:stage': 'test' });
  await request('www.gone.dev', { 'petstore:request': 'dom_gone-g1', 'petstore:stage': 'test' });
  await request('www.other-stage.dev', { 'petstore:request': 'dom_elsewhere-g1', 'petstore:stage': 'production' });
  await request('www.earlier-version.dev', { 'petstore:request': 'dom_earlier-g1' });
  await request('www.by-hand.dev', {});
  await request('www.in-use.dev', { 'petstore:request': 'dom_gone-g2', 'petstore:stage': 'test' });
  const inUse = [...aws.certificates.values()].find(({ DomainName }) => DomainName === 'www.in-use.dev');
  Object.assign(inUse ?? {}, { Status: 'ISSUED' });
  await aws.cloudFront.send(
    new CreateDistributionTenantCommand({
      DistributionId: 'E1',
      Name: 'made-by-hand',
      Domains: [{ Domain: 'www.in-use.dev' }],
      Customizations: { Certificate: { Arn: inUse?.CertificateArn } },
    }),
  );
  const left = () => [...aws.certificates.values()].map(({ DomainName }) => DomainName).toSorted();
  const others = [domain.host, 'www.other-stage.dev', 'www.earlier-version.dev', 'www.by-hand.dev', 'www.in-use.dev'];
  expect(await sweepOrphans()).toEqual({ tenants: 0, orphans: 1, unknown: 1 });
  expect(left()).toEqual([...others, 'www.gone.dev'].toSorted());
  now += UNKNOWN_FOR_MS;
  expect(await sweepOrphans()).toEqual({ tenants: 0, orphans: 1, unknown: 0 });
  expect(left()).toEqual(others.toSorted());
  expect(await sweepOrphans()).toEqual({ tenants: 0, orphans: 0, unknown: 0 });
});

test("the sweep begins a list again that can't be continued where it stopped", async () => {
  for (let n = 0; n < 7; n += 1) aws.keys.set(`www${n}.gone.dev`, 'prj_gone');
  await sweeps.take('edge', 'earlier', NOON, NOON);
  await sweeps.save('edge', 'earlier', { cycle: { startedAt: NOON, list: 0, after: 'forgotten', before: {}, current: { unknown: 2 } } }, 0);
  expect(await sweepOrphans()).toEqual({ tenants: 0, orphans: 0, unknown: 7 });
  for (const list of [1, 2]) {
    await sweeps.take('edge', 'earlier', NOON, NOON);
    await sweeps.save('edge', 'earlier', { cycle: { startedAt: NOON, list, after: 'forgotten', before: {}, current: {} } }, 0);
    expect(await sweepOrphans()).toEqual({ tenants: 0, orphans: 0, unknown: 0 });
  }
});

test('the sweep ignores tenants that were not made for a domain', async () => {
  await aws.cloudFront.send(
    new CreateDistributionTenantCommand({ DistributionId: 'E1', Name: 'made-by-hand', Domains: [{ Domain: 'www.partner.dev' }], Enabled: true }),
  );
  expect(await sweepOrphans()).toEqual({ tenants: 0, orphans: 0, unknown: 0 });
  expect(aws.tenants.get('made-by-hand')).toMatchObject({ Enabled: true });
});
