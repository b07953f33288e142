// The embedded service's certificates and private keys. They are stored in its database, which only the file's owner can read.

import { X509Certificate } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { CertificateStatus } from '../../core/domains/ports.ts';
import { prepareSelect } from '../store/sqlite/select.ts';
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
}

export interface CertificateVault {
  get(reference: string): StoredCertificate | undefined;
  put(reference: string, certificate: StoredCertificate): void;
  /** Stores a copy of the last-expiring certificate whose reference starts with the prefix, in case its host returns. */
  keep(prefix: string): void;
  /** The certificate kept for a host; undefined if there is none. */
  kept(host: string): StoredCertificate | undefined;
  /** Deletes the certificates whose references start with the prefix, except one. */
  deleteAll(prefix: string, except: string | undefined): void;
}

/** Returns the status of a stored certificate. */
export function issuedStatus({ chain, notBefore, notAfter }: Pick<StoredCertificate, 'chain' | 'notBefore' | 'notAfter'>): CertificateStatus {
  // One attribute a line (X.509 names, as node prints them).
  const attributes = new Map(new X509Certificate(chain).issuer.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  return { kind: 'issued', life: { notBefore, notAfter }, issuer: attributes.get('O') ?? attributes.get('CN') };
}

/** Creates the certificate storage in SQLite. */
export function createSqliteVault(database: DatabaseSync): CertificateVault {
  const select = prepareSelect<StoredCertificate>(
    database,
    'SELECT host, chain, private_key AS privateKey, not_before AS notBefore, not_after AS notAfter FROM certificates WHERE reference = ?',
  );
  const insert = database.prepare(
    'INSERT INTO certificates (reference, host, chain, private_key, not_before, not_after) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = database.prepare('DELETE FROM certificates WHERE substr(reference, 1, length(?1)) = ?1 AND reference IS NOT ?2');
  const keep = database.prepare(
    `INSERT OR REPLACE INTO kept_certificates (host, chain, private_key, not_before, not_after)
     SELECT host, chain, private_key, not_before, not_after FROM certificates
     WHERE substr(reference, 1, length(?1)) = ?1 ORDER BY not_after DESC LIMIT 1`,
  );
  const selectKept = prepareSelect<StoredCertificate>(
    database,
    'SELECT host, chain, private_key AS privateKey, not_before AS notBefore, not_after AS notAfter FROM kept_certificates WHERE host = ?',
  );
  return {
    keep: (prefix) => guarded(() => void keep.run(prefix)),
    kept: (host) => guarded(() => selectKept.one(host)),
    get: (reference) => guarded(() => select.one(reference)),
    put: (reference, { host, chain, privateKey, notBefore, notAfter }) =>
      guarded(() => void insert.run(reference, host, chain, privateKey, notBefore, notAfter)),
    deleteAll: (prefix, except) => guarded(() => void remove.run(prefix, except ?? null)),
  };
}
