// How far a domain is: the rules of its page, without its looks. Whether it is served, and what can be done with it, says the API.

import type { DomainState } from './shapes.ts';

/** What of a domain the stages are made from. */
export interface DomainProgress {
  readonly state: DomainState;
  readonly served: boolean;
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
export function stagesOf({ state, served, history }: DomainProgress): readonly Stage[] {
  const reachedAt = new Map<DomainState, string>(history.map((each) => [each.state, each.at]));
  const present = served ? STAGES.length : STAGES.findIndex((stage) => stage.state === state);
  return STAGES.map(({ state: name, text }, index) => {
    const isAdded = name === 'awaiting_dns';
    const status = isAdded || index < present ? 'success' : index === present ? 'in-progress' : 'pending';
    return { text, status, at: status === 'pending' ? undefined : reachedAt.get(name) };
  });
}

/** Is it at one of the stages? Other states (failed, suspended, being removed) are shown beside them. */
export function isAtStage({ state, served }: Pick<DomainProgress, 'state' | 'served'>): boolean {
  return served || STAGES.some((stage) => stage.state === state);
}

/** The hosts that a project is served on, the primary one first. */
export function addressesOf(domains: readonly { readonly host: string; readonly served: boolean }[], primary: string | undefined): readonly string[] {
  const hosts = domains.filter(({ served }) => served).map(({ host }) => host);
  return hosts.sort((a, b) => Number(b === primary) - Number(a === primary) || a.localeCompare(b));
}
