// A world in which domains live for a year within seconds on AWS: the real workflow steps, sweep, authority and CloudFront edge, the state machine's
// definition, stores with their outbox, an AWS account in memory that plays faults, and a clock that moves to whatever is due next.

import { createCertificateImports, createDnsValidatedAuthority } from '../../../adapters/certificates/acm-dns.ts';
import { createAwsAuthority, createManagedAuthority } from '../../../adapters/certificates/aws.ts';
import { ACCOUNT_TAG, createRoute53Zones } from '../../../adapters/dns/route53-zones.ts';
import { createCloudFrontEdge, createTenants } from '../../../adapters/edge/cloudfront.ts';
import { createKeyValueMap } from '../../../adapters/edge/key-value-map.ts';
import { moveName } from '../../../adapters/edge/name-move.ts';
import { createMemorySweepStore } from '../../../adapters/store/memory/single-process.ts';
import { setOutboxOpen } from '../../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import { createStepFunctionsWorkflow } from '../../../adapters/workflow/step-functions.ts';
import { requestIdOf } from '../../../core/domains/attempts.ts';
import { type Domain, newDomain } from '../../../core/domains/domain.ts';
import { type DomainView, domainView } from '../../../core/domains/domain-view.ts';
import { transition } from '../../../core/domains/lifecycle.ts';
import { publicationOf } from '../../../core/domains/publication.ts';
import { isServed } from '../../../core/domains/states.ts';
import type { SweepWork } from '../../../core/domains/work.ts';
import { domainWorkflow } from '../../../infra/workflow/definition.ts';
import { performWorkflowStep, stepInputSchema } from '../../../service/workflow/advance.ts';
import { sweep } from '../../../service/workflow/sweep.ts';
import { NOON, sampleAccount } from '../../../testing/samples.ts';
import { makeInstallation } from '../folders.ts';
import type { MemoryCertificate, MemoryTenant } from '../memory-aws/account.ts';
import { STORE_ARN } from '../memory-aws/key-value-store.ts';
import { MemoryAws } from '../memory-aws.ts';
import { execute } from '../state-machine.ts';
import { sweepRun } from '../sweeps.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Of a certificate (ACM User Guide: 13 months), unless a test says otherwise: lives get shorter. */
export const LIFE_DAYS = 395;
/** ACM begins with the renewal this long before the end (ACM User Guide, "Managed certificate renewal"). */
export const RENEWAL_DAYS = 60;
/** A request that is not validated ends then (ACM API reference, CertificateDetail). */
const VALIDATION_MS = 72 * HOUR_MS;
const SWEEP_MS = 5 * MINUTE_MS;
/** The sweep restarts what is overdue by this much. */
const LOST_AFTER_MS = 15 * MINUTE_MS;
const EDGE = 'edge.lives.dev';
const DEFINITION = domainWorkflow('arn:aws:lambda:eu-central-1:123456789012:function:steps');
const MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:domains';

/** How a certificate is validated: by CloudFront over HTTP, or by our record in the owner's zone. */
export const WAYS = ['managed', 'zoned'] as const;
export type Way = (typeof WAYS)[number];

export interface AwsLife {
  readonly host: string;
  domain(): Promise<Domain>;
  view(): Promise<DomainView>;
  /** What its owner was told, oldest first. */
  told(): Promise<readonly string[]>;
  /** Its certificates at ACM. */
  certificates(): readonly MemoryCertificate[];
  tenant(): MemoryTenant | undefined;
  /** Whether a visitor gets a certificate that is valid at this moment. */
  isValid(): boolean;
}

