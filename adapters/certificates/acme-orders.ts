// An ACME client's persistent state, in SQLite: its account, orders in progress, and the responses to challenges.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { AcmeOrders, CertificateVault, StoredAccount, StoredCertificate, StoredOrder } from '../../core/domains/certificate-ports.ts';
import type { CertificateStatus } from '../../core/domains/ports.ts';
import type { Immediate } from '../../core/ports.ts';
import { asProperties, prepareSelect, type RowOf, withoutNull } from '../store/sqlite/database.ts';
import { guarded } from '../store/sqlite/transaction.ts';

const ORDER = asProperties('reference, host, private_key, url, replaces, failure');

function toOrder({ failure, ...row }: Omit<RowOf<StoredOrder>, 'failure'> & { readonly failure: string | null }): StoredOrder {
  return { ...withoutNull<Omit<StoredOrder, 'failure'>>(row), failure: failure === null ? undefined : JSON.parse(failure) };
}

/** Creates the ACME storage in SQLite. */
export function createSqliteAcmeOrders(database: DatabaseSync): Immediate<AcmeOrders> {
  const selectAccount = prepareSelect(
    database,
    `SELECT ${asProperties('private_key, url, paused_until, refused')} FROM acme_accounts WHERE directory = ?`,
    withoutNull<StoredAccount>,
  );
  const insertAccount = database.prepare('INSERT INTO acme_accounts (directory, private_key) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const updateAccount = database.prepare('UPDATE acme_accounts SET private_key = ?, url = ?, paused_until = ?, refused = ? WHERE directory = ?');
  const select = prepareSelect(database, `SELECT ${ORDER} FROM acme_orders WHERE reference = ?`, toOrder);
  const insert = database.prepare(
    'INSERT INTO acme_orders (reference, host, private_key, url, replaces) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const update = database.prepare('UPDATE acme_orders SET url = ?, failure = ?, private_key = ? WHERE reference = ?');
  const removeChallenges = database.prepare('DELETE FROM acme_challenges WHERE host = (SELECT host FROM acme_orders WHERE reference = ?)');
  const remove = database.prepare('DELETE FROM acme_orders WHERE reference = ?');
  const selectReferences = prepareSelect<{ reference: string }>(
    database,
    'SELECT reference FROM acme_orders WHERE substr(reference, 1, length(?1)) = ?1 AND reference IS NOT ?2',
  );
  const insertFailure = database.prepare('INSERT INTO acme_failures (reference, host, failed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const selectFailures = prepareSelect<{ failed_at: number }>(
    database,
    'SELECT failed_at FROM acme_failures WHERE host = ? AND failed_at > ? ORDER BY failed_at',
  );
  const insertChallenge = database.prepare('INSERT OR REPLACE INTO acme_challenges (host, token, answer) VALUES (?, ?, ?)');
  const selectChallenge = prepareSelect<{ answer: string }>(database, 'SELECT answer FROM acme_challenges WHERE host = ? AND token = ?');

  const selectAnswers = prepareSelect<{ answer: string }>(database, 'SELECT answer FROM acme_challenges WHERE host = ?');

  const account = (directory: string) => guarded(() => selectAccount.one(directory));
  const get = (reference: string) => guarded(() => select.one(reference));
  const forget = (reference: string) =>
    guarded(() => {
      removeChallenges.run(reference);
      remove.run(reference);
    });
  return {
    account,
    addAccount: (directory, privateKey) => {
      guarded(() => insertAccount.run(directory, privateKey));
      return account(directory) ?? { privateKey, url: undefined, pausedUntil: undefined, refused: undefined };
    },
    updateAccount: (directory, change) => {
      const present = account(directory);
      if (present === undefined) return;
      const { privateKey, url, pausedUntil, refused } = { ...present, ...change };
      guarded(() => updateAccount.run(privateKey, url ?? null, pausedUntil ?? null, refused ?? null, directory));
    },
    get,
    keep: ({ reference, host, privateKey, url, replaces }) =>
      guarded(() => void insert.run(reference, host, privateKey, url ?? null, replaces ?? null)),
    update: (reference, change) => {
      const present = get(reference);
      if (present === undefined) return;
      const { url, failure, privateKey } = { ...present, ...change };
      guarded(() => update.run(url ?? null, failure === undefined ? null : JSON.stringify(failure), privateKey, reference));
    },
    // Only one process works on this database's orders.
    claim: () => true,
    release: () => {},
    forget,
    deleteAll: (prefix, except) => guarded(() => selectReferences.all(prefix, except ?? null)).forEach(({ reference }) => void forget(reference)),
    recordFailure: ({ reference, host }, now) => guarded(() => void insertFailure.run(reference, host, now)),
    failuresSince: (host, since) => guarded(() => selectFailures.all(host, since).map(({ failed_at }) => failed_at)),
    keepChallenge: (host, token, answer) => guarded(() => void insertChallenge.run(host, token, answer)),
    challenge: (host, token) => guarded(() => selectChallenge.one(host, token)?.answer),
    answersOf: (host) => guarded(() => selectAnswers.all(host).map(({ answer }) => answer)),
  };
}

// The embedded service's certificates and private keys. They are stored in its database, which only the file's owner can read.

/** Returns the status of a stored certificate. @param authority the current authority */
export function issuedStatus(
  { chain, notBefore, notAfter, authority: issuedBy }: Pick<StoredCertificate, 'chain' | 'notBefore' | 'notAfter' | 'authority'>,
  authority: string,
): Extract<CertificateStatus, { kind: 'issued' }> {
  // Node prints X.509 names with one attribute per line.
  const attributes = new Map(new X509Certificate(chain).issuer.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const issuer = attributes.get('O') ?? attributes.get('CN') ?? '';
  return { kind: 'issued', life: { notBefore, notAfter }, issuer, ...(issuedBy !== authority && { isForeign: true }) };
}

/** Whether a certificate is intact and belongs to its key, whatever its age. An unusable certificate counts as missing. */
export function isUsable({ host, chain, privateKey }: Pick<StoredCertificate, 'host' | 'chain' | 'privateKey'>): boolean {
  try {
    const leaf = new X509Certificate(chain);
    return leaf.checkPrivateKey(createPrivateKey(privateKey)) && leaf.checkHost(host.replace('*', 'any'), { subject: 'never' }) !== undefined;
  } catch {
    return false;
  }
}

const COLUMNS = 'host, chain, private_key, not_before, not_after, authority';
const CERTIFICATE = asProperties(COLUMNS);

/** Creates the certificate storage in SQLite. */
export function createSqliteVault(database: DatabaseSync): Immediate<CertificateVault> {
  const select = prepareSelect(database, `SELECT ${CERTIFICATE} FROM certificates WHERE reference = ?`, withoutNull<StoredCertificate>);
  const insert = database.prepare(`INSERT INTO certificates (reference, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const selectRenewal = prepareSelect<{ window_start: number | null; window_end: number | null; ask_again_at: number }>(
    database,
    'SELECT window_start, window_end, ask_again_at FROM certificates WHERE reference = ? AND ask_again_at IS NOT NULL',
  );
  const updateRenewal = database.prepare('UPDATE certificates SET window_start = ?, window_end = ?, ask_again_at = ? WHERE reference = ?');
  const remove = database.prepare('DELETE FROM certificates WHERE substr(reference, 1, length(?1)) = ?1 AND reference IS NOT ?2');
  const keep = database.prepare(
    `INSERT OR REPLACE INTO kept_certificates (${COLUMNS})
     SELECT ${COLUMNS} FROM certificates WHERE substr(reference, 1, length(?1)) = ?1 ORDER BY not_after DESC LIMIT 1`,
  );
  const selectKept = prepareSelect(database, `SELECT ${CERTIFICATE} FROM kept_certificates WHERE host = ?`, withoutNull<StoredCertificate>);
  return {
    keep: (prefix) => guarded(() => void keep.run(prefix)),
    kept: (host) => guarded(() => selectKept.one(host)),
    get: (reference) => guarded(() => select.one(reference)),
    put: (reference, { host, chain, privateKey, notBefore, notAfter, authority }) =>
      guarded(() => void insert.run(reference, host, chain, privateKey, notBefore, notAfter, authority ?? null)),
    renewal: (reference) =>
      guarded(() => {
        const row = selectRenewal.one(reference);
        if (row === undefined) return undefined;
        const { window_start: start, window_end: end, ask_again_at: askAgainAt } = row;
        return { window: start === null || end === null ? undefined : { start, end }, askAgainAt };
      }),
    putRenewal: (reference, { window, askAgainAt }) =>
      guarded(() => void updateRenewal.run(window?.start ?? null, window?.end ?? null, askAgainAt, reference)),
    deleteAll: (prefix, except) => guarded(() => void remove.run(prefix, except ?? null)),
  };
}
