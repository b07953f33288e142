// The life of a custom domain, from "add" to "removed", as one exhaustive transition function. Users verify, re-verify and remove; workflow steps
// report what they found. Each user action that restarts the work raises the generation, and a report from an older generation changes nothing: an
// interrupted execution can't undo what followed.

import { isCertificateLate } from './advice.ts';
import { type Diagnosis, isRecordCorrect } from './diagnosis.ts';
import {
  type CertificateFailure,
  type Domain,
  type DomainState,
  inState,
  type ServedCertificate,
  type SuspensionReason,
  type Waiting,
} from './domain.ts';
import type { DomainEvent, Report } from './events.ts';
import { printable } from './printable.ts';
import {
  CERTIFICATE_SCHEDULE,
  DNS_SCHEDULE,
  LIVE_CHECK_MS,
  LIVE_SCHEDULE,
  lengthOf,
  MISSES_TO_DEGRADE,
  REVERIFY_AFTER_MS,
  SILENT_CHECK_MS,
  TEARDOWN_LATER_MS,
  TEARDOWN_SCHEDULE,
  TOMBSTONE_MS,
  waitAfter,
} from './schedule.ts';
import { nextCheckAt } from './states.ts';

/** Maximum length of a certificate authority's message. */
const DETAIL_CHARACTERS = 400;

export type Transition =
  | { readonly kind: 'moved'; readonly domain: Domain }
  /** The report belongs to an older generation or to a step that is already done: nothing changes, and nothing is wrong. */
  | { readonly kind: 'stale' }
  /** The command is not possible now; the message says which commands are. */
  | { readonly kind: 'refused'; readonly message: string };

/** Applies an event to a domain. @param now milliseconds since 1970 */
export function transition(domain: Domain, event: DomainEvent, now: number): Transition {
  switch (event.kind) {
    case 'verify':
      return verify(domain, now);
    case 'remove':
      return remove(domain, now);
    case 'lose':
      return lose(domain, event.proof, now);
    case 'suspend':
      return suspend(domain, event.reason, now);
    default:
      return event.generation === domain.generation ? report(domain, event, now) : STALE;
  }
}

const STALE: Transition = { kind: 'stale' };

/**
 * Restarts the work at the first step. Refused while a certificate is being issued (unless it is late) or attached, and for live and removed
 * domains.
 */
export function verify(domain: Domain, now: number): Transition {
  const { state } = domain;
  switch (state.name) {
    case 'awaiting_dns':
    case 'verifying':
    case 'dns_failed':
    case 'certificate_failed':
    case 'degraded':
    // The caller has checked that the reason for the suspension is gone, and the first step checks it again.
    case 'suspended':
    case 'taken_over':
      return restart(domain, now);
    case 'certificate_pending':
      if (now >= state.since + REVERIFY_AFTER_MS) return restart(domain, now);
      return refuse(`a certificate was requested ${minutes(now - state.since)} ago; Re-verify after ${minutes(REVERIFY_AFTER_MS)}`);
    case 'verified':
    case 'attaching':
      return refuse('the domain is verified, and the work continues automatically');
    case 'live':
      return refuse('the domain is live; there is nothing to verify');
    case 'removing':
    case 'removed':
      return refuse('the domain is removed; add it again');
  }
}

/** Starts the teardown, in a new generation. */
export function remove(domain: Domain, now: number): Transition {
  if (domain.state.name === 'removing' || domain.state.name === 'removed') return STALE;
  // Removed by its owner, so no longer marked as lost.
  const { lost: _, ...own } = domain;
  return moved(own, { name: 'removing', ...firstCheck(now) }, domain.generation + 1);
}

/** Starts the teardown because another account proved control of the name. */
export function lose(domain: Domain, proof: string, now: number): Transition {
  const removing = remove(domain, now);
  return removing.kind === 'moved' ? { kind: 'moved', domain: { ...removing.domain, lost: { at: now, proof } } } : removing;
}

