import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FILE_RATE, followRate } from '../../core/limits/connections.ts';

const CHECK_SECONDS = 10;

/** How many seconds a body of this size takes, if it is not ended before; it arrives as `sent` says for each ten seconds. */
function secondsUntilEnd(sent: (check: number) => number, bytes: number): number | 'complete' {
  const isFastEnough = followRate(FILE_RATE);
  for (let check = 0, left = bytes; ; check += 1) {
    const arrived = Math.min(left, sent(check));
    left -= arrived;
    if (left === 0) return 'complete';
    if (!isFastEnough(arrived, CHECK_SECONDS)) return (check + 1) * CHECK_SECONDS;
  }
}

const LARGEST = 25 * 2 ** 20;

describe('a body', () => {
  test.each([
    ['of a byte every 15 seconds is ended', () => 1, 70],
    ['of nothing is ended', () => 0, 60],
    ['that trickles after a fast beginning is ended', (check: number) => (check < 3 ? 8_000_000 : 1), 100],
    ['that trickles below the rate is ended', () => 500 * CHECK_SECONDS, 2_560],
    ['on a sixth of 64 kbit/s is complete', () => (8_000 * CHECK_SECONDS) / 6, 'complete'],
    [
      'that is interrupted again and again for 40 seconds is complete',
      (check: number) => (check % 6 < 4 ? 0 : 2 * 8_000 * CHECK_SECONDS),
      'complete',
    ],
  ] as const)('%s', (_, sent, end) => {
    expect(secondsUntilEnd(sent, LARGEST)).toBe(end);
  });

  test('has an end in any case', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { minLength: 1 }), fc.nat(LARGEST), (sizes, bytes) => {
        const end = secondsUntilEnd((check) => sizes[check % sizes.length] ?? 0, bytes + 1);
        if (end !== 'complete') expect(end).toBeLessThanOrEqual(FILE_RATE.slackSeconds + (bytes + 1) / FILE_RATE.bytesPerSecond + CHECK_SECONDS);
      }),
    );
  });
});
