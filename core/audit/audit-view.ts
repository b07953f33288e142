// An entry of the audit log as the members of its account see it.

import type { EmailOf } from '../access/key-view.ts';
import type { Actor, AuditEntry } from './entry.ts';

export interface AuditEntryView {
  readonly entryId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly action: AuditEntry['action'];
  /** Id or name of what has changed. */
  readonly subject: string;
  readonly actor: {
    readonly kind: Actor['kind'];
    /** Of a user or a deploy token; for operators, of the operator. Otherwise null. */
    readonly id: string | null;
    /** Null if it is not known here. */
    readonly email: string | null;
    /** IP address. Null for the operator, and for what happens automatically. */
    readonly address: string | null;
  };
  /** Null unless the change was made by a request to the control API. */
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Returns the view of an entry.
 *
 * @param forOperator whether to say who operates the installation, which is not for owners. @default false
 */
export function auditEntryView({ id, at, action, subject, actor, details = {} }: AuditEntry, emailOf: EmailOf, forOperator = false): AuditEntryView {
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
