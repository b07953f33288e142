// What every store must do when its storage fails: each call rejects with a StoreFault, and none answers as if there were no data.

import { Readable } from 'node:stream';
import { expect } from 'expect';
import type { Invitation } from '../core/access/invitation.ts';
import type { AccountStore, DeployTokenStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import { newDomain } from '../core/domains/domain.ts';
import type { DomainStore } from '../core/domains/ports.ts';
import type { DomainQueue } from '../core/domains/queue.ts';
import type { UserStore } from '../core/identity/ports.ts';
import type { LeaseStore, MinuteCounter, UsageStore } from '../core/limits/ports.ts';
import { memberAdded } from '../core/notifications/notification.ts';
import type { NotificationOutbox, NotificationSettings, UsageSurvey } from '../core/notifications/ports.ts';
import type { PetStore } from '../core/pets/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../core/projects/ports.ts';
import { EMPTY_CONFIGURATION } from '../core/projects/project.ts';
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
  readonly uploads: UploadStore;
  readonly domains: DomainStore;
  readonly queue: DomainQueue;
  readonly answers: AnswerStore;
  readonly userRequests: MinuteCounter;
  readonly users: UserStore;
  readonly sandbox: SandboxRecords;
  readonly outbox: NotificationOutbox;
  readonly notificationSettings: NotificationSettings;
  readonly survey: UsageSurvey;
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
  sandbox: {
    list: (sandbox) => sandbox.list(),
    inZone: (sandbox) => sandbox.inZone('shop.test'),
    set: (sandbox) => sandbox.set(record, false),
    unset: (sandbox) => sandbox.unset(record.name),
  },
};

export interface StoreFaultOptions<Ports extends keyof AllStores> extends SuiteOptions {
  /** The stores that are tested. */
  readonly ports: readonly Ports[];
}

/**
 * Declares the suite for one or more stores: a test for each of their methods.
 *
 * @param runner the runner's function that declares a test
 * @param make stores whose storage fails, and a string that the messages of the faults contain; called for each test
 */
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
