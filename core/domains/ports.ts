// The ports for domains: storage, DNS, certificates, the edge, and a driver for the domains' steps.

import type { Page } from '../page.ts';
import type { Project } from '../projects/project.ts';
import { StoreFault } from '../refusal.ts';
import type { CaaIdentity } from './diagnosis/caa.ts';
import type { DnsFacts } from './diagnosis/dns-facts.ts';
import type { AttemptFailure, Domain, SeenZone } from './domain.ts';
import type { Redirect } from './redirects.ts';
import type { CertificateLife, RenewalWindow } from './renewal.ts';

/** Every method rejects only with StoreFault, if storage fails. */
export interface DomainStore {
  /** Stores a new domain. `exists` if the project already has the host and has not removed it. Other projects may claim the same host. */
  addDomain(domain: Domain): Promise<'added' | 'exists'>;
  /** Returns a domain, even a removed one while it is stored; undefined if there is none. */
  getDomain(id: string): Promise<Domain | undefined>;
  /** Returns the domains of a project, except removed ones, oldest first. */
  listDomains(projectId: string): Promise<readonly Domain[]>;
  /** Returns all claims to a host, oldest first, including removed ones while they are stored. */
  claimsOf(host: string): Promise<readonly Domain[]>;
  /**
   * Stores a domain's next state, if the stored state still equals what was read and no other domain for the same host is `verified`,
   * `certificate_pending`, `certificate_failed`, `attaching`, `live`, `degraded` or `certificate_expired`; otherwise, stores nothing. Of concurrent
   * writers, at most one gets `saved`. Adds the notification that the change causes, if any, to the outbox in the same step.
   */
  saveDomain(next: Domain, read: Domain): Promise<'saved' | 'changed' | 'host_taken'>;
  /**
   * Returns a page of the domains due for a check by `now`, longest-waiting first: by their state's `nextCheckAt`, or `since` if that is not set, in
   * states that have checks. A check that is further away than any schedule allows is due as well, because only a wrong clock can have set it. May be
   * slightly out of date, so a worker reads a domain again before working on it.
   *
   * @param now milliseconds since 1970
   * @param after `next` of the previous page, whatever has happened to its domains. @default the first page
   */
  dueDomains(now: number, limit: number, after?: string): Promise<Page<Domain>>;
}

export interface DnsLookup {
  /**
   * Looks up a domain's DNS now, at every authoritative server of its zone and at the recursive resolvers. Never rejects, because a server's silence
   * is a fact as well. Takes at most 10 s.
   *
   * @param question the domain, the edge host that its record should point to, and the value of the TXT record that proves a claim
   * @returns the facts, and the strings of the TXT records found
   */
  lookUp(question: {
    readonly host: string;
    readonly target: string;
    readonly token: string;
  }): Promise<{ readonly facts: DnsFacts; readonly ownership: readonly string[] }>;
  /**
   * Finds the zone that holds a host, without querying the host's own records through a resolver's cache. Never rejects. Takes at most 1.5 s.
   *
   * @returns undefined if the zone can't be found in time
   */
  zoneOf(host: string): Promise<Pick<SeenZone, 'name' | 'nameServers'> | undefined>;
}

/** Finds out who hosts the zone of a domain that is being added. */
export interface ZoneInspector {
  /**
   * Returns the zone that holds a host, and whether we can set records in it for the account. Never rejects. Takes at most 2 s.
   *
   * @returns undefined if this can't be determined in time
   */
  inspect(accountId: string, host: string): Promise<Omit<SeenZone, 'at'> | undefined>;
}

export type CertificateStatus =
  /** `askAgainAt`: when the authority wants to be polled again, in milliseconds since 1970. */
  | { readonly kind: 'pending'; readonly askAgainAt?: number | undefined }
  | ({ readonly kind: 'issued' } & IssuedCertificate)
  /** The attempt is over: the next `request` with this id makes another attempt. Until then, `check` repeats this answer. */
  | ({ readonly kind: 'failed' } & AttemptFailure);

/** A certificate as its authority reports it. Times are in milliseconds since 1970. */
export interface IssuedCertificate {
  /** Undefined if the authority does not report it. */
  readonly life: CertificateLife | undefined;
  /** The authority's name, for display; undefined if the authority replaces the certificate without us. */
  readonly issuer?: string | undefined;
  /** When the authority suggests renewing it (RFC 9773). @default no suggestion */
  readonly window?: RenewalWindow | undefined;
  /** When to query the authority about the window again. @default never */
  readonly askAgainAt?: number | undefined;
  /** Whether another authority issued it; if so, it is replaced at once. @default false */
  readonly isForeign?: boolean;
  /** Why the authority, which renews the certificate without us, could not do so. @default no problem is known */
  readonly problem?: AttemptFailure | undefined;
}

