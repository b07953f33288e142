// Domains that earlier versions had given up: they have no next check, and get one here.

import { type Domain, inState } from './domain.ts';
import { DNS_CHECKS_IN_48_HOURS } from './schedule.ts';

/** Returns the domain with a next check; undefined if it has one, or needs none. @param now milliseconds since 1970 */
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
