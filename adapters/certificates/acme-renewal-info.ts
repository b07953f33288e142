// When an ACME authority wants a certificate to be renewed (ARI, RFC 9773): usually late in its life, at once if it is about to be revoked.

import { DAY_MS } from '../../core/limits/windows.ts';
import 'reflect-metadata';
import { AuthorityKeyIdentifierExtension, X509Certificate } from '@peculiar/x509';
import type { CertificateVault, StoredCertificate, StoredRenewal } from '../../core/domains/certificate-ports.ts';
import type { RenewalWindow } from '../../core/domains/renewal.ts';
import type { AcmeAccount } from './acme-account.ts';
import type { AcmeFetch } from './acme-http.ts';

/** Milliseconds between two queries if the authority names no interval (RFC 9773, section 4.3.1), and the bounds on an interval that it names. */
const ASK_MS = 6 * 3_600_000;
const SOONEST_MS = 3_600_000;
const LATEST_MS = DAY_MS;

export interface RenewalInfoOptions {
  readonly account: Pick<AcmeAccount, 'directory'>;
  readonly fetch: AcmeFetch;
  readonly vault: Pick<CertificateVault, 'renewal' | 'putRenewal'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface RenewalInfo {
  /** Returns the authority's renewal information; undefined if it offers none. Never rejects: if the query fails, an earlier answer is used. */
  of(reference: string, certificate: StoredCertificate, directory: string): Promise<StoredRenewal | undefined>;
  /** Returns the certificate's id (RFC 9773, section 4.1). @param chain PEM */
  idOf(chain: string): string;
}

/** Creates access to an authority's renewal information. */
export function createRenewalInfo({ account, fetch, vault, clock }: RenewalInfoOptions): RenewalInfo {
  return {
    idOf,
    of: async (reference, { chain, authority }, directory) => {
      const stored = await vault.renewal(reference);
      const now = clock();
      // A time that is too far ahead was stored while the clock was wrong.
      if (stored !== undefined && stored.askAgainAt > now && stored.askAgainAt <= now + LATEST_MS) return stored;
      if (authority !== directory) return undefined;
      const answered = async (window: RenewalWindow | undefined, waitMs: number) => {
        const renewal = { window: window ?? stored?.window, askAgainAt: now + Math.min(Math.max(waitMs, SOONEST_MS), LATEST_MS) };
        await vault.putRenewal(reference, renewal);
        return renewal;
      };
      try {
        const { renewalInfo } = await account.directory();
        if (renewalInfo === undefined) return undefined;
        const { body, retryAfterMs = ASK_MS } = await fetch('GET', `${renewalInfo}/${idOf(chain)}`);
        return await answered(windowOf(body), retryAfterMs);
      } catch {
        // Without this information, the certificate is still renewed in time.
        return answered(undefined, SOONEST_MS);
      }
    },
  };
}

function windowOf(body: unknown): RenewalWindow | undefined {
  const { start, end } = (body as { suggestedWindow?: { start?: unknown; end?: unknown } } | undefined)?.suggestedWindow ?? {};
  const window = { start: Date.parse(String(start)), end: Date.parse(String(end)) };
  return window.start <= window.end ? window : undefined;
}

function idOf(chain: string): string {
  const certificate = new X509Certificate(chain);
  const key = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId ?? '';
  return [key, certificate.serialNumber].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}
