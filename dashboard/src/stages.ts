// A domain's progress: the domain page's logic. The API decides whether the domain is served and which actions are possible.

import type { Domain, DomainState } from './shapes.ts';

/** The fields of a domain that determine its stages. */
export type DomainProgress = Pick<Domain, 'state' | 'served' | 'history' | 'diagnosis'>;

/** How each state looks. */
export const KINDS = {
  awaiting_dns: 'pending',
  verifying: 'in-progress',
  verified: 'in-progress',
  certificate_pending: 'in-progress',
  attaching: 'in-progress',
  live: 'success',
  dns_failed: 'error',
  certificate_failed: 'error',
  degraded: 'warning',
  certificate_expired: 'error',
  suspended: 'stopped',
  removing: 'in-progress',
  taken_over: 'error',
  removed: 'stopped',
} as const satisfies Readonly<Record<DomainState, string>>;

export interface Stage {
  readonly text: string;
  readonly status: 'success' | 'in-progress' | 'warning' | 'pending';
  /** When the stage was last reached; ISO 8601. */
  readonly at: string | undefined;
}

const STAGES = [
  { state: 'awaiting_dns', text: 'Added' },
  { state: 'verifying', text: 'DNS check' },
  { state: 'verified', text: 'Verified' },
  { state: 'certificate_pending', text: 'Certificate requested' },
  { state: 'attaching', text: 'Certificate issued' },
  { state: 'live', text: 'Live' },
] as const satisfies readonly { readonly state: DomainState; readonly text: string }[];

/** Returns the stages in order; stages not reached yet don't show times from an earlier round. */
export function stagesOf({ state, served, history, diagnosis }: DomainProgress): readonly Stage[] {
  const reachedAt = new Map<DomainState, string>(history.map((each) => [each.state, each.at]));
  const present = served ? STAGES.length : STAGES.findIndex((stage) => stage.state === state);
  const now = diagnosis?.actor === 'owner' ? 'warning' : 'in-progress';
  return STAGES.map(({ state: name, text }, index) => {
    const isAdded = name === 'awaiting_dns';
    const status = isAdded || index < present ? 'success' : index === present ? now : 'pending';
    return { text, status, at: status === 'pending' ? undefined : reachedAt.get(name) };
  });
}

/** Returns how many stages a domain has completed. */
export function stagesDone(domain: DomainProgress): number {
  return stagesOf(domain).filter(({ status }) => status === 'success').length;
}

/** Whether the domain is in one of the stages. Other states (failed, suspended, being removed) are shown separately. */
export function isAtStage({ state, served }: Pick<DomainProgress, 'state' | 'served'>): boolean {
  return served || STAGES.some((stage) => stage.state === state);
}

/** Whether the owner may still have to set records. False once they are right, and while the domain is being removed. */
export function needsRecords({ state, diagnosis }: Pick<DomainProgress, 'state' | 'diagnosis'>): boolean {
  const isWrong = diagnosis !== null && diagnosis.actor === 'owner';
  return (['awaiting_dns', 'verifying', 'dns_failed', 'degraded'] as readonly DomainState[]).includes(state) || (state === 'live' && isWrong);
}

/** Returns the hosts on which a project is served, the primary one first. */
export function addressesOf(domains: readonly { readonly host: string; readonly served: boolean }[], primary: string | undefined): readonly string[] {
  const hosts = domains.filter(({ served }) => served).map(({ host }) => host);
  return hosts.sort((a, b) => Number(b === primary) - Number(a === primary) || a.localeCompare(b));
}

/** Sorts domains so that each is followed by the domains that redirect to it, and the one added together with it. @param redirects as configured */
export function inGroups<D extends Pick<Domain, 'domainId' | 'host' | 'redirectTo' | 'companion'>>(
  domains: readonly D[],
  redirects: readonly { readonly from: string; readonly to: string }[] = [],
): readonly D[] {
  const configured = new Map(redirects.map(({ from, to }) => [from, to]));
  const targetOf = ({ host, redirectTo }: D) => redirectTo ?? configured.get(host);
  const heads = domains.toSorted((a, b) => Number(targetOf(a) !== undefined) - Number(targetOf(b) !== undefined));
  const belongs = (each: D, head: D) => targetOf(each) === head.host || each.companion?.domainId === head.domainId;
  return [...new Set(heads.flatMap((head) => [head, ...heads.filter((each) => belongs(each, head))]))];
}

/** Returns the time of the next check as text, for a countdown. @param ms until the check, by the service's clock */
export function untilText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds <= 0) return 'now';
  if (seconds < 90) return `in ${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `in ${minutes} min` : `in ${Math.round(minutes / 60)} h`;
}
