import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEPLOYMENTS_KEPT, surplusDeployments } from '../../core/publishing/kept-deployments.ts';

/** Deployments by the time of their publication, newest first. */
const sample = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `dpl_${count - n}`, createdAt: count - n }));
const idsOf = (deployments: readonly { readonly id: string }[]) => deployments.map(({ id }) => id);

describe('old deployments', () => {
  test('are those beyond the last ten, the oldest first', () => {
    expect(surplusDeployments(sample(10), 'dpl_10')).toEqual([]);
    expect(idsOf(surplusDeployments(sample(12), 'dpl_12'))).toEqual(['dpl_1', 'dpl_2']);
  });

  test('do not include the one that is served, nor the one before it, which a rollback would serve', () => {
    expect(idsOf(surplusDeployments(sample(15), 'dpl_3'))).toEqual(['dpl_1', 'dpl_4', 'dpl_5']);
    expect(idsOf(surplusDeployments(sample(15), undefined))).toEqual(['dpl_1', 'dpl_2', 'dpl_3', 'dpl_4', 'dpl_5']);
  });

  test('do not include one that was made current again lately, after another one was published', () => {
    const deployments = sample(15).map((each) => (each.id === 'dpl_2' ? { ...each, servedAt: 14.5 } : each));
    expect(idsOf(surplusDeployments(deployments, 'dpl_15'))).toEqual(['dpl_1', 'dpl_3', 'dpl_4', 'dpl_5', 'dpl_6']);
  });

  test('never include what is served or pinned, and leave at least ten', () => {
    const deployment = fc.record({ createdAt: fc.nat(100), servedAt: fc.option(fc.nat(100), { nil: undefined }), pinned: fc.boolean() });
    fc.assert(
      fc.property(fc.array(deployment, { maxLength: 40 }), fc.nat(40), (made, at) => {
        const all = made
          .toSorted((a, b) => b.createdAt - a.createdAt)
          .map(({ servedAt, ...rest }, n) => ({ ...rest, id: `dpl_${n}`, ...(servedAt !== undefined && { servedAt }) }));
        const surplus = surplusDeployments(all, all[at]?.id);
        expect(surplus.filter(({ id, pinned }) => pinned || id === all[at]?.id)).toEqual([]);
        expect(all.length - surplus.length).toBeGreaterThanOrEqual(Math.min(DEPLOYMENTS_KEPT, all.length));
        const left = all.filter((each) => !surplus.includes(each) && !each.pinned);
        expect(left.length).toBeLessThanOrEqual(DEPLOYMENTS_KEPT + 2);
      }),
    );
  });
});
