// The secret that a URL target recognizes the gate by: when it is read, and what happens if it can't be.

import { describe, expect, test, vi } from 'vitest';
import { createTargetSecret, REREAD_MS, RETRY_MS } from '../../service/gate/url-target.ts';

const FIRST = 'first-secret-0123';
const SECOND = 'second-secret-012';

function makeSecret(...values: (string | Error)[]) {
  let now = 0;
  const onFault = vi.fn();
  const read = vi.fn(async () => {
    const value = values.shift() ?? new Error('not expected');
    if (value instanceof Error) throw value;
    return value;
  });
  const secret = createTargetSecret({ read, clock: () => now, onFault });
  const at = (milliseconds: number) => {
    now = milliseconds;
  };
  return { secret, read, onFault, at };
}

describe("a target's secret", () => {
  test('is read once for many requests, and again after five minutes', async () => {
    const { secret, read, at } = makeSecret(FIRST, SECOND);
    expect(await Promise.all([secret(), secret(), secret()])).toEqual([FIRST, FIRST, FIRST]);
    at(REREAD_MS - 1);
    expect(await secret()).toBe(FIRST);
    expect(read).toHaveBeenCalledOnce();
    at(REREAD_MS);
    expect(await Promise.all([secret(), secret()])).toEqual([SECOND, SECOND]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('stays as it is while it can not be read again', async () => {
    const { secret, read, onFault, at } = makeSecret(FIRST, new Error('denied'), 'too short', SECOND);
    await secret();
    at(REREAD_MS);
    expect(await secret()).toBe(FIRST);
    expect(await secret()).toBe(FIRST);
    expect(read).toHaveBeenCalledTimes(2);
    at(2 * REREAD_MS);
    expect(await secret()).toBe(FIRST);
    expect(onFault.mock.calls).toEqual([[new Error('denied')], [expect.any(Error)]]);
    at(3 * REREAD_MS);
    expect(await secret()).toBe(SECOND);
  });

  test('that could never be read is unknown, and is read again a second later', async () => {
    const { secret, read, at } = makeSecret(new Error('denied'), FIRST);
    expect(await secret()).toBeUndefined();
    expect(await secret()).toBeUndefined();
    expect(read).toHaveBeenCalledOnce();
    at(RETRY_MS);
    expect(await secret()).toBe(FIRST);
  });

  test.each([[''], ['short'], [`${FIRST}\n`], [`${FIRST} a`], ['ä'.repeat(20)], ['a'.repeat(1_025)]])('is not %j', async (value) => {
    const { secret, onFault } = makeSecret(value);
    expect(await secret()).toBeUndefined();
    const [fault] = onFault.mock.calls[0] ?? [];
    expect(String(fault)).toContain(`${value.length} characters; allowed: 16 to 1024`);
    expect(String(fault)).not.toContain(FIRST);
  });
});
