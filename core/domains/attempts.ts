// What follows a failed attempt to get a certificate: when the next one is made, and whether the domain's owner is notified.

import type { AttemptFailure, Domain, FailedAttempt } from './domain.ts';
import { printable } from './printable.ts';
import type { CertificateLife } from './renewal.ts';
import { ATTEMPT_SCHEDULES, MAX_RETRY_AFTER_MS, waitAfter } from './schedule.ts';

/** Maximum length of a certificate authority's message. */
const DETAIL_CHARACTERS = 400;

/**
 * Returns what is stored about a failed attempt.
 *
 * @param last the previous one; undefined if there was none, or if an attempt has succeeded since
 * @param now milliseconds since 1970
 */
export function failedAttempt(
  last: FailedAttempt | undefined,
  { failure, detail, address, retryAt = 0 }: AttemptFailure,
  now: number,
): FailedAttempt {
  const repeats = last?.failure === failure ? last.repeats + 1 : 1;
  const wait = waitAfter(ATTEMPT_SCHEDULES[failure], repeats) ?? MAX_RETRY_AFTER_MS;
  return {
    failure,
    // The authority's message may quote what the domain's server sent.
    detail: printable(detail, DETAIL_CHARACTERS),
    ...(address !== undefined && { address: printable(address, DETAIL_CHARACTERS) }),
    since: last?.since ?? now,
    attempts: (last?.attempts ?? 0) + 1,
    repeats,
    nextTryAt: Math.min(Math.max(now + wait, retryAt), now + MAX_RETRY_AFTER_MS),
  };
}

// Ids of certificate requests: the domain's id, a hyphen, and what distinguishes its requests. Repeated work gets the same id and certificate.

/** Returns the id of a generation's first certificate. */
export function requestIdOf({ id, generation }: Pick<Domain, 'id' | 'generation'>): string {
  return `${id}-g${generation}`;
}

/** Returns the id of a certificate's renewal. @param life the certificate's validity; undefined if it is not known */
export function renewalIdOf(domain: Pick<Domain, 'id' | 'generation'>, life: CertificateLife | undefined): string {
  return `${requestIdOf(domain)}-r${life?.notAfter ?? 0}`;
}

/** Returns the domain id in a request id. */
export function domainIdOf(requestId: string): string {
  return requestId.slice(0, requestId.indexOf('-'));
}
