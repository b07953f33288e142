// When a certificate is renewed: by a fraction of its life, because lives get shorter (64 days from 2027 on, 45 from 2028), and not
// all at once.

/** Renewed when a third of its life is left, as CertMagic does. */
const FRACTION_LEFT = 1 / 3;
/** Spread over so much of its life before that. */
const JITTER_FRACTION = 1 / 20;

export interface CertificateLife {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * The moment from which on the certificate is renewed.
 *
 * @param seed tells domains apart, and is the same for one each time
 */
export function renewalDueAt({ notBefore, notAfter }: CertificateLife, seed: string): number {
  const life = notAfter - notBefore;
  return Math.floor(notAfter - life * (FRACTION_LEFT + JITTER_FRACTION * spread(seed)));
}

/** Long overdue: half of the time that was left for it is gone. */
export function isRenewalOverdue({ notBefore, notAfter }: CertificateLife, now: number): boolean {
  return now > notAfter - ((notAfter - notBefore) * FRACTION_LEFT) / 2;
}

/** A number from 0 to 1 that looks random (FNV-1a). */
function spread(seed: string): number {
  let hash = 0x811c9dc5;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash / 0xffffffff;
}
