// What every AnswerStore must do.

import { expect } from 'expect';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../core/answers/ports.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

export interface AnswerStoreWorld {
  readonly answers: AnswerStore;
}

/**
 * Declares the suite for an adapter.
 *
 * @param runner the runner's function that declares a test
 * @param make an empty answer store; called once
 */
export function answerStoreContract(runner: TestFunction, make: Make<AnswerStoreWorld>, options: SuiteOptions = {}): void {
  let answers: AnswerStore;
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id ${ids}`;
  };

  const test = contractSuite(runner, 'AnswerStore contract', options, {
    setUp: once(async () => {
      ({ answers } = await make());
    }),
  });

  test('grants only one of several concurrent claims', async () => {
    const id = newId();
    const claims = await Promise.all(Array.from({ length: 20 }, () => answers.claim(id, 'a', NOON)));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'in_progress')).toHaveLength(19);
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
