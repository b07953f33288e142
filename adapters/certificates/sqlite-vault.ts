// The embedded service's certificates and private keys. They are stored in its database, which only the file's owner can read.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { CertificateStatus } from '../../core/domains/ports.ts';
import type { RenewalWindow } from '../../core/domains/renewal.ts';
import { prepareSelect } from '../store/sqlite/database.ts';
import { guarded } from '../store/sqlite/transaction.ts';

export interface StoredCertificate {
  readonly host: string;
  /** PEM: the leaf certificate followed by its issuers. */
  readonly chain: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Which authority issued it. Undefined: not known any more. */
  readonly authority: string | undefined;
}

/** What the authority says of a certificate's renewal (RFC 9773). */
export interface StoredRenewal {
  readonly window: RenewalWindow | undefined;
  /** When the authority is asked again, in milliseconds since 1970. */
  readonly askAgainAt: number;
}

export interface CertificateVault {
  get(reference: string): StoredCertificate | undefined;
  put(reference: string, certificate: StoredCertificate): void;
  /** What the authority last said of a certificate's renewal; undefined if it was not asked yet. */
  renewal(reference: string): StoredRenewal | undefined;
  putRenewal(reference: string, renewal: StoredRenewal): void;
  /** Stores a copy of the last-expiring certificate whose reference starts with the prefix, in case its host returns. */
  keep(prefix: string): void;
  /** The certificate kept for a host; undefined if there is none. */
  kept(host: string): StoredCertificate | undefined;
  /** Deletes the certificates whose references start with the prefix, except one. */
  deleteAll(prefix: string, except: string | undefined): void;
}

/** Returns the status of a stored certificate. @param authority the one that is in use */
export function issuedStatus(
  { chain, notBefore, notAfter, authority: issuedBy }: Pick<StoredCertificate, 'chain' | 'notBefore' | 'notAfter' | 'authority'>,
  authority: string,
): Extract<CertificateStatus, { kind: 'issued' }> {
  // One attribute a line (X.509 names, as node prints them).
  const attributes = new Map(new X509Certificate(chain).issuer.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const issuer = attributes.get('O') ?? attributes.get('CN') ?? '';
  return { kind: 'issued', life: { notBefore, notAfter }, issuer, ...(issuedBy !== authority && { isForeign: true }) };
}

/** Whether browsers could accept a certificate, but for its age: it is not damaged, and its key is its own. What can't be used is as good as none. */
export function isUsable({ host, chain, privateKey }: Pick<StoredCertificate, 'host' | 'chain' | 'privateKey'>): boolean {
  try {
    const leaf = new X509Certificate(chain);
    return leaf.checkPrivateKey(createPrivateKey(privateKey)) && leaf.checkHost(host.replace('*', 'any'), { subject: 'never' }) !== undefined;
  } catch {
    return false;
  }
}

type Row = Omit<StoredCertificate, 'authority'> & { readonly authority: string | null };

const COLUMNS = 'host, chain, private_key, not_before, not_after, authority';
const SELECTED = 'host, chain, private_key AS privateKey, not_before AS notBefore, not_after AS notAfter, authority';

/** Creates the certificate storage in SQLite. */
export function createSqliteVault(database: DatabaseSync): CertificateVault {
  const select = prepareSelect<Row>(database, `SELECT ${SELECTED} FROM certificates WHERE reference = ?`);
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
  const selectKept = prepareSelect<Row>(database, `SELECT ${SELECTED} FROM kept_certificates WHERE host = ?`);
  const known = (row: Row | undefined) => row && { ...row, authority: row.authority ?? undefined };
  return {
    keep: (prefix) => guarded(() => void keep.run(prefix)),
    kept: (host) => guarded(() => known(selectKept.one(host))),
    get: (reference) => guarded(() => known(select.one(reference))),
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
