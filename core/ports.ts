// The ports: what the rules need from the world (storage, DNS, certificates, the edge), and what each adapter must promise. A
// store's contract suite (test/contracts/) runs on every adapter. A storage failure rejects with StoreFault; nothing passes in silence.

import type { Readable } from 'node:stream';
import type { Account, KeyRecord } from './access/account.ts';
import type { Limits, PlanName } from './access/plans.ts';
import type { Scope } from './access/scopes.ts';
import type { DomainConfiguration } from './domains/configuration.ts';
import type { DnsFacts } from './domains/dns-facts.ts';
import type { CertificateFailure, Domain } from './domains/domain.ts';
import type { CertificateLife } from './domains/renewal.ts';
import type { AdmissionRequest } from './limits/admit.ts';
import type { Ban } from './limits/ban.ts';
import type { Decision, Standings } from './limits/decide.ts';
import type { History } from './limits/history.ts';
import type { Block } from './limits/lease.ts';
import type { Pet, PetStatus } from './pets/pet.ts';
import type { Deployment, Project } from './projects/project.ts';

/** A fault of storage: a timeout, throttling, a full disk, a malformed item. The message is for logs, not for callers. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  /** `unavailable` may pass by itself; `corrupt` means that what is stored can't be understood. */
  readonly kind: 'unavailable' | 'corrupt';

  constructor(kind: 'unavailable' | 'corrupt', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Makes a creation safe to repeat. */
export interface Idempotency {
  /** Whose keys these are: two owners may use the same key. */
  readonly owner: string;
  readonly key: string;
  /** Tells bodies apart. */
  readonly fingerprint: string;
  /** Milliseconds since 1970; from then on the key is free again. */
  readonly expiresAt: number;
}

export interface Creation {
  readonly pet: Pet;
  readonly idempotency?: Idempotency | undefined;
}

export type CreateResult =
  | { readonly kind: 'created' }
  /** Another animal has this id; nothing was written. */
  | { readonly kind: 'id_taken'; readonly holder: Pet }
  /** The idempotency key was used with the same fingerprint: the animal that was made then. */
  | { readonly kind: 'replayed'; readonly pet: Pet }
  /** The idempotency key was used with another fingerprint. */
  | { readonly kind: 'key_reused' }
  /** A creation with this idempotency key is under way. */
  | { readonly kind: 'in_progress' };

export interface PetStore {
  /**
   * Stores an animal if its id is free, and its idempotency record with it, in one step: both or neither. Once it
   * resolves, the animal survives a crash of the process and of the machine. Of concurrent creations with one
   * idempotency key exactly one is `created`.
   *
   * @param now milliseconds since 1970: which idempotency records have expired
   */
  create(creation: Creation, now: number): Promise<CreateResult>;
  /** As `create` for each, in any order; results in the order given. A fault may leave some created: repeat is safe with idempotency or given ids. */
  createAll(creations: readonly Creation[], now: number): Promise<readonly CreateResult[]>;
  /** Sees every animal whose creation has resolved. */
  get(id: number): Promise<Pet | undefined>;
  /**
   * Animals with an id above `after`, id ascending, at most `limit` (1 to 1,000). Without a filter it sees every creation
   * that has resolved; with one it may lag by moments. Cost does not grow with the catalogue.
   */
  list(query: { readonly after: number; readonly status: PetStatus | undefined; readonly limit: number }): Promise<readonly Pet[]>;
}

export interface AccountStore {
  /** Stores the account, unless its id is taken: then false. */
  createAccount(account: Account): Promise<boolean>;
  /** All accounts, oldest first. */
  listAccounts(): Promise<readonly Account[]>;
  getAccount(id: string): Promise<Account | undefined>;
  /** Takes effect on the next request that reaches storage; bans stay. False if there is no such account. */
  setPlan(id: string, plan: PlanName, limits: Limits): Promise<boolean>;
  /** Adds a key to its account, with its ban if it has one; admitted from the moment this resolves. Keys that have expired don't count towards `maxKeys`. */
  addKey(key: KeyRecord, maxKeys: number, now: number): Promise<'added' | 'account_not_found' | 'too_many_keys'>;
  /** The keys that are not revoked, oldest first; expired ones for as long as they are stored. */
  listKeys(accountId: string): Promise<readonly KeyRecord[]>;
  getKey(keyId: string): Promise<KeyRecord | undefined>;
  /** Moves a key's end: no request is admitted from then on. False if there is no such key. */
  expireKey(keyId: string, expiresAt: number): Promise<boolean>;
  /** Ends a key's ban, if it would last beyond `now`: core/limits/ban.ts, isLiftable. Its level stays, for the length of the next. False if there is none. */
  liftBan(keyId: string, now: number): Promise<boolean>;
  /** Removes a key: refused from the moment this resolves. False if there is no such key. */
  revokeKey(keyId: string): Promise<boolean>;
}

/** An account's use of its quota at a moment. */
export interface Usage {
  readonly plan: PlanName;
  readonly standings: Standings;
  /** Bans that have not ended, by key id. */
  readonly bans: readonly { readonly keyId: string; readonly ban: Ban }[];
  readonly history: History;
}

export interface UsageStore {
  /**
   * Decides on a request and counts it, in one atomic step: of any number of concurrent requests exactly as many are
   * admitted as the limits allow, and a refused one counts in neither window. Answers as core/limits/decide.ts does.
   * A fault may have counted the request (never two), so it is not retried. The key's `lastUsedAt` moves with what is admitted.
   */
  admit(request: AdmissionRequest, now: number): Promise<Decision>;
  /** Does the account have this key, unexpired? A read: it costs less than `admit`, and touches no counter. */
  hasKey(request: AdmissionRequest, now: number): Promise<boolean>;
  /** Bans a key, unless a ban that ends later is in force when this one begins. Nothing happens if the account or the key is gone. */
  ban(request: AdmissionRequest, ban: Ban): Promise<void>;
  /**
   * Adds refusals of an account to the day of `now`, for people to see: they use up nothing. A fault may have added them, so it is
   * not retried.
   */
  countRefusals(accountId: string, count: number, now: number): Promise<void>;
  /** Costs the account nothing. */
  usage(accountId: string, now: number): Promise<Usage | undefined>;
}

/** What a process learns with a block of requests. */
export interface LeaseGrant {
  readonly plan: PlanName;
  /** Of the key that asked. */
  readonly scopes: readonly Scope[];
  /** When the key that asked ends. Milliseconds since 1970. */
  readonly expiresAt: number;
  /** With the block counted. */
  readonly standings: Standings;
}

export interface LeaseStore {
  /**
   * Takes a block of requests from both windows of `now` and gives back those of earlier blocks, in one atomic step: all of it
   * or nothing. Nothing, and undefined, if the key is not good or core/limits/lease.ts says that the block may not be taken.
   * Blocks and single requests together never exceed a limit. A fault may have taken the block, so it is not retried. `lastUsedAt` moves.
   */
  take(request: AdmissionRequest, block: Block, now: number): Promise<LeaseGrant | undefined>;
}

export interface DnsLookup {
  /**
   * What the DNS says of a domain at this moment, asked anew at every authoritative server of its zone and at the recursive ones.
   * Never rejects: a server that is silent is a fact like any other. Ends within 10 s, whatever servers do.
   *
   * @param question the domain, the edge host that its record should name, and the value of the TXT record that proves a claim
   * @returns the facts, and the strings of the TXT records that are there
   */
  look(question: {
    readonly host: string;
    readonly target: string;
    readonly token: string;
  }): Promise<{ readonly facts: DnsFacts; readonly ownership: readonly string[] }>;
}

export interface ProjectStore {
  /** Stores the project, unless its id or its token is taken: then false. */
  createProject(project: Project): Promise<boolean>;
  getProject(id: string): Promise<Project | undefined>;
  /** Of one account, or of all; oldest first. */
  listProjects(accountId?: string): Promise<readonly Project[]>;
  /** Adds a deployment whose files are stored, and serves it from the next request on, in one step. False if there is no such project. */
  deploy(deployment: Deployment): Promise<boolean>;
  /** Newest first. */
  listDeployments(projectId: string): Promise<readonly Deployment[]>;
  /** Serves an earlier deployment from the next request on. False if the project has no such deployment. */
  setCurrentDeployment(projectId: string, deploymentId: string): Promise<boolean>;
  /** False if there is no such project. */
  putConfiguration(projectId: string, configuration: DomainConfiguration): Promise<boolean>;
}

export interface DomainStore {
  /** Stores a new domain. A project has a host once, unless the other one is removed: then `exists`. Other projects may claim the same host. */
  addDomain(domain: Domain): Promise<'added' | 'exists'>;
  getDomain(id: string): Promise<Domain | undefined>;
  /** Of one project, without removed ones; oldest first. */
  listDomains(projectId: string): Promise<readonly Domain[]>;
  /** All claims to a host, removed ones too. */
  claimsOf(host: string): Promise<readonly Domain[]>;
  /**
   * Stores a domain's next state, if what is stored still equals what was read, and if no other domain of the same host is
   * proved (core/domains/domain.ts): `changed` and `host_taken` store nothing. Of concurrent writers one at the most gets `saved`.
   */
  saveDomain(next: Domain, read: Domain): Promise<'saved' | 'changed' | 'host_taken'>;
  /** Domains that want to be looked at by this time (core/domains/wake.ts), the one that waits longest first. */
  dueDomains(now: number, limit: number): Promise<readonly Domain[]>;
}

/** A file of a deployment. */
export interface SiteFile {
  readonly bytes: number;
  /** Strong validator, quoted (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** @param range first and last byte, both included. @default the whole file */
  read(range?: { readonly start: number; readonly end: number }): Readable;
}

export interface SiteStore {
  /**
   * Stores one file of a deployment that is not yet served. The name is a core/projects/site-path.ts one. Files of a deployment come in
   * the order of their names: of `docs.html` and `docs/index.html` the first answers for `docs`.
   */
  put(deployment: Pick<Deployment, 'id' | 'projectId'>, name: string, source: Readable, bytes: number): Promise<void>;
  get(deployment: Pick<Deployment, 'id' | 'projectId'>, name: string): Promise<SiteFile | undefined>;
}

export type CertificateStatus =
  | { readonly kind: 'pending' }
  /** `life` is undefined where the authority does not tell it. */
  | { readonly kind: 'issued'; readonly life: CertificateLife | undefined }
  | { readonly kind: 'failed'; readonly failure: CertificateFailure; readonly detail: string };

/** The authority can't be reached, or answers with a fault of its own: asked again later it may answer. */
export class AuthoritySilent extends Error {
  override readonly name = 'AuthoritySilent';
}

export interface CertificateAuthority {
  /** Names by which a CAA record may allow it (RFC 8659); empty while they are not known. Never rejects. */
  issuerNames(): Promise<readonly string[]>;
  /** Does it renew what it has issued by itself, as ACM does? */
  readonly renewsByItself: boolean;
  /**
   * Asks for a certificate before the domain's record is right, where the authority can prove the name by other means. Safe to repeat,
   * and `request` with the same id then gives what this has asked for. @default the authority can't
   */
  prepare?(host: string, requestId: string): Promise<void>;
  /**
   * Asks for a certificate. Safe to repeat: the same request id gives the same reference and never a second certificate. This and `check`
   * may reject with AuthoritySilent.
   *
   * @param requestId core/domains/request-id.ts
   */
  request(host: string, requestId: string): Promise<string>;
  check(reference: string): Promise<CertificateStatus>;
  /** Gives up whatever was asked for under a domain's request ids, but for the reference given. Safe to repeat, also for a domain that never asked. */
  release(domain: Pick<Domain, 'id' | 'host'>, except?: string): Promise<void>;
}

/** Which hosts the edge serves: changed by whoever has the domain in hand, asked by the edge for each request. */
export interface EdgeMap {
  /** From the next request on the host is refused, unless it is another project's by now. Safe to repeat. */
  detach(domain: Pick<Domain, 'host' | 'projectId'>): Promise<void>;
  /** From the next request on the project's current deployment and its redirects are served on these hosts of it. Safe to repeat. */
  publish(project: Project, hosts: readonly string[]): Promise<void>;
  /** What is kept of projects beside their hosts. @default nothing is */
  readonly kept?: {
    /** Ids of the projects that something is kept of. */
    projects(): Promise<readonly string[]>;
    /** For a project that is gone. Safe to repeat. */
    forget(projectId: string): Promise<void>;
  };
  /** All hosts that are served, and the projects that they are served for. */
  hosts(): Promise<readonly Pick<Domain, 'host' | 'projectId'>[]>;
}

export interface Edge extends EdgeMap {
  /** Serves the project on the host with this certificate. Safe to repeat. */
  attach(domain: Pick<Domain, 'id' | 'host'>, project: Project, certificate: string): Promise<void>;
  /** Does the edge answer for the host with a certificate for it? */
  isServing(domain: Pick<Domain, 'id' | 'host'>): Promise<boolean>;
  /** Takes down whatever was made for the domain beside the map. Safe to repeat. @returns false while it is not done: ask again */
  release(domain: Pick<Domain, 'id' | 'host'>): Promise<boolean>;
  /** Everything that was made beside the map, by the domains that it was made for. */
  made(): Promise<readonly Pick<Domain, 'id' | 'host'>[]>;
}

/** Who drives the steps of a domain. */
export interface DomainWorkflow {
  /** Starts the work on a domain's generation. Safe to repeat. If it is lost, the work is started some time later all the same. */
  start(domain: Domain): Promise<void>;
}

/** A record that a domain needs. */
export interface NeededRecord {
  /** ALIAS: what the provider calls ALIAS, ANAME or CNAME flattening. */
  readonly type: 'CNAME' | 'ALIAS' | 'TXT';
  readonly name: string;
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
}

export type PublishResult =
  | { readonly kind: 'published' }
  /** No zone here is the account's, so its owner sets the records. */
  | { readonly kind: 'no_zone' }
  /** Something else stands there, which the owner has to remove; nothing was written. */
  | { readonly kind: 'conflict'; readonly seen: string };

/** Sets records for an owner whose zone is in our hands. */
export interface RecordPublisher {
  /** Sets all of the records or none. Safe to repeat. */
  publish(accountId: string, host: string, records: readonly NeededRecord[]): Promise<PublishResult>;
  /** Removes those of the records that stand there exactly so. Safe to repeat. */
  withdraw(accountId: string, host: string, records: readonly NeededRecord[]): Promise<void>;
}

/** Who may act for which account. */
export interface MemberStore {
  /** Ids of the accounts that a user is a member of, in any order. */
  accountsOf(userId: string): Promise<readonly string[]>;
  /** Ids of the users who are members of an account, in any order. */
  membersOf(accountId: string): Promise<readonly string[]>;
  /** Safe to repeat. */
  addMember(accountId: string, userId: string): Promise<void>;
  /** Ends a membership. With `keepLast` one member stays, however many are removed at once. */
  removeMember(accountId: string, userId: string, options: { readonly keepLast: boolean }): Promise<'removed' | 'not_a_member' | 'last_member'>;
}

/** Everything that the service stores. */
export interface Stores {
  /** For a store that many processes write to at a time; absent where one process has the store to itself. */
  readonly leases?: LeaseStore;
  readonly pets: PetStore;
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
}