/** Limits certificate orders; all accounts share the limits. */
export interface OrderLimiter {
  /**
   * Takes a token from each bucket if all have one, otherwise from none. Exact, even with concurrent calls. Rejects only with StoreFault, if storage
   * fails.
   *
   * @param now milliseconds since 1970
   * @returns the time at which all buckets will have a token, in milliseconds since 1970; undefined if the tokens were taken
   */
  take(buckets: readonly OrderBucket[], now: number): Promise<number | undefined>;
}

/** A bucket of tokens. */
export interface OrderBucket {
  /** Identifies what is limited, in at most 300 characters. */
  readonly key: string;
  readonly size: number;
  /** How long it takes to refill one token, in milliseconds. */
  readonly refillMs: number;
}

/** Thrown if the authority is unreachable or reports an internal error; a later attempt may succeed. */
export class AuthoritySilent extends Error {
  override readonly name = 'AuthoritySilent';
  /** When the authority wants to be polled again, in milliseconds since 1970. @default the authority named no time */
  readonly retryAt: number | undefined;
  /** `account`: the operator must act. @default 'authority_unavailable', which is temporary */
  readonly failure: 'authority_unavailable' | 'account';

  /** @param message the fault, as reported by the authority or the connection to it */
  constructor(
    message: string,
    { retryAt, failure = 'authority_unavailable', ...options }: ErrorOptions & Partial<Pick<AuthoritySilent, 'retryAt' | 'failure'>> = {},
  ) {
    super(message, options);
    this.retryAt = retryAt;
    this.failure = failure;
  }
}

/** Thrown if the edge map can't be changed now. What was to be published is stored, and will be published later. */
export class EdgeFault extends StoreFault {
  /** @param message the fault, as reported by the edge map or the connection to it */
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options);
  }
}

/** Thrown if the edge can't serve a name because something else serves it. */
export class NameInUse extends Error {
  override readonly name = 'NameInUse';
  readonly failure: 'name_in_use' | 'name_in_use_here';

  /** @param message what serves it, for owners and operators */
  constructor(failure: NameInUse['failure'], message: string) {
    super(message);
    this.failure = failure;
  }
}

export interface CertificateAuthority {
  /** Returns how a CAA record may permit the authority. Never rejects. */
  caaIdentity(): Promise<CaaIdentity>;
  /** Whether the authority renews its certificates automatically, as ACM does. */
  readonly renewsAutomatically: boolean;
  /** Whether the authority limits the number of certificates below a registered domain, as Let's Encrypt does. @default true */
  readonly isLimitedByDomain?: boolean;
  /**
   * Requests a certificate before the domain's record is right, if control of the name can be proved to the authority in another way. Idempotent: a
   * later `request` with the same id returns this certificate. @default not supported by the authority
   */
  prepare?(host: string, requestId: string): Promise<void>;
  /**
   * Requests a certificate. Idempotent, even concurrently: the same request id gives the same reference and never a second certificate. If the
   * previous attempt has failed, makes another one. A refusal does not reject; `check` then returns `failed`. If the authority is unreachable, this
   * and `check` reject with AuthoritySilent, and the attempt continues later; any other rejection is a fault, and the step is repeated.
   *
   * @param requestId begins with the domain's id and a hyphen; each generation of a domain, and each renewal, has its own
   * @param replaces the reference of the certificate that this one renews. @default none
   */
  request(host: string, requestId: string, replaces?: string): Promise<string>;
  /** Returns a request's progress. May take a few seconds, because it also processes the request. Idempotent. */
  check(reference: string): Promise<CertificateStatus>;
  /**
   * Deletes everything that was requested with a domain's request ids, except the given reference. What belongs to other domains stays, even if those
   * have the same host. Called after the edge's teardown. Idempotent, even for a domain without requests.
   */
  release(domain: Pick<Domain, 'id' | 'host'>, except?: string): Promise<void>;
  /**
   * Certificates that nothing uses, for the sweep that finds certificates whose domain is gone.
   *
   * @default none: the authority's certificates cost nothing, and are kept in case the name is added again
   */
  readonly unused?: {
    /** Returns a page of references, as in EdgeMap.entries. Certificates that were not requested here may be among them. */
    list(after?: string): Promise<Page<string>>;
    /** Returns the id of the domain for which the certificate was requested here; undefined if it was not requested here. */
    domainOf(reference: string): Promise<string | undefined>;
    /** Deletes a certificate that nothing uses. Idempotent. */
    delete(reference: string): Promise<void>;
  };
}

/** What the edge is to serve for a project. */
export interface Publication {
  readonly project: Project;
  /** Its domains that are served, or are being attached. */
  readonly hosts: readonly string[];
}

