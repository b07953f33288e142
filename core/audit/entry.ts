// The audit log: who changed what, when, and from where. Entries are added in the same step as the change, and are never changed.

import type { RandomBytes } from '../access/base62.ts';
import { randomBase62 } from '../access/base62.ts';
import type { EmailOf } from '../access/key-view.ts';
import { DAY_MS } from '../limits/windows.ts';
import { ACTIONS } from './actions.ts';

/** How long entries are kept, in milliseconds. */
export const AUDIT_KEPT_MS = 400 * DAY_MS;

/**
 * Who may change something. `operator`: the command line, used with the data folder or a stage, or a user who operates the installation. `visitor`: a
 * person who is not signed in, such as during sign-up. `workflow`: the domain workflow. `sweep`: the removal of what is no longer needed. `service`:
 * the service itself, such as at its first start.
 */
export const ACTOR_KINDS = ['user', 'deploy_token', 'operator', 'visitor', 'workflow', 'sweep', 'service'] as const;

export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number];
  /** Id of the user or token; for an operator, user@host of the command line. @default none */
  readonly id?: string | undefined;
  /** IP address. @default none */
  readonly address?: string | undefined;
  /** Id of the request to the control API. @default none */
  readonly requestId?: string | undefined;
}

export type AuditAction = keyof typeof ACTIONS;

export const AUDIT_ACTIONS = Object.keys(ACTIONS) as [AuditAction, ...AuditAction[]];

/** What has changed. */
export interface Change {
  readonly action: AuditAction;
  /** The account that the change belongs to. @default none: it belongs to the installation, or to a user */
  readonly accountId?: string | undefined;
  /** Id or name of what has changed. */
  readonly subject: string;
  /** Who did it. @default the current actor */
  readonly actor?: Actor | undefined;
  /** Facts about the change; never secrets. @default none */
  readonly details?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export interface AuditEntry extends Change {
  /** Ids sort by time. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: Actor;
}

export const AUDIT_ID_PREFIX = 'aud_';

/** Lengths of an id's parts: the time in milliseconds (base 36, until the year 5188), the number within that millisecond, and random characters. */
const TIME_DIGITS = 9;
const PLACE_DIGITS = 4;
const RANDOM_DIGITS = 6;

/** Matches ids. */
export const AUDIT_ID_PATTERN = `^${AUDIT_ID_PREFIX}[0-9a-z]{${TIME_DIGITS + PLACE_DIGITS}}[0-9A-Za-z]{${RANDOM_DIGITS}}$`;

/** Returns a text that sorts before all ids from this time on, and after all earlier ids. @param at milliseconds since 1970 */
export function auditIdsFrom(at: number): string {
  return AUDIT_ID_PREFIX + digits(Math.max(at, 0), TIME_DIGITS);
}

/** Returns the time in an id or in the start of one, in milliseconds since 1970; undefined if there is none. */
export function timeOfAuditId(id: string): number | undefined {
  const time = id.slice(AUDIT_ID_PREFIX.length, AUDIT_ID_PREFIX.length + TIME_DIGITS);
  return id.startsWith(AUDIT_ID_PREFIX) && time.length === TIME_DIGITS ? Number.parseInt(time, 36) : undefined;
}

/**
 * Creates the function that makes entries. Ids from one process sort in order of creation, even within a millisecond or if the clock is set back.
 *
 * @param clock milliseconds since 1970
 * @param actor returns the current actor
 */
export function createAuditor(clock: () => number, actor: () => Actor, randomBytes: RandomBytes): (change: Change) => AuditEntry {
  let [latest, place] = [0, 0];
  return (change) => {
    const at = clock();
    place = at > latest ? 0 : place + 1;
    latest = Math.max(at, latest);
    return {
      ...change,
      id: `${auditIdsFrom(latest)}${digits(place, PLACE_DIGITS)}${randomBase62(RANDOM_DIGITS, randomBytes)}`,
      at,
      actor: change.actor ?? actor(),
    };
  };
}

function digits(value: number, length: number): string {
  return value.toString(36).padStart(length, '0');
}

// An entry as the members of its account see it. The control API's schema describes each property.

/** Returns the view of an entry. @param forOperator whether to show who operates the installation, which owners must not see. @default false */
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
