// What every AnswerStore must do.

import { expect } from 'expect';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../core/answers/ports.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Number of times that a race is run. */
const ROUNDS = 5;

export interface AnswerStoreWorld {
  readonly answers: AnswerStore;
  /** The same storage, as used by another process: own connection, no shared locks in memory. @default claims are not tested between processes */
  readonly elsewhere?: AnswerStore;
}

/** Declares the suite for an adapter. @param make returns an empty answer store; called once */
export function answerStoreContract(runner: TestFunction, make: Make<AnswerStoreWorld>, options: SuiteOptions = {}): void {
  let answers: AnswerStore;
  let elsewhere: AnswerStore;
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id ${ids}`;
  };

  const test = contractSuite(runner, 'AnswerStore contract', options, {
    setUp: once(async () => {
      const world = await make();
      answers = world.answers;
      elsewhere = world.elsewhere ?? answers;
    }),
  });

  /** Makes concurrent claims, alternately from two processes. @returns how many had each result */
  const claimAtOnce = async (id: string, fingerprints: readonly string[], now: number) => {
    const claims = await Promise.all(fingerprints.map((fingerprint, n) => (n % 2 === 0 ? answers : elsewhere).claim(id, fingerprint, now)));
    const count = (wanted: string) => claims.filter(({ kind }) => kind === wanted).length;
    return { claimed: count('claimed'), in_progress: count('in_progress'), reused: count('reused') };
  };

  test('grants only one of several concurrent claims, also from several processes', async () => {
    for (let round = 0; round < ROUNDS; round += 1)
      expect(await claimAtOnce(newId(), Array(20).fill('a'), NOON)).toEqual({ claimed: 1, in_progress: 19, reused: 0 });
  });

  test('grants only one of several concurrent claims of an id whose holder has died', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = newId();
      await answers.claim(id, 'a', NOON);
      expect(await claimAtOnce(id, Array(20).fill('a'), NOON + CLAIM_MS)).toEqual({ claimed: 1, in_progress: 19, reused: 0 });
    }
  });

  test('grants only one of several concurrent claims for different requests', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const fingerprints = Array.from({ length: 20 }, (_, n) => String(n));
      expect(await claimAtOnce(newId(), fingerprints, NOON)).toEqual({ claimed: 1, in_progress: 0, reused: 19 });
    }
  });

  test('refuses the id to a different request, even while the first is in progress or has died, until it is released or a day has passed', async () => {
    const id = newId();
    await answers.claim(id, 'a', NOON);
    for (const after of [0, CLAIM_MS - 1, CLAIM_MS, ANSWER_KEPT_MS - 1])
      expect(await elsewhere.claim(id, 'b', NOON + after)).toEqual({ kind: 'reused' });
    expect(await answers.claim(id, 'a', NOON + CLAIM_MS)).toEqual({ kind: 'claimed' });
    expect(await elsewhere.claim(id, 'b', NOON + CLAIM_MS)).toEqual({ kind: 'reused' });
    await answers.release(id);
    expect(await elsewhere.claim(id, 'b', NOON + CLAIM_MS)).toEqual({ kind: 'claimed' });
    expect(await answers.claim(id, 'a', NOON + CLAIM_MS + ANSWER_KEPT_MS)).toEqual({ kind: 'claimed' });
  });

  test('replays an answer for a day, but only to the same request', async () => {
    const id = newId();
    await answers.claim(id, 'a', NOON);
    await answers.keep(id, 'answer');
    expect(await answers.claim(id, 'a', NOON + 1)).toEqual({ kind: 'answered', answer: 'answer' });
    expect(await answers.claim(id, 'b', NOON + 1)).toEqual({ kind: 'reused' });
    expect(await answers.claim(id, 'a', NOON + ANSWER_KEPT_MS - 1)).toMatchObject({ kind: 'answered' });
    expect(await answers.claim(id, 'b', NOON + ANSWER_KEPT_MS)).toEqual({ kind: 'claimed' });
  });

  test("frees an abandoned claim at once, and a dead holder's claim after a minute", async () => {
    const id = newId();
    await answers.claim(id, 'a', NOON);
    await answers.release(id);
    expect(await answers.claim(id, 'b', NOON)).toEqual({ kind: 'claimed' });
    expect(await answers.claim(id, 'b', NOON + CLAIM_MS - 1)).toEqual({ kind: 'in_progress' });
    expect(await answers.claim(id, 'b', NOON + CLAIM_MS)).toEqual({ kind: 'claimed' });
    await answers.keep(id, 'answer');
    await answers.release(id);
    expect(await answers.claim(id, 'b', NOON)).toMatchObject({ kind: 'answered' });
  });

  test('stores no answer without a claim', async () => {
    const id = newId();
    await answers.keep(id, 'answer');
    await answers.release(id);
    expect(await answers.claim(id, 'a', NOON)).toEqual({ kind: 'claimed' });
  });
}
