// Certificates and their keys of the embedded service, in its database, which only its owner may read.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../store/sqlite/database.ts';
import { prepareSelect } from '../store/sqlite/select.ts';

export interface StoredCertificate {
  readonly host: string;
  /** PEM: the leaf and what is above it. */
  readonly chain: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

export interface CertificateVault {
  get(reference: string): StoredCertificate | undefined;
  put(reference: string, certificate: StoredCertificate): void;
  delete(reference: string): void;
}

export function createSqliteVault(database: DatabaseSync): CertificateVault {
  const select = prepareSelect<StoredCertificate>(
    database,
    'SELECT host, chain, private_key AS privateKey, not_after AS notAfter FROM certificates WHERE reference = ?',
  );
  const insert = database.prepare(
    'INSERT INTO certificates (reference, host, chain, private_key, not_after) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = database.prepare('DELETE FROM certificates WHERE reference = ?');
  return {
    get: (reference) => guarded(() => select.one(reference)),
    put: (reference, { host, chain, privateKey, notAfter }) => guarded(() => void insert.run(reference, host, chain, privateKey, notAfter)),
    delete: (reference) => guarded(() => void remove.run(reference)),
  };
}
