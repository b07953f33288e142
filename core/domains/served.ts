// A domain that is served: its record is checked, and its certificate is renewed, each on its own schedule. Times are in milliseconds since 1970.

import type { Awaitable } from '../ports.ts';
import type { DomainConfiguration } from './configuration.ts';
import type { Diagnosis } from './diagnosis/diagnosis.ts';
import { type Domain, type DomainState, inState, type Served } from './domain.ts';
import type { EdgeMap } from './ports.ts';
import { renewalLateAt } from './renewal.ts';
import { FOREIGN_FAULT_MS, LIVE_CHECK_MS, MISS_SCHEDULE, MISSES_TO_DEGRADE, SECOND_LOOK_MS, waitAfter } from './schedule.ts';

export type ServedState = Extract<DomainState, Served>;

/** A change to a served domain. */
export interface ServedChange extends Partial<Omit<Served, 'since' | 'nextCheckAt'>> {
  /** Whether browsers reject its certificate for a reason other than expiry, such as revocation. @default as before */
  readonly isDead?: boolean;
  /** The earliest time of the next check. @default now */
  readonly notBefore?: number;
}

/** How long all other work on a domain waits while our own resolvers don't answer. */
const OUR_FAULT_MS = 600_000;

/** Whether the edge serves a domain in this state. */
export function isServedState(state: DomainState): state is ServedState {
  return state.name === 'live' || state.name === 'degraded' || state.name === 'certificate_expired';
}

/** Returns the domain as live, after the edge has loaded its certificate. */
export function goneLive({ lastFailure: _, ...domain }: Domain, certificate: string, now: number): Domain {
  const first = { name: 'live', since: now, certificate, misses: 0, nextCheckAt: now } as const;
  return inState(domain, servedState(domain, first, { ...recordFound(now), isDead: false }, now), domain.generation);
}

/** Returns a served domain after a change: its state follows from its certificate and its record, and its next check is whatever is due first. */
export function servedNow(domain: Domain, state: ServedState, change: ServedChange, now: number): Domain {
  return inState(domain, servedState(domain, state, change, now), domain.generation);
}

function servedState(domain: Domain, { name: before, since, ...state }: ServedState, change: ServedChange, now: number): ServedState {
  const { certificate, lastFailure } = domain;
  const { isDead = before === 'certificate_expired', notBefore = now, ...changed } = change;
  const next = { ...state, ...changed };
  const hasEnded = isDead || (certificate !== undefined && certificate.notAfter <= now);
  const isWaitedFor = next.renewal !== undefined || lastFailure !== undefined || next.diagnosis !== undefined;
  const isLate = certificate !== undefined && isWaitedFor && now >= renewalLateAt(certificate);
  const late = next.late ?? (isLate ? true : undefined);
  const rest = { ...next, late, nextCheckAt: Math.max(nextDue(domain, { ...next, late }, hasEnded, now), notBefore) };
  const inName = (name: ServedState['name']) => (name === before ? since : now);
  if (hasEnded) return { name: 'certificate_expired', since: inName('certificate_expired'), ...rest };
  const { diagnosis } = rest;
  if (diagnosis === undefined || !isRecordLost(before, rest, diagnosis, now)) return { name: 'live', since: inName('live'), ...rest };
  return { name: 'degraded', since: inName('degraded'), ...rest, diagnosis };
}

/** Returns the time at which the next step is due. */
function nextDue({ certificate, lastFailure }: Domain, state: Omit<Served, 'since'>, hasEnded: boolean, now: number): number {
  const { recordCheckAt = state.nextCheckAt, renewal, diagnosis, late } = state;
  const times = [recordCheckAt];
  if (renewal !== undefined) times.push(renewal.nextCheckAt);
  // Without the record, no authority would issue a certificate, so no renewal is due before the record is checked again.
  else if (diagnosis === undefined && (lastFailure !== undefined || certificate?.renewAt !== undefined || hasEnded))
    times.push(lastFailure?.nextTryAt ?? (hasEnded ? now : (certificate?.renewAt ?? now)));
  if (certificate?.askAgainAt !== undefined) times.push(certificate.askAgainAt);
  // Times at which the owner is notified.
  const moments = certificate === undefined ? [] : [...(late ? [] : [renewalLateAt(certificate)]), certificate.notAfter];
  return Math.min(...times, ...moments.filter((at) => at > now));
}

/** Returns the change after a check that found the record right. */
export function recordFound(now: number): ServedChange {
  return { misses: 0, missingSince: undefined, diagnosis: undefined, recordCheckAt: now + LIVE_CHECK_MS };
}

/** Returns the change after a check that found the record wrong. A failure of our own resolvers is not a miss. */
export function recordMissed(state: Served, diagnosis: Diagnosis, now: number): ServedChange {
  if (diagnosis.actor === 'platform') return { recordCheckAt: now + SECOND_LOOK_MS, notBefore: now + OUR_FAULT_MS };
  const misses = state.misses + 1;
  const wait = waitAfter(MISS_SCHEDULE, misses) ?? LIVE_CHECK_MS;
  return { misses, missingSince: state.missingSince ?? now, diagnosis, recordCheckAt: now + wait };
}

/** Whether the domain is degraded: its owner has been notified that the record is wrong. It stays degraded until the record is right. */
function isRecordLost(
  before: ServedState['name'],
  { misses, missingSince = 0 }: Pick<Served, 'misses' | 'missingSince'>,
  { actor }: Diagnosis,
  now: number,
): boolean {
  if (before === 'degraded') return true;
  return actor === 'owner' ? misses >= MISSES_TO_DEGRADE : now - missingSince >= FOREIGN_FAULT_MS;
}

// Storage ports for an edge that looks up what it serves for each request and each handshake.

export interface EdgeEntry {
  readonly projectId: string;
  readonly certificate: string;
}

/** What a host shows. */
export interface Shown {
  readonly projectId: string;
  /** Null: nothing is published. */
  readonly deploymentId: string | null;
  readonly configuration: DomainConfiguration;
}

/** The edge map as the edge reads it. Every method rejects or throws StoreFault. */
export interface ServedMap extends EdgeMap {
  /** Returns a host's entry; undefined if it is not served. */
  get(host: string): Awaitable<EdgeEntry | undefined>;
  /** Returns what visitors to a host see; undefined if it is not served. */
  shown(host: string): Awaitable<Shown | undefined>;
  /** Serves a host, replacing what it served before. */
  set(host: string, entry: EdgeEntry): Awaitable<void>;
}

/** Storage for projects' own addresses, which need no domain. Every method rejects or throws StoreFault. */
export interface OwnAddressStore {
  /** Returns what a served project shows, by its token; undefined if there is no such project. */
  shown(token: string): Awaitable<Shown | undefined>;
  projectOf(token: string): Awaitable<{ readonly id: string; readonly accountId: string } | undefined>;
  /** Returns the reference of a certificate by its holder's id. @param id of a project, or of the wildcard certificate's holder */
  certificateOf(id: string): Awaitable<string | undefined>;
  setCertificate(id: string, token: string, certificate: string): Promise<void>;
  /** Returns the deleted projects that have a certificate or, if `areAll`, all projects that have one. */
  unused(areAll: boolean): Awaitable<readonly { readonly id: string; readonly token: string }[]>;
  forget(id: string): Promise<void>;
}
