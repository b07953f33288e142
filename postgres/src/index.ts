// Adapters for `petstore.config.ts`: the catalogue in PostgreSQL, or the whole platform.

import type { Adapter, PortName } from 'petstore-platform';
import { startLeases } from './leases.ts';
import { openPool, type PostgresOptions } from './open.ts';
import { createPlatform, PLATFORM_PORTS } from './platform.ts';
import { createStores } from './stores.ts';

export type { PostgresOptions };

const PROVIDES = ['pets', 'accounts', 'usage', 'usageSurvey', 'answers', 'userRequests'] as const satisfies readonly PortName[];

/**
 * Provides the catalogue: animals, accounts and keys, admission. All hosts that name the same database and schema serve one catalogue; everything
 * else is in the data folder of one of them.
 *
 * @example
 * ```ts
 * // petstore.config.ts
 * export default defineConfig({ adapters: [postgresStores({ url: process.env.DATABASE_URL })] });
 * ```
 */
export function postgresStores(options: PostgresOptions): Adapter<(typeof PROVIDES)[number]> {
  return {
    name: 'petstore-postgres',
    provides: PROVIDES,
    open: async () => {
      const pool = await openPool(options);
      return { ports: createStores(pool), close: pool.close };
    },
  };
}

/**
 * Provides the whole platform. All hosts that name the same database and schema are one installation: each serves the API, the dashboard and all
 * domains, and each piece of background work is done by one of them.
 *
 * @example
 * ```ts
 * // petstore.config.ts
 * export default defineConfig({ adapters: [postgresPlatform({ url: process.env.DATABASE_URL })] });
 * ```
 */
export function postgresPlatform(options: PostgresOptions): Adapter<(typeof PLATFORM_PORTS)[number]> {
  return {
    name: 'petstore-postgres',
    provides: PLATFORM_PORTS,
    open: async (context) => {
      const pool = await openPool(options);
      const leases = await startLeases(pool).catch(async (error) => {
        await pool.close();
        throw error;
      });
      const close = async () => {
        // If the database is gone, the host has lost its leases anyway.
        await leases.stop().catch(() => {});
        await pool.close();
      };
      return { ports: createPlatform(pool, context, leases), close };
    },
  };
}
