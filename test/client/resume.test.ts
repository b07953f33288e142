// Special cases of waiting: answers without Retry-After, bans, resume; and what the client remembers.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { ApiKeyBannedError } from '../../client/errors.ts';
import { rememberedGates } from '../../client/gate.ts';
import { NOON } from '../../testing/samples.ts';
import { caught, clientOf, many, openAll, page, refusal, script, scripted } from '../support/scripted-api.ts';
import { virtualTime } from '../support/virtual-time.ts';

afterEach(() => {
  vi.restoreAllMocks();
  openAll();
  expect(rememberedGates()).toBe(0);
});

describe('a 429 without Retry-After', () => {
  test('does not close the gate: its call backs off', async () => {
    const bare = () => new Response('<html>', { status: 429 });
    const { client, time, sent, clock } = scripted(() => script(bare, () => page()));
    const first = client.listPets();
    await time.settle();
    await client.listPets();
    expect(sent.map(({ at }) => at)).toEqual([NOON, NOON]);
    await time.until(first);
    expect(clock.now).toBeLessThan(NOON + 1_000);
  });
});

describe('ban', () => {
  const end = Math.ceil(NOON / 1_000) + 300;
  const ban = () => refusal(300, 'api_key_banned', { 'x-ratelimit-reset': String(end) });

  test('is never waited for, however long a call may wait', async () => {
    const { client, time, sent, clock } = scripted(() => script(ban, () => page()), { maxWaitMs: 1e9 });
    await expect(time.until(client.listPets())).rejects.toMatchObject({ name: 'ApiKeyBannedError', until: new Date(end * 1_000) });
    await expect(time.until(client.listPets())).rejects.toBeInstanceOf(ApiKeyBannedError);
    expect([sent.length, clock.now]).toEqual([1, NOON]);
  });

  test('fails the calls that wait for a limit, and is not affected by a limit that ends earlier or later', async () => {
    for (const seconds of [30, 1_000]) {
      const { client, time, clock } = scripted(
        () =>
          script(
            () => refusal(seconds),
            ban,
            () => page(),
          ),
        { maxWaitMs: 2_000_000 },
      );
      const calls = [caught(client.listPets()), caught(client.listPets())];
      const late = caught(client.listPets());
      await time.settle();
      expect(await Promise.all(calls)).toEqual([expect.any(ApiKeyBannedError), expect.any(ApiKeyBannedError)]);
      await late;
      clock.now += 299_000;
      expect(await caught(client.listPets())).toBeInstanceOf(ApiKeyBannedError);
    }
  });

  test('lasts for its Retry-After if it has no end; with neither, no call waits', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(NOON);
    const bare = new Response(JSON.stringify({ code: 'api_key_banned', message: 'x', status: 429 }), { status: 429 });
    for (const [answer, until] of [
      [refusal(300, 'api_key_banned'), NOON + 300_000],
      [bare, NOON],
    ] as const) {
      const { client, time } = scripted(() => script(() => answer));
      await expect(time.until(client.listPets())).rejects.toMatchObject({ name: 'ApiKeyBannedError', until: new Date(until) });
    }
  });

  test('can be lifted: resume then continues at once, for all clients of the key', async () => {
    const { make, time, sent } = scripted(() => script(ban, () => page()));
    await expect(time.until(make().listPets())).rejects.toBeInstanceOf(ApiKeyBannedError);
    make().resume();
    expect(rememberedGates()).toBe(0);
    await time.until(make().listPets());
    expect(sent.map(({ at }) => at)).toEqual([NOON, NOON]);
  });
});

describe('resume', () => {
  test('wakes the waiting calls, one of them first', async () => {
    const { client, time, sent, clock } = scripted(() =>
      script(
        () => refusal(60),
        () => page(100),
      ),
    );
    const first = client.listPets();
    await time.settle();
    const calls = many(20, () => client.listPets());
    await time.settle();
    client.resume();
    await Promise.all([first, calls]);
    expect([sent.length, clock.now]).toEqual([22, NOON]);
    expect(rememberedGates()).toBe(0);
  });

  test('has no effect if no call is waiting', () => {
    scripted(() => script(() => page())).client.resume();
    expect(rememberedGates()).toBe(0);
  });
});

describe('memory of the client', () => {
  test('contains no key that has no waiting calls', async () => {
    const { client, time } = scripted(() => script(() => page(5)));
    await time.until(many(5, () => client.listPets()));
    expect(rememberedGates()).toBe(0);
  });

  test('drops a closed gate once it has opened, even if no further call uses it', async () => {
    const clock = { now: NOON };
    const answers = virtualTime(clock, async () => refusal(1_000));
    const keyed = (apiKey: string) =>
      clientOf({ baseUrl: 'http://petstore.test', apiKey, sleep: answers.sleep, fetch: answers.fetch, clock: () => clock.now });
    for (let n = 0; n < 100; n += 1) await caught(keyed(`once ${n}`).listPets());
    expect(rememberedGates()).toBe(100);
    clock.now += 1_000_000;
    await caught(keyed('another one').listPets());
    expect(rememberedGates()).toBe(1);
    clock.now += 1_000_000;
    const other = virtualTime(clock, async () => page());
    await clientOf({ baseUrl: 'http://petstore.test', apiKey: 'another one', fetch: other.fetch, clock: () => clock.now }).listPets();
    expect(rememberedGates()).toBe(0);
  });
});
