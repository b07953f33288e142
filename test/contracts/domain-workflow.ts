// What every DomainWorkflow must do, together with its platform's background work: timers, or a sweep.

import { beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainWorkflow } from '../../core/domains/ports.ts';

export interface WorkflowWorld {
  readonly workflow: DomainWorkflow;
  /** Stores a domain whose next step is due. With `before`, stores the same domain in its next generation. */
  due(before?: Domain): Promise<Domain>;
  /** How often the work on this generation of the domain was started. */
  begun(domain: Domain): number;
  /** Ends the work on the domain, so that none of it is due. */
  finish(domain: Domain): Promise<void>;
  /** Runs the platform's work for the next few seconds. */
  soon(): Promise<void>;
  /** Runs the platform's work for the next hour. */
  later(): Promise<void>;
  /** Makes the next start fail. @default starts can't fail */
  failNext?(): void;
}

/** Declares the suite for an adapter. @param name of the adapter, for test names */
export function domainWorkflowContract(name: string, makeWorld: () => Promise<WorkflowWorld>): void {
  describe(`DomainWorkflow contract: ${name}`, () => {
    let world: WorkflowWorld;

    beforeEach(async () => {
      world = await makeWorld();
    });

    test('starts the work on a generation once, however often start is called', async () => {
      const [domain, other] = [await world.due(), await world.due()];
      await Promise.all([world.workflow.start(domain), world.workflow.start(domain), world.workflow.start(other)]);
      await world.soon();
      await world.workflow.start(domain);
      await world.soon();
      expect([world.begun(domain), world.begun(other)]).toEqual([1, 1]);
    });

    test('does not restart finished work', async () => {
      const domain = await world.due();
      await world.workflow.start(domain);
      await world.soon();
      await world.finish(domain);
      await world.workflow.start(domain);
      await world.soon();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });

    test('starts separate work for the next generation', async () => {
      const domain = await world.due();
      await world.workflow.start(domain);
      await world.soon();
      await world.finish(domain);
      const next = await world.due(domain);
      await world.workflow.start(next);
      await world.soon();
      expect([next.generation > domain.generation, world.begun(domain), world.begun(next)]).toEqual([true, 1, 1]);
    });

    test('starts work within the hour if its start was lost', async () => {
      const domain = await world.due();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });

    test('starts work within the hour if its start failed', async () => {
      if (world.failNext === undefined) return;
      const domain = await world.due();
      world.failNext();
      await expect(world.workflow.start(domain)).rejects.toThrow();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });
  });
}
