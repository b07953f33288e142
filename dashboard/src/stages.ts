// How far a domain is, and what can be done with it: the rules of the domain's page, without its looks.

/** What of a domain the rules look at. */
export interface DomainProgress {
  readonly state: string;
  /** ISO 8601. */
  readonly since: string;
  readonly history: readonly { readonly state: string; readonly at: string }[];
}

export interface Stage {
  readonly text: string;
  readonly status: 'success' | 'in-progress' | 'pending';
  /** When it was reached last; ISO 8601. */
  readonly at: string | undefined;
}

/** From then on Re-verify is offered for a certificate that has not come (specification, section 4). */
export const REVERIFY_AFTER_MS = 30 * 60_000;

const STAGES = [
  { state: 'awaiting_dns', text: 'Added' },
  { state: 'verifying', text: 'DNS is checked' },
  { state: 'verified', text: 'Verified' },
  { state: 'certificate_pending', text: 'Certificate requested' },
  { state: 'attaching', text: 'Certificate issued' },
  { state: 'live', text: 'Live' },
] as const;

/** States that a person brings to an end by Verify. */
const VERIFIABLE = ['awaiting_dns', 'verifying', 'dns_failed', 'certificate_failed', 'degraded', 'suspended'];
const BUSY = ['verifying', 'verified', 'certificate_pending', 'attaching', 'removing'];

/** The stages in order; times of an earlier round are not shown for stages that are still to come. */
export function stagesOf({ state, history }: DomainProgress): readonly Stage[] {
  const reachedAt = new Map(history.map((each) => [each.state, each.at]));
  const isLive = state === 'live' || state === 'degraded';
  const present = isLive ? STAGES.length : STAGES.findIndex((stage) => stage.state === state);
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
  return BUSY.includes(state);
}

/** @param now milliseconds since 1970 */
export function isCertificateLate({ state, since }: Pick<DomainProgress, 'state' | 'since'>, now: number): boolean {
  return state === 'certificate_pending' && now - Date.parse(since) > REVERIFY_AFTER_MS;
}

/** @param now milliseconds since 1970 */
export function canVerify(domain: Pick<DomainProgress, 'state' | 'since'>, now: number): boolean {
  return VERIFIABLE.includes(domain.state) || isCertificateLate(domain, now);
}

/** What the API says begins small, because it stands behind a name there. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
