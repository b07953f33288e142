// Admission by leases, for a store that many processes share: it admits as the UsageStore does, and asks it for every request
// of an account that is not busy enough (core/limits/lease.ts says which). One map for each process; nothing else is shared.

import type { Scope } from '../../core/access/scopes.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { AdmissionRequest } from '../../core/limits/admit.ts';
import type { Decision, QuotaStatuses } from '../../core/limits/decide.ts';
import { LEASE_MS, LEASED_ABOVE_PER_MINUTE, leaseSize, type Pace, UNKNOWN_PACE } from '../../core/limits/lease.ts';
import type { LeaseStore } from '../../core/limits/ports.ts';
import { windowsAt } from '../../core/limits/windows.ts';
import type { AdmissionStore } from './admitter.ts';

/** Busy accounts that a process remembers. */
const REMEMBERED_ACCOUNTS = 1_000;
/** The pace is measured anew after so long, or after so many requests if they come sooner. */
const MEASURE_MS = 100;
const MEASURE_REQUESTS = 4;
const MINUTES_A_DAY = 1_440;

type Admitted = Extract<Decision, { kind: 'admitted' }>;

/** A key that storage has called good. */
interface ValidKey {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
  /** Until then it is taken for good. */
  readonly goodUntil: number;
}

/** What a process holds of one account. */
interface Holding {
  /** The minute that `left` may be spent in. */
  minute: number;
  left: number;
  /** Requests of ended minutes that were not spent, for the day `owedDay`. */
  owed: number;
  owedDay: number;
  plan: Admitted['plan'];
  /** As storage told them last. */
  quotas: QuotaStatuses;
  readonly keys: BoundedMap<string, ValidKey>;
  /** Questions to storage that are under way, by digest. */
  readonly asking: Map<string, Promise<Decision>>;
  pace: Pace;
  /** Since the last measurement: when it was, requests admitted here, requests written from here, the minute's counter then. */
  readonly measured: { at: number; requests: number; written: number; minute: number; used: number };
}

export function createLeasedUsage(usage: AdmissionStore, leases: LeaseStore): AdmissionStore {
  const holdings = new BoundedMap<string, Holding>(REMEMBERED_ACCOUNTS);

  async function admit(request: AdmissionRequest, now: number): Promise<Decision> {
    const { accountId, digest } = request;
    for (;;) {
      const holding = holdings.get(accountId);
      if (holding === undefined) return askForOne(request, now);
      if (isFromFuture(holding, now)) {
        holdings.delete(accountId);
        return askForOne(request, now);
      }
      const spent = spend(holding, digest, now);
      if (spent !== undefined) return spent;
      const size = sizeNow(holding, now);
      if (size === 0) return askForOne(request, now);
      const underWay = holding.asking.get(digest);
      if (underWay === undefined) return ask(holding, request, size, now);
      // That question is answered for one request; whoever waited for it reads again.
      await underWay.catch(() => {});
    }
  }

  async function ask(holding: Holding, request: AdmissionRequest, size: number, now: number): Promise<Decision> {
    const question = askForBlock(holding, request, size, now);
    holding.asking.set(request.digest, question);
    try {
      return await question;
    } finally {
      holding.asking.delete(request.digest);
    }
  }

  async function askForBlock(holding: Holding, request: AdmissionRequest, size: number, now: number): Promise<Decision> {
    const { minute, day } = windowsAt(now);
    const take = Math.max(0, size - holding.left);
    // Owned by this question from here on: two of them must not give the same requests back.
    const back = holding.owedDay === day ? holding.owed : 0;
    holding.owed = 0;
    const limits = { perMinute: holding.quotas.minute.limit, perDay: holding.quotas.day.limit };
    const grant = await leases.take(request, { take, back, limits }, now);
    if (grant === undefined) {
      if (holding.owedDay === day) holding.owed += back;
      return askForOne(request, now);
    }
    holding.plan = grant.plan;
    holding.keys.set(request.digest, { scopes: grant.scopes, expiresAt: grant.expiresAt, goodUntil: now + LEASE_MS });
    receive(holding, minute, day, take);
    measure(holding, grant.quotas, take, now);
    return spend(holding, request.digest, now) ?? askForOne(request, now);
  }

  /** Writes one request by itself. */
  async function askForOne(request: AdmissionRequest, now: number): Promise<Decision> {
    const decision = await usage.admit(request, now);
    if (decision.kind !== 'admitted') return decision;
    const holding = holdings.get(request.accountId);
    if (decision.quotas.minute.limit <= LEASED_ABOVE_PER_MINUTE) {
      if (holding !== undefined) holdings.delete(request.accountId);
      return decision;
    }
    if (holding === undefined) holdings.set(request.accountId, newHolding(decision, now));
    else {
      holding.measured.requests += 1;
      measure(holding, decision.quotas, 1, now);
    }
    return decision;
  }

  return { ...usage, admit };
}

