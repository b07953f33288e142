import { describe, expect, test } from 'vitest';
import { DOMAIN_STATE_NAMES, DOMAIN_STATES, isServed, stepsOf } from '../../../core/domains/states.ts';
import { domainWorkflow } from '../../../infra/workflow/definition.ts';
import { execute } from '../../support/state-machine.ts';

describe('state table', () => {
  test.each(DOMAIN_STATE_NAMES)('%s: if it is served, it is proved and has checks', (name) => {
    const { served, proved, steps, watchedChecks, label } = DOMAIN_STATES[name];
    if (served) expect([proved, steps.length > 0]).toEqual([true, true]);
    if (watchedChecks > 0) expect(steps).not.toEqual([]);
    expect(label).toMatch(/^[A-Z]/);
  });
});

describe('state machine', () => {
  const definition = domainWorkflow('arn');

  /** The steps that an execution performs for a domain that stays in this state, until its first wait or its end. */
  async function stepsFor(state: string): Promise<readonly string[]> {
    const steps: string[] = [];
    const stop = new Error('waits');
    const invoke = async ({ step }: { step: string }) => {
      steps.push(step);
      return { state, waitSeconds: 1 };
    };
    await execute(definition, { domainId: 'dom_1', generation: 0 }, invoke, () => {
      throw stop;
    }).catch((error) => expect(error).toBe(stop));
    return steps;
  }

  test.each(DOMAIN_STATE_NAMES.filter((name) => stepsOf({ name }).length > 0 && !isServed({ name })))(
    'runs the steps of %s in order',
    async (name) => {
      // Every execution begins with the guard.
      const others = stepsOf({ name }).filter((step) => step !== 'guard');
      expect(await stepsFor(name)).toEqual(['guard', ...others]);
    },
  );

  test.each(DOMAIN_STATE_NAMES.filter((name) => stepsOf({ name }).length === 0))('runs only the guard for %s', async (name) => {
    expect(await stepsFor(name)).toEqual(['guard']);
  });

  test.each(DOMAIN_STATE_NAMES.filter((name) => isServed({ name })))('runs only the guard for %s, which the sweep checks', async (name) => {
    expect(await stepsFor(name)).toEqual(['guard']);
  });
});
