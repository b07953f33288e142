// The pure admission model as a server for virtual clients: one process, or many with separate memory, as on Lambda.

import { NEVER } from '../../core/access/account.ts';
import type { Limits } from '../../core/access/plans.ts';
import { type AccountState, type AdmissionState, admit } from '../../core/limits/admit.ts';
import type { Decision } from '../../core/limits/decide.ts';
import { retryAfterSeconds } from '../../core/limits/headers.ts';
import type { RefusalRecord } from '../../core/limits/refusal-record.ts';
import type { Bench } from './fairness.ts';
import type { Answer } from './virtual-clients.ts';

const REQUEST = { accountId: 'acc_A', digest: 'key' };

/** @param processOf which process answers the request with this number; all processes share the stored state */
export function makeModelBench(limits: Limits, processOf: (request: number) => number = () => 0): Bench {
  let account: AccountState = {
    plan: 'enterprise',
    limits,
    keys: new Map([[REQUEST.digest, { scopes: [], expiresAt: NEVER }]]),
    bans: new Map(),
    minutes: new Map(),
    days: new Map(),
  };
  const records = new Map<number, ReadonlyMap<string, RefusalRecord>>();
  let requests = 0;
  return {
    setLimits: (changed) => {
      account = { ...account, limits: changed };
    },
    server: (now) => {
      const process = processOf(requests);
      requests += 1;
      const state: AdmissionState = { accounts: new Map([[REQUEST.accountId, account]]), records: records.get(process) ?? new Map() };
      const answered = admit(state, REQUEST, now);
      account = answered.state.accounts.get(REQUEST.accountId) as AccountState;
      records.set(process, answered.state.records);
      return toAnswer(answered.decision, now);
    },
  };
}

function toAnswer(decision: Decision, now: number): Answer {
  switch (decision.kind) {
    case 'admitted':
      return { outcome: 'ok', retryAfterSeconds: undefined };
    case 'limited':
      return { outcome: 'rate_limit_exceeded', retryAfterSeconds: retryAfterSeconds(decision.retryAt, now) };
    case 'banned':
      return { outcome: 'api_key_banned', retryAfterSeconds: retryAfterSeconds(decision.retryAt, now) };
    case 'suspended':
    case 'paused':
    case 'unknown_key':
      throw new Error(decision.kind);
  }
}