export class AwsWorld {
  readonly aws = new MemoryAws();
  readonly clock = { now: NOON };
  /** Lines for the operator. */
  readonly lines: string[] = [];
  /** When they were written. */
  readonly linesAt: number[] = [];
  /** What the log has as errors. */
  readonly faults: unknown[] = [];
  lifeDays = LIFE_DAYS;
  sweeps = 0;
  /** Of renewals, as the alarm counts them. */
  overdue = 0;
  /** What ACM's renewal of a certificate fails with; undefined: nothing. */
  renewalProblem: () => MemoryCertificate['renewal'] = () => undefined;
  /** Called whenever the clock has moved, before and after what is due is done. */
  onMove: () => void = () => {};
  afterMove: () => Promise<void> = async () => {};
  readonly #served = new Set<string>();
  readonly #folder = makeInstallation();
  readonly #stores = openSqliteStores(this.#folder.path);
  readonly #tenants = createTenants(this.aws.cloudFront, { distributionId: 'E1', connectionGroup: 'petstore-test', stage: 'test' });
  readonly #map = createKeyValueMap(this.aws.keyValueStore, STORE_ARN);
  readonly #work = this.#assemble();
  readonly #sweepStore = createMemorySweepStore();
  readonly #requestedAt = new Map<string, number>();
  #executions: Execution[] = [];
  #nextSweepAt = NOON;
  #made = 0;

