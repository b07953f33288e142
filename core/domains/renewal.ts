// When a certificate is renewed: after a fraction of its lifetime, because lifetimes get shorter (64 days from 2027, 45 from 2028), and spread over
// time. An authority may suggest another time (RFC 9773), such as before it revokes the certificate. Times are in milliseconds since 1970.

import { DAY_MS } from '../limits/windows.ts';

/** A certificate is renewed when this fraction of its lifetime is left, as in CertMagic. */
const FRACTION_LEFT = 1 / 3;
/** Renewals are spread over this fraction of the lifetime, just before that point. */
const JITTER_FRACTION = 1 / 20;
/** The longest time reserved for a renewal: ACM begins this long before the certificate expires (ACM User Guide, "Managed certificate renewal"). */
const LONGEST_RENEWAL_MS = 60 * DAY_MS;

export interface CertificateLife {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The period in which an authority suggests renewing a certificate. */
export interface RenewalWindow {
  readonly start: number;
  readonly end: number;
}

/** An authority's suggestion is ignored until this long after issuance, because a wrong one must not make us renew again and again. */
const SOONEST_MS = DAY_MS;

/** Returns the time of the renewal. @param seed a constant that differs between domains @param window the authority's suggestion. @default none */
export function renewalDueAt(certificate: CertificateLife, seed: string, window?: RenewalWindow): number {
  const { notBefore, notAfter } = certificate;
  const life = notAfter - notBefore;
  if (window === undefined) return Math.floor(notAfter - life * (FRACTION_LEFT + JITTER_FRACTION * spread(seed)));
  // A random time in the window (RFC 9773, section 4.2), the same at each check, but not so late that the renewal would be late.
  const suggested = window.start + Math.max(0, window.end - window.start) * spread(seed);
  const soonest = notBefore + Math.min(SOONEST_MS, life * FRACTION_LEFT);
  return Math.floor(Math.min(Math.max(suggested, soonest), renewalLateAt(certificate)));
}

/** Returns the time at which half of the period for the renewal will have passed. The owner is notified then. */
export function renewalLateAt({ notBefore, notAfter }: CertificateLife): number {
  return notAfter - Math.min((notAfter - notBefore) * FRACTION_LEFT, LONGEST_RENEWAL_MS) / 2;
}

/** Returns a pseudo-random number from 0 to 1 (FNV-1a). */
function spread(seed: string): number {
  let hash = 0x811c9dc5;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash / 0xffffffff;
}
