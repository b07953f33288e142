// What every DomainWorkflow must do, together with what its platform does by itself: timers, or a sweep.

import { beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../core/domains/domain.ts';
import type { DomainWorkflow } from '../../core/domains/ports.ts';

export interface WorkflowWorld {
  readonly workflow: DomainWorkflow;
  /** A domain that is stored and whose next step is due; with one given, the same in its next generation. */
  due(before?: Domain): Promise<Domain>;
  /** How often the work on this generation of the domain was begun. */
  begun(domain: Domain): number;
  /** The work on the domain ends, and nothing of it is due. */
  finish(domain: Domain): Promise<void>;
  /** What the platform does within seconds. */
  soon(): Promise<void>;
  /** What the platform does within the hour. */
  later(): Promise<void>;
  /** The next start is a fault. @default starts can't fail */
  failNext?(): void;
}

export function domainWorkflowContract(name: string, makeWorld: () => Promise<WorkflowWorld>): void {
  describe(`DomainWorkflow contract: ${name}`, () => {
    let world: WorkflowWorld;

    beforeEach(async () => {
      world = await makeWorld();
    });

    test('starts the work on a generation, once, however often it is told to', async () => {
      const [domain, other] = [await world.due(), await world.due()];
      await Promise.all([world.workflow.start(domain), world.workflow.start(domain), world.workflow.start(other)]);
      await world.soon();
      await world.workflow.start(domain);
      await world.soon();
      expect([world.begun(domain), world.begun(other)]).toEqual([1, 1]);
    });

    test('does not start again what has ended', async () => {
      const domain = await world.due();
      await world.workflow.start(domain);
      await world.soon();
      await world.finish(domain);
      await world.workflow.start(domain);
      await world.soon();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });

    test('the next generation is work of its own', async () => {
      const domain = await world.due();
      await world.workflow.start(domain);
      await world.soon();
      await world.finish(domain);
      const next = await world.due(domain);
      await world.workflow.start(next);
      await world.soon();
      expect([next.generation > domain.generation, world.begun(domain), world.begun(next)]).toEqual([true, 1, 1]);
    });

    test('work whose start was lost is begun some time later all the same', async () => {
      const domain = await world.due();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });

    test('so is work whose start was a fault', async () => {
      if (world.failNext === undefined) return;
      const domain = await world.due();
      world.failNext();
      await expect(world.workflow.start(domain)).rejects.toThrow();
      await world.later();
      expect(world.begun(domain)).toBe(1);
    });
  });
}
