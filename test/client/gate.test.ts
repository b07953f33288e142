// Many concurrent calls with one key: what is sent after a 429, and when.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiKeyBannedError, PetstoreError } from '../../client/errors.ts';
import { rememberedGates } from '../../client/gate.ts';
import { digestOf } from '../../core/access/api-key.ts';
import { NOON } from '../../testing/samples.ts';
import { startTestHost, type TestHost } from '../support/host.ts';
import { caught, clientOf, MINUTE_MS, many, newKey, openAll, page, quota, recorded, refusal, script, scripted } from '../support/scripted-api.ts';
import { type VirtualTime, virtualTime } from '../support/virtual-time.ts';

const DAY_SECONDS = 86_400;

afterEach(() => {
  vi.restoreAllMocks();
  openAll();
  expect(rememberedGates()).toBe(0);
});

describe('gate on the real server', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await startTestHost();
  });

  afterAll(() => host.stop());

  async function start(limits: { perMinute: number; perDay: number }) {
    // Each test uses its own minute.
    host.clock.now = (Math.floor(host.clock.now / MINUTE_MS) + 1) * MINUTE_MS;
    const made = await host.makeKey(limits);
    const send: typeof fetch = (input, init) => fetch(input, init);
    const { sent, early, record } = recorded(host.clock, (key) => send(`${host.url}/v1/pets`, { headers: { authorization: key } }));
    const time: VirtualTime = virtualTime(host.clock, record);
    const options = { baseUrl: host.url, apiKey: made.key, sleep: time.sleep, fetch: time.fetch, clock: () => host.clock.now };
    return { client: clientOf(options), sent, early, time, ...made };
  }

  test('answers 50 calls at once, and sends nothing while a 429 asks to wait', async () => {
    const { client, time, sent, early } = await start({ perMinute: 45, perDay: 1_000 });
    await time.until(many(50, () => client.listPets()));
    expect(early).toEqual([]);
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(1);
    await time.until(many(150, () => client.listPets()));
    expect([early, sent.filter(({ status }) => status === 200).length]).toEqual([[], 200]);
    expect(rememberedGates()).toBe(0);
  });

  test('reports a ban as an error that says when it ends, and sends nothing until then', async () => {
    const { client, time, sent, key, accountId } = await start({ perMinute: 9, perDay: 1_000 });
    const { now } = host.clock;
    await host.stores.usage.ban({ accountId, digest: digestOf(key) }, { since: now, until: now + 5 * MINUTE_MS, level: 1 });
    const error = await time.until(caught(client.listPets()));
    expect(error).toBeInstanceOf(ApiKeyBannedError);
    expect(error).toBeInstanceOf(PetstoreError);
    const end = now + 5 * MINUTE_MS;
    expect(error).toMatchObject({ name: 'ApiKeyBannedError', code: 'api_key_banned', until: new Date(end), retryAt: new Date(end) });
    expect(await time.until(many(20, () => caught(client.listPets())))).toEqual(Array.from({ length: 20 }, () => error));
    expect(sent).toHaveLength(1);
    host.clock.now = end;
    expect(await time.until(client.listPets())).toMatchObject({ pets: [] });
    expect(sent).toHaveLength(2);
  });

  test('fails every call at once when the daily limit is reached, with its reset time', async () => {
    const { client, time, sent } = await start({ perMinute: 100, perDay: 1 });
    await time.until(client.listPets());
    const midnight = new Date(Math.ceil(host.clock.now / (DAY_SECONDS * 1_000)) * DAY_SECONDS * 1_000);
    const before = host.clock.now;
    for (let times = 0; times < 20; times += 1)
      expect(await time.until(caught(client.listPets()))).toMatchObject({ code: 'rate_limit_exceeded', retryAt: midnight });
    expect([sent.length, host.clock.now]).toEqual([2, before]);
  });

  test('continues at once after resume if an upgrade has taken effect', async () => {
    const { client, time, sent, accountId } = await start({ perMinute: 100, perDay: 1 });
    await time.until(client.listPets());
    await expect(time.until(client.listPets())).rejects.toThrow(PetstoreError);
    await host.stores.accounts.setPlan(accountId, 'enterprise', { perMinute: 100, perDay: 100 });
    host.clock.now += MINUTE_MS;
    await expect(time.until(client.listPets())).rejects.toThrow(PetstoreError);
    expect(sent).toHaveLength(2);
    client.resume();
    await time.until(client.listPets());
    expect(sent.map(({ status }) => status)).toEqual([200, 429, 200]);
  });
});

