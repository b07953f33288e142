// Converts the records of an installation that is moved to a stage into the items that the stage's stores would have written.

import { parseScopes } from '../../../../core/access/plans.ts';
import type { Domain } from '../../../../core/domains/domain.ts';
import { HOURS_SHOWN, hoursOf, MINUTES_SHOWN, merged } from '../../../../core/limits/history.ts';
import { hourOf, windowsAt } from '../../../../core/limits/windows.ts';
import { petFromJson } from '../../../../core/pets/pet.ts';
import type { Project } from '../../../../core/projects/project.ts';
import { RECORD_KINDS, type RecordKindName, type RecordValue, type StoredRecord } from '../../../../core/records/kinds.ts';
import { ACCOUNT, KEY, REVOKED_KEY } from '../access-items.ts';
import { ENTRY } from '../audit.ts';
import { domainItems } from '../domains.ts';
import { attributes, controlKey, type Item, type Kind, keyAttribute, malformed, refusalsKey, type Stored } from '../items.ts';
import { INVITATION, invitationDayItem, membershipItems } from '../members.ts';
import { entryItem } from '../notifications.ts';
import { recordItem } from '../pets.ts';
import { DEPLOYMENT, PROJECT, tokenKey } from '../project-items.ts';
import { pointerKey, TOKEN, tombstoneItem } from '../projects.ts';
import { removalItem } from '../sweeps.ts';
import { type TableNames, TTL_ATTRIBUTE } from '../tables.ts';
import { banAttribute, banValue, momentValue } from '../usage/bans.ts';
import { historyItems } from '../usage/usage-history.ts';
import { dayAttribute, keyValue, lastUseAttribute, minuteAttribute, usageItem } from '../usage/usage-item.ts';

/** An item, and the table that it is in. */
export interface MovedItem {
  readonly table: keyof TableNames;
  readonly item: Item;
}

/** Reads the source's records of a kind, in the order of their keys. */
export type ReadKind = (kind: Exclude<RecordKindName, 'site_files'>) => Iterable<StoredRecord>;

export interface MovedItemsOptions {
  /** Milliseconds since 1970; records that have expired by then are left out. */
  readonly now: number;
  /** Users' ids at the stage, by their previous ids. */
  readonly users: ReadonlyMap<string, string>;
  /** Returns a domain in a form that lets the stage continue with it. */
  readonly domain: (domain: Domain) => Domain;
}

/** A record's values by their columns in camel case. Null is undefined, and integers are numbers. */
// biome-ignore lint/suspicious/noExplicitAny: a column has one type, which the kinds describe
type Values = Readonly<Record<string, any>>;

const written = <Value>(kind: Kind<Value>, values: Values) => kind.write(values as Value);

/** Other kinds have no items at a stage: Cognito, ACM and CloudFront store their counterparts, and stored answers are sealed with users' old ids. */
const ITEMS: Readonly<Partial<Record<RecordKindName, (values: Values) => readonly Item[]>>> = {
  accounts: ({ perMinute, perDay, planRequest, suspension, secondFactor, ...account }) => [
    {
      ...written(ACCOUNT, { ...account, limits: { perMinute, perDay } }),
      ...attributes({ planRequest, suspension, requiresSecondFactor: secondFactor ? 'true' : undefined }),
    },
  ],
  revoked_keys: ({ revokedAt, revokedBy, ...key }) => [written(REVOKED_KEY, { ...withScopes(key), revoked: { at: revokedAt, by: revokedBy } })],
  members: (member) => membershipItems(member as Parameters<typeof membershipItems>[0]),
  invitations: (invitation) => [written(INVITATION, invitation)],
  invitation_days: ({ sender, day, sent }) => [invitationDayItem(sender, day, sent)],
  notification_settings: ({ userId, muted, unsubscribeKey }) => [
    ...(muted.length > 0 ? [{ ...controlKey(`user#${userId}`, 'notifications'), ...attributes({ muted: JSON.stringify(muted) }) }] : []),
    ...(unsubscribeKey === undefined ? [] : [{ ...controlKey(`user#${userId}`, 'unsubscribe'), ...attributes({ secret: unsubscribeKey }) }]),
  ],
  notifications: ({ body, attempts, done, sentAt, dueAt }) => [entryItem({ notification: JSON.parse(body), attempts, done, sentAt, dueAt })],
  projects: ({ configuration, deletedAt, ...project }) => {
    if (deletedAt !== undefined) return [tombstoneItem(project.token, deletedAt)];
    return [written(PROJECT, { ...project, configuration: JSON.parse(configuration) }), pointerKey(project as Project), tokenKey(project.token)];
  },
  deploy_tokens: (token) => [{ ...written(TOKEN, token), ...attributes({ lastUsedAt: token.lastUsedAt }) }],
  deployments: ({ servedAt, pinned, ...deployment }) => [
    { ...written(DEPLOYMENT, deployment), ...attributes({ servedAt, pinned: pinned || undefined }) },
  ],
  file_removals: ({ projectId, deploymentId, dueAt, begunAt, bytes }) => [
    { ...removalItem({ projectId, deploymentId: deploymentId || undefined, dueAt, bytes }), ...attributes({ begunAt: begunAt || undefined }) },
  ],
  audit: ({ actor, details, ...entry }) => [
    written(ENTRY, { ...entry, actor: JSON.parse(actor), ...(details !== undefined && { details: JSON.parse(details) }) }),
  ],
  idempotency: ({ owner, key, fingerprint, pet, expiresAt }) => [recordItem(petFromJson(pet), { owner, key, fingerprint, expiresAt })],
};

