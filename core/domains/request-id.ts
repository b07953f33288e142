// What certificates are asked for by: the domain's id, a hyphen, and what tells its requests apart. The same work asks by the same id, so
// however often it is repeated there is one certificate.

import type { Domain } from './domain.ts';
import type { CertificateLife } from './renewal.ts';

/** One a generation. */
export function requestIdOf({ id, generation }: Pick<Domain, 'id' | 'generation'>): string {
  return `${id}-g${generation}`;
}

/** One for each certificate that is renewed. */
export function renewalIdOf(domain: Pick<Domain, 'id' | 'generation'>, { notAfter }: CertificateLife): string {
  return `${requestIdOf(domain)}-r${notAfter}`;
}

export function domainIdOf(requestId: string): string {
  return requestId.slice(0, requestId.indexOf('-'));
}
