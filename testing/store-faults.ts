// What every store must do when its storage fails: each call rejects with a StoreFault, and none answers as if there were no data.

import { Readable } from 'node:stream';
import { expect } from 'expect';
import type { Invitation } from '../core/access/invitation.ts';
import type { AccountStore, DeployTokenStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import type { AuditLog } from '../core/audit/ports.ts';
import type { AcmeOrders, CertificateVault } from '../core/domains/certificate-ports.ts';
import { newDomain } from '../core/domains/domain.ts';
import type { DomainStore, OrderLimiter } from '../core/domains/ports.ts';
import type { DomainQueue, SweepStore } from '../core/domains/queue.ts';
import type { OwnAddressStore, ServedMap } from '../core/domains/served.ts';
import type { FactorStore } from '../core/identity/factors.ts';
import type { ProviderSessions, ProviderStore, UserStore } from '../core/identity/ports.ts';
import type { LeaseStore, MinuteCounter, UsageStore } from '../core/limits/ports.ts';
import { memberAdded } from '../core/notifications/notification.ts';
import type { NotificationOutbox, NotificationSettings, UsageSurvey } from '../core/notifications/ports.ts';
import type { PetStore } from '../core/pets/ports.ts';
import type { InstallationStore } from '../core/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../core/projects/ports.ts';
import { EMPTY_CONFIGURATION } from '../core/projects/project.ts';
import type { RecordStore } from '../core/records/ports.ts';
import { StoreFault } from '../core/refusal.ts';
import type { SandboxRecords } from '../core/sandbox/ports.ts';
import { sampleProject } from './projects.ts';
import { NOON, REVOKED, sampleAccount, sampleKey, samplePet } from './samples.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface AllStores {
  readonly pets: PetStore;
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
  readonly leases: LeaseStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly projects: ProjectStore;
  readonly removals: FileRemovalStore;
  readonly sites: SiteStore;
  readonly uploads: Omit<UploadStore, 'receive'>;
  readonly domains: DomainStore;
  readonly queue: Pick<DomainQueue, 'queuedDomains'>;
  readonly claims: Required<Pick<DomainQueue, 'claim' | 'release'>>;
  readonly answers: AnswerStore;
  readonly userRequests: MinuteCounter;
  readonly users: UserStore;
  readonly sandbox: SandboxRecords;
  readonly outbox: NotificationOutbox;
  readonly notificationSettings: NotificationSettings;
  readonly survey: UsageSurvey;
  readonly sweeps: SweepStore;
  readonly orderLimiter: OrderLimiter;
  readonly audit: AuditLog;
  readonly factors: FactorStore;
  readonly sessions: ProviderSessions;
  readonly signIns: ProviderStore;
  readonly edgeMap: Omit<ServedMap, 'bytes'>;
  readonly ownAddresses: OwnAddressStore;
  readonly certificates: CertificateVault;
  readonly acmeOrders: AcmeOrders;
  readonly installation: InstallationStore;
  readonly records: RecordStore;
}

/** A call to each method. A new method on a port is a type error here until a call is added. */
type Calls = {
  readonly [Port in keyof AllStores]: {
    readonly [Method in keyof AllStores[Port] as AllStores[Port][Method] extends number ? never : Method]: (store: AllStores[Port]) => unknown;
  };
};

