// Admission through leases (core/limits/lease.ts), for a store that several processes share. It makes the same decisions as the UsageStore.

import type { Scope } from '../../core/access/plans.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { AdmissionRequest } from '../../core/limits/admit.ts';
import type { Decision, QuotaStatuses } from '../../core/limits/decide.ts';
import { LEASE_MS, LEASED_ABOVE_PER_MINUTE, leaseSize, type Pace, UNKNOWN_PACE } from '../../core/limits/lease.ts';
import type { LeaseStore } from '../../core/limits/ports.ts';
import { windowsAt } from '../../core/limits/windows.ts';
import type { AdmissionStore } from './admitter.ts';

/** Maximum number of busy accounts that a process remembers. */
const REMEMBERED_ACCOUNTS = 1_000;
/** The request rate is measured at this interval, or after this many requests if that is sooner. */
const MEASURE_MS = 100;
const MEASURE_REQUESTS = 4;
const MINUTES_A_DAY = 1_440;

type Counted = Extract<Decision, { kind: 'admitted' | 'suspended' }>;

interface ValidKey {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
  /** Until when a key that storage has confirmed is assumed to be valid. */
  readonly validUntil: number;
}

interface Holding {
  /** The minute in which `left` may be spent. */
  minute: number;
  left: number;
  /** Unspent requests of past minutes, to be returned to the day `owedDay`. */
  owed: number;
  owedDay: number;
  plan: Counted['plan'];
  /** Whether the account is suspended, as last reported by storage. If so, its requests are spent, but refused. */
  suspended: boolean;
  /** The quota status as last reported by storage. */
  quotas: QuotaStatuses;
  readonly keys: BoundedMap<string, ValidKey>;
  /** Storage calls in progress, by digest. */
  readonly inProgress: Map<string, Promise<Decision>>;
  pace: Pace;
  /** The last measurement: its time, the minute's counter at that time, and the requests that this process has admitted and written since. */
  readonly measured: { at: number; requests: number; written: number; minute: number; used: number };
}

/** Adds leases to a usage store. */
export function createLeasedUsage(usage: AdmissionStore, leases: LeaseStore): AdmissionStore {
  const holdings = new BoundedMap<string, Holding>(REMEMBERED_ACCOUNTS);

  async function admit(request: AdmissionRequest, now: number): Promise<Decision> {
    const { accountId, digest } = request;
    for (;;) {
      const holding = holdings.get(accountId);
      if (holding === undefined) return admitOne(request, now);
      if (isFromFuture(holding, now)) {
        holdings.delete(accountId);
        return admitOne(request, now);
      }
      const spent = spend(holding, digest, now);
      if (spent !== undefined) return spent;
      const size = sizeNow(holding, now);
      if (size === 0) return admitOne(request, now);
      const underWay = holding.inProgress.get(digest);
      if (underWay === undefined) return ask(holding, request, size, now);
      // The call in progress decides on one request; the requests that waited for it check again.
      await underWay.catch(() => {});
    }
  }

  async function ask(holding: Holding, request: AdmissionRequest, size: number, now: number): Promise<Decision> {
    const question = takeBlock(holding, request, size, now);
    holding.inProgress.set(request.digest, question);
    try {
      return await question;
    } finally {
      holding.inProgress.delete(request.digest);
    }
  }

  async function takeBlock(holding: Holding, request: AdmissionRequest, size: number, now: number): Promise<Decision> {
    const { minute, day } = windowsAt(now);
    const take = Math.max(0, size - holding.left);
    // From here on, these requests belong to this call, because two calls must not return the same ones.
    const back = holding.owedDay === day ? holding.owed : 0;
    holding.owed = 0;
    const limits = { perMinute: holding.quotas.minute.limit, perDay: holding.quotas.day.limit };
    const grant = await leases.take(request, { take, back, limits }, now);
    if (grant === undefined) {
      if (holding.owedDay === day) holding.owed += back;
      return admitOne(request, now);
    }
    holding.plan = grant.plan;
    holding.suspended = grant.suspended ?? false;
    holding.keys.set(request.digest, { scopes: grant.scopes, expiresAt: grant.expiresAt, validUntil: now + LEASE_MS });
    receive(holding, minute, day, take);
    measure(holding, grant.quotas, take, now);
    return spend(holding, request.digest, now) ?? admitOne(request, now);
  }

  async function admitOne(request: AdmissionRequest, now: number): Promise<Decision> {
    const decision = await usage.admit(request, now);
    const holding = holdings.get(request.accountId);
    if (decision.kind !== 'admitted' && decision.kind !== 'suspended') {
      // The account's other keys may still spend its lease, but this key must not.
      if (decision.kind !== 'limited') holding?.keys.delete(request.digest);
      return decision;
    }
    if (decision.quotas.minute.limit <= LEASED_ABOVE_PER_MINUTE) {
      if (holding !== undefined) holdings.delete(request.accountId);
      return decision;
    }
    if (holding === undefined) holdings.set(request.accountId, newHolding(decision, now));
    else {
      holding.suspended = decision.kind === 'suspended';
      holding.measured.requests += 1;
      measure(holding, decision.quotas, 1, now);
    }
    return decision;
  }

  return { ...usage, admit };
}

