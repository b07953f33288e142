// Advice to owners: every code has a row in docs/diagnoses.md, in words that owners know.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { domainText } from '../../../cli/commands/domains.ts';
import { failedAttempt } from '../../../core/domains/attempts.ts';
import { ADVICE_CODES, adviceOf } from '../../../core/domains/diagnosis/advice.ts';
import { CERTIFICATE_FAILURES, type DomainState, newDomain } from '../../../core/domains/domain.ts';
import { domainView } from '../../../core/domains/domain-view.ts';
import { adviceFor } from '../../../dashboard/src/advice.ts';
import { NOON } from '../../../testing/samples.ts';
import { diagnosesPage, domainsWith, examplesOf } from '../../support/diagnoses-page.ts';

/** Jargon that someone who has just bought a name need not know. */
const JARGON_OF_DNS = /authoritative|delegat|servfail|nxdomain|\bRFC\b|zone cut/i;
const JARGON = new RegExp(`${JARGON_OF_DNS.source}|nodata|recursive|lame|\\bTTL\\b`, 'i');

describe('advice', () => {
  test('docs/diagnoses.md has each code, with the text that owners see', async () => {
    await expect(diagnosesPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/diagnoses.md'));
  });

  test.each(ADVICE_CODES)('%s says what was seen, what to do and who must act, without jargon', (code) => {
    const examples = examplesOf(code);
    expect(examples.length).toBeGreaterThan(0);
    for (const advice of examples) {
      expect(advice).toMatchObject({ code, seen: expect.stringMatching(/./), fix: expect.stringMatching(/./) });
      expect(`${advice?.seen} ${advice?.fix}`).not.toMatch(JARGON);
      // If the owner must act, the advice mentions no waiting; if waiting is enough, it mentions no action.
      if (advice?.actor === 'nobody') expect(advice.fix).toMatch(/^(nothing|wait)/);
      else if (advice?.actor === 'owner') expect(advice.fix).not.toMatch(/^nothing/);
    }
  });

  test.each(ADVICE_CODES)('%s is the same on the command line, in JSON and in the dashboard', (code) => {
    for (const part of domainsWith(code)) {
      const domain = { ...newDomain({ id: 'dom_1', host: 'shop.bakery.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON), ...part };
      const { seen, fix, actor } = adviceOf(domain, NOON) ?? expect.fail('no advice');
      const shown = domainView(domain, NOON);
      expect(shown.advice).toEqual({ code, seen, fix, actor });
      expect(domainText({ ...shown, history: [], records: [], provider: null })).toContain(`${code}: ${seen}\n  to do (${actor}): ${fix}`);
      const { header, lines } = adviceFor(shown) ?? expect.fail('no advice');
      const words = (text: string) => text.toLowerCase().replace(/\W+/g, ' ').trim();
      for (const clause of [seen, ...fix.replace(/^nothing: /, '').split('; ')]) expect(words([header, ...lines].join(' '))).toContain(words(clause));
    }
  });

  test('the dashboard uses no DNS jargon', () => {
    const folder = join(import.meta.dirname, '../../../dashboard/src');
    const files = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => file !== 'generated.ts');
    expect(files.length).toBeGreaterThan(20);
    for (const file of files)
      expect(`${file}: ${readFileSync(join(folder, file), 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')}`).not.toMatch(JARGON_OF_DNS);
  });

  test.each(CERTIFICATE_FAILURES)('failure %s quotes the authority, truncated and escaped, and says who must act', (failure) => {
    const detail = `no\u001b[2Jway ${'x'.repeat(1_000)}`;
    const lastFailure = failedAttempt(undefined, { failure, detail }, NOON);
    const state = { name: 'certificate_pending', since: NOON, checks: 1, nextCheckAt: NOON } as const;
    const advice = adviceOf({ state, lastFailure }, NOON);
    expect(advice?.seen).toMatch(/: no\\u\{1b\}\[2Jway x+…$/);
    expect(advice?.seen.length).toBeLessThan(500);
    expect(advice).toMatchObject({
      code: 'certificate_late',
      actor: failure === 'name_in_use' ? 'owner' : expect.stringMatching(/nobody|platform/),
      fix: expect.stringMatching(failure.startsWith('name_in_use') ? /; we will try again at 20/ : /^nothing: we will try again at 20/),
    });
  });

  test('a domain that is live or that its owner has removed needs no advice', () => {
    const live: DomainState = { name: 'live', since: NOON, certificate: 'ref', misses: 0, nextCheckAt: NOON };
    expect([adviceOf({ state: live }, NOON), adviceOf({ state: { name: 'removed', since: NOON, until: NOON } }, NOON)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('the last diagnosis is still shown when checks have become rare, and while the domain is served', () => {
    const [advice] = examplesOf('not_found');
    const diagnosis = { ...advice, code: 'not_found', seen: 'no record', fix: 'add it', actor: 'owner' } as const;
    const rare = { name: 'dns_failed', since: NOON, checks: 200, nextCheckAt: NOON } as const;
    expect(adviceOf({ state: { ...rare, diagnosis } }, NOON)).toMatchObject({
      code: 'not_found',
      fix: expect.stringMatching(/^add it; we check again.*Verify/),
    });
    expect(adviceOf({ state: { ...rare, diagnosis: undefined } }, NOON)).toBeUndefined();
    // Whoever has not caused it is not asked to act.
    const waited = { ...diagnosis, code: 'propagating', fix: 'nothing: wait', actor: 'nobody' } as const;
    expect(adviceOf({ state: { ...rare, diagnosis: waited } }, NOON)).toMatchObject({
      actor: 'nobody',
      fix: expect.stringMatching(/^nothing: wait/),
    });
    const degraded: DomainState = { name: 'degraded', since: NOON, certificate: 'ref', misses: 3, nextCheckAt: NOON, diagnosis };
    expect(adviceOf({ state: degraded }, NOON)?.fix).toMatch(/^add it; until then visitors may be unable to reach the site/);
  });
});
