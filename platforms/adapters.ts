// Adapters with which a configuration replaces the embedded ones: the ports that they may provide, and the rules for a valid configuration.

import type { AccountStore, DeployTokenStore, InvitationStore, MemberStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import type { Actor } from '../core/audit/entry.ts';
import type { AuditLog } from '../core/audit/ports.ts';
import type { AcmeOrders, CertificateVault } from '../core/domains/certificate-ports.ts';
import type { DomainStore, OrderLimiter, RecordPublisher } from '../core/domains/ports.ts';
import type { DomainQueue, SweepStore } from '../core/domains/queue.ts';
import type { OwnAddressStore, ServedMap } from '../core/domains/served.ts';
import type { FactorStore } from '../core/identity/factors.ts';
import type { ProviderStore, SessionStore, UserStore } from '../core/identity/ports.ts';
import type { LeaseStore, MinuteCounter, UsageStore } from '../core/limits/ports.ts';
import type { Mailer, NotificationOutbox, NotificationSettings, UsageSurvey } from '../core/notifications/ports.ts';
import type { PetStore } from '../core/pets/ports.ts';
import type { InstallationStore } from '../core/ports.ts';
import type { FileRemovalStore, ProjectStore, SiteStore, UploadStore } from '../core/projects/ports.ts';
import type { RecordStore } from '../core/records/ports.ts';
import type { SandboxRecords } from '../core/sandbox/ports.ts';

/** The ports that an adapter may provide to the service on one machine. */
export interface AdapterPorts {
  readonly pets: PetStore;
  /** Must come from the same adapter as `usage`, which reads the keys and limits stored here. */
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
  /** For a store that can't count every request of a busy account. @default each request is counted separately */
  readonly leases: LeaseStore;
  /** Finds accounts whose owners get an email about their usage. @default no owner gets an email if `usage` comes from an adapter */
  readonly usageSurvey: UsageSurvey;
  /** The control API's answers to requests with an idempotency key. */
  readonly answers: AnswerStore;
  /** Requests to the control API, by user. */
  readonly userRequests: MinuteCounter;
  /** Queried before the sandbox's publisher. */
  readonly recordPublisher: RecordPublisher;
  /** Replaces PETSTORE_SMTP_URL. */
  readonly mailer: Mailer;
  // The rest of the platform. These come from one adapter, together with accounts and usage; that adapter then also adds accounts' notifications and
  // audit log entries: see SHARED_PORTS.
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly deployTokens: DeployTokenStore;
  readonly projects: ProjectStore;
  readonly fileRemovals: FileRemovalStore;
  readonly domains: DomainStore;
  /** Each host takes from the queue only domains that no other host has taken. */
  readonly domainQueue: DomainQueue;
  readonly sweeps: SweepStore;
  readonly orderLimiter: OrderLimiter;
  readonly audit: AuditLog;
  readonly outbox: NotificationOutbox;
  readonly notificationSettings: NotificationSettings;
  readonly users: UserStore;
  readonly factors: FactorStore;
  readonly sessions: SessionStore;
  /** What the OpenID provider stores about signed-in users. */
  readonly signIns: ProviderStore;
  readonly edgeMap: ServedMap;
  readonly ownAddresses: OwnAddressStore;
  readonly certificates: CertificateVault;
  readonly acmeOrders: AcmeOrders;
  readonly sandboxRecords: SandboxRecords;
  readonly installation: InstallationStore;
  /** For `petstore move`, which copies another installation's records to this one. @default installations can't be moved here */
  readonly records: RecordStore;
  /** Files of published sites; provided together with `uploads`. @default they are in the data folder */
  readonly sites: SiteStore;
  readonly uploads: UploadStore;
}

export type PortName = keyof AdapterPorts;

/** What an adapter receives when it is opened. */
export interface AdapterContext {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns who makes the changes, for audit log entries. */
  readonly actor: () => Actor;
  /** The host's data folder, for files that can be recreated, such as copies. It may not exist yet. */
  readonly dataFolder: string;
}

export interface OpenAdapter<Port extends PortName = PortName> {
  readonly ports: Pick<AdapterPorts, Port>;
  /** Releases connections; the ports then reject. @default there is nothing to release */
  close?(): Promise<void>;
}

/**
 * An adapter for one or more ports.
 *
 * @example
 * ```ts
 * export function exampleMail(token: string): Adapter<'mailer'> {
 *   return { name: 'petstore-example-mail', provides: ['mailer'], open: async () => ({ ports: { mailer: createMailer(token) } }) };
 * }
 * ```
 */
export interface Adapter<Port extends PortName = PortName> {
  /** The name of its package, for messages. */
  readonly name: string;
  readonly provides: readonly Port[];
  /** Opens the adapter, perhaps in several processes at once, and creates what is missing. Rejects with a message for operators if it can't work. */
  open(context: AdapterContext): Promise<OpenAdapter<Port>>;
}

/** An adapter for any ports. */
export interface AnyAdapter extends Omit<Adapter, 'open'> {
  open(context: AdapterContext): Promise<AnyOpenAdapter>;
}

export interface AnyOpenAdapter extends Omit<OpenAdapter, 'ports'> {
  readonly ports: Partial<AdapterPorts>;
}

/** The content of `petstore.config.ts`. */
export interface Configuration {
  /** At most one for each port. */
  readonly adapters: readonly AnyAdapter[];
}

/**
 * Returns the configuration unchanged; gives editors its type.
 *
 * @example
 * ```ts
 * // petstore.config.ts
 * export default defineConfig({ adapters: [postgresStores({ url: 'postgres://127.0.0.1/petstore' })] });
 * ```
 */
export function defineConfig(configuration: Configuration): Configuration {
  return configuration;
}

/** The methods that each port must have. */
export const PORT_METHODS: { readonly [Port in PortName]: readonly (keyof AdapterPorts[Port] & string)[] } = {
  pets: ['create', 'createAll', 'get', 'list', 'remove'],
  accounts: [
    ...(['createAccount', 'listAccounts', 'getAccount', 'setPlan', 'setPlanRequest', 'setSuspension', 'rename', 'setSecondFactor'] as const),
    ...(['deleteAccount', 'addKey', 'listKeys', 'getKey', 'expireKey', 'changeKey', 'liftBan', 'revokeKey', 'listRevokedKeys'] as const),
  ],
  usage: ['admit', 'hasKey', 'ban', 'countRefusals', 'usage'],
  leases: ['take'],
  usageSurvey: ['usagePage'],
  answers: ['claim', 'keep', 'release'],
  userRequests: ['count'],
  recordPublisher: ['publish', 'manages', 'withdraw'],
  mailer: ['send'],
  members: ['membershipsOf', 'membersOf', 'addMember', 'setRole', 'removeMember'],
  invitations: ['addInvitation', 'listInvitations', 'getInvitation', 'addDigest', 'removeInvitation', 'acceptInvitation'],
  deployTokens: ['addToken', 'listTokens', 'getToken', 'useToken', 'removeToken'],
  projects: [
    ...(['createProject', 'getProject', 'listProjects', 'deploy', 'getDeployment', 'bytesStored', 'listDeployments'] as const),
    ...(['setCurrentDeployment', 'setPinned', 'deleteDeployment', 'putConfiguration', 'rename', 'deleteProject'] as const),
  ],
  fileRemovals: ['schedule', 'ofProject', 'list', 'begin', 'finish'],
  domains: ['addDomain', 'getDomain', 'listDomains', 'claimsOf', 'saveDomain', 'dueDomains'],
  domainQueue: ['queuedDomains', 'claim', 'release'],
  sweeps: ['read', 'take', 'save', 'firstReported'],
  orderLimiter: ['take'],
  audit: ['entries', 'record'],
  outbox: ['add', 'due', 'claim', 'ofAccount', 'markSent', 'markDone', 'postpone', 'finish'],
  notificationSettings: ['mutedBy', 'mute', 'unsubscribeKey'],
  users: [
    ...(['add', 'get', 'byEmail', 'list', 'check', 'setPassword', 'addReset', 'resetPassword', 'userOfReset'] as const),
    ...(['sessionGeneration', 'remove', 'endSessions'] as const),
  ],
  factors: [
    ...(['factorsOf', 'passkey', 'addPasskey', 'usePasskey', 'removePasskey', 'setTotp', 'useTotp', 'removeTotp'] as const),
    ...(['setRecoveryCodes', 'useRecoveryCode', 'removeAll'] as const),
  ],
  sessions: ['listSessions', 'listSignIns', 'endSession', 'endOtherSessions', 'isEnded', 'endGrant'],
  signIns: ['put', 'find', 'findByUid', 'consume', 'remove'],
  edgeMap: ['get', 'shown', 'set', 'publish', 'entries'],
  ownAddresses: ['shown', 'projectOf', 'certificateOf', 'setCertificate', 'unused', 'forget'],
  certificates: ['get', 'put', 'renewal', 'putRenewal', 'keep', 'kept', 'deleteAll'],
  acmeOrders: [
    ...(['account', 'addAccount', 'updateAccount', 'get', 'keep', 'claim', 'release', 'update', 'forget', 'deleteAll'] as const),
    ...(['recordFailure', 'failuresSince', 'keepChallenge', 'challenge', 'answersOf'] as const),
  ],
  sandboxRecords: ['list', 'inZone', 'set', 'unset', 'change'],
  installation: ['keys', 'setOutboxOpen', 'crowdedProjects', 'removeExpired', 'dueItems', 'domainCounts', 'openPlanRequests'],
  records: ['isEmpty', 'page', 'put', 'remove'],
  sites: ['put', 'get'],
  uploads: ['begin', 'manifest', 'targets', 'missing', 'receive', 'end', 'remove'],
};

/** The ports whose data changes together: an adapter provides all of these or none. Several hosts with such an adapter are one installation. */
export const SHARED_PORTS = [
  ...(['accounts', 'usage', 'members', 'invitations', 'deployTokens', 'projects', 'fileRemovals', 'domains', 'domainQueue', 'sweeps'] as const),
  ...(['orderLimiter', 'audit', 'outbox', 'notificationSettings', 'users', 'factors', 'sessions', 'signIns', 'edgeMap', 'ownAddresses'] as const),
  ...(['certificates', 'acmeOrders', 'sandboxRecords', 'installation'] as const),
] as const satisfies readonly PortName[];

/** All ports that an adapter may provide. */
export const PORT_NAMES = Object.keys(PORT_METHODS) as PortName[];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns what is wrong with a configuration, one sentence for each problem; none if it is valid. Nothing is opened. */
export function configurationProblems(configuration: unknown): readonly string[] {
  if (!isObject(configuration) || !Array.isArray(configuration.adapters)) {
    return [`the default export is ${describe(configuration)}; allowed: defineConfig({ adapters: [ … ] }) of petstore-platform`];
  }
  const unknown = Object.keys(configuration).filter((key) => key !== 'adapters');
  const adapters = configuration.adapters as readonly unknown[];
  return [
    ...unknown.map((key) => `${key}: unknown; allowed: adapters`),
    ...adapters.flatMap((adapter, index) => adapterProblems(adapter, index)),
    ...sharingProblems(adapters.filter(isAdapter)),
  ];
}

function isAdapter(value: unknown): value is AnyAdapter {
  return isObject(value) && typeof value.name === 'string' && Array.isArray(value.provides) && typeof value.open === 'function';
}

function adapterProblems(adapter: unknown, index: number): readonly string[] {
  if (!isAdapter(adapter))
    return [`adapters[${index}] is ${describe(adapter)}; allowed: an adapter, which has the properties name, provides and open${lacking(adapter)}`];
  const { name, provides } = adapter;
  const unknown = provides.filter((port) => !PORT_NAMES.includes(port));
  const repeated = PORT_NAMES.filter((port) => provides.filter((each) => each === port).length > 1);
  return [
    ...(provides.length === 0 ? [`${name} provides no port; allowed: ${PORT_NAMES.join(', ')}`] : []),
    ...unknown.map((port) => `${name} provides ${JSON.stringify(port)}, which is not a port; allowed: ${PORT_NAMES.join(', ')}`),
    ...repeated.map((port) => `${name} announces ${port} twice; allowed: each port once`),
  ];
}

function sharingProblems(adapters: readonly AnyAdapter[]): readonly string[] {
  const providersOf = (port: PortName) => adapters.filter(({ provides }) => provides.includes(port)).map(({ name }) => name);
  const twice = PORT_NAMES.flatMap((port) => {
    const names = providersOf(port);
    return names.length > 1 ? [`${names.join(' and ')} both provide ${port}; a port has one adapter: remove one of them`] : [];
  });
  const apart = adapters.flatMap(({ name, provides }) => {
    const together = (['accounts', 'usage'] as const).filter((port) => provides.includes(port));
    const files = (['sites', 'uploads'] as const).filter((port) => provides.includes(port));
    const missing = SHARED_PORTS.filter((port) => !provides.includes(port));
    const shared = SHARED_PORTS.find((port) => port !== 'accounts' && port !== 'usage' && provides.includes(port));
    const needsUsage = (['leases', 'usageSurvey'] as const).filter((port) => provides.includes(port) && !provides.includes('usage'));
    return [
      ...(together.length === 1
        ? [`${name} provides ${together[0]} without ${together[0] === 'usage' ? 'accounts' : 'usage'}; both or neither`]
        : []),
      ...(files.length === 1 ? [`${name} provides ${files[0]} without ${files[0] === 'sites' ? 'uploads' : 'sites'}; both or neither`] : []),
      ...(shared !== undefined && missing.length > 0 ? [`${name} provides ${shared} without ${missing.join(', ')}; all of them or none`] : []),
      ...needsUsage.map((port) => `${name} provides ${port} without usage, whose counters it reads`),
    ];
  });
  return [...twice, ...apart];
}

/** Returns how an opened adapter differs from its announcement, one sentence for each port; none if it is complete. */
export function portProblems({ name, provides }: AnyAdapter, opened: unknown): readonly string[] {
  const ports = isObject(opened) && isObject(opened.ports) ? opened.ports : {};
  const unannounced = PORT_NAMES.filter((port) => ports[port] !== undefined && !provides.includes(port));
  const incomplete = provides.flatMap((port) => {
    const given = ports[port];
    if (!isObject(given)) return [`${name} announces the port ${port}, but open() returns no ports.${port}`];
    const missing = PORT_METHODS[port].filter((method) => typeof given[method] !== 'function');
    if (missing.length === 0) return [];
    return [`${name}: its ${port} ${missing.length === 1 ? 'lacks the method' : 'lack the methods'} ${missing.join(', ')}; see docs/adapters.md`];
  });
  return [
    ...incomplete,
    ...unannounced.map(
      (port) => `${name}: open() returns the port ${port}, which is not in provides, so it would not be used; announce it, or leave it out`,
    ),
  ];
}

function lacking(value: unknown): string {
  if (!isObject(value) || typeof value.then === 'function') return '';
  const missing = [
    ...(typeof value.name === 'string' ? [] : ['name']),
    ...(Array.isArray(value.provides) ? [] : ['provides']),
    ...(typeof value.open === 'function' ? [] : ['open']),
  ];
  return `; it lacks ${missing.join(' and ')}`;
}

function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'function') return `the function ${value.name}, which must be called`;
  if (isObject(value) && typeof value.then === 'function') return 'a promise, which must be awaited (await is allowed at the top of the file)';
  return isObject(value) ? 'another object' : JSON.stringify(value);
}