/** Suspends the domain, in a new generation. */
export function suspend(domain: Domain, reason: SuspensionReason, now: number): Transition {
  const { name } = domain.state;
  if (name === 'suspended') return STALE;
  if (name === 'removing' || name === 'taken_over' || name === 'removed') return refuse('the domain is removed');
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
      // What an earlier check saw stays if this one could not find the zone.
      return dnsChecked(event.zone === undefined ? domain : { ...domain, zone: { ...event.zone, at: now } }, event.diagnosis, now);
    case 'certificate_requested':
      if (state.name !== 'verified') return STALE;
      return moved(domain, { name: 'certificate_pending', certificate: event.certificate, ...firstCheck(now) });
    case 'certificate_still_pending': {
      if (state.name !== 'certificate_pending') return STALE;
      const next = nextCheck(CERTIFICATE_SCHEDULE, state, now);
      const { silentSince: _, ...pending } = state;
      return moved(
        domain,
        next
          ? { ...pending, ...next, ...(isCertificateLate(domain, now) && { late: true }) }
          : failed('timed_out', 'the certificate authority did not issue a certificate within 72 hours', now),
      );
    }
    case 'authority_silent': {
      if (state.name !== 'verified' && state.name !== 'certificate_pending') return STALE;
      const silentSince = state.silentSince ?? now;
      if (now - silentSince >= lengthOf(CERTIFICATE_SCHEDULE))
        return moved(domain, failed('authority_unavailable', 'the certificate authority did not answer for 72 hours', now));
      return moved(domain, { ...state, silentSince, nextCheckAt: now + SILENT_CHECK_MS, ...(isCertificateLate(domain, now) && { late: true }) });
    }
    case 'certificate_issued':
      if (state.name !== 'certificate_pending') return STALE;
      return moved(withCertificate(domain, event.served), { name: 'attaching', certificate: state.certificate, ...firstCheck(now) });
    case 'certificate_failed':
      if (state.name !== 'verified' && state.name !== 'certificate_pending') return STALE;
      return moved(domain, failed(event.failure, event.detail, now));
    case 'edge_checked': {
      if (state.name !== 'attaching') return STALE;
      if (event.serving) return moved(domain, live(state.certificate, now, now));
      const next = nextCheck(LIVE_SCHEDULE, state, now);
      return moved(domain, next ? { ...state, ...next } : failed('edge_not_ready', 'the edge did not serve the domain with its certificate', now));
    }
    case 'guard_failed':
      if (nextCheckAt(state) === undefined || state.name === 'removing') return STALE;
      return moved(domain, { name: 'suspended', since: now, reason: event.reason }, domain.generation + 1);
    case 'certificate_renewed':
      if (state.name !== 'live' && state.name !== 'degraded') return STALE;
      return moved(withCertificate(domain, event.served), { ...state, certificate: event.certificate });
    case 'teardown_pending': {
      if (state.name !== 'removing') return STALE;
      const next = nextCheck(TEARDOWN_SCHEDULE, state, now) ?? { checks: state.checks + 1, nextCheckAt: now + TEARDOWN_LATER_MS };
      return moved(domain, { ...state, ...next });
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

/** Before the certificate, a check decides what follows. For a live domain, it only counts misses. */
function dnsChecked(domain: Domain, diagnosis: Diagnosis, now: number): Transition {
  const { state } = domain;
  const good = isRecordCorrect(diagnosis.code);
  switch (state.name) {
    case 'verifying': {
      if (good) return moved(domain, { name: 'verified', since: now });
      const next = nextCheck(DNS_SCHEDULE, state, now);
      if (next === undefined) return moved(domain, { name: 'dns_failed', since: now, diagnosis });
      const soonest = now + (diagnosis.retryAfterSeconds ?? 0) * 1_000;
      // A resolver that caches a negative answer is not queried before the answer expires, but the delay never exceeds the next two rounds.
      const latest = now + 2 * (next.nextCheckAt - now);
      return moved(domain, { ...state, ...next, nextCheckAt: Math.min(Math.max(next.nextCheckAt, soonest), latest), diagnosis });
    }
    case 'live':
    case 'degraded': {
      const since = state.name === 'live' || !good ? state.since : now;
      if (good) return moved(domain, live(state.certificate, since, now));
      const misses = state.misses + 1;
      const nextCheckAt = now + LIVE_CHECK_MS;
      if (misses < MISSES_TO_DEGRADE) return moved(domain, { ...live(state.certificate, since, now), misses });
      return moved(domain, {
        name: 'degraded',
        since: state.name === 'degraded' ? state.since : now,
        certificate: state.certificate,
        misses,
        nextCheckAt,
        diagnosis,
      });
    }
    case 'awaiting_dns':
    case 'verified':
    case 'certificate_pending':
    case 'attaching':
    case 'dns_failed':
    case 'certificate_failed':
    case 'suspended':
    case 'removing':
    case 'taken_over':
    case 'removed':
      return STALE;
  }
}

function withCertificate({ certificate: _, ...domain }: Domain, served: ServedCertificate | undefined): Domain {
  return served === undefined ? domain : { ...domain, certificate: served };
}

function live(certificate: string, since: number, now: number): Extract<DomainState, { name: 'live' }> {
  return { name: 'live', since, certificate, misses: 0, nextCheckAt: now + LIVE_CHECK_MS };
}

function failed(failure: CertificateFailure, detail: string, now: number): DomainState {
  // An authority's message may quote what the domain's server sent.
  return { name: 'certificate_failed', since: now, failure, detail: printable(detail, DETAIL_CHARACTERS) };
}

type Schedule = typeof DNS_SCHEDULE;

/** The first check runs at once: in many cases the work is done by then, and a crash in between delays nothing. */
function firstCheck(now: number): Waiting {
  return { since: now, checks: 0, nextCheckAt: now };
}

/** The next check; undefined if the schedule has ended. */
function nextCheck(schedule: Schedule, { checks }: Waiting, now: number): Pick<Waiting, 'checks' | 'nextCheckAt'> | undefined {
  const wait = waitAfter(schedule, checks + 1);
  return wait === undefined ? undefined : { checks: checks + 1, nextCheckAt: now + wait };
}

function moved(domain: Domain, state: DomainState, generation = domain.generation): Transition {
  return { kind: 'moved', domain: inState(domain, state, generation) };
}

function refuse(message: string): Transition {
  return { kind: 'refused', message };
}

function minutes(ms: number): string {
  return `${Math.floor(ms / 60_000)} min`;
}
