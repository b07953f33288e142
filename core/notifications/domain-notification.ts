// Decides whether a change to a domain is one that its owners are notified of.

import { adviceOf } from '../domains/diagnosis/advice.ts';
import type { Domain } from '../domains/domain.ts';
import { renewalLateAt } from '../domains/renewal.ts';
import { LATE_AFTER_MS } from '../domains/schedule.ts';
import { isServed } from '../domains/states.ts';
import type { Notification, NotificationKind } from './notification.ts';

/** Returns the notification for a change to a domain; undefined if its owners need not know about it. @param read the domain before the change */
export function domainNotification(read: Domain, next: Domain): Notification | undefined {
  const kind = kindOf(read, next);
  if (kind === undefined) return undefined;
  const { id: domainId, projectId, host, accountId, generation, state } = next;
  const at = next.changedAt ?? state.since;
  const of = { projectId, domainId, host };
  const advice = adviceOf(next, at);
  const removed = read.removal === undefined && next.lost === undefined ? next.removal : undefined;
  const noted = { advice: advice && { seen: advice.seen, fix: advice.fix, actor: advice.actor } };
  return {
    // Derived from the event itself, not from when it was noticed, so that the notification is stored only once.
    id: `${kind}:${domainId}:${generation}:${about()}`,
    accountId,
    at,
    event: eventOf(),
  };

  function about(): number {
    if (kind === 'certificate_late') return lateAt(next);
    // If the state stays the same, the certificate distinguishes this notification from others.
    return read.state.name === state.name && next.certificate !== undefined ? next.certificate.notAfter : state.since;
  }

  function eventOf(): Notification['event'] {
    switch (kind) {
      case 'domain_live':
        if (isServed(read.state)) return { kind, ...of, again: true, ...(read.state.name === 'live' && { renewed: true }) };
        return { kind, ...of, again: false, ...(next.companion && { companionId: next.companion.id }) };
      case 'certificate_late':
        return { kind, ...of, ...noted, ...(isServed(state) && { renewal: true }) };
      default:
        return { kind: kind as Exclude<DomainKind, 'domain_live' | 'certificate_late'>, ...of, ...noted, ...(removed && { removed }) };
    }
  }
}

type DomainKind = Extract<NotificationKind, `domain_${string}` | `certificate_${string}`>;

function kindOf(read: Domain, next: Domain): DomainKind | undefined {
  const [before, after] = [read.state, next.state];
  const isLate = (state: Domain['state']) => 'late' in state && state.late === true;
  if (before.name === after.name) {
    if (isLate(after) !== isLate(before)) return isLate(after) ? 'certificate_late' : after.name === 'live' ? 'domain_live' : undefined;
    return undefined;
  }
  if (next.lost !== undefined && read.lost === undefined) return 'domain_lost';
  switch (after.name) {
    case 'live':
      return 'domain_live';
    case 'degraded':
      return 'domain_degraded';
    case 'certificate_expired':
      return 'certificate_expired';
    case 'dns_failed':
    case 'certificate_failed':
      return 'domain_failed';
    case 'verifying':
      // The record was right, but no longer is. Without this notification, the owner would wait for a certificate.
      return before.name === 'certificate_pending' && after.diagnosis?.actor === 'owner' ? 'domain_failed' : undefined;
    case 'suspended':
      return isServed(before) ? 'domain_lost' : 'domain_failed';
    case 'removing':
    case 'removed':
      return isServed(before) ? 'domain_lost' : undefined;
    case 'awaiting_dns':
    case 'verified':
    case 'certificate_pending':
    case 'attaching':
    case 'taken_over':
      return undefined;
  }
}

/** Returns the time at which the certificate became late, which does not depend on when this is noticed. */
function lateAt({ state, certificate }: Domain): number {
  return isServed(state) && certificate !== undefined ? Math.floor(renewalLateAt(certificate)) : state.since + LATE_AFTER_MS;
}
