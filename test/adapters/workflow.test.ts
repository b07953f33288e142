// The two drivers of a domain's steps: the state machine's executions, and the embedded timers.

import { expect, onTestFinished, test } from 'vitest';
import { createMemorySweepStore } from '../../adapters/store/memory/single-process.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import type { DomainStore } from '../../core/domains/ports.ts';
import type { SweepWork } from '../../core/domains/work.ts';
import { openDataFolder } from '../../platforms/embedded/folder.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { sweep } from '../../service/workflow/sweep.ts';
import { startDomainTimers, type TimedWork } from '../../service/workflow/timers.ts';
import { domainWorkflowContract } from '../../testing/domain-workflow.ts';
import { makeProject, nextNumber } from '../../testing/projects.ts';
import { NOON } from '../../testing/samples.ts';
import { testFolder } from '../support/folders.ts';
import { MemoryAws } from '../support/memory-aws.ts';
import { emptyEdge, sweepRun } from '../support/sweeps.ts';

const MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:petstore-domains';

/** Domains whose records are checked from noon on, and the condition that ends the checks. */
function domainsIn(stores: Parameters<typeof makeProject>[0] & { readonly domains: DomainStore }) {
  const current = async ({ id }: Domain) => (await stores.domains.getDomain(id)) as Domain;
  const due = { name: 'verifying', diagnosis: undefined, since: NOON, checks: 0, nextCheckAt: NOON } as const;
  return {
    due: async (before?: Domain): Promise<Domain> => {
      if (before !== undefined) {
        const read = await current(before);
        const next = { ...read, generation: read.generation + 1, state: due };
        expect(await stores.domains.saveDomain(next, read)).toBe('saved');
        return next;
      }
      const { id: projectId, accountId } = await makeProject(stores);
      const number = nextNumber();
      const added = newDomain({ id: `dom_${number}`, host: `w${number}.shop.dev`, projectId, accountId }, NOON);
      const domain = { ...added, generation: 1, state: due };
      await stores.domains.addDomain(domain);
      return domain;
    },
    finish: async (domain: Domain): Promise<void> => {
      const read = await current(domain);
      await stores.domains.saveDomain({ ...read, state: { name: 'awaiting_dns', since: NOON } }, read);
    },
  };
}

domainWorkflowContract(
  test,
  async () => {
    const aws = new MemoryAws();
    const stores = openSqliteStores(testFolder());
    onTestFinished(stores.close);
    const workflow = createStepFunctionsWorkflow(aws.stepFunctions, MACHINE);
    const { due, finish } = domainsIn(stores);
    const work = { domains: stores.domains, restart: workflow.restart, clock: () => NOON + 16 * 60_000 } as unknown as SweepWork;
    const isOf = ({ id, generation }: Domain, input: string) => input === JSON.stringify({ domainId: id, generation });
    return {
      workflow,
      due,
      begun: (domain) => [...aws.executions.values()].filter(({ input }) => isOf(domain, input)).length,
      finish: async (domain) => {
        for (const execution of aws.executions.values()) if (isOf(domain, execution.input)) execution.isRunning = false;
        await finish(domain);
      },
      soon: async () => {},
      later: async () => {
        expect(await sweep(work, sweepRun(work.clock), () => {})).toMatchObject({ failed: 0, complete: true });
      },
      failNext: () => {
        aws.fault = { call: aws.calls + 1, kind: 'throttled' };
      },
    };
  },
  { name: 'Step Functions' },
);

domainWorkflowContract(
  test,
  async () => {
    const parsed = parseSettings({ PETSTORE_DATA: testFolder() });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const folder = openDataFolder(parsed.settings);
    onTestFinished(folder.close);
    const { domains } = folder;
    const begun: Domain[] = [];
    // A project without a deployment is not served: the first step ends the work and updates the edge.
    const edge = { ...emptyEdge, publish: async ({ id }: { id: string }) => void begun.push(...(await domains.listDomains(id))) };
    const work = { ...folder, edge, sweeps: createMemorySweepStore(), authority: {}, clock: () => NOON } as unknown as TimedWork;
    const isAnyDue = async () => (await domains.dueDomains(NOON, 1)).items.length > 0;
    const soon = async () => {
      const timers = startDomainTimers(work, (fault) => expect.unreachable(String(fault)));
      await expect.poll(isAnyDue).toBe(false);
      await timers.stop();
    };
    return {
      ...{ workflow: folder.workflow, ...domainsIn(folder), soon, later: soon },
      begun: ({ id, generation }) => begun.filter((domain) => domain.id === id && domain.generation === generation).length,
    };
  },
  { name: 'embedded', declares: ['failing_starts'] },
);

test('executions are named after domain and generation, and restarts also after the hour', async () => {
  const aws = new MemoryAws();
  const workflow = createStepFunctionsWorkflow(aws.stepFunctions, MACHINE);
  const domain = { ...newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON), generation: 3 };
  await workflow.start(domain);
  for (const now of [NOON, NOON + 1, NOON + 3_600_000]) await workflow.restart(domain, now);
  const hour = NOON / 3_600_000;
  expect([...aws.executions.keys()]).toEqual(['dom_1-g3', `dom_1-g3-r${hour}`, `dom_1-g3-r${hour + 1}`]);
  expect([...aws.executions.values()].map(({ input }) => input)).toEqual(Array(3).fill('{"domainId":"dom_1","generation":3}'));
});
