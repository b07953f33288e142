// Which changes of a domain its owners are notified of.

import { adviceOf } from '../domains/advice.ts';
import type { Domain } from '../domains/domain.ts';
import { REVERIFY_AFTER_MS } from '../domains/schedule.ts';
import { isServed } from '../domains/states.ts';
import type { Notification, NotificationKind } from './notification.ts';

/** Returns the notification that a change of a domain causes; undefined if its owners need not know. @param read the domain before the change */
export function domainNotification(read: Domain, next: Domain): Notification | undefined {
  const kind = kindOf(read, next);
  if (kind === undefined) return undefined;
  const { id: domainId, projectId, host, accountId, generation, state } = next;
  const at = kind === 'certificate_late' ? state.since + REVERIFY_AFTER_MS : state.since;
  const of = { projectId, domainId, host };
  const advice = adviceOf(next, at);
  return {
    id: `${kind}:${domainId}:${generation}:${at}`,
    accountId,
    at,
    event:
      kind === 'domain_live'
        ? { kind, ...of, again: read.state.name === 'degraded' }
        : { kind, ...of, advice: advice && { seen: advice.seen, fix: advice.fix, actor: advice.actor } },
  };
}

type DomainKind = Extract<NotificationKind, `domain_${string}` | 'certificate_late'>;

function kindOf(read: Domain, next: Domain): DomainKind | undefined {
  const [before, after] = [read.state, next.state];
  if (before.name === 'certificate_pending' && after.name === 'certificate_pending')
    return after.late === true && before.late !== true ? 'certificate_late' : undefined;
  if (before.name === after.name) return undefined;
  // To another account.
  if (next.lost !== undefined && read.lost === undefined) return 'domain_lost';
  switch (after.name) {
    case 'live':
      return 'domain_live';
    case 'degraded':
      return 'domain_degraded';
    case 'dns_failed':
    case 'certificate_failed':
      return 'domain_failed';
    case 'suspended':
      return isServed(before) ? 'domain_lost' : 'domain_failed';
    case 'removing':
    case 'removed':
      return isServed(before) ? 'domain_lost' : undefined;
    case 'awaiting_dns':
    case 'verifying':
    case 'verified':
    case 'certificate_pending':
    case 'attaching':
    case 'taken_over':
      return undefined;
  }
}
