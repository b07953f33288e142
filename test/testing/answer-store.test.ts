// The contract suite of AnswerStore fails for stores that are wrong in the ways that authors overlook.

import { describe, expect, test } from 'vitest';
import { ANSWER_KEPT_MS, type AnswerStore, CLAIM_MS } from '../../core/answers/ports.ts';
import { answerStoreContract } from '../../testing/answer-store.ts';

interface Row {
  readonly fingerprint: string;
  readonly answer?: string;
  readonly claimedUntil: number;
  readonly expiresAt: number;
}

type Mistake = 'locks_per_process' | 'in_progress_first' | 'dead_claims_to_anyone';

/** Runs tasks one after another, as a transaction does, or a connection that several callers share. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => {});
    return done;
  };
}

/** Two processes that share storage. @param mistake what they do wrong. @default nothing */
function createProcesses(mistake?: Mistake): { answers: AnswerStore; elsewhere: AnswerStore } {
  const rows = new Map<string, Row>();
  const shared = createQueue();
  const process = (): AnswerStore => {
    const exclusive = mistake === 'locks_per_process' ? createQueue() : shared;
    return {
      claim: (id, fingerprint, now) =>
        exclusive(async () => {
          const row = rows.get(id);
          // The time between a SELECT and an INSERT.
          await Promise.resolve();
          if (row !== undefined && row.expiresAt > now) {
            const isHeld = row.answer === undefined && row.claimedUntil > now;
            const isDead = row.answer === undefined && !isHeld;
            if (mistake === 'in_progress_first' && isHeld) return { kind: 'in_progress' };
            if (row.fingerprint !== fingerprint && !(mistake === 'dead_claims_to_anyone' && isDead)) return { kind: 'reused' };
            if (row.answer !== undefined) return { kind: 'answered', answer: row.answer };
            if (isHeld) return { kind: 'in_progress' };
          }
          rows.set(id, { fingerprint, claimedUntil: now + CLAIM_MS, expiresAt: now + ANSWER_KEPT_MS });
          return { kind: 'claimed' };
        }),
      keep: async (id, answer) => {
        const row = rows.get(id);
        if (row !== undefined) rows.set(id, { ...row, answer });
      },
      release: async (id) => {
        if (rows.get(id)?.answer === undefined) rows.delete(id);
      },
    };
  };
  return { answers: process(), elsewhere: process() };
}

/** Runs the suite. @returns the names of the tests that failed */
async function failures(make: () => { answers: AnswerStore; elsewhere?: AnswerStore }): Promise<readonly string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  answerStoreContract((name, run) => void tests.push({ name: name.replace('AnswerStore contract: ', ''), run }), make);
  const failed: string[] = [];
  for (const { name, run } of tests) await run().catch(() => failed.push(name));
  return failed;
}

describe('the contract suite of AnswerStore', () => {
  test('passes for a store that excludes all processes', async () => {
    expect(await failures(createProcesses)).toEqual([]);
    expect(await failures(() => ({ answers: createProcesses().answers }))).toEqual([]);
  });

  test('finds a store that reads and then writes, and excludes the callers of its own process only', async () => {
    expect(await failures(() => createProcesses('locks_per_process'))).toEqual([
      'grants only one of several concurrent claims, also from several processes',
      'grants only one of several concurrent claims of an id whose holder has died',
      'grants only one of several concurrent claims for different requests',
    ]);
  });

  test('finds a store that reports a different request as in progress', async () => {
    expect(await failures(() => createProcesses('in_progress_first'))).toEqual([
      'grants only one of several concurrent claims for different requests',
      expect.stringContaining('refuses the id to a different request'),
    ]);
  });

  test('finds a store that gives the id of a dead request to a different one', async () => {
    expect(await failures(() => createProcesses('dead_claims_to_anyone'))).toEqual([
      expect.stringContaining('refuses the id to a different request'),
    ]);
  });
});
