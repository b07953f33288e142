// The platform's contract suites.

import { test } from 'node:test';
import { StoreFault } from 'petstore-platform';
import {
  accountStoreContract,
  admissionModelProperty,
  answerStoreContract,
  type HistoryWrites,
  minuteCounterContract,
  petStoreContract,
  storeFaultContract,
  type UsageProcess,
  usageHistoryContract,
  usageStoreContract,
  usageSurveyContract,
} from 'petstore-platform/testing';
import type { Connection, Database, Statement, Value } from '../src/database.ts';
import { createStores } from '../src/stores.ts';
import { openDatabase, openForHosts } from './databases.ts';

const PostgreSQL = { name: 'PostgreSQL' };
const open = async () => createStores(await openDatabase());

petStoreContract(test, async () => (await open()).pets, PostgreSQL);
accountStoreContract(test, open, { ...PostgreSQL, declares: ['notifications'] });
usageStoreContract(test, open, PostgreSQL);
admissionModelProperty(test, open, { ...PostgreSQL, runs: 40 });
answerStoreContract(
  test,
  async () => {
    const [first, second = first] = await openForHosts(2);
    return { answers: createStores(first).answers, elsewhere: createStores(second).answers };
  },
  PostgreSQL,
);
minuteCounterContract(test, async () => (await open()).userRequests, PostgreSQL);
usageSurveyContract(
  test,
  async () => {
    const stores = await open();
    return { ...stores, survey: stores.usageSurvey };
  },
  PostgreSQL,
);
usageHistoryContract(
  test,
  async () => {
    const database = await openDatabase();
    return { start: () => startProcess(database) };
  },
  { ...PostgreSQL, runs: 12 },
);
storeFaultContract(
  test,
  async () => {
    const broken = async () => {
      throw new StoreFault('unavailable', 'PostgreSQL: broken');
    };
    const { usageSurvey: survey, ...stores } = createStores({ query: broken, transaction: broken });
    return { stores: { ...stores, survey }, says: 'PostgreSQL: ' };
  },
  { ...PostgreSQL, ports: ['pets', 'accounts', 'usage', 'answers', 'userRequests', 'survey'] },
);

/** A process whose writes to the history can fail. A write of refusals is the request itself, and a request may fail: only copies are lost. */
function startProcess(database: Database): UsageProcess {
  let writes: HistoryWrites = 'done';
  const failing = <C extends Connection>(connection: C): C => ({
    ...connection,
    query: async <Row>(statement: Statement, values: readonly Value[] = []) => {
      if (statement.name !== 'history_copy' || writes === 'done') return connection.query<Row>(statement, values);
      if (writes === 'unanswered') await connection.query(statement, values);
      throw new StoreFault('unavailable', `PostgreSQL: ${writes}`);
    },
  });
  const { accounts, usage } = createStores({
    ...failing(database),
    transaction: (options, work) => database.transaction(options, (transaction) => work(failing(transaction))),
  });
  return {
    accounts,
    usage,
    // What ends is committed or not: there is nothing that no request waits for.
    settle: async () => {},
    historyWrites: (are) => {
      writes = are;
    },
  };
}