function newHolding({ kind, plan, quotas }: Counted, now: number): Holding {
  const { minute, day } = windowsAt(now);
  return {
    minute,
    left: 0,
    owed: 0,
    owedDay: day,
    plan,
    suspended: kind === 'suspended',
    quotas,
    keys: new BoundedMap(100),
    inProgress: new Map(),
    pace: UNKNOWN_PACE,
    measured: { at: now, requests: 0, written: 0, minute, used: quotas.minute.limit - quotas.minute.remaining },
  };
}

/** Returns how many requests the process should hold from now on; 0 if it is better to write each one separately. */
function sizeNow(holding: Holding, now: number): number {
  const { minute, day } = windowsAt(now);
  if (holding.minute < minute) settle(holding, minute);
  // If the clock steps back, there is nothing to spend, and nothing is taken for a past minute.
  if (holding.minute > minute) return 0;
  const { quotas } = holding;
  const minuteLeft = holding.measured.minute === minute ? quotas.minute.remaining : quotas.minute.limit;
  const dayLeft = Math.floor(holding.measured.minute / MINUTES_A_DAY) === day ? quotas.day.remaining : quotas.day.limit;
  const size = leaseSize(holding.pace, Math.min(minuteLeft, dayLeft));
  return size > 1 || holding.left > 0 ? size : 0;
}

/** Whether the lease began before the clock was set back. If so, its requests can't be spent: too few requests are admitted, never too many. */
function isFromFuture({ minute }: Holding, now: number): boolean {
  return minute > windowsAt(now).minute + 1;
}

/** Spends one of the lease's requests, if any are left and the key is valid. */
function spend(holding: Holding, digest: string, now: number): Counted | undefined {
  if (holding.left === 0 || holding.minute !== windowsAt(now).minute) return undefined;
  const key = holding.keys.get(digest);
  if (key === undefined || key.validUntil <= now || key.expiresAt <= now) return undefined;
  holding.left -= 1;
  holding.measured.requests += 1;
  const { minute, day } = holding.quotas;
  // The account also has the requests that this process still holds; the number that other processes hold is unknown.
  const quotas = { minute: { ...minute, remaining: minute.remaining + holding.left }, day: { ...day, remaining: day.remaining + holding.left } };
  const { plan, suspended } = holding;
  return suspended ? { kind: 'suspended', plan, quotas } : { kind: 'admitted', plan, scopes: key.scopes, quotas };
}

/** Adds a block that storage has granted for a minute. */
function receive(holding: Holding, minute: number, day: number, taken: number): void {
  if (holding.minute === minute) holding.left += taken;
  // The next minute began during the call, so these requests can no longer be spent, only returned.
  else if (holding.minute > minute && holding.owedDay === day) holding.owed += taken;
}

/** Ends the lease of an earlier minute; its unspent requests are owed to its day. */
function settle(holding: Holding, minute: number): void {
  const dayOfLease = Math.floor(holding.minute / MINUTES_A_DAY);
  if (holding.owedDay !== dayOfLease) holding.owed = 0;
  holding.owedDay = dayOfLease;
  holding.owed += holding.left;
  holding.left = 0;
  holding.minute = minute;
}

/** Records the quotas that storage reported, and how busy the account has been since the last report. */
function measure(holding: Holding, quotas: QuotaStatuses, written: number, now: number): void {
  const { measured } = holding;
  const { minute } = windowsAt(now);
  const used = quotas.minute.limit - quotas.minute.remaining;
  holding.quotas = quotas;
  measured.written += written;
  const elapsedMs = now - measured.at;
  if (minute !== measured.minute) {
    // The counters have restarted, so the other processes' share is unknown until the next measurement.
    const own = elapsedMs > 0 ? (measured.requests * 1000) / elapsedMs : holding.pace.own;
    const others = Math.max(0, holding.pace.total - holding.pace.own);
    restart(holding, own, others, minute, used, now);
  } else if (elapsedMs >= MEASURE_MS || measured.requests >= MEASURE_REQUESTS) {
    const seconds = Math.max(1, elapsedMs) / 1000;
    const others = Math.max(0, used - measured.used - measured.written) / seconds;
    restart(holding, measured.requests / seconds, others, minute, used, now);
  }
}

/** Averages new and old figures, because arrivals are random. */
function restart(holding: Holding, own: number, others: number, minute: number, used: number, now: number): void {
  const { pace } = holding;
  holding.pace = pace === UNKNOWN_PACE ? { own, total: own + others } : { own: (pace.own + own) / 2, total: (pace.total + own + others) / 2 };
  Object.assign(holding.measured, { at: now, requests: 0, written: 0, minute, used });
}
