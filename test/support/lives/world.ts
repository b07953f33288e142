// A world in which domains live for months within seconds: the real stores, workflow steps, ACME client, edge and outbox, Pebble behind a proxy that
// plays faults, a mail server, and a clock that moves to whatever is due next. Only the DNS is told: each host has the facts that the test says.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createAcmeAuthority } from '../../../adapters/certificates/acme.ts';
import { certificateRequest } from '../../../adapters/certificates/acme-account.ts';
import { createSqliteAcmeOrders } from '../../../adapters/certificates/acme-orders.ts';
import { createSqliteSandboxRecords } from '../../../adapters/dns/sandbox.ts';
import { startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import { createSmtpMailer } from '../../../adapters/mail/smtp.ts';
import { createSqliteOrderLimiter } from '../../../adapters/store/sqlite/domains.ts';
import { setOutboxOpen } from '../../../adapters/store/sqlite/outbox.ts';
import { suspendAccount } from '../../../core/access/account-ends.ts';
import type { AcmeOrders } from '../../../core/domains/certificate-ports.ts';
import type { DnsFacts } from '../../../core/domains/diagnosis/dns-facts.ts';
import { type Domain, newDomain } from '../../../core/domains/domain.ts';
import { type DomainView, domainView } from '../../../core/domains/domain-view.ts';
import { transition } from '../../../core/domains/lifecycle.ts';
import type { CertificateAuthority } from '../../../core/domains/ports.ts';
import { goneLive } from '../../../core/domains/served.ts';
import type { DomainWork } from '../../../core/domains/work.ts';
import { createSettledClock } from '../../../core/settled-clock.ts';
import { deliver, newMailServerState } from '../../../service/notifications/deliver.ts';
import { advance } from '../../../service/workflow/advance.ts';
import { currentOf } from '../../../testing/projects.ts';
import { sampleAccount } from '../../../testing/samples.ts';
import { startTestEdge } from '../edge.ts';
import { startPebble } from '../pebble.ts';
import { startSmtpServer, type TestSmtpServer } from '../smtp.ts';
import { type FaultyAuthority, startFaultyAuthority } from './faulty-authority.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EDGE = 'edge.lives.test';
const ADDRESS = 'owner@example.com';
/** Domains that are worked on at a time. Pebble gives a validation 5 s, which more of them would exceed on a busy machine. */
const AT_ONCE = 16;

export interface Life {
  readonly host: string;
  readonly domain: () => Promise<Domain>;
  readonly view: () => Promise<DomainView>;
}

export interface World {
  /** `wrongBy`: what the machine's clock is ahead of the true time, in milliseconds. */
  readonly clock: { now: number; wrongBy: number };
  readonly authority: FaultyAuthority;
  readonly mails: TestSmtpServer['mails'];
  /** Subjects of the mails about a host, in order. */
  mailsOn(host: string): readonly string[];
  /** Lines for the operator. */
  readonly lines: readonly string[];
  readonly faults: readonly unknown[];
  /** What the DNS has for a host; by default the right record. */
  readonly dns: Map<string, Partial<DnsFacts>>;
  readonly work: DomainWork;
  /** Adds a domain in a project of its own, and verifies it: the owner's last click. @param accountId @default an account of its own */
  begin(host: string, accountId?: string): Promise<Life>;
  /** The installation is set to another authority, as from Let's Encrypt's staging to its production. */
  changeDirectory(): Promise<FaultyAuthority>;
  /** Its owner removes a domain. */
  remove(life: Life): Promise<void>;
  /** The operator suspends an account. */
  suspend(accountId: string): Promise<void>;
  /** Lets time pass, from one thing that is due to the next, and does all of it. */
  pass(milliseconds: number): Promise<void>;
  /** Adds domains that are live already, with certificates that were issued two hours ago. */
  populate(hosts: readonly string[]): Promise<readonly Life[]>;
  /** Does what is due now. */
  settle(): Promise<void>;
  /** Whether a visitor gets a certificate for the host that is valid at this moment. */
  isValidAtEdge(host: string): Promise<boolean>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly lifeDays?: number;
  readonly renewalInfo?: boolean;
}

/** Starts the world at the machine's own time. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const clock = { now: Math.floor(Date.now() / 60_000) * 60_000, wrongBy: 0 };
  const elapsed = () => clock.now;
  // As the service's background work does.
  const read = createSettledClock({ clock: () => clock.now + clock.wrongBy, elapsed });
  let orders: AcmeOrders | undefined;
  const edge = await startTestEdge({ clock: read, challenge: (host, token) => orders?.challenge(host, token) });
  const { stores } = edge;
  orders = createSqliteAcmeOrders(stores.database);
  const records = createSqliteSandboxRecords(stores.database);
  const names = await startSandboxServer({
    host: '127.0.0.1',
    port: 0,
    suffix: 'test',
    records: records.inZone,
    edge: { host: EDGE, address: '127.0.0.1' },
  });
  const folder = join(edge.folder, 'pebble');
  const pebble = await startPebble(folder, { httpPort: edge.httpPort, dnsServer: `127.0.0.1:${names.port}` });
  const root = readFileSync(pebble.caFile, 'utf8');
  const startAuthority = (path: string) =>
    startFaultyAuthority({
      ...{ directory: pebble.directory, ca: root, clock: read, path, ...options },
      certificate: readFileSync(join(folder, 'cert.pem'), 'utf8'),
      privateKey: readFileSync(join(folder, 'key.pem'), 'utf8'),
    });
  const authority = await startAuthority('/dir');
  const others: FaultyAuthority[] = [];
  const lines: string[] = [];
  const { vault } = edge;
  const clientOf = ({ directory }: FaultyAuthority): Promise<CertificateAuthority> => {
    const warn = (line: string) => void lines.push(line);
    return createAcmeAuthority({ directory, extraRoot: root, issuerNames: ['pebble.test'], orders: orders as AcmeOrders, vault, warn, clock: read });
  };
  const smtp = await startSmtpServer();
  await setOutboxOpen(stores.database, true);
  const faults: unknown[] = [];
  const dns = new Map<string, Partial<DnsFacts>>();
  const work: DomainWork & { authority: CertificateAuthority } = {
    domains: stores.domains,
    projects: stores.projects,
    accounts: stores.accounts,
    dns: {
      lookUp: async ({ host, target }) => ({ facts: { ...factsOf(host, target), ...dns.get(host) }, ownership: [] }),
      zoneOf: async () => undefined,
    },
    authority: await clientOf(authority),
    edge: edge.edge,
    edgeHost: EDGE,
    publisher: { publish: async () => ({ kind: 'published' }), manages: async () => false, withdraw: async () => {} },
    rules: async () => ({ policy: { ours: [EDGE], extraSuffixes: [] }, edge: { host: EDGE } }),
    orders: createSqliteOrderLimiter(stores.database),
    warn: (line) => lines.push(line),
    clock: read,
  };
  const mailing = {
    outbox: stores.outbox,
    settings: stores.notificationSettings,
    accounts: stores.accounts,
    projects: stores.projects,
    members: stores.members,
    invitations: stores.invitations,
    addresses: { addressOf: async () => ADDRESS },
    mailer: createSmtpMailer({
      server: { host: '127.0.0.1', port: smtp.port, tls: 'none', login: undefined },
      from: 'petstore@lives.test',
      clock: read,
    }),
    dashboard: 'https://pets.lives.test',
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
    clock: read,
    accepted: new Set<string>(),
    server: newMailServerState(),
    warn: (line: string) => lines.push(`mail: ${line}`),
  };
  const nextDue = stores.database.prepare(
    `SELECT min(at) AS at FROM (SELECT min(wake_at) AS at FROM domains WHERE wake_at > ?1 UNION ALL SELECT min(due_at) FROM notifications WHERE due_at > ?1)`,
  );
  let made = 0;

  async function settle(): Promise<void> {
    for (let round = 0; ; round += 1) {
      if (round > 60) throw new Error('work that is due never ends');
      const due = (
        await Promise.all(
          [true, false].map((waitedFor) => stores.domains.queuedDomains({ waitedFor, now: read(), limit: 1_000, perAccount: 1_000, except: [] })),
        )
      ).flat();
      const isIdle = due.length === 0;
      for (let first = due.splice(0, AT_ONCE); first.length > 0; first = due.splice(0, AT_ONCE)) {
        await Promise.all(
          first.map(({ id }) =>
            advance(work, id).catch((error) => {
              faults.push(error);
            }),
          ),
        );
      }
      const { sent } = await deliver(mailing, (error) => faults.push(error));
      if (isIdle && sent === 0) return;
    }
  }

  const world: World = {
    ...{ clock, authority, mails: smtp.mails, lines, faults, dns, work, settle },
    begin: async (host, accountId) => {
      made += 1;
      records.set({ name: host, type: 'A', value: '127.0.0.1', ttl: 60 }, false);
      const token = `abcdefgh${[...made.toString(4).padStart(8, '0')].map((digit) => 'abcd'[Number(digit)]).join('')}`;
      const account = accountId ?? (await newAccount(stores));
      const projectId = `prj_${token}`;
      await stores.projects.createProject({
        ...{ id: projectId, accountId: account, name: 'Shop', token, createdAt: clock.now, currentDeploymentId: undefined },
        configuration: { domains: { redirects: [] } },
      });
      await stores.projects.deploy({ id: `dpl_${token}`, projectId, createdAt: clock.now, files: 1, bytes: 1 });
      const added = newDomain({ id: `dom_${token}`, host, projectId, accountId: account }, clock.now);
      await stores.domains.addDomain(added);
      const verifying = transition(added, { kind: 'verify' }, clock.now);
      if (verifying.kind !== 'moved') throw new Error(verifying.kind);
      await stores.domains.saveDomain(verifying.domain, added);
      return lifeOf(added);
    },
    populate: async (hosts) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const lives: Life[] = [];
      const account = await newAccount(stores);
      // Nobody is told of these.
      await setOutboxOpen(stores.database, false);
      for (const host of hosts) {
        const { domain } = await world.begin(host, account);
        const read = await domain();
        const certificate = `populated-${read.id}`;
        const [notBefore, notAfter] = [clock.now - 2 * HOUR_MS, clock.now + 90 * DAY_MS];
        const { chain } = await authority.issuer.issue(await certificateRequest.create(host, key), notBefore, notAfter);
        vault.put(certificate, { host, chain, privateKey: key, notBefore, notAfter, authority: authority.directory });
        const project = await stores.projects.getProject(read.projectId);
        if (project === undefined) throw new Error(host);
        await edge.edge.attach(read, currentOf(project, [host]), certificate);
        await stores.domains.saveDomain(goneLive(read, certificate, clock.now), read);
        lives.push(lifeOf(read));
      }
      await setOutboxOpen(stores.database, true);
      return lives;
    },
    mailsOn: (host) => smtp.mails.filter(({ subject }) => subject.includes(host)).map(({ subject }) => subject),
    settle,
    suspend: async (accountId) => {
      const serving = { ...stores, edge: edge.edge, workflow: { start: async () => {} } };
      await suspendAccount({ accounts: stores.accounts, serving }, accountId, 'unpaid', clock.now);
    },
    remove: async ({ domain }) => {
      const current = await domain();
      const removing = transition(current, { kind: 'remove' }, clock.now);
      if (removing.kind !== 'moved') throw new Error(removing.kind);
      await stores.domains.saveDomain(removing.domain, current);
    },
    changeDirectory: async () => {
      const other = await startAuthority('/production');
      others.push(other);
      work.authority = await clientOf(other);
      return other;
    },
    pass: async (milliseconds) => {
      const end = clock.now + milliseconds;
      for (;;) {
        await settle();
        const { at } = nextDue.get(read()) as { at: number | null };
        const wait = at === null ? Number.POSITIVE_INFINITY : at - read();
        if (clock.now + wait > end) break;
        clock.now += wait;
      }
      clock.now = end;
      await settle();
    },
    isValidAtEdge: (host) => validAt(host, edge.httpsPort, clock.now),
    stop: async () => {
      await Promise.all([authority.stop(), ...others.map((each) => each.stop()), pebble.stop(), names.stop(), smtp.stop()]);
      await edge.stop();
    },
  };
  return world;

  function lifeOf({ id, host }: Pick<Domain, 'id' | 'host'>): Life {
    const domain = async () => (await stores.domains.getDomain(id)) as Domain;
    return { host, domain, view: async () => domainView(await domain(), clock.now) };
  }

  async function newAccount({ accounts, members }: typeof stores): Promise<string> {
    const account = { ...sampleAccount(), plan: 'pro' as const };
    await accounts.createAccount(account);
    await members.addMember(account.id, `usr_${account.id}`, 'owner');
    return account.id;
  }

  function factsOf(host: string, target: string): DnsFacts {
    const records = { cname: [target], a: [], aaaa: [], txt: [] };
    const answer = { server: 'ns.lives.test', kind: 'records', records } as const;
    return {
      ...{ host, zone: 'lives.test', nameServers: ['ns.lives.test'], authoritative: [answer], recursive: [answer], chain: [], loops: false },
      ...{
        edge: { a: ['127.0.0.1'], aaaa: [] },
        misplaced: undefined,
        caa: [],
        registered: true,
        bogus: undefined,
        referred: [],
        rotating: false,
        wildcard: false,
      },
    };
  }
}

/** Makes a visit's handshake, and looks at the certificate with the tests' clock. */
function validAt(servername: string, port: number, now: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      const [from, to] = [certificate?.validFromDate.getTime() ?? 0, certificate?.validToDate.getTime() ?? 0];
      resolve(certificate?.checkHost(servername) !== undefined && from <= now && now < to);
    });
    socket.once('error', () => resolve(false));
  });
}

export { DAY_MS, HOUR_MS };
