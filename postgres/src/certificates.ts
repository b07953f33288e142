// Certificates, which each host's edge presents, and their private keys.

import type { CertificateVault, StoredCertificate } from 'petstore-platform/stores';
import type { Database, Statement } from './database.ts';

interface Row {
  readonly host: string;
  readonly chain: string;
  readonly private_key: string;
  readonly not_before: bigint;
  readonly not_after: bigint;
  readonly authority: string | null;
}

const COLUMNS = 'host, chain, private_key, not_before, not_after, authority';
const GET: Statement = { name: 'certificate', text: `SELECT ${COLUMNS} FROM certificates WHERE reference = $1` };
const PUT: Statement = { text: `INSERT INTO certificates (reference, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING` };
const RENEWAL: Statement = {
  text: 'SELECT window_start, window_end, ask_again_at FROM certificates WHERE reference = $1 AND ask_again_at IS NOT NULL',
};
const PUT_RENEWAL: Statement = { text: 'UPDATE certificates SET window_start = $2, window_end = $3, ask_again_at = $4 WHERE reference = $1' };
const KEEP: Statement = {
  text: `INSERT INTO kept_certificates (${COLUMNS})
    SELECT ${COLUMNS} FROM certificates WHERE starts_with(reference, $1) ORDER BY not_after DESC LIMIT 1
    ON CONFLICT (host) DO UPDATE SET chain = excluded.chain, private_key = excluded.private_key, not_before = excluded.not_before,
      not_after = excluded.not_after, authority = excluded.authority`,
};
const KEPT: Statement = { text: `SELECT ${COLUMNS} FROM kept_certificates WHERE host = $1` };
const DELETE: Statement = { text: 'DELETE FROM certificates WHERE starts_with(reference, $1) AND reference IS DISTINCT FROM $2::text' };

/** Creates the vault. */
export function createCertificateVault(database: Database): CertificateVault {
  return {
    get: async (reference) => (await database.query<Row>(GET, [reference])).map(toCertificate)[0],
    put: async (reference, { host, chain, privateKey, notBefore, notAfter, authority }) =>
      void (await database.query(PUT, [reference, host, chain, privateKey, notBefore, notAfter, authority ?? null])),
    renewal: async (reference) => {
      type RenewalRow = Record<'window_start' | 'window_end', bigint | null> & Record<'ask_again_at', bigint>;
      const [row] = await database.query<RenewalRow>(RENEWAL, [reference]);
      if (row === undefined) return undefined;
      const { window_start: start, window_end: end, ask_again_at: askAgainAt } = row;
      return { window: start === null || end === null ? undefined : { start: Number(start), end: Number(end) }, askAgainAt: Number(askAgainAt) };
    },
    putRenewal: async (reference, { window, askAgainAt }) =>
      void (await database.query(PUT_RENEWAL, [reference, window?.start ?? null, window?.end ?? null, askAgainAt])),
    keep: async (prefix) => void (await database.query(KEEP, [prefix])),
    kept: async (host) => (await database.query<Row>(KEPT, [host])).map(toCertificate)[0],
    deleteAll: async (prefix, except) => void (await database.query(DELETE, [prefix, except ?? null])),
  };
}

function toCertificate({ host, chain, private_key, not_before, not_after, authority }: Row): StoredCertificate {
  return { host, chain, privateKey: private_key, notBefore: Number(not_before), notAfter: Number(not_after), authority: authority ?? undefined };
}
