// The stores in memory, for tests without storage and for benchmarks that exclude storage. The data is lost at exit.

import { isDeepStrictEqual } from 'node:util';
import { type Account, type KeyRecord, MAX_REVOKED_LISTED, REVOKED_KEPT_MS, type RevokedKey } from '../../../core/access/account.ts';
import { type AccountState, count, snapshotOf } from '../../../core/limits/admit.ts';
import { type Ban, isInForce, isLiftable, lifted, replaces } from '../../../core/limits/ban.ts';
import { decide, isCounted, quotasOf } from '../../../core/limits/decide.ts';
import { historyOf, hoursOf, type WindowCounters } from '../../../core/limits/history.ts';
import { mayTake } from '../../../core/limits/lease.ts';
import { MINUTE_MS, windowsAt } from '../../../core/limits/windows.ts';
import { byAge } from '../../../core/page.ts';
import type { Pet } from '../../../core/pets/pet.ts';
import type { CreateResult, Creation, Idempotency, PetStore } from '../../../core/pets/ports.ts';
import type { Stores } from '../../../core/ports.ts';

/** Creates empty stores. @example const { pets, accounts, usage } = createMemoryStores(); */
export function createMemoryStores(): Required<Stores> {
  const accounts = new Map<string, Account>();
  const keys = new Map<string, KeyRecord>();
  return { pets: createMemoryPetStore(), ...createMemoryAccess(accounts, keys) };
}

function createMemoryPetStore(): PetStore {
  /** Sorted by id. */
  const pets: Pet[] = [];
  const records = new Map<string, { readonly idempotency: Idempotency; readonly pet: Pet }>();

  function create({ pet, idempotency }: Creation, now: number): CreateResult {
    const recordKey = idempotency && JSON.stringify([idempotency.owner, idempotency.key]);
    const record = recordKey === undefined ? undefined : records.get(recordKey);
    if (record !== undefined && record.idempotency.expiresAt > now) {
      if (record.idempotency.fingerprint !== idempotency?.fingerprint) return { kind: 'key_reused' };
      if (recordKey !== undefined && idempotency.renewable) records.set(recordKey, { idempotency, pet: record.pet });
      return { kind: 'replayed', pet: record.pet };
    }
    const at = firstAbove(pets, pet.id - 1);
    const holder = pets[at];
    if (holder?.id === pet.id) return { kind: 'id_taken', holder };
    pets.splice(at, 0, pet);
    if (recordKey !== undefined && idempotency !== undefined) records.set(recordKey, { idempotency, pet });
    return { kind: 'created' };
  }

  return {
    create: async (creation, now) => create(creation, now),
    createAll: async (creations, now) => creations.map((creation) => create(creation, now)),
    get: async (id) => {
      const pet = pets[firstAbove(pets, id - 1)];
      return pet?.id === id ? pet : undefined;
    },
    list: async ({ after, status, limit }) => {
      const from = firstAbove(pets, after);
      if (status === undefined) return pets.slice(from, from + limit);
      const page: Pet[] = [];
      for (let at = from; at < pets.length && page.length < limit; at += 1) {
        const pet = pets[at];
        if (pet?.status === status) page.push(pet);
      }
      return page;
    },
    remove: async (id) => {
      const at = firstAbove(pets, id - 1);
      return pets[at]?.id === id && pets.splice(at, 1).length > 0;
    },
  };
}

