// Ids of certificate requests: the domain's id, a hyphen, and a part that distinguishes the domain's requests. Repeated work uses the same id, so
// there is only one certificate, no matter how often the work is repeated.

import type { Domain } from './domain.ts';
import type { CertificateLife } from './renewal.ts';

/** Returns the id of a generation's first certificate. */
export function requestIdOf({ id, generation }: Pick<Domain, 'id' | 'generation'>): string {
  return `${id}-g${generation}`;
}

/** Returns the id of a certificate's renewal. @param life the certificate's; undefined if it is not known */
export function renewalIdOf(domain: Pick<Domain, 'id' | 'generation'>, life: CertificateLife | undefined): string {
  return `${requestIdOf(domain)}-r${life?.notAfter ?? 0}`;
}

/** Returns the domain id in a request id. */
export function domainIdOf(requestId: string): string {
  return requestId.slice(0, requestId.indexOf('-'));
}
