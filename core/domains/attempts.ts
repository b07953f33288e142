// What follows a failed attempt at a certificate: when the next one is made, and whether its owner must know.

import type { AttemptFailure, FailedAttempt } from './domain.ts';
import { printable } from './printable.ts';
import { ATTEMPT_SCHEDULES, MAX_RETRY_AFTER_MS, waitAfter } from './schedule.ts';

/** Maximum length of a certificate authority's message. */
const DETAIL_CHARACTERS = 400;

/**
 * Returns what is remembered of an attempt that has failed.
 *
 * @param last the failed attempt before; undefined if there was none, or one succeeded in between
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
