// The least rate at which a body has to arrive that may take long. A time limit would have to allow for the slowest line and the largest file, and a limit
// for silence is met by a byte now and then.

export interface LeastRate {
  /** A body that is slower uses up its slack. */
  readonly bytesPerSecond: number;
  /** How long a body may be without any byte, however much came before. */
  readonly slackSeconds: number;
}

/**
 * For files of uploads. A line of 64 kbit/s has 1,333 bytes a second for each of six files at a time. A phone that has lost its connection for 20 seconds
 * may need 40 until TCP tries again. 25 MiB take at most 14 hours.
 */
export const FILE_RATE: LeastRate = { bytesPerSecond: 512, slackSeconds: 60 };

/**
 * Follows a body.
 *
 * @returns a function that takes what has arrived since it was called last, in bytes, and how long that took, in seconds; false: the body is too slow
 */
export function followRate({ bytesPerSecond, slackSeconds }: LeastRate): (bytes: number, seconds: number) => boolean {
  let left = slackSeconds;
  return (bytes, seconds) => {
    // What arrives fast is not saved for later.
    left = Math.min(slackSeconds, left + bytes / bytesPerSecond - seconds);
    return left > 0;
  };
}
