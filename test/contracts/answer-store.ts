// What every AnswerStore must do.

import { beforeAll, describe, expect, test } from 'vitest';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../core/answers/ports.ts';
import { NOON } from '../support/samples.ts';

/** Declares the suite for an adapter. @param name of the adapter, for test names */
export function answerStoreContract(name: string, makeStores: () => Promise<{ readonly answers: AnswerStore }>): void {
  describe(`AnswerStore contract: ${name}`, () => {
    let answers: AnswerStore;
    let ids = 0;
    const newId = () => {
      ids += 1;
      return `id ${ids}`;
    };

    beforeAll(async () => {
      ({ answers } = await makeStores());
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
  });
}
