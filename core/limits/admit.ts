// All of admission as one pure function, the model that every adapter is tested against. The running service does the same in two halves:
// service/admission keeps refusal records in the process, and the UsageStore port stores accounts.

import type { Limits, PlanName } from '../access/plans.ts';
import { type Ban, isForgotten } from './ban.ts';
import { type AccountSnapshot, type Decision, decide, isCounted, type KeyFacts } from './decide.ts';
import { afterStorage, answerFromMemory, type RefusalRecord } from './refusal-record.ts';
import { DAYS_KEPT, isStale, MINUTES_KEPT, windowsAt } from './windows.ts';

/** Requests counted, by window number. */
export type Counters = ReadonlyMap<number, number>;

export interface AccountState {
  readonly plan: PlanName;
  readonly limits: Limits;
  /** @default false */
  readonly suspended?: boolean;
  /** Keys by digest. */
  readonly keys: ReadonlyMap<string, KeyFacts>;
  /** Last bans by digest. */
  readonly bans: ReadonlyMap<string, Ban>;
  readonly minutes: Counters;
  readonly days: Counters;
}

export interface AdmissionState {
  readonly accounts: ReadonlyMap<string, AccountState>;
  /** Refusal records by digest. */
  readonly records: ReadonlyMap<string, RefusalRecord>;
}

/** One request: the account id from its key, and the key's digest. */
export interface AdmissionRequest {
  readonly accountId: string;
  readonly digest: string;
}

/** Decides on a request, and returns the decision and the next state. @param now milliseconds since 1970; may be earlier than in the last call */
export function admit(
  state: AdmissionState,
  request: AdmissionRequest,
  now: number,
): { readonly state: AdmissionState; readonly decision: Decision } {
  const memory = answerFromMemory(state.records.get(request.digest), now);
  if (memory.kind === 'repeat') return { decision: memory.refusal, state: remember(state, request, memory.record, undefined) };
  const account = state.accounts.get(request.accountId);
  const decided = decide(account && snapshotOf(account, request.digest, now), now);
  const counted = account && isCounted(decided) ? withAccount(state, request.accountId, count(account, 1, 1, now)) : state;
  const { decision, record, ban } = afterStorage(memory.record, decided, now);
  return { decision, state: remember(counted, request, record, ban) };
}

/** Returns what is stored for one of the account's keys. */
export function snapshotOf(account: AccountState, digest: string, now: number): AccountSnapshot {
  const { minute, day } = windowsAt(now);
  return {
    plan: account.plan,
    limits: account.limits,
    suspended: account.suspended ?? false,
    key: account.keys.get(digest),
    ban: account.bans.get(digest),
    used: { minute: account.minutes.get(minute) ?? 0, day: account.days.get(day) ?? 0 },
  };
}

/** Counts requests in the current windows: one in each, or the requests that a lease takes and returns. Drops bans that no longer count. */
export function count(account: AccountState, ofMinute: number, ofDay: number, now: number): AccountState {
  const { minute, day } = windowsAt(now);
  const bans = new Map([...account.bans].filter(([, ban]) => !isForgotten(ban, now)));
  return { ...account, bans, minutes: increaseMinute(account.minutes, minute, ofMinute), days: increaseDay(account.days, day, ofDay) };
}

/** Adds requests to this minute's counter, and drops stale counters. */
export function increaseMinute(counters: Counters, minute: number, by: number): Counters {
  return increase(counters, minute, by, MINUTES_KEPT);
}

/** Adds requests to this day's counter, and drops stale counters. */
export function increaseDay(counters: Counters, day: number, by: number): Counters {
  return increase(counters, day, by, DAYS_KEPT);
}

function increase(counters: Counters, window: number, by: number, kept: number): Counters {
  const left = new Map([...counters].filter(([other]) => !isStale(other, window, kept)));
  return left.set(window, (left.get(window) ?? 0) + by);
}

function remember(state: AdmissionState, request: AdmissionRequest, record: RefusalRecord | undefined, ban: Ban | undefined): AdmissionState {
  const records = new Map(state.records);
  if (record === undefined) records.delete(request.digest);
  else records.set(request.digest, record);
  const account = ban && state.accounts.get(request.accountId);
  if (ban === undefined || account === undefined) return { ...state, records };
  const bans = new Map(account.bans).set(request.digest, ban);
  return { ...withAccount(state, request.accountId, { ...account, bans }), records };
}

function withAccount(state: AdmissionState, accountId: string, account: AccountState): AdmissionState {
  return { ...state, accounts: new Map(state.accounts).set(accountId, account) };
}
