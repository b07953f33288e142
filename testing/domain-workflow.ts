// What every DomainWorkflow must do, together with its platform's background work: timers, or a sweep.

import { expect } from 'expect';
import type { Domain } from '../core/domains/domain.ts';
import type { DomainWorkflow } from '../core/domains/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface WorkflowWorld {
  readonly workflow: DomainWorkflow;
  /** Stores a domain whose next step is due. With `before`, stores the same domain in its next generation. */
  due(before?: Domain): Promise<Domain>;
  /** Returns how many times the work on this generation of the domain was started. */
  begun(domain: Domain): number;
  /** Ends the work on the domain, so that none of it is due. */
  finish(domain: Domain): Promise<void>;
  /** Runs the platform's work for the next few seconds. */
  soon(): Promise<void>;
  /** Runs the platform's work for the next hour. */
  later(): Promise<void>;
  /** Makes the next start fail. Needed unless `failing_starts` is declared. */
  failNext?(): void;
}

const GAPS = ['failing_starts'] as const;

/** `failing_starts`: starts can't fail, or can't be made to fail (`failNext`). */
export type DomainWorkflowGap = (typeof GAPS)[number];

/** Declares the suite for an adapter. @param make returns a workflow without due domains, and its platform's background work; called for each test */
export function domainWorkflowContract(runner: TestFunction, make: Make<WorkflowWorld>, options: SuiteOptions<DomainWorkflowGap> = {}): void {
  const test = contractSuite(runner, 'DomainWorkflow contract', options, { setUp: make, gaps: GAPS });

  test('starts the work on a generation once, however often start is called', async (world) => {
    const [domain, other] = [await world.due(), await world.due()];
    await Promise.all([world.workflow.start(domain), world.workflow.start(domain), world.workflow.start(other)]);
    await world.soon();
    await world.workflow.start(domain);
    await world.soon();
    expect([world.begun(domain), world.begun(other)]).toEqual([1, 1]);
  });

  test('does not restart finished work', async (world) => {
    const domain = await world.due();
    await world.workflow.start(domain);
    await world.soon();
    await world.finish(domain);
    await world.workflow.start(domain);
    await world.soon();
    await world.later();
    expect(world.begun(domain)).toBe(1);
  });

  test('starts separate work for the next generation', async (world) => {
    const domain = await world.due();
    await world.workflow.start(domain);
    await world.soon();
    await world.finish(domain);
    const next = await world.due(domain);
    await world.workflow.start(next);
    await world.soon();
    expect([next.generation > domain.generation, world.begun(domain), world.begun(next)]).toEqual([true, 1, 1]);
  });

  test('starts work within the hour if its start was lost', async (world) => {
    const domain = await world.due();
    await world.later();
    expect(world.begun(domain)).toBe(1);
  });

  if (!options.declares?.includes('failing_starts'))
    test('starts work within the hour if its start failed', async (world) => {
      if (world.failNext === undefined) throw new Error('the world has no failNext; declare failing_starts');
      const domain = await world.due();
      world.failNext();
      await expect(world.workflow.start(domain)).rejects.toThrow();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });
}
