// What domains need of the world: storage, the DNS, certificates, the edge, and somebody who drives their steps.

import type { Project } from '../projects/project.ts';
import type { DnsFacts } from './dns-facts.ts';
import type { CertificateFailure, Domain } from './domain.ts';
import type { CertificateLife } from './renewal.ts';

/** Every method rejects with StoreFault (core/store-fault.ts) if storage fails, and with nothing else. */
export interface DomainStore {
  /** Stores a new domain. A project has a host once, unless the other one is removed: then `exists`. Other projects may claim the same host. */
  addDomain(domain: Domain): Promise<'added' | 'exists'>;
  getDomain(id: string): Promise<Domain | undefined>;
  /** Of one project, without removed ones; oldest first. */
  listDomains(projectId: string): Promise<readonly Domain[]>;
  /** All claims to a host, oldest first; removed ones too, for as long as they are stored. */
  claimsOf(host: string): Promise<readonly Domain[]>;
  /**
   * Stores a domain's next state, if what is stored still equals what was read, and if no other domain of the same host is
   * proved (core/domains/domain.ts): `changed` and `host_taken` store nothing. Of concurrent writers one at the most gets `saved`.
   */
  saveDomain(next: Domain, read: Domain): Promise<'saved' | 'changed' | 'host_taken'>;
  /**
   * Domains that want to be looked at by this time (core/domains/states.ts), the one that waits longest first. What was saved in the last
   * moments may be missing or out of date: whoever works on a domain reads it again.
   *
   * @param now milliseconds since 1970
   */
  dueDomains(now: number, limit: number): Promise<readonly Domain[]>;
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
   * Asks for a certificate. Safe to repeat, also at the same time: the same request id gives the same reference and never a second
   * certificate. A refusal is no rejection: `check` says `failed`. If the authority can't be reached, this and `check` reject, with
   * AuthoritySilent if the domain is to wait for it; any other rejection is a fault, for which the step is repeated.
   *
   * @param requestId core/domains/request-id.ts
   */
  request(host: string, requestId: string): Promise<string>;
  /** How far it is. May work on it for some seconds, which is safe to repeat. */
  check(reference: string): Promise<CertificateStatus>;
  /**
   * Gives up whatever was asked for under a domain's request ids, but for the reference given; nothing of other domains, of the same host
   * either. Called once the edge has taken down what it made. Safe to repeat, also for a domain that never asked.
   */
  release(domain: Pick<Domain, 'id' | 'host'>, except?: string): Promise<void>;
}

/** Which hosts the edge serves: changed by whoever has the domain in hand, asked by the edge for each request. */
export interface EdgeMap {
  /** From the next request on the host is refused, unless it is another project's by now, or becomes so meanwhile. Safe to repeat. */
  detach(domain: Pick<Domain, 'host' | 'projectId'>): Promise<void>;
  /**
   * From the next request on the project's current deployment and its redirects are served on these hosts of it, which are served already.
   * The project is stored as it is given. Any number of hosts; a fault may leave some as they were. Safe to repeat.
   */
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
  /** Serves the project on the host with this certificate, in the place of any other. Rejects while the edge does not take it. Safe to repeat. */
  attach(domain: Pick<Domain, 'id' | 'host'>, project: Project, certificate: string): Promise<void>;
  /** Does the edge answer for the host with a certificate for it? Not while what was made for the domain is being taken down. */
  isServing(domain: Pick<Domain, 'id' | 'host'>): Promise<boolean>;
  /** Takes down whatever was made for the domain beside the map. Safe to repeat. @returns false while it is not done: ask again */
  release(domain: Pick<Domain, 'id' | 'host'>): Promise<boolean>;
  /** Everything that was made beside the map, by the domains that it was made for. */
  made(): Promise<readonly Pick<Domain, 'id' | 'host'>[]>;
}

/** Who drives the steps of a domain. */
export interface DomainWorkflow {
  /**
   * Starts the work on a domain's generation, which is stored. Safe to repeat, also once the work has ended: it is begun once. If the start
   * is lost, or a fault, the work is begun within the hour all the same.
   */
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
  /** Something else is there, which the owner has to remove; nothing was written. `seen` says what: `<name> has <type> <value>`. */
  | { readonly kind: 'conflict'; readonly seen: string };

/** Sets records for an owner whose zone is in our hands. */
export interface RecordPublisher {
  /**
   * Sets all of the records or none, also if it rejects. A text is set beside others of its name. Safe to repeat.
   *
   * @param host in the zone that the records are set in; the zone must be the account's
   */
  publish(accountId: string, host: string, records: readonly NeededRecord[]): Promise<PublishResult>;
  /** Removes those of the records that are there exactly so, and are the account's. A fault may leave some. Safe to repeat. */
  withdraw(accountId: string, host: string, records: readonly NeededRecord[]): Promise<void>;
}
