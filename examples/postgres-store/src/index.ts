// The catalogue's stores in PostgreSQL, for `petstore.config.ts`.

import type { Adapter, PortName } from 'petstore-platform';
import { openPool, type PostgresOptions } from './open.ts';
import { createStores } from './stores.ts';

export type { PostgresOptions };

const PROVIDES = ['pets', 'accounts', 'usage', 'usageSurvey', 'answers', 'userRequests'] as const satisfies readonly PortName[];

/**
 * The adapter. All hosts that name the same database and schema serve one catalogue.
 *
 * @example
 * ```ts
 * // petstore.config.ts
 * export default defineConfig({ adapters: [postgresStores({ url: process.env.DATABASE_URL })] });
 * ```
 */
export function postgresStores(options: PostgresOptions): Adapter<(typeof PROVIDES)[number]> {
  return {
    name: 'petstore-postgres-store',
    provides: PROVIDES,
    open: async () => {
      const pool = await openPool(options);
      return { ports: createStores(pool), close: pool.close };
    },
  };
}
