// The life of a custom domain, from "add" to "removed", as one exhaustive transition function. Users verify and remove; workflow steps report what
// they found. Each user action that restarts the work raises the generation, and a report from an older generation changes nothing, so an interrupted
// execution can't undo what followed. Each `now` is in milliseconds since 1970.

import { failedAttempt } from './attempts.ts';
import { isCertificateLate } from './diagnosis/advice.ts';
import { type Diagnosis, isRecordCorrect } from './diagnosis/diagnosis.ts';
import {
  type AttemptFailure,
  type Attempting,
  type Domain,
  type DomainRemoval,
  type DomainState,
  inState,
  type Served,
  type ServedCertificate,
  type SuspensionReason,
  type Waiting,
} from './domain.ts';
import {
  CERTIFICATE_SCHEDULE,
  DNS_CHECKS_IN_48_HOURS,
  DNS_SCHEDULE,
  LIVE_SCHEDULE,
  REFUSALS_TO_REPORT,
  type Schedule,
  TEARDOWN_SCHEDULE,
  TOMBSTONE_MS,
  waitAfter,
} from './schedule.ts';
import { goneLive, isServedState, recordFound, recordMissed, servedNow } from './served.ts';
import { type DomainEvent, nextCheckAt, type Report } from './states.ts';

export type Transition =
  | { readonly kind: 'moved'; readonly domain: Domain }
  /** The report belongs to an older generation, or to a step that is already done. Nothing changes; this is not a fault. */
  | { readonly kind: 'stale' }
  /** The command is not possible now; the message says which commands are. */
  | { readonly kind: 'refused'; readonly message: string };

/** Applies an event to a domain. */
export function transition(domain: Domain, event: DomainEvent, now: number): Transition {
  const result = next(domain, event, now);
  return result.kind === 'moved' ? { kind: 'moved', domain: { ...result.domain, changedAt: now } } : result;
}

function next(domain: Domain, event: DomainEvent, now: number): Transition {
  switch (event.kind) {
    case 'verify':
      return verify(domain, now);
    case 'remove':
      return remove(domain, now, event.removal);
    case 'lose':
      return lose(domain, event.proof, now);
    case 'suspend':
      return suspend(domain, event.reason, now);
    default:
      return event.generation === domain.generation ? report(domain, event, now) : STALE;
  }
}

const STALE: Transition = { kind: 'stale' };

/** Handles Verify: starts again at the first step. A served domain stays served, and its record is checked now. Refused for removed domains. */
function verify(domain: Domain, now: number): Transition {
  const { state } = domain;
  switch (state.name) {
    case 'awaiting_dns':
    case 'verifying':
    case 'dns_failed':
    case 'certificate_failed':
    // The caller has checked that the reason for the suspension no longer applies, and the first step checks this again.
    case 'suspended':
    case 'taken_over':
      return restart(domain, now);
    case 'certificate_pending':
      return domain.lastFailure !== undefined || isCertificateLate(domain, now) ? restart(domain, now) : STALE;
    case 'verified':
    case 'attaching':
      return STALE;
    case 'live':
    case 'degraded':
    case 'certificate_expired':
      return moved(domain, { ...state, recordCheckAt: now, nextCheckAt: now });
    case 'removing':
    case 'removed':
      return { kind: 'refused', message: 'the domain is removed; add it again' };
  }
}

function remove(domain: Domain, now: number, removal?: DomainRemoval): Transition {
  if (domain.state.name === 'removing' || domain.state.name === 'removed') return STALE;
  // The owner removes it, so it is no longer marked as lost.
  const { lost: _, lastFailure: __, ...own } = domain;
  return moved(removal === undefined ? own : { ...own, removal }, { name: 'removing', ...firstCheck(now) }, domain.generation + 1);
}

/** Starts the teardown because another account proved control of the name. */
function lose(domain: Domain, proof: string, now: number): Transition {
  const removing = remove(domain, now);
  return removing.kind === 'moved' ? { kind: 'moved', domain: { ...removing.domain, lost: { at: now, proof } } } : removing;
}

function suspend(domain: Domain, reason: SuspensionReason, now: number): Transition {
  const { name } = domain.state;
  if (name === 'suspended') return STALE;
  if (name === 'removing' || name === 'taken_over' || name === 'removed') return { kind: 'refused', message: 'the domain is removed' };
  return moved(domain, { name: 'suspended', since: now, reason }, domain.generation + 1);
}

/** Starts again at the first step, in a new generation. */
function restart(domain: Domain, now: number): Transition {
  const { lost: _, ...own } = domain;
  return moved(own, { name: 'verifying', ...firstCheck(now), diagnosis: undefined }, domain.generation + 1);
}

