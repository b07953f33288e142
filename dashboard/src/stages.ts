// How far a domain is: the rules of its page, without its looks. What can be done with it says the API.

import type { DomainState } from './shapes.ts';

/** What of a domain the stages are made from. */
export interface DomainProgress {
  readonly state: DomainState;
  readonly history: readonly { readonly state: DomainState; readonly at: string }[];
}

export interface Stage {
  readonly text: string;
  readonly status: 'success' | 'in-progress' | 'pending';
  /** When it was reached last; ISO 8601. */
  readonly at: string | undefined;
}

const STAGES = [
  { state: 'awaiting_dns', text: 'Added' },
  { state: 'verifying', text: 'DNS is checked' },
  { state: 'verified', text: 'Verified' },
  { state: 'certificate_pending', text: 'Certificate requested' },
  { state: 'attaching', text: 'Certificate issued' },
  { state: 'live', text: 'Live' },
] as const satisfies readonly { readonly state: DomainState; readonly text: string }[];

/** The stages in order; times of an earlier round are not shown for stages that are still to come. */
export function stagesOf({ state, history }: DomainProgress): readonly Stage[] {
  const reachedAt = new Map<DomainState, string>(history.map((each) => [each.state, each.at]));
  const present = isServed({ state }) ? STAGES.length : STAGES.findIndex((stage) => stage.state === state);
  return STAGES.map(({ state: name, text }, index) => {
    const isAdded = name === 'awaiting_dns';
    const status = isAdded || index < present ? 'success' : index === present ? 'in-progress' : 'pending';
    return { text, status, at: status === 'pending' ? undefined : reachedAt.get(name) };
  });
}

/** Is the state one of the way to live? Others (failed, suspended, being removed) are told beside it. */
export function isOnItsWay({ state }: Pick<DomainProgress, 'state'>): boolean {
  return STAGES.some((stage) => stage.state === state) || state === 'degraded';
}

/** Does it move by itself, so that the page looks again and again? */
export function isBusy({ state }: Pick<DomainProgress, 'state'>): boolean {
  switch (state) {
    case 'verifying':
    case 'verified':
    case 'certificate_pending':
    case 'attaching':
    case 'removing':
      return true;
    case 'awaiting_dns':
    case 'live':
    case 'dns_failed':
    case 'certificate_failed':
    case 'degraded':
    case 'suspended':
    case 'taken_over':
    case 'removed':
      return false;
  }
}

/** Do visitors get the project's pages there? */
export function isServed({ state }: Pick<DomainProgress, 'state'>): boolean {
  switch (state) {
    case 'live':
    case 'degraded':
      return true;
    case 'awaiting_dns':
    case 'verifying':
    case 'verified':
    case 'certificate_pending':
    case 'attaching':
    case 'dns_failed':
    case 'certificate_failed':
    case 'suspended':
    case 'removing':
    case 'taken_over':
    case 'removed':
      return false;
  }
}

/** The hosts that a project is served on, the primary one first. */
export function addressesOf(
  domains: readonly { readonly host: string; readonly state: DomainState }[],
  primary: string | undefined,
): readonly string[] {
  const hosts = domains.filter(isServed).map(({ host }) => host);
  return hosts.sort((a, b) => Number(b === primary) - Number(a === primary) || a.localeCompare(b));
}