describe('closed gate', () => {
  test('is shared by clients with the same key and address', async () => {
    const { make, time, sent, early, clock } = scripted(() =>
      script(
        () => refusal(30),
        () => page(),
      ),
    );
    const [one, other] = [make(), make({ baseUrl: 'http://petstore.test/' })];
    const first = one.listPets();
    await time.settle();
    await time.until(Promise.all([first, other.listPets(), make().listPets()]));
    expect([early, sent.length]).toEqual([[], 4]);
    expect(clock.now).toBeGreaterThanOrEqual(NOON + 30_000);
  });

  test('is not shared with clients that use another key or another address', async () => {
    const { make, time, sent } = scripted(() =>
      script(
        () => refusal(30),
        () => page(),
      ),
    );
    const waiting = make().listPets();
    await time.settle();
    const others = [make({ apiKey: 'another' }), make({ baseUrl: 'http://other.test' })];
    const open = Promise.all(others.map((other) => other.listPets()));
    await time.settle();
    expect(sent.map(({ at }) => at)).toEqual([NOON, NOON, NOON]);
    await open;
    await time.until(waiting);
  });

  test('immediately fails a call that may not wait that long, with the error that closed the gate', async () => {
    const { make, time, sent } = scripted(() =>
      script(
        () => refusal(30),
        () => page(),
      ),
    );
    const first = make().listPets();
    await time.settle();
    const error = await caught(make({ maxWaitMs: 20_000 }).listPets());
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 30, retryAt: expect.any(Date) });
    expect(sent).toHaveLength(1);
    await time.until(first);
  });

  test('is extended by a late 429 with a longer wait, but not shortened by a late 429 with a shorter wait', async () => {
    for (const [seconds, opens] of [
      [5, 30],
      [50, 50],
    ] as const) {
      let late = (_response: Response) => {};
      const slow = new Promise<Response>((resolve) => {
        late = resolve;
      });
      const clock = { now: NOON };
      const answers = script(
        () => slow,
        () => refusal(30),
        () => page(),
      );
      const { record, sent } = recorded(clock, answers);
      const time = virtualTime(clock, (input, init) => record(input, init));
      // The first answer is slow, and time must pass meanwhile, so it bypasses the virtual clock.
      const client = clientOf({
        baseUrl: 'http://petstore.test',
        apiKey: newKey(),
        sleep: time.sleep,
        fetch: record,
        clock: () => clock.now,
      });
      const calls = Promise.all([client.listPets(), client.listPets()]);
      await time.settle();
      late(refusal(seconds));
      await time.until(calls);
      expect(
        sent
          .map(({ at }) => at)
          .slice(2)
          .every((at) => at >= NOON + opens * 1_000),
      ).toBe(true);
      expect(sent).toHaveLength(4);
    }
  });

  test('makes waiting calls wait again if it closes again', async () => {
    const { client, time, sent, early } = scripted(() =>
      script(
        () => refusal(30),
        () => refusal(40),
        () => page(),
      ),
    );
    await time.until(many(10, () => client.listPets()));
    expect(early).toEqual([]);
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test('lets one call through first, and then as many as the remaining quota allows', async () => {
    const { client, time, sent, early } = scripted((clock) => quota(clock, 10));
    const first = client.listPets();
    await time.settle();
    await time.until(Promise.all([first, many(9, () => client.listPets())]));
    const crowd = await time.until(many(40, () => client.listPets()));
    expect(crowd).toHaveLength(40);
    // If a crowd arrives before the limit is known, five calls are refused; after that, one a minute.
    const refusals = sent.filter(({ status }) => status === 429).map(({ at }) => Math.floor((at - NOON) / MINUTE_MS));
    expect(refusals).toEqual([...Array.from({ length: 5 }, () => 0), 1, 2, 3]);
    expect(early).toEqual([]);
    expect(rememberedGates()).toBe(0);
  });

  test('gets one refusal a minute with a pool of workers over the limit', async () => {
    const { client, time, sent, early } = scripted((clock) => quota(clock, 30));
    let left = 100;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await client.listPets();
      }
    };
    await time.until(many(20, worker));
    expect([early, sent.filter(({ status }) => status === 429).length]).toEqual([[], 3]);
  });

  test('is not kept closed by an unanswered call', async () => {
    const lost = () => Promise.reject(new TypeError('connection reset'));
    const { client, time, sent, clock } = scripted(() =>
      script(
        () => refusal(30),
        lost,
        () => page(),
      ),
    );
    const calls = many(10, () => client.listPets());
    await time.until(calls);
    expect(sent).toHaveLength(12);
    expect(clock.now).toBeLessThan(NOON + 31_000);
  });

  test('is not kept closed when the wall clock is set back', async () => {
    const { client, time, sent } = scripted(() =>
      script(
        () => refusal(30),
        () => page(),
      ),
    );
    const call = client.listPets();
    await time.settle();
    vi.spyOn(Date, 'now').mockReturnValue(0);
    await time.until(call);
    expect(sent.map(({ at }) => at >= NOON + 30_000)).toEqual([false, true]);
  });

  test('caps an implausible Retry-After', async () => {
    const { client, time, clock, sent } = scripted(() =>
      script(
        () => refusal(999_999_999_999),
        () => page(),
      ),
    );
    await expect(time.until(client.listPets())).rejects.toThrow(PetstoreError);
    clock.now += DAY_SECONDS * 1_000;
    await time.until(client.listPets());
    expect(sent).toHaveLength(2);
  });

  test('limits the number of requests by one call, not by other calls', async () => {
    const { make, time, sent } = scripted(() => script(() => refusal(1)));
    await expect(time.until(make({ maxAttempts: 3 }).listPets())).rejects.toMatchObject({ status: 429 });
    expect(sent).toHaveLength(3);
  });

  test('lets a call through after a custom sleep that takes no time', async () => {
    const pauses: number[] = [];
    const sleep = async (milliseconds: number) => void pauses.push(milliseconds);
    const send = script(
      () => refusal(30),
      () => page(),
    );
    await clientOf({ baseUrl: 'http://petstore.test', apiKey: newKey(), sleep, random: () => 0, fetch: send }).listPets();
    expect(pauses).toEqual([expect.closeTo(30_000, -3)]);
  });

  test('waits in real time by default, and resume ends the wait', async () => {
    const send = script(
      () => refusal(60),
      () => page(),
    );
    const client = clientOf({ baseUrl: 'http://petstore.test', apiKey: newKey(), fetch: send });
    const call = client.listPets();
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    client.resume();
    expect(await call).toMatchObject({ pets: [] });
  });
});
