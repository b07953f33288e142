// What the stores need from PostgreSQL: statements, and transactions. `pool.ts` implements both with connections of `pg`.

/** A statement. @property name prepares it once per connection; needed on hot paths */
export interface Statement {
  readonly text: string;
  /** @default it is parsed and planned each time */
  readonly name?: string;
}

/** What a column may contain: `bigint` columns are bigints, `text` columns strings, `bytea` columns bytes, `text[]` columns arrays of strings. */
export type Value = string | number | bigint | boolean | Uint8Array | null | readonly (string | number | null)[];

/** Rejects with StoreFault if PostgreSQL refuses, can't be reached, or does not answer in time; whether the statement took effect is then unknown. */
export interface Connection {
  /** Runs a statement. @typeParam Row what the statement returns; an assertion, made next to the SQL */
  query<Row>(statement: Statement, values?: readonly Value[]): Promise<readonly Row[]>;
}

export interface Transaction extends Connection {
  /** Queues a statement whose rows are not needed: it is sent with the next statement. If it fails, the transaction is not committed. */
  send(statement: Statement, values?: readonly Value[]): void;
}

export interface TransactionOptions {
  /** Whether the commit waits for the disk. If not, a crash of the database server within some 0.6 s after the commit may lose it. */
  readonly durable: boolean;
}

export interface Database extends Connection {
  /** Runs work in one transaction (READ COMMITTED). It is rolled back if the work or one of its statements rejects; it is never repeated. */
  transaction<T>(options: TransactionOptions, work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

/** Runs work in one transaction whose commit waits for the disk. */
export function durably<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return database.transaction({ durable: true }, work);
}

const LOCK: Statement = {
  name: 'lock',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM (SELECT name FROM unnest($1::text[]) AS name ORDER BY name) AS names',
};

/** Waits for transactions that hold any of the names, then holds the names until this one ends. Two names may share a lock, which only costs time. */
export async function lock(transaction: Transaction, names: readonly string[]): Promise<void> {
  await transaction.query(LOCK, [names]);
}