function newHolding({ plan, quotas }: Admitted, now: number): Holding {
  const { minute, day } = windowsAt(now);
  return {
    minute,
    left: 0,
    owed: 0,
    owedDay: day,
    plan,
    quotas,
    keys: new BoundedMap(100),
    asking: new Map(),
    pace: UNKNOWN_PACE,
    measured: { at: now, requests: 0, written: 0, minute, used: quotas.minute.limit - quotas.minute.remaining },
  };
}

/** How many requests the process should hold from now on; 0 if each is better written by itself. */
function sizeNow(holding: Holding, now: number): number {
  const { minute, day } = windowsAt(now);
  if (holding.minute < minute) settle(holding, minute);
  // A clock that steps back finds nothing to spend, and takes nothing for a minute that is over.
  if (holding.minute > minute) return 0;
  const { quotas } = holding;
  const minuteLeft = holding.measured.minute === minute ? quotas.minute.remaining : quotas.minute.limit;
  const dayLeft = Math.floor(holding.measured.minute / MINUTES_A_DAY) === day ? quotas.day.remaining : quotas.day.limit;
  const size = leaseSize(holding.pace, Math.min(minuteLeft, dayLeft));
  return size > 1 || holding.left > 0 ? size : 0;
}

/** Was it leased before the clock was set back? What it holds can't be spent then: it admits too few, never too many. */
function isFromFuture({ minute }: Holding, now: number): boolean {
  return minute > windowsAt(now).minute + 1;
}

/** Spends one request of the lease, if there is one, for a key that is good. */
function spend(holding: Holding, digest: string, now: number): Admitted | undefined {
  if (holding.left === 0 || holding.minute !== windowsAt(now).minute) return undefined;
  const key = holding.keys.get(digest);
  if (key === undefined || key.goodUntil <= now || key.expiresAt <= now) return undefined;
  holding.left -= 1;
  holding.measured.requests += 1;
  const { minute, day } = holding.quotas;
  // What this process still holds is left to the account as well; what others hold is not known.
  const quotas = {
    minute: { ...minute, remaining: minute.remaining + holding.left },
    day: { ...day, remaining: day.remaining + holding.left },
  };
  return { kind: 'admitted', plan: holding.plan, scopes: key.scopes, quotas };
}

/** Takes in a block that storage has granted for a minute. */
function receive(holding: Holding, minute: number, day: number, taken: number): void {
  if (holding.minute === minute) holding.left += taken;
  // The next minute has begun while storage was asked: these can only be given back.
  else if (holding.minute > minute && holding.owedDay === day) holding.owed += taken;
}

/** Ends the lease of an earlier minute: what is left of it is owed to its day. */
function settle(holding: Holding, minute: number): void {
  const dayOfLease = Math.floor(holding.minute / MINUTES_A_DAY);
  if (holding.owedDay !== dayOfLease) holding.owed = 0;
  holding.owedDay = dayOfLease;
  holding.owed += holding.left;
  holding.left = 0;
  holding.minute = minute;
}

/** Takes up what storage told, and how busy the account has been since it last did. */
function measure(holding: Holding, quotas: QuotaStatuses, written: number, now: number): void {
  const { measured } = holding;
  const { minute } = windowsAt(now);
  const used = quotas.minute.limit - quotas.minute.remaining;
  holding.quotas = quotas;
  measured.written += written;
  const elapsedMs = now - measured.at;
  if (minute !== measured.minute) {
    // Counters began anew: the others' share is only known from the next measurement on.
    const own = elapsedMs > 0 ? (measured.requests * 1000) / elapsedMs : holding.pace.own;
    const others = Math.max(0, holding.pace.total - holding.pace.own);
    restart(holding, own, others, minute, used, now);
  } else if (elapsedMs >= MEASURE_MS || measured.requests >= MEASURE_REQUESTS) {
    const seconds = Math.max(1, elapsedMs) / 1000;
    const others = Math.max(0, used - measured.used - measured.written) / seconds;
    restart(holding, measured.requests / seconds, others, minute, used, now);
  }
}

/** Half of the new figures and half of the old: requests come by chance. */
function restart(holding: Holding, own: number, others: number, minute: number, used: number, now: number): void {
  const { pace } = holding;
  holding.pace = pace === UNKNOWN_PACE ? { own, total: own + others } : { own: (pace.own + own) / 2, total: (pace.total + own + others) / 2 };
  Object.assign(holding.measured, { at: now, requests: 0, written: 0, minute, used });
}
