// Certificates and their keys of the embedded service, in its database, which only its owner may read.

import type { DatabaseSync } from 'node:sqlite';
import type { CertificateLife } from '../../core/domains/renewal.ts';
import { guarded } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';

export interface StoredCertificate {
  readonly host: string;
  /** PEM: the leaf and what is above it. */
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
  /** Keeps the one with the longest life of those whose references begin so, in case their host comes back. */
  keep(prefix: string): void;
  /** What was kept of a host. */
  kept(host: string): StoredCertificate | undefined;
  /** Those whose references begin so, but for one. */
  deleteAll(prefix: string, except: string | undefined): void;
}

export function lifeOf({ notBefore, notAfter }: StoredCertificate): CertificateLife {
  return { notBefore, notAfter };
}

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
