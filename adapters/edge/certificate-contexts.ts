// The certificates that handshakes present, kept ready in memory.

import { createSecureContext, type SecureContext } from 'node:tls';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { CertificateVault } from '../certificates/sqlite-vault.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { SqliteEdgeMap } from './sqlite-map.ts';

/** Mozilla's "intermediate" list (Server Side TLS 5.7), without the suites that lack elliptic-curve forward secrecy. */
export const CIPHERS = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/**
 * Maximum number of certificates in memory, some 30 KB each. Beyond that, the one that was loaded first is dropped, and loaded again when needed, which
 * takes a tenth of a handshake.
 */
const READY_CERTIFICATES = 10_000;

export interface CertificateContextOptions {
  readonly map: Pick<SqliteEdgeMap, 'get'>;
  readonly own: Pick<OwnAddresses, 'certificateFor'> | undefined;
  readonly vault: Pick<CertificateVault, 'get'>;
  /** A name whose certificate is that of an own address, also if the map has it. */
  readonly platformHost: string | undefined;
}

/**
 * Creates a function that returns the context for a server name in lower case; undefined if the name is not served, or has no certificate. It rejects with
 * a StoreFault if storage fails.
 */
export function createCertificateContexts({
  map,
  own,
  vault,
  platformHost,
}: CertificateContextOptions): (servername: string) => Promise<SecureContext | undefined> {
  const ready = new BoundedMap<string, SecureContext>(READY_CERTIFICATES);

  return async (servername) => {
    const domain = servername === platformHost ? undefined : map.get(servername);
    const reference = domain?.certificate ?? (await own?.certificateFor(servername));
    if (reference === undefined) return undefined;
    const known = ready.get(reference);
    if (known !== undefined) return known;
    const certificate = vault.get(reference);
    if (certificate === undefined) return undefined;
    const context = createSecureContext({
      cert: certificate.chain,
      key: certificate.privateKey,
      minVersion: 'TLSv1.2',
      // Not for handshakes: less memory than the default list.
      ciphers: CIPHERS,
      // Visitors present no certificates, so the public roots that are loaded by default would be useless.
      ca: [],
    });
    ready.set(reference, context);
    return context;
  };
}
