import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../../core/domains/diagnosis.ts';
import { type Domain, newDomain } from '../../../core/domains/domain.ts';
import type { DomainEvent } from '../../../core/domains/events.ts';
import { transition } from '../../../core/domains/lifecycle.ts';
import { DNS_SCHEDULE, LIVE_CHECK_MS, lengthOf, TOMBSTONE_MS } from '../../../core/domains/schedule.ts';
import { isProved, isServed } from '../../../core/domains/states.ts';
import { NOON } from '../../../testing/samples.ts';

const HOUR = 3_600_000;
const GOOD: Diagnosis = { code: 'ok', seen: '', fix: '', actor: 'nobody' };
const BAD: Diagnosis = { code: 'not_found', seen: '', fix: '', actor: 'owner' };
const added = newDomain({ id: 'dom_1', host: 'shop.example.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON);

/** Applies events one after another, a second apart; reports carry the domain's current generation. */
function run(events: readonly (DomainEvent | Record<string, unknown>)[], domain: Domain = added, from = NOON): Domain {
  return events.reduce<Domain>((current, event, index) => {
    const result = transition(current, { generation: current.generation, ...event } as DomainEvent, from + (index + 1) * 1_000);
    if (result.kind !== 'moved') throw new Error(`${JSON.stringify(event)} in ${current.state.name}: ${JSON.stringify(result)}`);
    return result.domain;
  }, domain);
}

/** All states except the initial state and the state that follows 48 hours without a correct record. */
const STATES = [
  'attaching',
  'certificate_failed',
  'certificate_pending',
  'live',
  'removed',
  'removing',
  'suspended',
  'taken_over',
  'verified',
  'verifying',
];

const WAY = [
  { kind: 'verify' },
  { kind: 'dns_checked', diagnosis: GOOD },
  { kind: 'certificate_requested', certificate: 'cert_1' },
  { kind: 'certificate_issued' },
  { kind: 'edge_checked', serving: true },
];
const upTo = (steps: number) => run(WAY.slice(0, steps));

describe('domain life cycle', () => {
  test('leads from added to live', () => {
    expect(WAY.map((_, index) => upTo(index + 1).state.name)).toEqual(['verifying', 'verified', 'certificate_pending', 'attaching', 'live']);
    expect(upTo(5)).toMatchObject({ generation: 1, state: { certificate: 'cert_1', misses: 0 } });
    expect(isServed(upTo(5).state)).toBe(true);
  });

  test('leads from every state to removed, exactly once', () => {
    for (let steps = 0; steps <= WAY.length; steps += 1) {
      const removing = run([{ kind: 'remove' }], upTo(steps));
      expect(removing).toMatchObject({ generation: upTo(steps).generation + 1, state: { name: 'removing' } });
      expect(isServed(removing.state)).toBe(false);
      expect(transition(removing, { kind: 'remove' }, NOON).kind).toBe('stale');
      const removed = transition(removing, { kind: 'teardown_done', generation: removing.generation }, NOON + HOUR);
      expect(removed).toMatchObject({ domain: { state: { name: 'removed', until: NOON + HOUR + TOMBSTONE_MS } } });
    }
  });

  test('a name counts as proved from the first correct record until removal', () => {
    expect(WAY.map((_, index) => isProved(upTo(index + 1).state))).toEqual([false, true, true, true, true]);
    expect(isProved(run([{ kind: 'remove' }], upTo(5)).state)).toBe(false);
  });

  test('a domain that was taken over stays visible until its owner removes it or claims it again', () => {
    const lost = run([{ kind: 'lose', proof: '_petstore.shop.dev' }], upTo(WAY.length));
    expect(lost).toMatchObject({ state: { name: 'removing' }, lost: { at: expect.any(Number), proof: '_petstore.shop.dev' } });
    expect(transition(lost, { kind: 'lose', proof: 'again' }, NOON).kind).toBe('stale');
    const taken = run([{ kind: 'teardown_done' }], lost);
    expect(taken).toMatchObject({ state: { name: 'taken_over' }, lost: lost.lost });
    expect([isServed(taken.state), isProved(taken.state)]).toEqual([false, false]);
    expect(transition(taken, { kind: 'suspend', reason: 'plan' }, NOON).kind).toBe('refused');
    expect(transition(taken, { kind: 'dns_checked', diagnosis: GOOD, generation: taken.generation }, NOON).kind).toBe('stale');
    const again = run([{ kind: 'verify' }], taken);
    expect([again.state.name, again.lost]).toEqual(['verifying', undefined]);
    const removed = run([{ kind: 'remove' }, { kind: 'teardown_done' }], taken);
    expect([removed.state.name, removed.lost]).toEqual(['removed', undefined]);
  });

  test('a silent authority is retried every minute, for 72 hours', () => {
    for (const steps of [2, 3]) {
      const silent = run([{ kind: 'authority_silent' }], upTo(steps));
      expect(silent.state).toMatchObject({ name: upTo(steps).state.name, silentSince: expect.any(Number) });
      const silentSince = 'silentSince' in silent.state ? silent.state.silentSince : undefined;
      expect(silent.state).toMatchObject({ nextCheckAt: (silentSince ?? 0) + 60_000 });
      const still = transition(silent, { kind: 'authority_silent', generation: silent.generation }, NOON + HOUR);
      expect(still).toMatchObject({ domain: { state: { silentSince, nextCheckAt: NOON + HOUR + 60_000 } } });
      expect(transition(silent, { kind: 'authority_silent', generation: silent.generation }, NOON + 80 * HOUR)).toMatchObject({
        domain: { state: { name: 'certificate_failed', failure: 'authority_unavailable' } },
      });
    }
    const back = run([{ kind: 'authority_silent' }, { kind: 'certificate_still_pending' }], upTo(3));
    expect(back.state).not.toHaveProperty('silentSince');
    expect(transition(upTo(5), { kind: 'authority_silent', generation: 1 }, NOON).kind).toBe('stale');
  });

  test('a report from an older generation changes nothing', () => {
    const again = run([{ kind: 'verify' }], upTo(1));
    expect(again.generation).toBe(2);
    expect(transition(again, { kind: 'dns_checked', generation: 1, diagnosis: GOOD }, NOON).kind).toBe('stale');
    const removing = run([{ kind: 'remove' }], upTo(4));
    for (const event of WAY.slice(1)) expect(transition(removing, { ...event, generation: 1 } as DomainEvent, NOON).kind).toBe('stale');
  });

  test('a repeated step changes nothing', () => {
    for (let steps = 2; steps <= WAY.length; steps += 1) {
      const domain = upTo(steps);
      const repeated = transition(domain, { ...WAY[steps - 1], generation: domain.generation } as DomainEvent, NOON);
      expect(repeated.kind, WAY[steps - 1]?.kind).toBe('stale');
    }
  });

  test('a check remembers the zone that it saw, and keeps the last one if it saw none', () => {
    const zone = { name: 'shop.dev', nameServers: ['ns1.hover.com'], editable: false };
    const check = (domain: Domain, seen: typeof zone | undefined, now: number) => {
      const result = transition(domain, { kind: 'dns_checked', generation: 1, diagnosis: BAD, zone: seen }, now);
      if (result.kind !== 'moved') throw new Error(result.kind);
      return result.domain;
    };
    const seen = check(upTo(1), zone, NOON);
    expect(seen.zone).toEqual({ ...zone, at: NOON });
    expect(check(seen, undefined, NOON + 60_000).zone).toEqual({ ...zone, at: NOON });
    const moved = { ...zone, nameServers: ['clark.ns.cloudflare.com'] };
    expect(check(seen, moved, NOON + 60_000).zone).toEqual({ ...moved, at: NOON + 60_000 });
  });

  test('DNS is checked on its schedule for 48 hours, then verification fails', () => {
    let domain = upTo(1);
    let now = NOON + 1_000;
    const start = now;
    while (domain.state.name === 'verifying') {
      now = domain.state.nextCheckAt;
      const result = transition(domain, { kind: 'dns_checked', generation: 1, diagnosis: BAD }, now);
      if (result.kind !== 'moved') throw new Error(result.kind);
      domain = result.domain;
    }
    expect(domain.state).toMatchObject({ name: 'dns_failed', diagnosis: BAD });
    expect(now - start).toBe(lengthOf(DNS_SCHEDULE));
    expect(run([{ kind: 'verify' }], domain).state.name).toBe('verifying');
  });

  test('the next check waits for a negative answer to expire, within bounds', () => {
    const nextAfter = (retryAfterSeconds: number) => {
      const { state } = run([{ kind: 'dns_checked', diagnosis: { ...BAD, retryAfterSeconds } }], upTo(1));
      return state.name === 'verifying' ? state.nextCheckAt - NOON - 1_000 : 0;
    };
    expect([0, 30, 45, 3_600].map(nextAfter)).toEqual([30_000, 30_000, 45_000, 60_000]);
  });

  test("an authority's message is stored as printable text", () => {
    const detail = `from 192.0.2.1: "\u001b[2J${'x'.repeat(10_000)}"`;
    const failed = run([{ kind: 'certificate_failed', failure: 'validation', detail }], upTo(3));
    expect(failed.state).toMatchObject({ name: 'certificate_failed', detail: expect.stringMatching(/^from 192\.0\.2\.1: "\\u\{1b\}\[2Jx+…$/) });
    expect(JSON.stringify(failed.state).length).toBeLessThan(600);
  });

  test('a certificate can fail at once, fail later, or time out', () => {
    const failure = { kind: 'certificate_failed', failure: 'caa', detail: 'CAA forbids' };
    for (const steps of [2, 3])
      expect(run([failure], upTo(steps)).state).toMatchObject({ name: 'certificate_failed', failure: 'caa', detail: 'CAA forbids' });
    let domain = upTo(3);
    let now = NOON;
    for (let n = 0; domain.state.name === 'certificate_pending' && n < 2_000; n += 1) {
      now = domain.state.nextCheckAt;
      domain = run([{ kind: 'certificate_still_pending' }], domain, now - 1_000);
    }
    expect(domain.state).toMatchObject({ name: 'certificate_failed', failure: 'timed_out' });
    expect((now - NOON) / HOUR).toBeGreaterThan(70);
  });

  test('an edge that does not serve the domain within an hour is reported', () => {
    let domain = upTo(4);
    while (domain.state.name === 'attaching') domain = run([{ kind: 'edge_checked', serving: false }], domain, domain.state.nextCheckAt);
    expect(domain.state).toMatchObject({ name: 'certificate_failed', failure: 'edge_not_ready' });
  });

  test('Re-verify is available 30 minutes after a certificate request, and immediately after a failure', () => {
    const pending = upTo(3);
    const asked = pending.state.since;
    const refused = transition(pending, { kind: 'verify' }, asked + HOUR / 2 - 1);
    expect(refused).toEqual({ kind: 'refused', message: 'a certificate was requested 29 min ago; Re-verify after 30 min' });
    expect(transition(pending, { kind: 'verify' }, asked + HOUR / 2)).toMatchObject({ domain: { generation: 2, state: { name: 'verifying' } } });
    for (const state of ['verified', 'attaching', 'live', 'removing', 'removed'] as const) {
      const domain = { ...added, state: { name: state, since: 0, reason: 'plan' } as Domain['state'] };
      expect(transition(domain, { kind: 'verify' }, NOON).kind, state).toBe('refused');
    }
  });

  test('three wrong checks degrade a live domain, and one successful check restores it; it is served throughout', () => {
    const miss = { kind: 'dns_checked', diagnosis: BAD };
    const domain = upTo(5);
    expect(run([miss, miss], domain).state).toMatchObject({ name: 'live', misses: 2 });
    const degraded = run([miss, miss, miss, miss], domain);
    expect(degraded.state).toMatchObject({
      name: 'degraded',
      misses: 4,
      since: NOON + 3_000,
      diagnosis: BAD,
      nextCheckAt: NOON + 4_000 + LIVE_CHECK_MS,
    });
    expect(isServed(degraded.state)).toBe(true);
    expect(run([{ kind: 'dns_checked', diagnosis: GOOD }], degraded).state).toMatchObject({ name: 'live', misses: 0, certificate: 'cert_1' });
    expect(run([miss, miss, { kind: 'dns_checked', diagnosis: GOOD }, miss], domain).state).toMatchObject({ name: 'live', misses: 1 });
  });

  test('a renewed certificate replaces the old one', () => {
    expect(run([{ kind: 'certificate_renewed', certificate: 'cert_2' }], upTo(5)).state).toMatchObject({ name: 'live', certificate: 'cert_2' });
  });

  test('a suspended domain starts again when the suspension ends', () => {
    const suspended = run([{ kind: 'suspend', reason: 'plan' }], upTo(5));
    expect(isServed(suspended.state)).toBe(false);
    expect(transition(suspended, { kind: 'suspend', reason: 'account' }, NOON).kind).toBe('stale');
    expect(run([{ kind: 'verify' }], suspended)).toMatchObject({ generation: 3, state: { name: 'verifying' } });
    expect(transition(suspended, { kind: 'guard_failed', reason: 'plan', generation: suspended.generation }, NOON).kind).toBe('stale');
    expect(transition(run([{ kind: 'remove' }]), { kind: 'suspend', reason: 'plan' }, NOON).kind).toBe('refused');
    for (const steps of [1, 2, 3, 4, 5])
      expect(run([{ kind: 'guard_failed', reason: 'no_deployment' }], upTo(steps)).state).toMatchObject({
        name: 'suspended',
        reason: 'no_deployment',
      });
  });

  test('for any events: the generation never decreases, removed is final, and only domains with a certificate are served', () => {
    const others = [
      { kind: 'suspend', reason: 'plan' },
      { kind: 'dns_checked', diagnosis: BAD },
      { kind: 'certificate_still_pending' },
      { kind: 'certificate_failed', failure: 'other', detail: '' },
      { kind: 'edge_checked', serving: false },
      { kind: 'guard_failed', reason: 'plan' },
      { kind: 'certificate_renewed', certificate: 'd' },
      { kind: 'teardown_pending' },
      { kind: 'teardown_done' },
    ];
    // Seven in ten events lead towards live: otherwise few histories would reach that state.
    const event = fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom<Record<string, unknown>>(...WAY) },
      { weight: 5, arbitrary: fc.constantFrom<Record<string, unknown>>(...others) },
      { weight: 1, arbitrary: fc.constantFrom<Record<string, unknown>>({ kind: 'remove' }, { kind: 'lose', proof: 'a.dev' }) },
    );
    const reached = new Set<string>();
    const step = fc.record({ event, behind: fc.constantFrom(0, 0, 0, 1), waitMs: fc.constantFrom(0, 1_000, HOUR, 48 * HOUR) });
    fc.assert(
      fc.property(fc.nat({ max: WAY.length }), fc.array(step, { maxLength: 40 }), (start, steps) => {
        let domain = upTo(start);
        let now = NOON;
        for (const { event: each, behind, waitMs } of steps) {
          now += waitMs;
          const result = transition(domain, { generation: domain.generation - behind, ...each } as unknown as DomainEvent, now);
          if (result.kind !== 'moved') continue;
          const next = result.domain;
          expect(next.generation).toBeGreaterThanOrEqual(domain.generation);
          if (domain.state.name === 'removed') throw new Error('removed is the end');
          if (domain.state.name === 'removing') expect(['removing', 'removed', 'taken_over']).toContain(next.state.name);
          if (isServed(next.state) && !isServed(domain.state)) expect(domain.state.name).toBe('attaching');
          if (next.state.name === 'certificate_pending' && domain.state.name !== 'certificate_pending') expect(isProved(domain.state)).toBe(true);
          const { lost: _, ...rest } = next;
          expect({ ...rest, state: added.state, generation: 0, history: added.history }).toEqual(added);
          expect(next.history.length).toBeLessThanOrEqual(20);
          expect(next.history.at(-1)?.state).toBe(next.state.name);
          reached.add(next.state.name);
          domain = next;
        }
      }),
      { numRuns: 1_000 },
    );
    expect([...reached]).toEqual(expect.arrayContaining(STATES));
  });
});
