// The real embedded host in this process: real HTTP, real SQLite, and a clock that the test sets.

import { Logger } from '@aws-lambda-powertools/logger';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { KeyRecord } from '../../core/access/account.ts';
import type { Limits } from '../../core/access/plans.ts';
import { parseNetwork } from '../../core/http/forwarded.ts';
import type { ConnectionLimits } from '../../core/limits/connections.ts';
import type { Stores } from '../../core/ports.ts';
import { createPendingWork } from '../../local/health.ts';
import { type Host, startHost } from '../../local/host.ts';
import { createPages } from '../../local/pages.ts';
import { createCatalogue } from '../../service/catalogue/create-catalogue.ts';
import { NOON, sampleAccount, sampleKey } from '../../testing/samples.ts';
import { makeInstallation } from './folders.ts';
import { seededRandom32 } from './samples.ts';

export interface TestHost extends Pick<Host, 'adopt'> {
  readonly url: string;
  readonly stores: SqliteStores;
  readonly clock: { now: number };
  /** The data folder. */
  readonly folder: string;
  /** Faults in the host itself; should stay empty. */
  readonly faults: readonly unknown[];
  /** Reports about connection limits that were reached. */
  readonly limits: readonly string[];
  /** Runs delayed work at once, such as reporting refusals. */
  finishPendingWork(): Promise<void>;
  /** A new account with a key. */
  makeKey(limits?: Limits, fields?: Partial<KeyRecord>): Promise<{ accountId: string; key: string; keyId: string }>;
  stop(): Promise<void>;
}

export const PLENTY: Limits = { perMinute: 1_000_000, perDay: 1_000_000 };

/** Starts a host on a free port, with a new data folder. */
export async function startTestHost(
  options: {
    /** @default a clock that the test sets */
    readonly clock?: () => number;
    readonly draftHeaders?: boolean;
    readonly requestTimeoutMs?: number;
    readonly pets?: (real: Stores['pets']) => Stores['pets'];
    /** Trusted addresses and networks. @default none */
    readonly trustedProxies?: readonly string[];
    readonly connections?: ConnectionLimits;
    /** Address to listen on. @default 127.0.0.1 */
    readonly host?: string;
    /** @default the address listened on */
    readonly publicUrl?: string;
  } = {},
): Promise<TestHost> {
  const folder = makeInstallation();
  const stores = openSqliteStores(folder.path);
  const clock = { now: NOON };
  const faults: unknown[] = [];
  const limits: string[] = [];
  const now = options.clock ?? (() => clock.now);
  const pending = createPendingWork();
  const api = createCatalogue({
    stores: { ...stores, pets: options.pets?.(stores.pets) ?? stores.pets },
    clock: now,
    random32: seededRandom32(),
    logger: new Logger({ logLevel: 'SILENT' }),
    later: pending.later,
    draftHeaders: options.draftHeaders ?? false,
  });
  const pages = createPages({ isHealthy: async () => stores.isResponding(), readiness: async () => ({ isReady: true, checks: [] }) });
  const { requestTimeoutMs, trustedProxies = [] } = options;
  const onFault = (error: unknown) => {
    faults.push(error);
  };
  const host: Host = await startHost({
    api,
    pages,
    clock: now,
    onFault,
    onLimit: (message) => void limits.push(message),
    port: 0,
    host: options.host ?? '127.0.0.1',
    publicUrl: options.publicUrl,
    trustedProxies: trustedProxies.map(parseNetwork).filter((network) => network !== undefined),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(options.connections !== undefined && { connections: options.connections }),
  });
  return {
    url: host.url,
    adopt: host.adopt,
    faults,
    limits,
    stores,
    clock,
    folder: folder.path,
    finishPendingWork: pending.finish,
    makeKey: async (limits = PLENTY, fields = {}) => {
      const account = sampleAccount(limits);
      const { text, ...record } = sampleKey(account.id, fields);
      await stores.accounts.createAccount(account);
      await stores.accounts.addKey(record, 10, NOON);
      return { accountId: account.id, key: text, keyId: record.id };
    },
    stop: async () => {
      await host.stop();
      await pending.finish();
      stores.close();
      folder.remove();
    },
  };
}
