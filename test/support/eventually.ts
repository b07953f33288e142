import { setTimeout } from 'node:timers/promises';

/** Looks in a row that see the same, after which nothing is expected to happen any more: five minutes at least. */
const LOOKS = 600;
const INTERVAL_MS = 500;

/**
 * Looks until the assertion holds. The limit is a number of looks without a change: on a busy machine a look takes as much longer as what it waits for.
 *
 * @returns what it saw last
 * @throws the assertion's last error, if nothing changes any more
 */
export async function eventually<T>(look: () => Promise<T>, assertion: (seen: T) => void): Promise<T> {
  for (let [before, looks] = ['', 0]; ; looks += 1) {
    const seen = await look();
    try {
      assertion(seen);
      return seen;
    } catch (error) {
      const text = JSON.stringify(seen);
      if (text !== before) [before, looks] = [text, 0];
      if (looks === LOOKS) throw error;
    }
    await setTimeout(INTERVAL_MS);
  }
}
