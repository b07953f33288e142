// PostgreSQL in this process, compiled to WebAssembly, where none is installed. One connection: transactions wait for each other, so what several hosts
// do to each other needs the real server.

import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import type { Connection, Database, Statement, Transaction, Value } from '../src/database.ts';

const INT8 = 20;

/** Opens an empty database in memory, with the schema's name in the search path. */
export async function openPglite(schema: string): Promise<Database & { close(): Promise<void> }> {
  const pglite = await PGlite.create({ parsers: { [INT8]: BigInt } });
  await pglite.exec(`SET search_path TO ${schema}`);
  return {
    query: onConnection(pglite).query,
    transaction: (_options, work) =>
      pglite.transaction(async (transaction) => {
        const { query } = onConnection(transaction);
        const sent: Promise<unknown>[] = [];
        const send: Transaction['send'] = (statement, values) => {
          const sending = query(statement, values);
          sending.catch(() => {});
          sent.push(sending);
        };
        const result = await work({ query, send });
        await Promise.all(sent);
        return result;
      }),
    close: () => pglite.close(),
  };
}

function onConnection(connection: Pick<PgliteTransaction, 'query' | 'exec'>): Connection {
  return {
    query: async <Row>({ text }: Statement, values: readonly Value[] = []) => {
      if (values.length === 0) return ((await connection.exec(text)).at(-1)?.rows ?? []) as Row[];
      return (await connection.query<Row>(text, [...values])).rows;
    },
  };
}