function report(domain: Domain, event: Report, now: number): Transition {
  const { state } = domain;
  switch (event.kind) {
    case 'dns_checked':
      // If this check did not find the zone, the one found earlier is kept.
      return dnsChecked(event.zone === undefined ? domain : { ...domain, zone: { ...event.zone, at: now } }, event.diagnosis, now);
    case 'certificate_requested': {
      const asked = { certificate: event.certificate, nextCheckAt: now };
      if (isServedState(state)) return movedTo(servedNow(domain, state, { renewal: { since: now, checks: 0, ...asked } }, now));
      if (state.name === 'verified') return moved(domain, { name: 'certificate_pending', since: now, checks: 0, ...asked });
      if (!isAttempting(state) || state.certificate !== undefined) return STALE;
      return moved(domain, { ...state, polls: 0, ...asked });
    }
    case 'certificate_still_pending':
      return stillPending(domain, event.askAgainAt, now);
    case 'attempt_failed':
      return attemptFailed(domain, event, now);
    case 'certificate_issued':
      if (!isAttempting(state) || state.certificate === undefined) return STALE;
      return moved(withoutFailure(withCertificate(domain, event.served)), { name: 'attaching', certificate: state.certificate, ...firstCheck(now) });
    case 'edge_checked': {
      if (state.name !== 'attaching') return STALE;
      if (event.serving) return movedTo(goneLive(domain, state.certificate, now));
      const following = nextCheck(LIVE_SCHEDULE, state, now);
      if (following !== undefined) return moved(withoutFailure(domain), { ...state, ...following });
      return attemptFailed(
        domain,
        { failure: 'edge_not_ready', detail: 'the edge did not serve the domain with its certificate', isOver: false },
        now,
      );
    }
    case 'certificate_seen': {
      if (!isServedState(state)) return STALE;
      const seen = withCertificate(domain, event.served);
      if (event.isDue || event.isDead) return movedTo(servedNow(seen, state, { isDead: event.isDead }, now));
      return movedTo(servedNow(withoutFailure(seen), state, { isDead: false, late: undefined }, now));
    }
    case 'nothing_due':
      return isServedState(state) ? movedTo(servedNow(domain, state, { notBefore: now + NOTHING_DUE_MS }, now)) : STALE;
    case 'certificate_renewed': {
      if (!isServedState(state)) return STALE;
      const renewed = withoutFailure(withCertificate(domain, event.served));
      return movedTo(servedNow(renewed, state, { certificate: event.certificate, renewal: undefined, late: undefined, isDead: false }, now));
    }
    case 'guard_failed':
      if (nextCheckAt(state) === undefined || state.name === 'removing') return STALE;
      return moved(domain, { name: 'suspended', since: now, reason: event.reason }, domain.generation + 1);
    case 'teardown_pending': {
      if (state.name !== 'removing') return STALE;
      return moved(domain, { ...state, ...nextCheck(TEARDOWN_SCHEDULE, state, now) });
    }
    case 'teardown_done':
      if (state.name !== 'removing') return STALE;
      // A lost domain stays visible.
      return moved(
        domain,
        domain.lost === undefined ? { name: 'removed', since: now, until: now + TOMBSTONE_MS } : { name: 'taken_over', since: now },
      );
  }
}

/** Applies the result of a DNS check. Before there is a certificate, the result decides what follows; later, only misses are counted. */
function dnsChecked(domain: Domain, diagnosis: Diagnosis, now: number): Transition {
  const { state } = domain;
  const good = isRecordCorrect(diagnosis.code);
  switch (state.name) {
    case 'verifying':
    case 'dns_failed': {
      if (good) return moved(domain, { name: 'verified', since: now });
      const following = nextCheck(DNS_SCHEDULE, state, now);
      if (following === undefined) return STALE;
      const name = following.checks > DNS_CHECKS_IN_48_HOURS ? 'dns_failed' : 'verifying';
      const soonest = now + (diagnosis.retryAfterSeconds ?? 0) * 1_000;
      // A resolver that caches a negative answer is not queried before the answer expires, but the delay never exceeds twice the usual interval.
      const latest = now + 2 * (following.nextCheckAt - now);
      const waiting = { checks: following.checks, nextCheckAt: Math.min(Math.max(following.nextCheckAt, soonest), latest) };
      return moved(domain, { name, since: name === state.name ? state.since : now, ...waiting, diagnosis });
    }
    case 'certificate_pending':
    case 'certificate_failed':
      // This check precedes another attempt, which is not made while the record is wrong.
      if (good) return STALE;
      return moved(domain, { name: 'verifying', since: now, checks: 1, nextCheckAt: now + (waitAfter(DNS_SCHEDULE, 1) ?? 0), diagnosis });
    case 'live':
    case 'degraded':
    case 'certificate_expired':
      return movedTo(servedNow(domain, state, good ? recordFound(now) : recordMissed(state, diagnosis, now), now));
    case 'awaiting_dns':
    case 'verified':
    case 'attaching':
    case 'suspended':
    case 'removing':
    case 'taken_over':
    case 'removed':
      return STALE;
  }
}

