// What every FileRemovalStore must do.

import { expect } from 'expect';
import type { FileRemoval, FileRemovalStore } from '../core/projects/ports.ts';
import { nextNumber } from './projects.ts';
import { NOON } from './samples.ts';
import { allPages, contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty store; called once */
export function fileRemovalStoreContract(runner: TestFunction, make: Make<FileRemovalStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'FileRemovalStore contract', options, { setUp: once(make) });

  const sample = (fields: Partial<FileRemoval> = {}): FileRemoval => ({
    projectId: `prj_removal${nextNumber()}x`,
    deploymentId: 'dpl_1',
    dueAt: NOON,
    bytes: 5,
    ...fields,
  });

  test('lists removals of one project, or all in pages, until they are finished', async (store) => {
    const many = Array.from({ length: 250 }, (_, n) => sample({ deploymentId: `dpl_${n}` }));
    const [first] = many;
    if (first === undefined) throw new Error('one');
    const whole = { ...first, deploymentId: undefined };
    for (const removal of [...many, whole]) await store.schedule(removal);
    expect(await allPages((after) => store.list(after))).toEqual(expect.arrayContaining([...many, whole]));
    expect(new Set(await store.ofProject(first.projectId))).toEqual(new Set([first, whole]));
    for (let times = 0; times < 2; times += 1) await store.finish(first);
    expect(await store.ofProject(first.projectId)).toEqual([whole]);
    expect(await store.ofProject('prj_removal')).toEqual([]);
  });

  test('begins only what is due; scheduling again replaces the time', async (store) => {
    const removal = sample();
    await store.schedule(removal);
    expect(await store.begin(removal, NOON - 1)).toBeUndefined();
    await store.schedule({ ...removal, dueAt: NOON + 10 });
    expect(await store.begin(removal, NOON + 9)).toBeUndefined();
    expect(await store.begin(removal, NOON + 10)).toBe(NOON + 10);
    expect(await store.begin(removal, NOON + 99)).toBe(NOON + 10);
    await store.finish(removal);
    expect(await store.begin(removal, NOON + 10)).toBeUndefined();
    expect(await store.ofProject(removal.projectId)).toEqual([]);
  });
}