/** The prefixes of the control table's partitions that contain moved items. The others are the stage's own: its sweeps, counters, budgets. */
const PARTITIONS: ReadonlySet<string> = new Set(
  `accounts keys revoked-keys usage-history members account-members invitations invitation-days user notifications projects tokens deploy-tokens
  deployments removals domain domains host`.split(/\s+/),
);

/** Whether a partition of the control table contains moved items. */
export function isMovedPartition(pk: string): boolean {
  return PARTITIONS.has(pk.split('#')[0] ?? '');
}

const TABLES: Readonly<Partial<Record<RecordKindName, keyof TableNames>>> = { usage: 'usage', audit: 'audit', idempotency: 'pets' };

/** Returns the items of a kind's records. */
export function* movedItems(kind: RecordKindName, read: ReadKind, options: MovedItemsOptions): Generator<MovedItem> {
  const table = TABLES[kind] ?? 'control';
  for (const item of itemsOf(kind, read, options)) {
    const end = item[TTL_ATTRIBUTE]?.N;
    // DynamoDB may delete an expired item at any moment.
    if (end === undefined || Number(end) * 1_000 > options.now) yield { table, item };
  }
}

function* itemsOf(kind: RecordKindName, read: ReadKind, options: MovedItemsOptions): Generator<Item> {
  const valuesOf = (of: RecordKindName, record: StoredRecord) => valuesOfRecord(of, record, options.users);
  switch (kind) {
    case 'usage':
      return yield* usageItems(read, options);
    case 'usage_history':
      return yield* allHistoryItems(read, options);
    case 'api_keys':
      for (const record of read(kind)) yield keyItem(valuesOf(kind, record), options.now);
      return;
    case 'domains':
      for (const record of read(kind)) yield* domainItems(options.domain(JSON.parse(valuesOf(kind, record).body)));
      return;
    // Animals have their own target, and files are in S3.
    case 'pets':
    case 'site_files':
      return;
    default:
      for (const record of ITEMS[kind] === undefined ? [] : read(kind)) yield* ITEMS[kind]?.(valuesOf(kind, record)) ?? [];
  }
}

/** Returns a key's item. While the key is valid, the usage table has its last use instead. */
function keyItem(values: Values, now: number): Item {
  const { lastUsedAt, successor, pausedAt, expiresAt } = values;
  return { ...written(KEY, withScopes(values)), ...attributes({ successor, pausedAt, lastUsedAt: expiresAt <= now ? lastUsedAt : undefined }) };
}

/** Yields both items of each account: what admission needs, and the refusals. */
function* usageItems(read: ReadKind, { now }: MovedItemsOptions): Generator<Item> {
  const keys = Map.groupBy(
    [...read('api_keys')].map((record) => valuesOfRecord('api_keys', record)),
    ({ accountId }) => accountId,
  );
  const [windowsOf, historyOf] = [windowsByAccount(read), historyByAccount(read)];
  const { minute, day } = windowsAt(now);
  for (const record of read('accounts')) {
    const { id, plan, perMinute, perDay, suspension } = valuesOfRecord('accounts', record);
    const valid = keys.get(id)?.filter(({ expiresAt }) => expiresAt > now) ?? [];
    const { minutes, days } = windowsOf(id);
    yield {
      ...usageItem(id, plan, { perMinute, perDay }),
      ...attributes({
        su: suspension === undefined ? undefined : true,
        ...Object.fromEntries(valid.flatMap(admissionOf)),
        ...counters(minutes, minuteAttribute, minute - 1),
        ...counters(days, dayAttribute, day - 1),
      }),
    };
    const refusals = attributes({ ...Object.fromEntries(valid.flatMap(banOf)), ...refusalCounters(historyOf(id), now) });
    if (Object.keys(refusals).length > 0) yield { ...refusalsKey(id), ...refusals };
  }
}

