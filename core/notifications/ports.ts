// Ports for notifications: the outbox, users' settings, their addresses, and sending.

import type { Page } from '../page.ts';
import type { Message } from './layout.ts';
import type { Notification, NotificationKind } from './notification.ts';
import type { SurveyedUsage } from './schedule.ts';

/** A notification in the outbox. Times are in milliseconds since 1970. */
export interface OutboxEntry {
  readonly notification: Notification;
  /** How many times it was claimed. */
  readonly attempts: number;
  /** Ids of the users who no longer need a message, because it was handed to a mail server or never will be. */
  readonly done: readonly string[];
  /** When messages were first sent. Undefined if none was. */
  readonly sentAt: number | undefined;
  /** Whether there is nothing left to do. */
  readonly finished: boolean;
}

/**
 * Notifications waiting to be sent. Stores add those about domains and members in the same step as the change. Finished ones are kept for 72 hours,
 * so that they are not added again. Every method rejects only with StoreFault.
 */
export interface NotificationOutbox {
  /** Adds a notification, due at once. Returns false, and changes nothing, if one with the same id is stored, even a finished one. */
  add(notification: Notification): Promise<boolean>;
  /** Returns at most `limit` unfinished notifications that are due by `now`, longest-waiting first. May be slightly out of date. */
  due(now: number, limit: number): Promise<readonly OutboxEntry[]>;
  /**
   * Claims a notification that is due. It is due again at `until`, unless it is finished or postponed before then. Returns undefined if it is not
   * due, or was claimed since it was read; of concurrent callers that have read the same entry, at most one gets it.
   */
  claim(entry: OutboxEntry, now: number, until: number): Promise<OutboxEntry | undefined>;
  /** Returns all stored notifications of an account, in any order. */
  ofAccount(accountId: string): Promise<readonly OutboxEntry[]>;
  /** Records that messages are about to be sent; only the first such time is stored. Returns false if the claim was lost. */
  markSent(claim: OutboxEntry, now: number): Promise<boolean>;
  /** Records that a user no longer needs a message. Idempotent. If the claim was lost, still records this, but returns false. */
  markDone(claim: OutboxEntry, userId: string): Promise<boolean>;
  /** Makes a claimed notification due at another time. Does nothing if the claim was lost. */
  postpone(claim: OutboxEntry, until: number): Promise<void>;
  /** Records that nothing is left to do. Does nothing if the claim was lost. */
  finish(claim: OutboxEntry): Promise<void>;
}

/** Which notifications users do not want. Every method rejects only with StoreFault. */
export interface NotificationSettings {
  /** Returns the kinds that a user has turned off; none if the user has not chosen. */
  mutedBy(userId: string): Promise<readonly NotificationKind[]>;
  /**
   * Replaces the kinds that a user has turned off. Returns false, and changes nothing, if they have changed since they were read.
   *
   * @param read the kinds to replace, in any order. @default any
   */
  mute(userId: string, kinds: readonly NotificationKind[], read?: readonly NotificationKind[]): Promise<boolean>;
  /**
   * Returns a user's secret key, with which links in emails are signed; undefined if there is none. Concurrent callers get the same key.
   *
   * @param fresh becomes the key if there is none yet. @default nothing is stored
   */
  unsubscribeKey(userId: string, fresh?: string): Promise<string | undefined>;
}

/** Reads every account's usage, without changing it. */
export interface UsageSurvey {
  /**
   * Returns a page of accounts with their usage, in any order; accounts that were never used may be missing.
   *
   * @param now milliseconds since 1970
   * @param after `next` of the previous page. @default the first page
   */
  usagePage(now: number, after?: string): Promise<Page<SurveyedUsage>>;
}

/** Looks up users' email addresses. */
export interface AddressBook {
  /** Returns a user's verified address; undefined if there is none, or the user may no longer sign in. Rejects if this can't be determined now. */
  addressOf(userId: string): Promise<string | undefined>;
}

/** A message was not accepted. */
export class MailRefusal extends Error {
  override readonly name = 'MailRefusal';
  /** Whether another attempt is pointless, because the address or the message is refused permanently. */
  readonly isPermanent: boolean;
  /** Whether the server currently accepts nothing, or does not answer, so other messages would fail as well. */
  readonly isOutage: boolean;

  /** @param message the next server's response, as one line */
  constructor(message: string, isPermanent: boolean, { isOutage = false, ...options }: ErrorOptions & { readonly isOutage?: boolean } = {}) {
    super(message, options);
    this.isPermanent = isPermanent;
    this.isOutage = isOutage && !isPermanent;
  }
}

/** Sends messages. */
export interface Mailer {
  /**
   * Sends a message, and resolves as soon as the next server is responsible for it. Sent again, a message has the same id, by which receivers
   * recognize it. Takes at most a minute. Rejects with MailRefusal if the message was not accepted, or if that is unknown.
   */
  send(message: Message): Promise<void>;
}