function createMemoryAccess(accounts: Map<string, Account>, keys: Map<string, KeyRecord>): Required<Omit<Stores, 'pets'>> {
  const states = new Map<string, AccountState>();
  /** Every window in which an account was used; never pruned. */
  const counted = new Map<string, WindowCounters>();
  const refusals = new Map<string, WindowCounters>();
  let revokedKeys: readonly RevokedKey[] = [];
  const keysOf = (accountId: string) => [...keys.values()].filter((key) => key.accountId === accountId).sort(byAge);
  const sync = (accountId: string) => {
    const account = accounts.get(accountId);
    if (account === undefined) return;
    const old = states.get(accountId);
    const own = new Map(
      keysOf(accountId).map((key) => [key.digest, { scopes: key.scopes, expiresAt: key.expiresAt, paused: key.pausedAt !== undefined }]),
    );
    const bans = new Map([...(old?.bans ?? [])].filter(([digest]) => own.has(digest)));
    const counters = { minutes: old?.minutes ?? new Map(), days: old?.days ?? new Map() };
    const suspended = account.suspension !== undefined;
    states.set(accountId, { plan: account.plan, limits: account.limits, suspended, keys: own, bans, ...counters });
  };

  /** Changes an account; properties that are undefined are removed. */
  const change = (id: string, properties: { readonly [Name in keyof Account]?: Account[Name] | undefined }) => {
    if (!accounts.has(id)) return false;
    const entries = Object.entries({ ...accounts.get(id), ...properties }).filter(([, value]) => value !== undefined);
    accounts.set(id, Object.fromEntries(entries) as unknown as Account);
    sync(id);
    return true;
  };

  const withBan = (key: KeyRecord): KeyRecord => {
    const ban = states.get(key.accountId)?.bans.get(key.digest);
    return ban === undefined ? key : { ...key, ban };
  };
  const setBan = (accountId: string, digest: string, ban: Ban) => {
    const state = states.get(accountId);
    if (state?.keys.has(digest)) states.set(accountId, { ...state, bans: new Map(state.bans).set(digest, ban) });
  };

  const add = (to: Map<string, WindowCounters>, accountId: string, ofMinute: number, ofDay: number, now: number) => {
    const { minute, day } = windowsAt(now);
    const { minutes = new Map(), days = new Map() } = to.get(accountId) ?? {};
    to.set(accountId, {
      minutes: new Map(minutes).set(minute, (minutes.get(minute) ?? 0) + ofMinute),
      days: new Map(days).set(day, (days.get(day) ?? 0) + ofDay),
    });
  };
  const NOTHING: WindowCounters = { minutes: new Map(), days: new Map() };

  const use = (accountId: string, digest: string, now: number) => {
    for (const key of keys.values()) {
      if (key.accountId === accountId && key.digest === digest) keys.set(key.id, { ...key, lastUsedAt: windowsAt(now).minute * MINUTE_MS });
    }
  };

  return {
    accounts: {
      createAccount: async (account) => {
        if (accounts.has(account.id)) return false;
        accounts.set(account.id, account);
        sync(account.id);
        return true;
      },
      listAccounts: async () => [...accounts.values()].sort(byAge),
      getAccount: async (id) => accounts.get(id),
      setPlan: async (id, plan, limits) => change(id, { plan, limits }),
      setPlanRequest: async (id, planRequest) => change(id, { planRequest }),
      setSuspension: async (id, suspension) => change(id, { suspension }),
      rename: async (id, name) => change(id, { name }),
      setSecondFactor: async (id, isRequired) => change(id, { requiresSecondFactor: isRequired || undefined }),
      deleteAccount: async (id) => {
        for (const key of keysOf(id)) keys.delete(key.id);
        revokedKeys = revokedKeys.filter((key) => key.accountId !== id);
        for (const each of [states, counted, refusals]) each.delete(id);
        return accounts.delete(id);
      },
      addKey: async (key, maxKeys, now) => {
        if (!accounts.has(key.accountId)) return 'account_not_found';
        if (keysOf(key.accountId).filter(({ expiresAt }) => expiresAt > now).length >= maxKeys) return 'too_many_keys';
        const { ban, ...record } = key;
        keys.set(key.id, record);
        sync(key.accountId);
        if (ban !== undefined) setBan(key.accountId, key.digest, ban);
        return 'added';
      },
      listKeys: async (accountId) => keysOf(accountId).map(withBan),
      getKey: async (keyId) => {
        const key = keys.get(keyId);
        return key && withBan(key);
      },
      expireKey: async (keyId, expiresAt, successor) => {
        const key = keys.get(keyId);
        if (key === undefined) return false;
        keys.set(keyId, { ...key, expiresAt, ...(successor !== undefined && { successor }) });
        sync(key.accountId);
        return true;
      },
      changeKey: async ({ name, scopes, expiresAt, pausedAt }, read) => {
        const { pausedAt: _, ...key } = keys.get(read.id) ?? {};
        if (!('id' in key) || !isDeepStrictEqual(changing(keys.get(read.id)), changing(read))) return false;
        keys.set(read.id, { ...key, name, scopes, expiresAt, ...(pausedAt !== undefined && { pausedAt }) } as KeyRecord);
        sync(read.accountId);
        return true;
      },
      liftBan: async (keyId, now) => {
        const key = keys.get(keyId);
        const ban = key && withBan(key).ban;
        if (key === undefined || !isLiftable(ban, now)) return false;
        setBan(key.accountId, key.digest, lifted(ban));
        return true;
      },
      revokeKey: async (keyId, revoked) => {
        const key = keys.get(keyId);
        if (key === undefined) return false;
        const { digest: _digest, successor: _successor, pausedAt: _pausedAt, ban: _ban, ...kept } = key;
        revokedKeys = [{ ...kept, revoked }, ...revokedKeys].filter(({ revoked: { at } }) => at > revoked.at - REVOKED_KEPT_MS);
        keys.delete(keyId);
        sync(key.accountId);
        return true;
      },
      listRevokedKeys: async (accountId, since) =>
        revokedKeys
          .filter((key) => key.accountId === accountId && key.revoked.at > since)
          .sort((a, b) => b.revoked.at - a.revoked.at || (a.id < b.id ? 1 : -1))
          .slice(0, MAX_REVOKED_LISTED),
    },
    leases: {
      take: async ({ accountId, digest }, block, now) => {
        const state = states.get(accountId);
        if (state === undefined) return undefined;
        const { key, ban, used } = snapshotOf(state, digest, now);
        if (key === undefined || key.expiresAt <= now || key.paused || isInForce(ban, now)) return undefined;
        if (!mayTake(block, state.limits, used)) return undefined;
        const taken = count(state, block.take, block.take - block.back, now);
        states.set(accountId, taken);
        add(counted, accountId, block.take, block.take - block.back, now);
        use(accountId, digest, now);
        return {
          plan: state.plan,
          ...(state.suspended && { suspended: true }),
          scopes: key.scopes,
          expiresAt: key.expiresAt,
          quotas: quotasOf(state.limits, snapshotOf(taken, digest, now).used, now),
        };
      },
    },
    usage: {
      admit: async ({ accountId, digest }, now) => {
        const state = states.get(accountId);
        const decision = decide(state && snapshotOf(state, digest, now), now);
        if (state !== undefined && isCounted(decision)) {
          states.set(accountId, count(state, 1, 1, now));
          add(counted, accountId, 1, 1, now);
          use(accountId, digest, now);
        }
        return decision;
      },
      ban: async ({ accountId, digest }, ban) => {
        if (replaces(ban, states.get(accountId)?.bans.get(digest))) setBan(accountId, digest, ban);
      },
      hasKey: async ({ accountId, digest }, now) => (states.get(accountId)?.keys.get(digest)?.expiresAt ?? 0) > now,
      countRefusals: async (accountId, count, now) => {
        if (states.has(accountId)) add(refusals, accountId, count, count, now);
      },
      usage: async (accountId, now) => {
        const state = states.get(accountId);
        if (state === undefined) return undefined;
        const bans: { keyId: string; ban: Ban }[] = [];
        for (const { id, digest } of keysOf(accountId)) {
          const ban = state.bans.get(digest);
          if (isInForce(ban, now)) bans.push({ keyId: id, ban });
        }
        const quotas = quotasOf(state.limits, snapshotOf(state, '', now).used, now);
        const refused = refusals.get(accountId) ?? NOTHING;
        const admitted = counted.get(accountId) ?? NOTHING;
        return { plan: state.plan, quotas, bans, history: historyOf({ admitted, refused: { ...refused, hours: hoursOf(refused.minutes) } }, now) };
      },
    },
  };
}

/** What `changeKey` compares. */
function changing({ name, scopes, expiresAt, pausedAt, successor }: Partial<KeyRecord> = {}) {
  return { name, scopes, expiresAt, pausedAt, successor };
}

/** Returns the index of the first animal with an id above `after`. */
function firstAbove(pets: readonly Pet[], after: number): number {
  let low = 0;
  let high = pets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pets[middle] as Pet).id > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
