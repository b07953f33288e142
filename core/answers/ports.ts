// The control API's stored answers to requests with an idempotency id: how long they are stored, and what their store guarantees.

import { DAY_MS } from '../limits/windows.ts';

/** How long an answer is stored, in milliseconds. */
export const ANSWER_KEPT_MS = DAY_MS;
/** How long a claim without an answer is held, in milliseconds: longer than any request takes. */
export const CLAIM_MS = 60_000;

export type AnswerClaim =
  /** The caller handles the request and stores its answer. */
  | { readonly kind: 'claimed' }
  | { readonly kind: 'in_progress' }
  /** The id belongs to a different request, whether answered, in progress or never finished. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'answered'; readonly answer: string };

/** Answers to requests with an idempotency id, each stored for 24 hours. Every method rejects with StoreFault if storage fails. */
export interface AnswerStore {
  /**
   * Claims a request: of any number of concurrent requests with the same id, in all processes, exactly one is `claimed`. A claim without an answer
   * expires after a minute, because the process that held it must have died; then exactly one repetition of that request is `claimed`. What the
   * process did before it died is unknown, so for a different request the id stays `reused`, until a day after the claim, or until `release`.
   *
   * @param fingerprint identifies the request's content
   */
  claim(id: string, fingerprint: string, now: number): Promise<AnswerClaim>;
  /** Stores the answer to a claimed request. Does nothing without a claim. */
  keep(id: string, answer: string): Promise<void>;
  /** Releases a claim whose request had no effect. A stored answer stays. */
  release(id: string): Promise<void>;
}