const account = sampleAccount();
const { text: _, ...key } = sampleKey(account.id);
const request = { accountId: account.id, digest: key.digest };
const ban = { since: NOON, until: NOON + 1, level: 1 };
const pet = samplePet(1);
const project = sampleProject();
const deployment = { id: 'dpl_1', projectId: project.id, createdAt: NOON, files: 1, bytes: 1 };
const removal = { projectId: project.id, deploymentId: deployment.id, dueAt: NOON, bytes: 1 };
const token = {
  id: `tok_${'0'.repeat(22)}`,
  projectId: `prj_${'0'.repeat(10)}`,
  digest: 'd',
  name: 'CI',
  createdBy: 'usr_1',
  createdAt: NOON,
  expiresAt: NOON + 1,
};
const invitation: Invitation = {
  id: `inv_${account.id.slice(4)}${'0'.repeat(12)}`,
  ...{ accountId: account.id, email: 'ann@example.com', role: 'member', invitedBy: 'usr_1' },
  ...{ createdAt: NOON, expiresAt: NOON + 1, mailed: false, digests: ['d'] },
};
const manifest = [{ name: 'index.html', bytes: 1, sha256: '0'.repeat(64) }];
const domain = newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: project.id, accountId: account.id }, NOON);
const notification = memberAdded(account.id, 'usr_1', NOON);
const entry = { notification, attempts: 1, done: [], sentAt: undefined, finished: false };
const order = { host: domain.host, privateKey: 'key', url: undefined, replaces: undefined, failure: undefined };
const signIn = {
  ...{ model: 'Grant', id: 'id', grantId: undefined, uid: undefined, userId: 'usr_1' },
  ...{ expiresAt: NOON, payload: '{}', agent: undefined },
};
const record = { name: 'a.shop.test', type: 'A', value: '192.0.2.1', ttl: 60 } as const;

