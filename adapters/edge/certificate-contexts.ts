// The certificates that handshakes present, kept ready in memory.

import { createSecureContext, type SecureContext } from 'node:tls';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { CertificateVault } from '../certificates/sqlite-vault.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { SqliteEdgeMap } from './sqlite-map.ts';

/**
 * Maximum number of certificates in memory, some 50 KB each. Beyond that, the least recently used certificate is dropped, and loaded again when
 * needed.
 */
const READY_CERTIFICATES = 2_000;

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
      // Visitors present no certificates, so the public roots that are loaded by default would be useless.
      ca: [],
    });
    ready.set(reference, context);
    return context;
  };
}