function stillPending(domain: Domain, askAgainAt: number | undefined, now: number): Transition {
  const { state } = domain;
  const checks = isServedState(state)
    ? state.renewal?.checks
    : isAttempting(state) && state.certificate !== undefined
      ? (state.polls ?? state.checks)
      : undefined;
  if (checks === undefined) return STALE;
  const following = nextCheck(CERTIFICATE_SCHEDULE, { checks }, now);
  if (following === undefined) return attemptFailed(domain, TIMED_OUT, now);
  const nextCheckAt = Math.max(following.nextCheckAt, Math.min(askAgainAt ?? 0, now + MAX_POLL_MS));
  if (isServedState(state)) {
    const renewal = state.renewal && { ...state.renewal, checks: following.checks, nextCheckAt };
    return movedTo(servedNow(domain, state, { renewal }, now));
  }
  if (!isAttempting(state)) return STALE;
  return moved(domain, { ...state, checks: state.checks + 1, polls: following.checks, nextCheckAt, ...lateness(domain, now) });
}

const TIMED_OUT = { failure: 'timed_out', detail: 'the certificate authority did not issue a certificate within 72 hours', isOver: true } as const;
/** Minimum wait until a served domain's next check, after a check that was due but found nothing to do. */
const NOTHING_DUE_MS = 60_000;
/** The longest interval between two checks of a request, even if the authority asks for a longer one. */
const MAX_POLL_MS = 3_600_000;

/** Records the failure. Another attempt always follows. */
function attemptFailed(domain: Domain, { isOver, ...failure }: AttemptFailure & { readonly isOver: boolean }, now: number): Transition {
  const { state } = domain;
  const lastFailure = failedAttempt(domain.lastFailure, failure, now);
  const failed = { ...domain, lastFailure };
  const { nextTryAt } = lastFailure;
  if (isServedState(state)) return movedTo(servedNow(failed, state, isOver ? { renewal: undefined } : postponed(state.renewal, nextTryAt), now));
  if (state.name === 'attaching' && !isOver) return moved(failed, { ...state, checks: state.checks + 1, nextCheckAt: nextTryAt });
  if (state.name === 'verified' || state.name === 'attaching')
    return moved(failed, { name: 'certificate_pending', since: now, checks: 1, nextCheckAt: nextTryAt });
  if (!isAttempting(state)) return STALE;
  const attempting: Attempting = {
    since: state.since,
    checks: state.checks + 1,
    nextCheckAt: nextTryAt,
    ...(!isOver && { certificate: state.certificate, polls: state.polls }),
  };
  const isRefused = lastFailure.failure === 'name_refused' && lastFailure.repeats >= REFUSALS_TO_REPORT;
  if (isRefused || state.name === 'certificate_failed') {
    const why = state.name === 'certificate_failed' && !isRefused ? state : lastFailure;
    const since = state.name === 'certificate_failed' ? state.since : now;
    return moved(failed, { ...attempting, name: 'certificate_failed', since, failure: why.failure, detail: why.detail });
  }
  return moved(failed, { name: 'certificate_pending', ...attempting, ...lateness(domain, now) });
}

function postponed(renewal: Served['renewal'], until: number): Pick<Served, 'renewal'> {
  return renewal === undefined ? {} : { renewal: { ...renewal, nextCheckAt: until } };
}

function isAttempting(state: DomainState): state is Extract<DomainState, { name: 'certificate_pending' | 'certificate_failed' }> {
  return state.name === 'certificate_pending' || state.name === 'certificate_failed';
}

function lateness(domain: Domain, now: number): { late?: true } {
  return isCertificateLate(domain, now) ? { late: true } : {};
}

function withCertificate({ certificate: _, ...domain }: Domain, served: ServedCertificate | undefined): Domain {
  return served === undefined ? domain : { ...domain, certificate: served };
}

function withoutFailure({ lastFailure: _, ...domain }: Domain): Domain {
  return domain;
}

/** Schedules the first check for now, because in many cases the work is already done. */
function firstCheck(now: number): Waiting {
  return { since: now, checks: 0, nextCheckAt: now };
}

/** Returns the next check; undefined if the schedule has ended. */
function nextCheck(schedule: Schedule, { checks }: Pick<Waiting, 'checks'>, now: number): Pick<Waiting, 'checks' | 'nextCheckAt'> | undefined {
  const wait = waitAfter(schedule, checks + 1);
  return wait === undefined ? undefined : { checks: checks + 1, nextCheckAt: now + wait };
}

function moved(domain: Domain, state: DomainState, generation = domain.generation): Transition {
  return { kind: 'moved', domain: inState(domain, state, generation) };
}

function movedTo(domain: Domain): Transition {
  return { kind: 'moved', domain };
}
