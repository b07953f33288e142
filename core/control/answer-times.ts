// How long a repeatable request and its answer are remembered.

/** An answer is kept this long, in milliseconds. */
export const ANSWER_KEPT_MS = 24 * 3_600_000;
/** A claim without an answer is free again after this long, in milliseconds: longer than any request takes. */
export const CLAIM_MS = 60_000;