/** Returns what admission needs to know about a key. */
function admissionOf({ digest, lastUsedAt, banUntil, ...key }: Values): (readonly [string, Stored])[] {
  return [
    [keyAttribute(digest), keyValue(withScopes(key) as Parameters<typeof keyValue>[0])],
    [lastUseAttribute(digest), lastUsedAt === undefined ? undefined : windowsAt(lastUsedAt).minute],
    [banAttribute(digest), banUntil === undefined ? undefined : momentValue(banUntil)],
  ];
}

function banOf({ digest, banSince = 0, banUntil, banLevel = 1 }: Values): (readonly [string, Stored])[] {
  return banUntil === undefined ? [] : [[banAttribute(digest), banValue({ since: banSince, until: banUntil, level: banLevel })]];
}

function refusalCounters({ refused_minute: minutes, refused_day: days }: Histories, now: number): Readonly<Record<string, number>> {
  const { minute } = windowsAt(now);
  const hours = [...hoursOf(minutes)].filter(([hour]) => hour > hourOf(minute) - HOURS_SHOWN);
  return {
    ...counters([...minutes], (window) => `q${window}`, minute - MINUTES_SHOWN + 1),
    ...Object.fromEntries(hours.map(([hour, count]) => [`s${hour}`, count])),
    ...counters([...days], (window) => `r${window}`, 0),
  };
}

function* allHistoryItems(read: ReadKind, { now }: MovedItemsOptions): Generator<Item> {
  const [windowsOf, historyOf] = [windowsByAccount(read), historyByAccount(read)];
  const { minute, day } = windowsAt(now);
  const before = (pairs: Pairs, end: number) => new Map(pairs.filter(([window]) => window < end));
  for (const [id] of read('accounts')) {
    const [counted, history] = [windowsOf(id as string), historyOf(id as string)];
    yield* historyItems(id as string, {
      minutes: merged(history.minute, before(counted.minutes, minute - 1)),
      days: merged(history.day, before(counted.days, day - 1)),
    });
  }
}

type Histories = Readonly<Record<'minute' | 'day' | 'refused_minute' | 'refused_day', Map<number, number>>>;

/** Reads the history, with one account at a time in memory. @returns a function to be called for accounts in the order of their ids */
function historyByAccount(read: ReadKind): (accountId: string) => Histories {
  const records = read('usage_history')[Symbol.iterator]();
  let next = records.next();
  return (accountId) => {
    const found: Histories = { minute: new Map(), day: new Map(), refused_minute: new Map(), refused_day: new Map() };
    for (; !next.done && (next.value[0] as string) <= accountId; next = records.next()) {
      const [id, kind, window, requests] = next.value as readonly [string, keyof Histories, bigint, bigint];
      if (id === accountId) found[kind].set(Number(window), Number(requests));
    }
    return found;
  };
}

type Pairs = readonly (readonly [window: number, count: number])[];

/** Reads the requests that admission has counted, by account. */
function windowsByAccount(read: ReadKind): (accountId: string) => { readonly minutes: Pairs; readonly days: Pairs } {
  const all = new Map([...read('usage')].map((record) => [record[0], record[1]]));
  return (accountId) => {
    const text = all.get(accountId);
    return typeof text === 'string' ? JSON.parse(text) : { minutes: [], days: [] };
  };
}

/** Returns the counters from a window on. */
function counters(pairs: Pairs, nameOf: (window: number) => string, first: number): Readonly<Record<string, number>> {
  return Object.fromEntries(pairs.flatMap(([window, count]) => (window < first ? [] : [[nameOf(window), count]])));
}

function withScopes({ scopes, ...others }: Values): Values {
  const parsed = parseScopes(scopes);
  if (parsed === undefined) throw malformed('scopes', scopes);
  return { ...others, scopes: parsed };
}

function valuesOfRecord(kind: RecordKindName, record: StoredRecord, users: ReadonlyMap<string, string> = new Map()): Values {
  const renamed = (value: RecordValue): unknown => {
    if (value === null) return undefined;
    if (typeof value === 'bigint') return Number(value);
    if (typeof value === 'string') return users.size === 0 ? value : value.replace(USER_ID, (id) => users.get(id) ?? id);
    return Array.isArray(value) ? value.map(renamed) : value;
  };
  return Object.fromEntries(RECORD_KINDS[kind].columns.map(({ name }, index) => [camelCase(name), renamed(record[index] ?? null)]));
}

const USER_ID = /usr_[0-9A-Za-z]+/g;

function camelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
