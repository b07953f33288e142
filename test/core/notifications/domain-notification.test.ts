import { describe, expect, test } from 'vitest';
import { failedAttempt } from '../../../core/domains/attempts.ts';
import { type Domain, type DomainState, newDomain } from '../../../core/domains/domain.ts';
import { transition } from '../../../core/domains/lifecycle.ts';
import { LATE_AFTER_MS } from '../../../core/domains/schedule.ts';
import { DOMAIN_STATE_NAMES } from '../../../core/domains/states.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { domainNotification } from '../../../core/notifications/domain-notification.ts';
import { memberAdded, NOTIFICATION_KINDS, subjectOf } from '../../../core/notifications/notification.ts';
import { NOON } from '../../../testing/samples.ts';

const diagnosis = { code: 'not_found', seen: 'no record', fix: 'add it', actor: 'owner' } as never;
const waiting = { since: NOON, checks: 0, nextCheckAt: NOON };
const STATES: { readonly [Name in DomainState['name']]: Extract<DomainState, { name: Name }> } = {
  awaiting_dns: { name: 'awaiting_dns', since: NOON },
  verifying: { name: 'verifying', diagnosis, ...waiting },
  verified: { name: 'verified', since: NOON },
  certificate_pending: { name: 'certificate_pending', certificate: 'c', ...waiting },
  attaching: { name: 'attaching', certificate: 'c', ...waiting },
  live: { name: 'live', since: NOON, certificate: 'c', misses: 0, nextCheckAt: NOON },
  degraded: { name: 'degraded', since: NOON, certificate: 'c', misses: 3, nextCheckAt: NOON, diagnosis },
  certificate_expired: { name: 'certificate_expired', since: NOON, certificate: 'c', misses: 0, nextCheckAt: NOON },
  dns_failed: { name: 'dns_failed', diagnosis, ...waiting },
  certificate_failed: { name: 'certificate_failed', failure: 'name_refused', detail: 'high-risk', ...waiting },
  suspended: { name: 'suspended', since: NOON, reason: 'plan' },
  removing: { name: 'removing', ...waiting },
  taken_over: { name: 'taken_over', since: NOON },
  removed: { name: 'removed', since: NOON, until: NOON + 1 },
};
const sample = newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON);
const inState = (name: DomainState['name'], fields: Partial<Domain> = {}): Domain => ({ ...sample, state: STATES[name], ...fields });
const kindOf = (read: Domain, next: Domain) => domainNotification(read, next)?.event.kind;