/** Reads from storage what is to be served for a project now; undefined if nothing is. */
export type CurrentPublication = () => Promise<Publication | undefined>;

/** A project, possibly known only by its id. */
export type ProjectRef = Pick<Project, 'id'> & Partial<Pick<Project, 'token'>>;

/** Which hosts the edge serves: changed by the domain's workflow, read by the edge for each request. */
export interface EdgeMap {
  /**
   * From the next request on, serves what `current` returns: the project's deployment and redirects, on those of its hosts that are attached. Stops
   * serving each of `hosts` that `current` does not name, unless another project has it. If `current` returns undefined, also stops serving the
   * project's target. Idempotent. Accepts any number of hosts; a fault may leave some unchanged.
   *
   * Once all calls have ended, the edge serves what storage says, whatever other processes stored or published meanwhile. To ensure this, the version
   * that a write replaces is read before `current` is called. If the map has no versions, `current` is called again after each write, until it
   * returns what was written.
   *
   * @param hosts the hosts to change. @default the hosts that `current` names
   */
  publish(project: ProjectRef, current: CurrentPublication, hosts?: readonly string[]): Promise<void>;
  /**
   * Returns a page of the stored entries, in any order. The pages together have every entry, but one that is added or removed between two pages may
   * be missing or appear twice.
   *
   * @param after `next` of the previous page. @default the first page
   * @throws StalePage if the list can't be continued there
   */
  entries(after?: string): Promise<Page<MapEntry>>;
  /** Returns the total size of what is stored, in bytes. @default the store's size is not limited */
  bytes?(): Promise<number>;
}

/** A served host, or something stored for a project besides its hosts. */
export interface MapEntry {
  readonly host: string | undefined;
  /** Whether the host is the project's target, and not a domain. @default false */
  readonly isTarget?: boolean;
  readonly projectId: string;
  /** What is stored with the host. @default the map stores nothing that could be out of date */
  readonly content?: MapContent;
}

/** What the map stores about what visitors to a host are served. */
export interface MapContent {
  readonly deploymentId?: string | undefined;
  readonly redirect?: Pick<Redirect, 'to' | 'status'> | undefined;
}

export interface Edge extends EdgeMap {
  /**
   * Serves the domain with this certificate, replacing any previous one, if `current` names it (see `publish`). Idempotent. Rejects until the edge
   * accepts the domain; with NameInUse if something else serves the name.
   */
  attach(domain: Pick<Domain, 'id' | 'host' | 'projectId'>, current: CurrentPublication, certificate: string): Promise<void>;
  /** Whether the edge answers for the host with this certificate. False during the domain's teardown. */
  isServing(domain: Pick<Domain, 'id' | 'host'>, certificate: string): Promise<boolean>;
  /** Deletes what was created for the domain outside the edge map. Idempotent. @returns false while the deletion is in progress; call again */
  release(domain: Pick<Domain, 'id' | 'host'>): Promise<boolean>;
  /** Returns a page of everything created outside the edge map, by domain, as in `entries`. */
  made(after?: string): Promise<Page<Pick<Domain, 'id' | 'host'>>>;
}

/** Drives domains through their steps. */
export interface DomainWorkflow {
  /**
   * Starts the work on a domain's stored generation. Idempotent: the work starts only once, even if it has already ended. If a start is lost or
   * fails, a sweep starts the work within the hour.
   */
  start(domain: Domain): Promise<void>;
}

/** A record that a domain needs. */
export interface NeededRecord {
  /** Providers call an ALIAS record ALIAS, ANAME or CNAME flattening. */
  readonly type: 'CNAME' | 'ALIAS' | 'TXT';
  readonly name: string;
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
}

export type PublishResult =
  | { readonly kind: 'published' }
  /** The account has no zone with this provider, so the domain's owner has to set the records. */
  | { readonly kind: 'no_zone' }
  /** Another record is in the way, and the owner has to remove it; nothing was written. `seen` describes it: `<name> has <type> <value>`. */
  | { readonly kind: 'conflict'; readonly seen: string };

/** Sets records for owners whose zones we manage. */
export interface RecordPublisher {
  /**
   * Sets all of the records or, if it rejects, none. A TXT record is added to existing ones at its name. Idempotent.
   *
   * @param host a name in the zone where the records are set; the zone must belong to the account
   */
  publish(accountId: string, host: string, records: readonly NeededRecord[]): Promise<PublishResult>;
  /** Whether the account has the host's zone, so that `publish` would not return `no_zone`. Changes nothing. */
  manages(accountId: string, host: string): Promise<boolean>;
  /** Removes the given records if they match exactly and belong to the account. After a fault, some may remain. Idempotent. */
  withdraw(accountId: string, host: string, records: readonly NeededRecord[]): Promise<void>;
}