  /** Adds a domain in a project of its own, and verifies it: the owner's last click. */
  async begin(way: Way, host = 'www.shop.dev'): Promise<AwsLife> {
    const { accounts, projects, domains, outbox } = this.#stores;
    await setOutboxOpen(this.#stores.database, true);
    this.#made += 1;
    const token = `abcdefgh${'abcdefgh'.slice(0, 8 - this.#made)}${'b'.repeat(this.#made)}`;
    const account = { ...sampleAccount(), plan: 'pro' as const };
    await accounts.createAccount(account);
    const projectId = `prj_${token}`;
    await projects.createProject({
      ...{ id: projectId, accountId: account.id, name: 'Shop', token, createdAt: this.clock.now, currentDeploymentId: undefined },
      configuration: { domains: { redirects: [] } },
    });
    await projects.deploy({ id: `dpl_${token}`, projectId, createdAt: this.clock.now, files: 1, bytes: 1 });
    if (way === 'zoned') {
      const name = host.split('.').slice(-2).join('.');
      this.aws.zones.set(`Z${this.#made}`, { name, tags: [{ Key: ACCOUNT_TAG, Value: account.id }], records: [] });
    }
    const added = newDomain({ id: `dom_${token}`, host, projectId, accountId: account.id }, this.clock.now);
    await domains.addDomain(added);
    const verifying = transition(added, { kind: 'verify' }, this.clock.now);
    if (verifying.kind !== 'moved') throw new Error(verifying.kind);
    await domains.saveDomain(verifying.domain, added);
    await this.#work.start(verifying.domain);
    const domain = async () => (await domains.getDomain(added.id)) as Domain;
    const tenant = () => [...this.aws.tenants.values()].find(({ Domains }) => Domains.some((each) => each.Domain === host));
    return {
      ...{ host, domain, tenant },
      view: async () => domainView(await domain(), this.clock.now),
      told: async () =>
        (await outbox.ofAccount(account.id))
          .map(({ notification }) => notification)
          .toSorted((a, b) => a.at - b.at)
          .map(({ event }) => event.kind),
      certificates: () => [...this.aws.certificates.values()].filter(({ DomainName }) => DomainName === host),
      isValid: () => {
        const { Enabled = false, Customizations } = tenant() ?? {};
        const { Status, life } = this.aws.certificates.get(Customizations?.Certificate?.Arn ?? '') ?? {};
        const isCurrent = life !== undefined && life.notBefore <= this.clock.now && this.clock.now < life.notAfter;
        return Enabled && Status === 'ISSUED' && isCurrent && this.aws.keys.has(host);
      },
    };
  }

  /** Moves a domain's name here from another distribution, as the operator does. @returns whether it moved, and the steps */
  async moveName(life: AwsLife, certificateArn: string): Promise<{ readonly moved: boolean; readonly steps: readonly string[] }> {
    const domain = await life.domain();
    const steps: string[] = [];
    const ports = { cloudFront: this.aws.cloudFront, acm: this.aws.acm, tenants: this.#tenants, map: this.#map, pollMs: 0 };
    const current = () => publicationOf(this.#stores, domain.projectId);
    return { moved: await moveName(ports, { domain, certificateArn, current }, (step) => steps.push(step)), steps };
  }

  /** Gives a domain a certificate of another authority, as a move from one machine does. @returns its ARN */
  async bringCertificate(life: AwsLife): Promise<string> {
    const domain = await life.domain();
    const { id, host, state } = domain;
    const chain = `-----BEGIN CERTIFICATE-----\n${host}\n-----END CERTIFICATE-----`;
    const bring = () => createCertificateImports(this.aws.acm, 'test').importOnce(host, `${requestIdOf(domain)}-m1`, { chain, privateKey: 'key' });
    const certificateArn = await bring();
    if ((await bring()) !== certificateArn) throw new Error('brought twice');
    await this.#tenants.update(id, { host, certificateArn });
    await this.#stores.domains.saveDomain({ ...domain, state: { ...state, certificate: certificateArn } as Domain['state'] }, domain);
    return certificateArn;
  }

  /** Lets time pass, from one thing that is due to the next, and does all of it. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.now + milliseconds;
    for (;;) {
      this.#tend();
      await this.#settle();
      await this.afterMove();
      const next = Math.min(this.#sweepDue(), ...this.#executions.map(({ wakeAt }) => wakeAt));
      if (next > end) break;
      this.clock.now = Math.max(next, this.clock.now);
    }
    this.clock.now = end;
    this.#tend();
    await this.#settle();
  }

  close(): void {
    this.#stores.close();
    this.#folder.remove();
  }

  /** Begins the executions that were started, and goes on with those whose wait is over; then sweeps, if it is time. */
  async #settle(): Promise<void> {
    await this.#execute();
    if (this.#sweepDue() > this.clock.now) return;
    this.sweeps += 1;
    this.#nextSweepAt = this.clock.now + SWEEP_MS;
    const report = await sweep(this.#work, sweepRun(this.#work.clock, this.#sweepStore), (error) => this.faults.push(error));
    this.overdue += report?.renewalOverdue ?? 0;
    await this.#execute();
  }

  async #execute(): Promise<void> {
    for (const [name, { input }] of this.aws.executions) {
      if (this.#executions.some((each) => each.name === name) || !this.aws.executions.get(name)?.isRunning) continue;
      const execution = new Execution(name, JSON.parse(input), this.clock, (payload) =>
        performWorkflowStep(this.#work, stepInputSchema.parse(payload)),
      );
      this.#executions.push(execution);
    }
    for (const execution of this.#executions) {
      await execution.goOn();
      const named = this.aws.executions.get(execution.name);
      if (execution.wakeAt === Number.POSITIVE_INFINITY && named !== undefined) named.isRunning = false;
    }
    this.#executions = this.#executions.filter(({ wakeAt }) => wakeAt !== Number.POSITIVE_INFINITY);
  }

  /** When a sweep has something to do: its runs in between find nothing. */
  #sweepDue(): number {
    const rows = this.#stores.database.prepare('SELECT id, wake_at AS at FROM domains WHERE wake_at IS NOT NULL').all() as {
      id: string;
      at: number;
    }[];
    const due = rows.map(({ id, at }) => (this.#served.has(id) ? at : at + LOST_AFTER_MS));
    return Math.max(this.#nextSweepAt, Math.ceil(Math.min(...due) / SWEEP_MS) * SWEEP_MS);
  }

  #warn(line: string): void {
    this.lines.push(line);
    this.linesAt.push(this.clock.now);
  }

  /** What Amazon does by itself: requests and certificates end, and certificates are renewed. */
  #tend(): void {
    const { now } = this.clock;
    this.aws.life = { notBefore: now, notAfter: now + this.lifeDays * DAY_MS };
    for (const [arn, certificate] of this.aws.certificates) {
      const requestedAt = this.#requestedAt.get(arn) ?? now;
      this.#requestedAt.set(arn, requestedAt);
      if (now - requestedAt >= HOUR_MS) certificate.token = undefined;
      if (certificate.Status === 'PENDING_VALIDATION' && now - requestedAt >= VALIDATION_MS) certificate.Status = 'VALIDATION_TIMED_OUT';
      const { Status, life } = certificate;
      if (Status !== 'ISSUED' || life === undefined || certificate.Type === 'IMPORTED') continue;
      if (now >= life.notAfter) certificate.Status = 'EXPIRED';
      else if (now >= life.notAfter - RENEWAL_DAYS * DAY_MS) {
        const problem = this.renewalProblem();
        if (problem !== undefined) certificate.renewal = problem;
        else Object.assign(certificate, { life: this.aws.life, renewal: undefined });
      }
    }
    this.onMove();
  }

  #assemble(): SweepWork & Pick<ReturnType<typeof createStepFunctionsWorkflow>, 'start'> {
    const { aws } = this;
    const { domains, projects, accounts } = this.#stores;
    const tenants = this.#tenants;
    const zones = createRoute53Zones(aws.route53);
    const records = (target: string) => ({ cname: [target], a: [], aaaa: [], txt: [] });
    return {
      domains: {
        ...domains,
        saveDomain: async (next, read) => {
          const saved = await domains.saveDomain(next, read);
          if (saved === 'saved') this.#served[isServed(next.state) ? 'add' : 'delete'](next.id);
          return saved;
        },
      },
      ...{ projects, accounts, edgeHost: EDGE, clock: () => this.clock.now, warn: (line) => this.#warn(line) },
      dns: {
        lookUp: async ({ host, target }) => {
          const answer = { server: 'ns.lives.dev', kind: 'records', records: records(target) } as const;
          const seen = { authoritative: [answer], recursive: [answer], chain: [], loops: false, edge: { a: [], aaaa: [] }, misplaced: undefined };
          const more = { caa: [], registered: true, bogus: undefined, referred: [], rotating: false, wildcard: false };
          return { facts: { host, zone: 'shop.dev', nameServers: ['ns.lives.dev'], ...seen, ...more }, ownership: [] };
        },
        zoneOf: async () => undefined,
      },
      authority: createAwsAuthority({
        managed: createManagedAuthority(aws.acm, tenants),
        dnsValidated: createDnsValidatedAuthority(aws.acm, zones, zones.zoneOf, 'test'),
        zoneOf: zones.zoneOf,
      }),
      edge: createCloudFrontEdge(tenants, this.#map),
      publisher: { publish: async () => ({ kind: 'published' }), manages: async () => false, withdraw: async () => {} },
      rules: async () => ({ policy: { ours: [EDGE], extraSuffixes: [] }, edge: { host: EDGE } }),
      ...createStepFunctionsWorkflow(aws.stepFunctions, MACHINE),
    };
  }
}

/** An execution of the state machine, which waits by the world's clock. */
class Execution {
  readonly name: string;
  /** Milliseconds since 1970; Infinity once it has ended. */
  wakeAt: number;
  readonly #clock: { readonly now: number };
  #idle = Promise.withResolvers<void>();
  #wake: () => void;

  constructor(name: string, input: { domainId: string; generation: number }, clock: { readonly now: number }, invoke: Parameters<typeof execute>[2]) {
    this.name = name;
    this.#clock = clock;
    this.wakeAt = clock.now;
    const sleep = (seconds: number) =>
      new Promise<void>((resolve) => {
        this.wakeAt = clock.now + seconds * 1_000;
        this.#wake = resolve;
        this.#idle.resolve();
      });
    this.#wake = () => {
      const ended = () => {
        this.wakeAt = Number.POSITIVE_INFINITY;
        this.#idle.resolve();
      };
      execute(DEFINITION, input, invoke, sleep, Number.POSITIVE_INFINITY).then(ended, (error: unknown) => {
        ended();
        throw error;
      });
    };
  }

  /** Does what is due, and returns once it waits again. */
  async goOn(): Promise<void> {
    while (this.wakeAt <= this.#clock.now) {
      this.#idle = Promise.withResolvers<void>();
      this.#wake();
      await this.#idle.promise;
    }
  }
}
