// Domains whose times were stored while the clock was ahead. It is unknown when their work is due, so it is done now; otherwise, work scheduled for
// next year would wait until then, because each later check relies on the stored times. Each `now` is in milliseconds since 1970.

import { type Domain, type DomainState, inState } from './domain.ts';
import { DNS_CHECKS_IN_48_HOURS } from './schedule.ts';
import { isServedState } from './served.ts';
import { isFromFuture } from './states.ts';

/** How far the clocks of several machines may differ, in milliseconds. */
const TOLERANCE_MS = 60_000;

/** Returns the domain without its times in the future; undefined if there are none. */
export function mended(domain: Domain, now: number): Domain | undefined {
  if (!isFromFuture(domain, now + TOLERANCE_MS)) return undefined;
  const { lastFailure, lost, zone, history } = domain;
  const past = (at: number) => Math.min(at, now);
  return {
    ...domain,
    changedAt: now,
    state: stateIn(domain.state, past),
    history: history.map((entry) => ({ ...entry, at: past(entry.at) })),
    ...(lastFailure && { lastFailure: { ...lastFailure, since: past(lastFailure.since), nextTryAt: past(lastFailure.nextTryAt) } }),
    ...(lost && { lost: { ...lost, at: past(lost.at) } }),
    ...(zone && { zone: { ...zone, at: past(zone.at) } }),
  };
}

function stateIn(state: DomainState, past: (at: number) => number): DomainState {
  const since = past(state.since);
  if (isServedState(state)) {
    const { nextCheckAt, recordCheckAt, missingSince, renewal } = state;
    return {
      ...state,
      since,
      nextCheckAt: past(nextCheckAt),
      ...(recordCheckAt !== undefined && { recordCheckAt: past(recordCheckAt) }),
      ...(missingSince !== undefined && { missingSince: past(missingSince) }),
      ...(renewal && { renewal: { ...renewal, since: past(renewal.since), nextCheckAt: past(renewal.nextCheckAt) } }),
    };
  }
  return 'nextCheckAt' in state ? { ...state, since, nextCheckAt: past(state.nextCheckAt) } : { ...state, since };
}

// Domains that earlier versions gave up on: they have no next check, and get one here.

/** Returns the domain with a next check; undefined if it already has one, or needs none. */
export function carriedOver(domain: Domain, now: number): Domain | undefined {
  const { state, generation } = domain;
  const nextCheckAt: number | undefined = 'nextCheckAt' in state ? state.nextCheckAt : undefined;
  if (nextCheckAt !== undefined) return undefined;
  if (state.name === 'dns_failed') return { ...domain, state: { ...state, checks: DNS_CHECKS_IN_48_HOURS + 1, nextCheckAt: now } };
  if (state.name !== 'certificate_failed') return undefined;
  const waiting = { since: state.since, checks: 1, nextCheckAt: now };
  if (state.failure === 'name_refused') return { ...domain, state: { ...state, ...waiting } };
  return inState(domain, { name: 'certificate_pending', ...waiting, late: true }, generation);
}
