// An entry of the audit log as the members of its account see it. The control API's schema says what each member is.

import type { EmailOf } from '../access/key-view.ts';
import type { AuditEntry } from './entry.ts';

/** Returns the view of an entry. @param forOperator whether to say who operates the installation, which is not for owners. @default false */
export function auditEntryView({ id, at, action, subject, actor, details = {} }: AuditEntry, emailOf: EmailOf, forOperator = false) {
  const { kind, requestId } = actor;
  const isOurs = kind === 'operator' && !forOperator;
  const who = isOurs ? undefined : actor.id;
  return {
    entryId: id,
    at: new Date(at).toISOString(),
    action,
    subject,
    actor: {
      kind,
      id: who ?? null,
      email: (kind !== 'deploy_token' && who !== undefined ? emailOf(who) : undefined) ?? null,
      address: (isOurs ? undefined : actor.address) ?? null,
    },
    requestId: requestId ?? null,
    details,
  };
}

export type AuditEntryView = ReturnType<typeof auditEntryView>;
