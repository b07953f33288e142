// The log while something does not work: bounded, and without losing what is new.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FaultLogger } from '../../local/log.ts';

let lines: { message: string; host?: string }[];

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(JSON.parse(line)));
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const lookup = (host: string) => new Error(`${host} did not answer`);
const other = () => new TypeError('elsewhere');

test('has the first ten faults of a kind in a minute, and then one line with how many more there were, and the last of them', () => {
  const logger = new FaultLogger({ logLevel: 'ERROR' });
  for (let n = 0; n < 5_000; n += 1) logger.error('fault', { error: lookup(`host-${n}`), host: `host-${n}` });
  expect(lines.map(({ host }) => host)).toEqual(Array.from({ length: 10 }, (_, n) => `host-${n}`));
  logger.error('fault', { error: other() });
  logger.error('fault', { error: new Error('caused', { cause: other() }) });
  logger.error('another message', { error: lookup('a') });
  logger.error('without an error');
  expect(lines).toHaveLength(14);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(14)).toMatchObject([{ message: 'fault: 4990 more in this minute, of which this is the last', host: 'host-4999' }]);
  logger.error('fault', { error: lookup('b'), host: 'b' });
  expect(lines.slice(15)).toMatchObject([{ message: 'fault', host: 'b' }]);
});

test('of many kinds at once, forgets those that began first, and goes on', () => {
  const logger = new FaultLogger({ logLevel: 'ERROR' });
  for (let n = 0; n < 3_000; n += 1) logger.error(`message ${n}`);
  expect(lines).toHaveLength(3_000);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(3_000);
});