const CALLS: Calls = {
  pets: {
    create: (pets) => pets.create({ pet, idempotency: { owner: 'a', key: 'k', fingerprint: 'f', expiresAt: NOON + 1 } }, NOON),
    createAll: (pets) => pets.createAll([{ pet }, { pet: samplePet(2) }], NOON),
    get: (pets) => pets.get(1),
    list: (pets) => pets.list({ after: 0, status: undefined, limit: 20 }),
    remove: (pets) => pets.remove(1),
  },
  accounts: {
    createAccount: (accounts) => accounts.createAccount(account),
    listAccounts: (accounts) => accounts.listAccounts(),
    getAccount: (accounts) => accounts.getAccount(account.id),
    setPlan: (accounts) => accounts.setPlan(account.id, 'free', account.limits),
    setPlanRequest: (accounts) => accounts.setPlanRequest(account.id, undefined),
    setSuspension: (accounts) => accounts.setSuspension(account.id, undefined),
    rename: (accounts) => accounts.rename(account.id, 'Another'),
    setSecondFactor: (accounts) => accounts.setSecondFactor(account.id, true),
    deleteAccount: (accounts) => accounts.deleteAccount(account.id, NOON),
    addKey: (accounts) => accounts.addKey(key, 10, NOON),
    listKeys: (accounts) => accounts.listKeys(account.id),
    getKey: (accounts) => accounts.getKey(key.id),
    expireKey: (accounts) => accounts.expireKey(key.id, NOON),
    changeKey: (accounts) => accounts.changeKey({ ...key, name: 'Another' }, key),
    liftBan: (accounts) => accounts.liftBan(key.id, NOON),
    listRevokedKeys: (accounts) => accounts.listRevokedKeys(account.id, NOON),
    revokeKey: (accounts) => accounts.revokeKey(key.id, REVOKED),
  },
  usage: {
    admit: (usage) => usage.admit(request, NOON),
    hasKey: (usage) => usage.hasKey(request, NOON),
    ban: (usage) => usage.ban(request, ban),
    countRefusals: (usage) => usage.countRefusals(account.id, 1, NOON),
    usage: (usage) => usage.usage(account.id, NOON),
  },
  leases: { take: (leases) => leases.take(request, { take: 1, back: 0, limits: account.limits }, NOON) },
  members: {
    membershipsOf: (members) => members.membershipsOf('usr_1'),
    membersOf: (members) => members.membersOf(account.id),
    addMember: (members) => members.addMember(account.id, 'usr_1', 'owner'),
    setRole: (members) => members.setRole(account.id, 'usr_1', 'member'),
    removeMember: (members) => members.removeMember(account.id, 'usr_1', { keepOwner: true }),
  },
  invitations: {
    addInvitation: (invitations) => invitations.addInvitation(invitation, { open: 1, perDay: 1 }),
    listInvitations: (invitations) => invitations.listInvitations(account.id),
    getInvitation: (invitations) => invitations.getInvitation(invitation.id),
    addDigest: (invitations) => invitations.addDigest(invitation.id, 'd'),
    removeInvitation: (invitations) => invitations.removeInvitation(invitation.id),
    acceptInvitation: (invitations) => invitations.acceptInvitation(invitation, 'usr_1', notification),
  },
  deployTokens: {
    addToken: (tokens) => tokens.addToken(token),
    listTokens: (tokens) => tokens.listTokens(project.id),
    getToken: (tokens) => tokens.getToken(token.id),
    useToken: (tokens) => tokens.useToken(token.id, NOON),
    removeToken: (tokens) => tokens.removeToken(token.id),
  },
  projects: {
    createProject: (projects) => projects.createProject(project),
    getProject: (projects) => projects.getProject(project.id),
    listProjects: (projects) => projects.listProjects(),
    deploy: (projects) => projects.deploy(deployment),
    listDeployments: (projects) => projects.listDeployments(project.id),
    setCurrentDeployment: (projects) => projects.setCurrentDeployment(project.id, deployment.id, NOON),
    setPinned: (projects) => projects.setPinned(deployment, true),
    putConfiguration: (projects) => projects.putConfiguration(project.id, EMPTY_CONFIGURATION),
    deleteDeployment: (projects) => projects.deleteDeployment(deployment, NOON),
    getDeployment: (projects) => projects.getDeployment(deployment),
    bytesStored: (projects) => projects.bytesStored(project.id),
    rename: (projects) => projects.rename(project.id, 'Another'),
    deleteProject: (projects) => projects.deleteProject(project, NOON),
  },
  removals: {
    schedule: (removals) => removals.schedule(removal),
    ofProject: (removals) => removals.ofProject(project.id),
    list: (removals) => removals.list(),
    begin: (removals) => removals.begin(removal, NOON),
    finish: (removals) => removals.finish(removal),
  },
  uploads: {
    begin: (uploads) => uploads.begin(deployment, manifest),
    manifest: (uploads) => uploads.manifest(deployment),
    targets: (uploads) => uploads.targets(deployment, manifest),
    missing: (uploads) => uploads.missing(deployment, manifest, 1),
    end: (uploads) => uploads.end(deployment),
    remove: (uploads) => uploads.remove(removal),
  },
  sites: {
    put: (sites) => sites.put(deployment, 'index.html', Readable.from([Buffer.from('x')]), 1),
    get: (sites) => sites.get(deployment, 'index.html'),
  },
  domains: {
    addDomain: (domains) => domains.addDomain(domain),
    getDomain: (domains) => domains.getDomain(domain.id),
    listDomains: (domains) => domains.listDomains(project.id),
    claimsOf: (domains) => domains.claimsOf(domain.host),
    saveDomain: (domains) => domains.saveDomain({ ...domain, generation: 1 }, domain),
    dueDomains: (domains) => domains.dueDomains(NOON, 1),
  },
  queue: { queuedDomains: (queue) => queue.queuedDomains({ waitedFor: true, now: NOON, limit: 1, perAccount: 1, except: [] }) },
  claims: { claim: (claims) => claims.claim(domain.id), release: (claims) => claims.release(domain.id) },
  answers: {
    claim: (answers) => answers.claim('id', 'a', NOON),
    keep: (answers) => answers.keep('id', 'answer'),
    release: (answers) => answers.release('id'),
  },
  userRequests: { count: (userRequests) => userRequests.count('usr_1', 600, NOON) },
  users: {
    add: (users) => users.add({ id: 'usr_1', email: 'ann@example.com' }, 'password of ann'),
    get: (users) => users.get('usr_1'),
    byEmail: (users) => users.byEmail('ann@example.com'),
    list: (users) => users.list(),
    check: (users) => users.check('ann@example.com', 'password of ann'),
    setPassword: (users) => users.setPassword('usr_1', 'another password'),
    endSessions: (users) => users.endSessions('usr_1'),
    sessionGeneration: (users) => users.sessionGeneration('usr_1'),
    resetPassword: (users) => users.resetPassword('digest', 'another password', NOON),
    addReset: (users) => users.addReset('usr_1', 'digest', NOON, NOON + 1),
    userOfReset: (users) => users.userOfReset('digest', NOON),
    remove: (users) => users.remove('usr_1'),
  },
  outbox: {
    add: (outbox) => outbox.add(notification),
    due: (outbox) => outbox.due(NOON, 1),
    claim: (outbox) => outbox.claim(entry, NOON, NOON + 1),
    ofAccount: (outbox) => outbox.ofAccount(account.id),
    markSent: (outbox) => outbox.markSent(entry, NOON),
    markDone: (outbox) => outbox.markDone(entry, 'usr_1'),
    postpone: (outbox) => outbox.postpone(entry, NOON),
    finish: (outbox) => outbox.finish(entry),
  },
  notificationSettings: {
    mutedBy: (settings) => settings.mutedBy('usr_1'),
    unsubscribeKey: (settings) => settings.unsubscribeKey('usr_1', 'key'),
    mute: (settings) => settings.mute('usr_1', ['key_banned']),
  },
  survey: { usagePage: (survey) => survey.usagePage(NOON) },
  sweeps: {
    read: (sweeps) => sweeps.read('edge'),
    take: (sweeps) => sweeps.take('edge', 'run', NOON, NOON + 1),
    save: (sweeps) => sweeps.save('edge', 'run', {}, 0),
    firstReported: (sweeps) => sweeps.firstReported('thing', NOON),
  },
  orderLimiter: { take: (limiter) => limiter.take([{ key: 'all', size: 1, refillMs: 1 }], NOON) },
  audit: { entries: (audit) => audit.entries({}, 1), record: (audit) => audit.record({ action: 'user.added', subject: 'usr_1' }) },
  factors: {
    factorsOf: (factors) => factors.factorsOf('usr_1'),
    passkey: (factors) => factors.passkey('a'),
    addPasskey: (factors) =>
      factors.addPasskey({
        ...{ id: 'a', userId: 'usr_1', name: 'Phone', publicKey: Uint8Array.of(1), counter: 0, transports: [] },
        ...{ createdAt: NOON, usedAt: undefined },
      }),
    usePasskey: (factors) => factors.usePasskey('a', 1, NOON),
    removePasskey: (factors) => factors.removePasskey('usr_1', 'a'),
    setTotp: (factors) => factors.setTotp('usr_1', Uint8Array.of(1), 1),
    useTotp: (factors) => factors.useTotp('usr_1', 1),
    removeTotp: (factors) => factors.removeTotp('usr_1'),
    setRecoveryCodes: (factors) => factors.setRecoveryCodes('usr_1', ['digest']),
    useRecoveryCode: (factors) => factors.useRecoveryCode('usr_1', 'digest'),
    removeAll: (factors) => factors.removeAll('usr_1'),
  },
  sessions: {
    listSessions: (sessions) => sessions.listSessions('usr_1'),
    listSignIns: (sessions) => sessions.listSignIns('usr_1', 1),
    endSession: (sessions) => sessions.endSession('usr_1', 'id'),
    endOtherSessions: (sessions) => sessions.endOtherSessions('usr_1', 'id'),
    isEnded: (sessions) => sessions.isEnded('id'),
    endGrant: (sessions) => sessions.endGrant('grant'),
  },
  signIns: {
    put: (signIns) => signIns.put(signIn, NOON, {}),
    find: (signIns) => signIns.find('Grant', 'id'),
    findByUid: (signIns) => signIns.findByUid('Session', 'uid'),
    consume: (signIns) => signIns.consume(signIn, 1),
    remove: (signIns) => signIns.remove('Grant', 'id'),
  },
  edgeMap: {
    get: (map) => map.get(domain.host),
    shown: (map) => map.shown(domain.host),
    set: (map) => map.set(domain.host, { projectId: project.id, certificate: 'c' }),
    publish: (map) => map.publish(project, async () => ({ project, hosts: [] }), [domain.host]),
    entries: (map) => map.entries(),
  },
  ownAddresses: {
    shown: (addresses) => addresses.shown(project.token),
    projectOf: (addresses) => addresses.projectOf(project.token),
    certificateOf: (addresses) => addresses.certificateOf(project.id),
    setCertificate: (addresses) => addresses.setCertificate(project.id, project.token, 'c'),
    unused: (addresses) => addresses.unused(true),
    forget: (addresses) => addresses.forget(project.id),
  },
  certificates: {
    get: (vault) => vault.get('c'),
    put: (vault) => vault.put('c', { ...order, chain: 'chain', notBefore: NOON, notAfter: NOON, authority: undefined }),
    renewal: (vault) => vault.renewal('c'),
    putRenewal: (vault) => vault.putRenewal('c', { window: undefined, askAgainAt: NOON }),
    keep: (vault) => vault.keep('c'),
    kept: (vault) => vault.kept(domain.host),
    deleteAll: (vault) => vault.deleteAll('c', undefined),
  },
  acmeOrders: {
    account: (orders) => orders.account('directory'),
    addAccount: (orders) => orders.addAccount('directory', 'key'),
    updateAccount: (orders) => orders.updateAccount('directory', { url: 'url' }),
    get: (orders) => orders.get('c'),
    keep: (orders) => orders.keep({ ...order, reference: 'c' }),
    claim: (orders) => orders.claim('c'),
    release: (orders) => orders.release('c'),
    update: (orders) => orders.update('c', { url: 'url' }),
    forget: (orders) => orders.forget('c'),
    deleteAll: (orders) => orders.deleteAll('c', undefined),
    recordFailure: (orders) => orders.recordFailure({ reference: 'c', host: domain.host }, NOON),
    failuresSince: (orders) => orders.failuresSince(domain.host, NOON),
    keepChallenge: (orders) => orders.keepChallenge(domain.host, 'token', 'answer'),
    challenge: (orders) => orders.challenge(domain.host, 'token'),
    answersOf: (orders) => orders.answersOf(domain.host),
  },
  records: {
    isEmpty: (store) => store.isEmpty(),
    page: (store) => store.page('pets'),
    put: (store) => store.put('ended_sessions', [['id', 1n]]),
    remove: (store) => store.remove('ended_sessions', [['id', 1n]]),
  },
  installation: {
    keys: (installation) => installation.keys('name', 'fresh'),
    setOutboxOpen: (installation) => installation.setOutboxOpen(true),
    crowdedProjects: (installation) => installation.crowdedProjects(1),
    removeExpired: (installation) => installation.removeExpired(NOON, () => true),
    dueItems: (installation) => installation.dueItems(NOON),
    domainCounts: (installation) => installation.domainCounts(),
    openPlanRequests: (installation) => installation.openPlanRequests(),
  },
  sandbox: {
    list: (sandbox) => sandbox.list(),
    inZone: (sandbox) => sandbox.inZone('shop.test'),
    set: (sandbox) => sandbox.set(record, false),
    unset: (sandbox) => sandbox.unset(record.name),
    change: (sandbox) => sandbox.change(() => ({ result: undefined, set: [[record, false]] })),
  },
};

export interface StoreFaultOptions<Ports extends keyof AllStores> extends SuiteOptions {
  readonly ports: readonly Ports[];
}

/** Declares a test of each method. @param make returns stores whose storage fails, and a part of the faults' messages; called for each test */
export function storeFaultContract<Ports extends keyof AllStores>(
  runner: TestFunction,
  make: Make<{ readonly stores: Pick<AllStores, Ports>; readonly says: string }>,
  options: StoreFaultOptions<Ports>,
): void {
  const test = contractSuite(runner, 'storage faults', options, { setUp: make });
  const calls = options.ports.flatMap((port) => Object.keys(CALLS[port]).map((method) => [port, method] as const));

  for (const [port, method] of calls)
    test(`${port}.${method} rejects with a StoreFault`, async ({ stores, says }) => {
      const call = CALLS[port][method as keyof (typeof CALLS)[Ports]] as (store: AllStores[Ports]) => unknown;
      // Some methods are synchronous, and throw instead.
      const fault = await (async () => call(stores[port]))().catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(StoreFault);
      expect(fault).toMatchObject({ kind: 'unavailable', message: expect.stringContaining(says) });
    });
}
