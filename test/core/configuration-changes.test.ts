import { expect, test } from 'vitest';
import { changesBetween } from '../../core/domains/configuration-changes.ts';

const to = (from: string, target: string, status = 301) => ({ from, to: target, status });

test('each change is a sentence', () => {
  const before = { domains: { primary: 'a.dev', redirects: [to('b.dev', 'a.dev'), to('c.dev', 'a.dev'), to('d.dev', 'a.dev')] } };
  const after = { domains: { redirects: [to('d.dev', 'a.dev'), to('c.dev', 'a.dev', 308), to('e.dev', 'a.dev')] }, logs: { access: true } };
  expect(changesBetween(before, after)).toEqual([
    'the primary domain is not set, and was a.dev',
    'the redirect from e.dev to a.dev (301) was added',
    'the redirect from c.dev to a.dev (301) is to a.dev (308) now',
    'the redirect from b.dev to a.dev (301) was removed',
    'visits are logged now',
  ]);
  expect(changesBetween(after, { domains: { ...after.domains } })).toEqual(['visits are not logged any more']);
  const reordered = { domains: { ...before.domains, redirects: before.domains.redirects.toReversed() } };
  expect([changesBetween(before, before), changesBetween(before, reordered)]).toEqual([[], []]);
});
