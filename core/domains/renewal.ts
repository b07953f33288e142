// When a certificate is renewed: after a fraction of its life, because lives get shorter (64 days from 2027 on, 45 from 2028), and spread over
// time.

/** A certificate is renewed when this fraction of its life is left, as in CertMagic. */
const FRACTION_LEFT = 1 / 3;
/** Renewals are spread over this fraction of the life, just before that point. */
const JITTER_FRACTION = 1 / 20;

export interface CertificateLife {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Returns the moment from which the certificate is renewed, in milliseconds since 1970.
 *
 * @param seed differs between domains and is constant for each
 */
export function renewalDueAt({ notBefore, notAfter }: CertificateLife, seed: string): number {
  const life = notAfter - notBefore;
  return Math.floor(notAfter - life * (FRACTION_LEFT + JITTER_FRACTION * spread(seed)));
}

/** Whether half of the time reserved for the renewal has passed. */
export function isRenewalOverdue({ notBefore, notAfter }: CertificateLife, now: number): boolean {
  return now > notAfter - ((notAfter - notBefore) * FRACTION_LEFT) / 2;
}

/** Returns a pseudo-random number from 0 to 1 (FNV-1a). */
function spread(seed: string): number {
  let hash = 0x811c9dc5;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash / 0xffffffff;
}
