// The small rules of the dashboard's domain pages.

import { describe, expect, test } from 'vitest';
import { companionOf } from '../../core/domains/companion.ts';
import { parseHostName } from '../../core/domains/host-name.ts';
import { pairIn } from '../../dashboard/src/companion.ts';
import { inGroups, needsRecords, untilText } from '../../dashboard/src/stages.ts';

describe('with and without www', () => {
  test.each([
    ['https://WWW.My-Shop.com/x?y', 'www.my-shop.com', 'my-shop.com'],
    [' shop.org. ', 'shop.org', 'www.shop.org'],
    ['münchen-tiere.de', 'münchen-tiere.de', 'www.münchen-tiere.de'],
    ['shop.co.uk', 'shop.co.uk', 'www.shop.co.uk'],
    ['www.shop.co.uk', 'www.shop.co.uk', 'shop.co.uk'],
    ['my-shop.test', 'my-shop.test', 'www.my-shop.test'],
  ])('%j is %s and %s, as the service has it', (typed, host, other) => {
    expect(pairIn(typed)).toEqual({ host, other });
    const parsed = parseHostName(host, { ours: [], extraSuffixes: ['test'] });
    const offered = parseHostName(other, { ours: [], extraSuffixes: ['test'] });
    expect(parsed.ok && companionOf(parsed.name)).toBe(offered.ok && offered.name.host);
  });

  test.each(['', 'shop', 'shop.', 'www.', 'co.uk', 'blog.shop.com', 'www.blog.shop.com', 'www.com', 'www.co.uk', 'a..com', 'my shop.com'])(
    '%j is not offered another name',
    (typed) => {
      expect(pairIn(typed)).toBeUndefined();
    },
  );
});

test.each([
  [-5_000, 'now'],
  [0, 'now'],
  [1, 'in 1 s'],
  [25_000, 'in 25 s'],
  [89_000, 'in 89 s'],
  [90_000, 'in 2 min'],
  [30 * 60_000, 'in 30 min'],
  [24 * 3_600_000, 'in 24 h'],
])('a check in %i ms is shown as %s', (ms, text) => {
  expect(untilText(ms)).toBe(text);
});

test('records are asked for until they are right', () => {
  expect((['awaiting_dns', 'verifying', 'dns_failed', 'degraded'] as const).every((state) => needsRecords({ state, diagnosis: null }))).toBe(true);
  expect(
    (['verified', 'certificate_pending', 'attaching', 'live', 'removing'] as const).some((state) => needsRecords({ state, diagnosis: null })),
  ).toBe(false);
  // One that was right, and is gone.
  const diagnosis = { code: 'not_found', seen: '', fix: '', actor: 'owner' } as const;
  expect([needsRecords({ state: 'live', diagnosis }), needsRecords({ state: 'live', diagnosis: { ...diagnosis, actor: 'dns_provider' } })]).toEqual([
    true,
    false,
  ]);
});

test('a pair stays together, and names that redirect come after their target', () => {
  const domain = (host: string, redirectTo: string | null = null, companion: string | null = null) => ({
    domainId: host,
    host,
    redirectTo,
    companion: companion === null ? null : { domainId: companion, host: companion },
  });
  const domains = [
    domain('www.a.com', null, 'a.com'),
    domain('old.com'),
    domain('www.b.com', 'b.com', 'b.com'),
    domain('a.com', null, 'www.a.com'),
    domain('b.com', null, 'www.b.com'),
    domain('c.com', null, 'www.c.com'),
    domain('d.com'),
    domain('www.c.com', null, 'c.com'),
  ];
  const redirects = [
    { from: 'www.a.com', to: 'a.com' },
    { from: 'old.com', to: 'd.com' },
  ];
  expect(inGroups(domains, redirects).map(({ host }) => host)).toEqual([
    'a.com',
    'www.a.com',
    'b.com',
    'www.b.com',
    'c.com',
    'www.c.com',
    'd.com',
    'old.com',
  ]);
});
