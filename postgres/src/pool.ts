// Connections of `pg` as a Database: every failure becomes a StoreFault, and a connection on which anything failed is closed, so that the service
// recovers from restarts and failovers automatically.

import { StoreFault } from 'petstore-platform';
import pg from 'pg';
import type { Connection, Database, Statement, Transaction, TransactionOptions, Value } from './database.ts';

/** How much longer the client waits for a statement than the server does, in milliseconds: only a lost connection takes this long. */
const NETWORK_MS = 1_000;
/** How long the server waits for a host that is silent within a transaction, in milliseconds. It then rolls back, which frees the account's row. */
const SILENT_HOST_MS = 5_000;
/** The type `bigint` (https://www.postgresql.org/docs/current/catalog-pg-type.html); `pg` returns it as text. */
const INT8 = 20;

const BEGIN: Statement = { text: 'BEGIN' };
/** Two statements in one message. */
const BEGIN_FAST: Statement = { text: 'BEGIN; SET LOCAL synchronous_commit TO off' };
const COMMIT: Statement = { text: 'COMMIT' };

export interface PoolSettings {
  /** What `pg` has parsed from the URL. */
  readonly connection: pg.ClientConfig;
  /** The schema with the tables. */
  readonly schema: string;
  /** Maximum number of connections. */
  readonly size: number;
  /** How long a statement may take, in milliseconds, including waits for locks. */
  readonly statementMs: number;
  /** How long to wait for a connection, in milliseconds: until a new one is open, or one in use becomes free. */
  readonly connectionMs: number;
}

export interface Pool extends Database {
  /** Waits for running statements, and closes all connections; all later calls reject. */
  close(): Promise<void>;
}

/** Creates a pool. It connects on first use, and again whenever needed. */
export function createPool({ connection, schema, size, statementMs, connectionMs }: PoolSettings): Pool {
  const pool = new pg.Pool({
    application_name: 'petstore',
    ...connection,
    max: size,
    connectionTimeoutMillis: connectionMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + NETWORK_MS,
    idle_in_transaction_session_timeout: SILENT_HOST_MS,
    keepAlive: true,
    options: [connection.options, `-c search_path=${schema}`, '-c synchronous_commit=on'].filter(Boolean).join(' '),
    // Statements that are not awaited are sent together: a batch of admissions takes two round trips instead of four.
    pipeline: true,
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format)) },
  } as pg.PoolConfig);
  // A connection that fails while idle is removed from the pool; one in use also rejects its statements. Without listeners, both end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));

  async function connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await guarded(() => pool.connect());
    let failed = true;
    try {
      const result = await work(client);
      failed = false;
      return result;
    } finally {
      // Whatever was open on a failed connection is rolled back; a new one finds the new primary after a failover.
      client.release(failed);
    }
  }

  async function transaction<T>({ durable }: TransactionOptions, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return connected(async (client) => {
      const { query } = onClient(client);
      const sent: Promise<unknown>[] = [];
      const send: Transaction['send'] = (statement, values) => {
        const sending = query(statement, values);
        // It is awaited at the end; until then, nothing handles its rejection.
        sending.catch(() => {});
        sent.push(sending);
      };
      send(durable ? BEGIN : BEGIN_FAST);
      const result = await work({ query, send });
      const committed = guarded(() => client.query(COMMIT.text));
      const [{ command }] = await Promise.all([committed, ...sent]);
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK, not with an error.
      if (command !== 'COMMIT') throw new StoreFault('unavailable', 'PostgreSQL: the transaction was rolled back');
      return result;
    });
  }

  return {
    query: (statement, values) => connected((client) => onClient(client).query(statement, values)),
    transaction,
    close: () => pool.end(),
  };
}

function onClient(client: pg.PoolClient): Connection {
  return {
    query: async <Row>(statement: Statement, values: readonly Value[] = []) =>
      // Without values it is a simple query, which may contain several statements.
      (await guarded(() => client.query(values.length === 0 ? statement.text : { ...statement, values: [...values] }))).rows as Row[],
  };
}

/** Turns a driver failure into a StoreFault. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StoreFault('unavailable', `PostgreSQL: ${problemOf(error)}`, { cause: error });
  }
}

/** Returns the driver's message; if several addresses were tried, the message for each. */
export function problemOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(problemOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
