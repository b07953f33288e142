// How a gate handles answers that arrive out of order, and requests that get no answer.

import { afterEach, expect, test } from 'vitest';
import { rememberedGates } from '../../client/gate.ts';
import { NOON } from '../../testing/samples.ts';
import { caught, clientOf, newKey, openAll, refusal } from '../support/scripted-api.ts';
import { virtualTime } from '../support/virtual-time.ts';

/** A client whose requests the test answers, in any order. */
function heldBack(calls: number) {
  const clock = { now: NOON };
  const requests: { readonly answer: (response: Response) => void; readonly lose: () => void }[] = [];
  const held: typeof fetch = () =>
    new Promise((resolve, reject) => requests.push({ answer: resolve, lose: () => reject(new TypeError('connection reset')) }));
  const time = virtualTime(clock, held);
  const client = clientOf({
    baseUrl: 'http://petstore.test',
    apiKey: newKey(),
    fetch: held,
    sleep: time.sleep,
    clock: () => clock.now,
    random: () => 0,
  });
  const outcomes = Array.from({ length: calls }, () => caught(client.listPets()));
  /** Answers one request, and returns how many have been sent so far. */
  const answer = async (index: number, response: Response): Promise<number> => {
    requests[index]?.answer(response);
    await time.settle();
    return requests.length;
  };
  /** Answers all outstanding requests, so that no call is left waiting at the gate. */
  const finish = async () => {
    const all = Promise.all(outcomes);
    let done = false;
    all.then(() => {
      done = true;
    });
    while (!done) {
      for (const each of requests) each.answer(page(1_000, 9_999_999_999));
      await time.settle();
    }
  };
  return { client, clock, time, requests, answer, finish, outcomes };
}

function page(remaining: number, reset = 100): Response {
  return new Response('[]', { headers: { 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': String(reset) } });
}

afterEach(() => {
  openAll();
  expect(rememberedGates()).toBe(0);
});

test('an older answer that arrives late allows no more requests than a newer one', async () => {
  const { answer, finish } = heldBack(20);
  expect(await answer(4, page(4))).toBe(5);
  expect(await answer(0, page(8))).toBe(5);
  expect(await answer(1, page(7))).toBe(5);
  await finish();
});

test('the remaining quota is reserved for requests in flight first', async () => {
  const { answer, finish } = heldBack(20);
  expect(await answer(0, page(10))).toBe(11);
  await finish();
});

test('a new window is used at once, even with older requests in flight', async () => {
  const { answer, finish } = heldBack(20);
  expect(await answer(0, page(0))).toBe(5);
  expect(await answer(1, page(59, 160))).toBe(20);
  await finish();
});

test('an unanswered request delays no other request while the quota is unknown', async () => {
  const { requests, time, finish } = heldBack(10);
  expect(requests).toHaveLength(5);
  requests[0]?.lose();
  await time.settle();
  expect(requests).toHaveLength(10);
  // The lost request backs off and is retried.
  await time.until(time.sleep(0));
  await finish();
});

test('an unanswered request from before a 429 delays no request after it', async () => {
  const { time, clock, requests, answer, finish } = heldBack(2);
  expect(await answer(0, refusal(30))).toBe(2);
  await time.until(time.sleep(30_000));
  await time.settle();
  expect([requests.length, clock.now]).toEqual([3, NOON + 30_000]);
  await finish();
});

test('a ban that arrives late and ends earlier does not shorten another ban', async () => {
  const { client, clock, answer, outcomes, requests } = heldBack(2);
  await answer(0, refusal(300, 'api_key_banned'));
  await answer(1, refusal(10, 'api_key_banned'));
  expect(await Promise.all(outcomes)).toMatchObject([{ retryAfterSeconds: 300 }, { retryAfterSeconds: 10 }]);
  clock.now += 11_000;
  expect(await caught(client.listPets())).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 300 });
  expect(requests).toHaveLength(2);
});