describe('a change of a domain', () => {
  test.each(DOMAIN_STATE_NAMES)('from %s: notifies of what owners must know', (before) => {
    const read = inState(before);
    const isServed = before === 'live' || before === 'degraded' || before === 'certificate_expired';
    const expected: Partial<Record<DomainState['name'], string>> = {
      live: 'domain_live',
      degraded: 'domain_degraded',
      certificate_expired: 'certificate_expired',
      // The record was right, and no longer is.
      ...(before === 'certificate_pending' && { verifying: 'domain_failed' }),
      dns_failed: 'domain_failed',
      certificate_failed: 'domain_failed',
      suspended: isServed ? 'domain_lost' : 'domain_failed',
      ...(isServed && { removing: 'domain_lost', removed: 'domain_lost' }),
    };
    for (const after of DOMAIN_STATE_NAMES)
      expect([after, kindOf(read, inState(after))]).toEqual([after, after === before ? undefined : expected[after]]);
  });

  test('says whether it was live before, and what to do', () => {
    expect(domainNotification(inState('attaching'), inState('live'))).toEqual({
      id: `domain_live:dom_1:0:${NOON}`,
      accountId: 'acc_1',
      at: NOON,
      event: { kind: 'domain_live', projectId: 'prj_1', domainId: 'dom_1', host: 'www.shop.dev', again: false },
    });
    expect(domainNotification(inState('degraded'), inState('live'))?.event).toMatchObject({ again: true });
    const companion = { id: 'dom_2', host: 'shop.dev' };
    expect(domainNotification(inState('attaching'), inState('live', { companion }))?.event).toMatchObject({ companionId: 'dom_2' });
    expect(domainNotification(inState('degraded'), inState('live', { companion }))?.event).not.toHaveProperty('companionId');
    expect(domainNotification(inState('live'), inState('degraded'))?.event).toMatchObject({ advice: { seen: 'no record', actor: 'owner' } });
    expect(domainNotification(inState('live'), inState('removed'))?.event).toMatchObject({ kind: 'domain_lost', advice: undefined });
  });

  test('by a person says who has removed it, and which records are left; to another account, only that it is lost', () => {
    const removal = { by: 'usr_1', records: [{ type: 'CNAME', name: 'www.shop.dev', value: 'token.edge.example' }] };
    const removed = transition(inState('live'), { kind: 'remove', removal }, NOON);
    if (removed.kind !== 'moved') throw new Error(removed.kind);
    expect(domainNotification(inState('live'), removed.domain)?.event).toMatchObject({ kind: 'domain_lost', removed: removal });
    const lost = transition(inState('live'), { kind: 'lose', proof: 'x' }, NOON);
    if (lost.kind !== 'moved') throw new Error(lost.kind);
    expect(domainNotification(inState('live'), lost.domain)?.event).not.toHaveProperty('removed');
  });

  test('to another account is a loss in any state', () => {
    const lost = { at: NOON, proof: '_petstore.www.shop.dev' };
    expect(kindOf(inState('certificate_failed'), inState('removing', { lost }))).toBe('domain_lost');
    expect(kindOf(inState('removing', { lost }), inState('taken_over', { lost }))).toBeUndefined();
  });

  test.each([
    { kind: 'certificate_still_pending' },
    { kind: 'attempt_failed', failure: 'authority_unavailable', detail: 'busy', isOver: true },
  ] as const)('a certificate is late once, as reported by $kind', (event) => {
    let domain = inState('certificate_pending');
    const notified: (readonly [string | undefined, number])[] = [];
    for (let minute = 1; minute <= 90; minute += 1) {
      const now = NOON + minute * 60_000;
      const moved = transition(domain, { ...event, generation: 0 }, now);
      if (moved.kind !== 'moved') throw new Error(moved.kind);
      const notification = domainNotification(domain, moved.domain);
      if (notification !== undefined) notified.push([notification.id, (notification.at - NOON) / 60_000]);
      domain = moved.domain;
    }
    expect(notified).toEqual([[`certificate_late:dom_1:0:${NOON + LATE_AFTER_MS}`, LATE_AFTER_MS / 60_000]]);
  });

  test('a renewal is late once, and its end is told', () => {
    const certificate = { issuer: 'CA', notBefore: NOON - 80 * DAY_MS, notAfter: NOON + 10 * DAY_MS };
    const lastFailure = failedAttempt(undefined, { failure: 'rate_limited', detail: 'too many' }, NOON);
    const live = inState('live', { certificate, lastFailure, changedAt: NOON });
    const late = { ...live, state: { ...STATES.live, late: true } } as const;
    const lateAt = NOON - 5 * DAY_MS;
    expect(domainNotification(live, late)).toMatchObject({
      id: `certificate_late:dom_1:0:${lateAt}`,
      at: NOON,
      event: {
        kind: 'certificate_late',
        renewal: true,
        advice: { actor: 'nobody', seen: expect.stringMatching(/^the certificate is valid until 2026-12-01/) },
      },
    });
    expect(domainNotification(late, late)).toBeUndefined();
    expect(domainNotification(late, live)?.event).toMatchObject({ kind: 'domain_live', renewed: true });
    expect(domainNotification(late, inState('certificate_expired'))?.event.kind).toBe('certificate_expired');
    expect(domainNotification(inState('certificate_expired'), inState('live'))?.event).toMatchObject({ kind: 'domain_live', again: true });
  });
});

test('every kind has a subject', () => {
  const of = { projectId: 'prj_1', domainId: 'dom_1', host: 'www.shop.dev' };
  const subjects = NOTIFICATION_KINDS.map((kind) =>
    subjectOf({ event: { kind, ...of, keyId: 'key_1', userId: 'usr_1', until: 0, day: 1, limit: 1, again: false, advice: undefined } as never }),
  );
  expect(subjects).toEqual([...Array(6).fill('dom_1'), 'key_1', 'quota', 'quota', 'usr_1', 'usr_1', 'plan', 'suspension']);
  expect(memberAdded('acc_1', 'usr_1', NOON)).toMatchObject({ accountId: 'acc_1', at: NOON, id: `member_added:acc_1:usr_1:${NOON}` });
});
