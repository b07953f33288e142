// Opens the database: checks the settings, connects, and migrates. Every problem is reported in one sentence for operators, without the password.

import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { createPool, type Pool } from './pool.ts';
import { migrate, schemaProblem } from './schema.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`. Undefined is refused when the adapter is opened, so that a missing variable gives a clear message. */
  readonly url: string | undefined;
  /** Where the tables are; created if it is missing. @default petstore */
  readonly schema?: string;
  /** Maximum number of connections of this host. @default 10 */
  readonly poolSize?: number;
  /** How long a statement may take before its request gets a 503, in milliseconds, including waits for locks. @default 2,000 */
  readonly statementTimeoutMs?: number;
  /** How long a request waits for a connection before it gets a 503, in milliseconds. @default 2,000 */
  readonly connectionTimeoutMs?: number;
}

const ALLOWED = 'allowed: postgres://user:password@host:5432/database, with special characters of the password percent-encoded';
/** How long a migration may take, in milliseconds, including the wait for other hosts that migrate. */
const MIGRATION_MS = 600_000;

/** Opens the database. @throws Error with a message for operators */
export async function openPool(options: PostgresOptions): Promise<Pool> {
  const { schema = 'petstore', poolSize = 10, statementTimeoutMs = 2_000, connectionTimeoutMs = 2_000 } = options;
  const problem = schemaProblem(schema) ?? numberProblem({ poolSize, statementTimeoutMs, connectionTimeoutMs });
  if (problem !== undefined) throw new Error(problem);
  const connection = connectionOf(options.url);
  const settings = { connection, schema, size: poolSize, statementMs: statementTimeoutMs, connectionMs: connectionTimeoutMs };
  await prepare({ ...settings, size: 1, statementMs: MIGRATION_MS });
  return createPool(settings);
}

/** Uses a separate connection, whose statements may take longer than those for requests. */
async function prepare(settings: Parameters<typeof createPool>[0]): Promise<void> {
  const { connection, schema } = settings;
  const pool = createPool(settings);
  const where = `${connection.host ?? 'localhost'}:${connection.port ?? 5432}, database ${connection.database ?? '(default)'}, user ${connection.user ?? '(default)'}`;
  try {
    const [state] = await pool.query<{ read_only: string }>({ text: "SELECT current_setting('transaction_read_only') AS read_only" });
    if (state?.read_only === 'on') throw new Error('it is read-only, like a replica; use the primary');
    await migrate(pool, schema);
  } catch (error) {
    // The error itself is left out, because it has more than an operator should see in a log.
    throw new Error(`can't use PostgreSQL at ${where}: ${error instanceof Error ? error.message.replace(/^PostgreSQL: /, '') : error}`);
  } finally {
    await pool.close();
  }
}

/** Parses the URL. The parser's errors contain it, including the password, so they are not passed on. */
function connectionOf(url: string | undefined): pg.ClientConfig {
  if (url === undefined || url === '') throw new Error(`url: got ${url === undefined ? 'undefined' : 'an empty string'}; ${ALLOWED}`);
  let parsed: pg.ClientConfig | undefined;
  try {
    parsed = /^postgres(ql)?:\/\//.test(url) ? parseIntoClientConfig(url) : undefined;
  } catch {}
  // An unencoded # or / in the password ends the host early, so what looks like the host is then a part of the password.
  if (parsed === undefined || (url.includes('@') && !parsed.user)) throw new Error(`url: it is not valid; ${ALLOWED}`);
  return parsed;
}

function numberProblem(numbers: Readonly<Record<string, number>>): string | undefined {
  const [wrong] = Object.entries(numbers).filter(([, value]) => !Number.isSafeInteger(value) || value < 1 || value > 600_000);
  return wrong && `${wrong[0]}: got ${wrong[1]}; allowed: 1 to 600,000`;
}
