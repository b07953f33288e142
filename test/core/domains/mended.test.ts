// Domains whose times were stored while the clock was ahead.

import { expect, test } from 'vitest';
import { type Domain, newDomain } from '../../../core/domains/domain.ts';
import { mended } from '../../../core/domains/mended.ts';
import { NOON } from '../../../testing/samples.ts';

const YEAR_MS = 365 * 86_400_000;
const AHEAD = NOON + YEAR_MS;

function domainIn(state: Domain['state'], more: Partial<Domain> = {}): Domain {
  return { ...newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON), state, ...more };
}

/** All times in a domain, however deep. */
function timesIn(value: unknown): number[] {
  if (typeof value === 'number') return value > YEAR_MS ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(timesIn) : [];
}

test('a domain that was stored when the clock was right, or about right, stays as it is', () => {
  const live = { name: 'live', since: NOON, certificate: 'r', misses: 0, nextCheckAt: AHEAD } as const;
  expect(mended(domainIn(live), NOON)).toBeUndefined();
  expect(mended(domainIn(live, { changedAt: NOON + 30_000 }), NOON)).toBeUndefined();
});

test.each<[string, Domain['state']]>([
  [
    'live',
    {
      ...{ name: 'live', since: AHEAD, certificate: 'r', misses: 1, missingSince: AHEAD, recordCheckAt: AHEAD, nextCheckAt: AHEAD },
      renewal: { certificate: 's', since: AHEAD, checks: 1, nextCheckAt: AHEAD },
    },
  ],
  ['live, without anything under way', { name: 'live', since: NOON, certificate: 'r', misses: 0, nextCheckAt: AHEAD }],
  ['certificate_pending', { name: 'certificate_pending', since: AHEAD, checks: 1, nextCheckAt: AHEAD }],
  ['suspended', { name: 'suspended', since: AHEAD, reason: 'plan' }],
])('one that is %s has no time in the future', (_, state) => {
  const lastFailure = { failure: 'other', detail: '', since: AHEAD, attempts: 1, repeats: 1, nextTryAt: AHEAD } as const;
  const more = { changedAt: AHEAD, history: [{ state: 'live' as const, at: AHEAD }] };
  const zone = { name: 'shop.dev', nameServers: [], editable: false, at: AHEAD };
  for (const domain of [domainIn(state, more), domainIn(state, { ...more, lastFailure, zone, lost: { at: AHEAD, proof: '_petstore.shop.dev' } })]) {
    const found = mended(domain, NOON);
    expect(found?.state.name).toBe(state.name);
    expect(Math.max(...timesIn(found))).toBe(NOON);
  }
});
