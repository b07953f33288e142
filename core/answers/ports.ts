// Answers of the control API to requests that are safe to repeat: how long they are remembered, and what their store must promise.

/** An answer is kept this long, in milliseconds. */
export const ANSWER_KEPT_MS = 24 * 3_600_000;
/** A claim without an answer is free again after this long, in milliseconds: longer than any request takes. */
export const CLAIM_MS = 60_000;

export type AnswerClaim =
  /** The request is to be handled, and its answer to be kept. */
  | { readonly kind: 'claimed' }
  | { readonly kind: 'in_progress' }
  /** The id was used for another request. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'answered'; readonly answer: string };

/** Answers to requests that are safe to repeat, each for 24 hours. Every method rejects with StoreFault (core/store-fault.ts) if storage fails. */
export interface AnswerStore {
  /**
   * Claims a request: of any number of concurrent ones with one id exactly one is `claimed`. A claim without an answer is free again after a
   * minute: whoever had it has died.
   *
   * @param fingerprint tells requests apart
   */
  claim(id: string, fingerprint: string, now: number): Promise<AnswerClaim>;
  /** Keeps the answer to a request that is claimed; without a claim nothing happens. */
  keep(id: string, answer: string): Promise<void>;
  /** Gives a claim up: nothing was done. An answer that is kept stays. */
  release(id: string): Promise<void>;
}
