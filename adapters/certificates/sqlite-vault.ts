// Certificates and their keys of the embedded service, in its database, which only its owner may read.

import type { DatabaseSync } from 'node:sqlite';
import { guarded } from '../store/sqlite/database.ts';

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
  const select = database.prepare('SELECT host, chain, private_key, not_after FROM certificates WHERE reference = ?');
  const insert = database.prepare(
    'INSERT INTO certificates (reference, host, chain, private_key, not_after) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = database.prepare('DELETE FROM certificates WHERE reference = ?');
  return {
    get: (reference) =>
      guarded(() => {
        const row = select.get(reference);
        if (row === undefined) return undefined;
        return { host: String(row.host), chain: String(row.chain), privateKey: String(row.private_key), notAfter: Number(row.not_after) };
      }),
    put: (reference, { host, chain, privateKey, notAfter }) => guarded(() => void insert.run(reference, host, chain, privateKey, notAfter)),
    delete: (reference) => guarded(() => void remove.run(reference)),
  };
}
