// Calls that their callers end: wherever they are, they end at once, and hold up no other call.

import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { rememberedGates } from '../../client/gate.ts';
import { caught, clientOf, many, newKey, openAll, page, refusal, script, scripted } from '../support/scripted-api.ts';

const REASON = new Error('the user left');

afterEach(() => {
  openAll();
  expect(rememberedGates()).toBe(0);
});

/** A server that answers when the test does, and whose requests end with their signals, as with the real fetch. */
function held() {
  const answers: ((response: Response) => void)[] = [];
  const send: typeof fetch = (_input, init) =>
    new Promise((resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      answers.push(resolve);
    });
  return { client: clientOf({ baseUrl: 'http://petstore.test', apiKey: newKey(), fetch: send, random: () => 0 }), answers };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('an aborted call', () => {
  test('sends nothing if it was aborted before', async () => {
    const { client, sent } = scripted(() => script(() => page()));
    const signal = AbortSignal.abort(REASON);
    const calls = [client.listPets({}, { signal }), client.getPet(1, { signal }), client.createPet({ name: 'Rex', categoryId: 1n }, { signal })];
    expect(await Promise.all(calls.map(caught))).toEqual([REASON, REASON, REASON]);
    expect(sent).toEqual([]);
  });

  test('ends its request, and is not retried', async () => {
    const { client, answers } = held();
    const controller = new AbortController();
    const call = caught(client.listPets({}, { signal: controller.signal }));
    await settle();
    controller.abort(REASON);
    expect(await call).toBe(REASON);
    expect(answers).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('ends while it waits for a limit, and other calls wait on', async () => {
    const { client, time, sent } = scripted(() =>
      script(
        () => refusal(60),
        () => page(5),
      ),
    );
    const controller = new AbortController();
    const others = many(3, () => client.listPets());
    await time.settle();
    const call = caught(client.listPets({}, { signal: controller.signal }));
    await time.settle();
    controller.abort(REASON);
    expect(await call).toBe(REASON);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await time.until(others);
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(3);
  });

  test('ends while it waits for a retry', async () => {
    const { client, time, sent } = scripted(() => script(() => new Response('', { status: 503, headers: { 'retry-after': '30' } })));
    const controller = new AbortController();
    const call = caught(client.listPets({}, { signal: controller.signal }));
    await time.settle();
    controller.abort(REASON);
    // The test's sleep ignores signals.
    expect(await time.until(call)).toBe(REASON);
    expect(sent).toHaveLength(1);
  });

  test('ends while it waits for its turn', async () => {
    const { client, answers } = held();
    const controller = new AbortController();
    const first = many(5, () => client.listPets());
    const last = client.listPets();
    const queued = caught(client.listPets({}, { signal: controller.signal }));
    await settle();
    for (const answer of answers.slice(0, 4)) answer(page(0));
    await settle();
    controller.abort(REASON);
    expect(await queued).toBe(REASON);
    answers[4]?.(page(0));
    await settle();
    expect(answers).toHaveLength(6);
    answers[5]?.(page(0));
    await Promise.all([first, last]);
  });

  test('passes its turn on if it is aborted with its turn', async () => {
    const { client, answers } = held();
    const controller = new AbortController();
    // The first answer leaves no quota, so that one of the waiting calls goes next.
    const first = client.listPets();
    const others = many(4, () => client.listPets());
    const queued = caught(client.listPets({}, { signal: controller.signal }));
    const last = client.listPets();
    await settle();
    for (const answer of answers.slice(0, 4)) answer(page(0));
    await settle();
    expect(answers).toHaveLength(5);
    answers[4]?.(page(0));
    // In the same turn of the event loop as the answer's arrival, after the call has been let through.
    for (let turn = 0; turn < 20; turn += 1) {
      await Promise.resolve();
      if (turn === 2) controller.abort(REASON);
    }
    expect(await queued).toBe(REASON);
    await settle();
    answers[5]?.(page(5));
    await Promise.all([first, others, last]);
  });

  test('that was to find out the quota leaves that to one other call', async () => {
    const { client, answers } = held();
    const controller = new AbortController();
    const first = many(5, () => client.listPets());
    const probe = caught(client.listPets({}, { signal: controller.signal }));
    const others = many(10, () => client.listPets());
    await settle();
    for (const answer of answers) answer(page(0));
    await first;
    await settle();
    expect(answers).toHaveLength(6);
    controller.abort(REASON);
    await probe;
    await settle();
    expect(answers).toHaveLength(7);
    answers[6]?.(page(20));
    await settle();
    for (const answer of answers) answer(page(20));
    await others;
  });

  test('leaves no timer', async () => {
    const send = script(() => refusal(60));
    const client = clientOf({ baseUrl: 'http://petstore.test', apiKey: newKey(), fetch: send });
    const controller = new AbortController();
    const call = caught(client.listPets({}, { signal: controller.signal }));
    await settle();
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    const before = timers();
    controller.abort(REASON);
    expect(await call).toBe(REASON);
    expect(timers()).toBeLessThan(before);
  });

  test('has a body that ends with it', async () => {
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('[')) });
    const controller = new AbortController();
    const send: typeof fetch = async (_input, init) => {
      const response = new Response(body.pipeThrough(new TransformStream(), { signal: init?.signal as AbortSignal }));
      return response;
    };
    const call = caught(createClient({ baseUrl: 'http://petstore.test', apiKey: newKey(), fetch: send }).listPets({}, { signal: controller.signal }));
    await settle();
    controller.abort(REASON);
    expect(await call).toBe(REASON);
  });

  test('ends an iteration over all animals', async () => {
    const more = () => new Response('[{"id":1}]', { headers: { link: '</v1/pets?cursor=x>; rel="next"' } });
    const { client, time, sent } = scripted(() => script(more));
    const controller = new AbortController();
    const walk = async () => {
      for await (const pet of client.allPets({}, { signal: controller.signal })) if (pet.id === 1 && sent.length === 3) controller.abort(REASON);
    };
    expect(await time.until(caught(walk()))).toBe(REASON);
    expect(sent).toHaveLength(3);
  });
});
