import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../../core/domains/diagnosis/diagnosis.ts';
import { type CertificateFailure, type Domain, newDomain } from '../../../core/domains/domain.ts';
import { transition } from '../../../core/domains/lifecycle.ts';
import { LIVE_CHECK_MS, LONGEST_WAIT_MS, TOMBSTONE_MS } from '../../../core/domains/schedule.ts';
import { type DomainEvent, isFromFuture, isProved, isServed, nextCheckAt } from '../../../core/domains/states.ts';
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

/** All states except the initial state, and those that follow 48 hours without a correct record and three refusals. */
const STATES = [
  'attaching',
  'certificate_expired',
  'certificate_pending',
  'degraded',
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

  test.each<[CertificateFailure, number[]]>([
    // Minutes between attempts.
    ['authority_unavailable', [1, 2, 2, 5, 10, 10, 10, 20, 20, 20, 20, 30]],
    ['validation', [1, 15, 60, 360, 1_440, 1_440]],
    ['caa', [15, 60, 360, 1_440, 1_440]],
    ['rate_limited', [60, 60, 60, 60, 60, 60, 360, 360]],
    ['account', [5, 5, 5, 5, 5, 5, 60, 60]],
  ])('an attempt that fails (%s) is repeated, with growing pauses, for as long as the domain is wanted', (failure, pauses) => {
    let domain = upTo(2);
    let now = NOON;
    const waits: number[] = [];
    for (let n = 0; n < 500; n += 1) {
      domain = run([{ kind: 'attempt_failed', failure, detail: 'no', isOver: true }], domain, now - 1_000);
      if (domain.state.name !== 'certificate_pending') throw new Error(domain.state.name);
      expect(domain.state).toMatchObject({ nextCheckAt: domain.lastFailure?.nextTryAt });
      expect(domain.state.certificate).toBeUndefined();
      waits.push((domain.state.nextCheckAt - now) / 60_000);
      now = domain.state.nextCheckAt;
    }
    expect(waits.slice(0, pauses.length)).toEqual(pauses);
    expect(Math.max(...waits)).toBeLessThanOrEqual(24 * 60);
    expect(domain.lastFailure).toMatchObject({ failure, attempts: 500, repeats: 500, since: NOON });
    const again = run([{ kind: 'certificate_requested', certificate: 'cert_2' }, { kind: 'certificate_issued' }], domain, now);
    expect(again).toMatchObject({ state: { name: 'attaching', certificate: 'cert_2' } });
    expect(again.lastFailure).toBeUndefined();
  });

  test('an authority that says when is not asked before, but within a week', () => {
    const failedUntil = (retryAt: number) =>
      run([{ kind: 'attempt_failed', failure: 'rate_limited', detail: '', isOver: true, retryAt }], upTo(3)).lastFailure;
    expect([failedUntil(NOON + 5 * HOUR)?.nextTryAt, failedUntil(NOON)?.nextTryAt]).toEqual([NOON + 5 * HOUR, NOON + 1_000 + HOUR]);
    expect(failedUntil(NOON + 1_000 * 24 * HOUR)?.nextTryAt).toBe(NOON + 1_000 + 7 * 24 * HOUR);
  });

  test('an attempt that is only interrupted goes on with its request', () => {
    const silent = run([{ kind: 'attempt_failed', failure: 'authority_unavailable', detail: '', isOver: false }], upTo(3));
    expect(silent.state).toMatchObject({ name: 'certificate_pending', certificate: 'cert_1', nextCheckAt: NOON + 1_000 + 60_000 });
    expect(run([{ kind: 'certificate_issued' }], silent).state.name).toBe('attaching');
    const renewing = run([{ kind: 'certificate_requested', certificate: 'cert_2' }], upTo(5));
    const interrupted = run([{ kind: 'attempt_failed', failure: 'authority_unavailable', detail: '', isOver: false }], renewing);
    expect(interrupted.state).toMatchObject({ name: 'live', certificate: 'cert_1', renewal: { certificate: 'cert_2', nextCheckAt: NOON + 61_000 } });
    const over = run([{ kind: 'attempt_failed', failure: 'validation', detail: '', isOver: true }], interrupted);
    expect(over.state).toMatchObject({ name: 'live', renewal: undefined, nextCheckAt: NOON + 61_000 });
  });

  test("before another attempt, a record that is no longer right is the owner's again", () => {
    const failed = run([{ kind: 'attempt_failed', failure: 'validation', detail: '', isOver: true }], upTo(3));
    expect(run([{ kind: 'dns_checked', diagnosis: BAD }], failed).state).toMatchObject({ name: 'verifying', diagnosis: BAD, checks: 1 });
    expect(transition(failed, { kind: 'dns_checked', diagnosis: GOOD, generation: failed.generation }, NOON).kind).toBe('stale');
  });

  test('a name that is refused three times will get no certificate; it is still asked for now and then', () => {
    const refusal = { kind: 'attempt_failed', failure: 'name_refused', detail: 'high-risk', isOver: true };
    const twice = run([refusal, refusal], upTo(2));
    expect(twice.state.name).toBe('certificate_pending');
    const refused = run([refusal], twice);
    expect(refused.state).toMatchObject({ name: 'certificate_failed', failure: 'name_refused', detail: 'high-risk' });
    expect(refused.lastFailure?.nextTryAt).toBe(NOON + 1_000 + 7 * 24 * HOUR);
    // Another failure in between says nothing about the name.
    const other = run([{ kind: 'attempt_failed', failure: 'authority_unavailable', detail: 'busy', isOver: true }], refused);
    expect(other.state).toMatchObject({ name: 'certificate_failed', failure: 'name_refused', since: refused.state.since });
    expect(run([{ kind: 'certificate_requested', certificate: 'c' }, { kind: 'certificate_issued' }], other).state.name).toBe('attaching');
    expect(run([{ kind: 'verify' }], refused).state.name).toBe('verifying');
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

  test('DNS is checked on its schedule; a record that is missing for 48 hours is reported, and still looked for', () => {
    let domain = upTo(1);
    let now = NOON + 1_000;
    const start = now;
    const check = (diagnosis: Diagnosis) => {
      const result = transition(domain, { kind: 'dns_checked', generation: 1, diagnosis }, now);
      if (result.kind !== 'moved') throw new Error(result.kind);
      return result.domain;
    };
    const step = () => {
      now = 'nextCheckAt' in domain.state ? (domain.state.nextCheckAt ?? 0) : 0;
      domain = check(BAD);
    };
    while (domain.state.name === 'verifying') step();
    expect(domain.state).toMatchObject({ name: 'dns_failed', diagnosis: BAD });
    expect(now - start).toBe(48 * HOUR);
    for (let n = 0; n < 200; n += 1) step();
    expect(domain.state).toMatchObject({ name: 'dns_failed', since: start + 48 * HOUR, nextCheckAt: now + 7 * 24 * HOUR });
    // Whoever sets the record late needs no click.
    expect(check(GOOD).state.name).toBe('verified');
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
    const failed = run([{ kind: 'attempt_failed', failure: 'validation', detail, address: detail, isOver: true }], upTo(3));
    const stored = expect.stringMatching(/^from 192\.0\.2\.1: "\\u\{1b\}\[2Jx+…$/);
    expect(failed.lastFailure).toMatchObject({ detail: stored, address: stored });
    expect(JSON.stringify(failed.lastFailure).length).toBeLessThan(1_100);
  });

  test('a certificate that is not issued within 72 hours is requested anew', () => {
    let domain = upTo(3);
    let now = NOON;
    for (let n = 0; domain.lastFailure === undefined && n < 2_000; n += 1) {
      now = 'nextCheckAt' in domain.state ? (domain.state.nextCheckAt ?? 0) : 0;
      domain = run([{ kind: 'certificate_still_pending' }], domain, now - 1_000);
    }
    expect(domain).toMatchObject({ state: { name: 'certificate_pending', late: true }, lastFailure: { failure: 'timed_out' } });
    expect((now - NOON) / HOUR).toBeGreaterThan(70);
    // The next attempt has its own 72 hours.
    const again = run([{ kind: 'certificate_requested', certificate: 'cert_2' }, { kind: 'certificate_still_pending' }], domain, now);
    expect(again.state).toMatchObject({ certificate: 'cert_2', nextCheckAt: now + 2_000 + 15_000 });
  });

  test('an authority that is at work may ask for more patience, up to an hour', () => {
    const pending = (askAgainAt: number) => run([{ kind: 'certificate_still_pending', askAgainAt }], upTo(3)).state;
    expect(pending(NOON)).toMatchObject({ nextCheckAt: NOON + 16_000 });
    expect(pending(NOON + 10 * 60_000)).toMatchObject({ nextCheckAt: NOON + 10 * 60_000 });
    expect(pending(NOON + 100 * HOUR)).toMatchObject({ nextCheckAt: NOON + 1_000 + HOUR });
  });

  test('an edge that does not serve the domain within an hour is reported, and still looked at', () => {
    let domain = upTo(4);
    const checkAt = () => (domain.state.name === 'attaching' ? domain.state.nextCheckAt : Number.NaN);
    while (domain.lastFailure === undefined) domain = run([{ kind: 'edge_checked', serving: false }], domain, checkAt());
    expect(domain).toMatchObject({ state: { name: 'attaching' }, lastFailure: { failure: 'edge_not_ready' } });
    expect(run([{ kind: 'edge_checked', serving: true }], domain, checkAt())).toMatchObject({ state: { name: 'live' } });
  });

  test('Verify looks at once, and disturbs nothing that is under way', () => {
    const pending = upTo(3);
    const asked = pending.state.since;
    expect(transition(pending, { kind: 'verify' }, asked + HOUR / 2 - 1).kind).toBe('stale');
    expect(transition(pending, { kind: 'verify' }, asked + HOUR / 2)).toMatchObject({ domain: { generation: 2, state: { name: 'verifying' } } });
    const failed = run([{ kind: 'attempt_failed', failure: 'rate_limited', detail: '', isOver: true }], pending);
    expect(transition(failed, { kind: 'verify' }, asked + 5_000)).toMatchObject({ domain: { generation: 2, state: { name: 'verifying' } } });
    for (const steps of [2, 4]) expect(transition(upTo(steps), { kind: 'verify' }, NOON).kind).toBe('stale');
    expect(run([{ kind: 'verify' }], upTo(5))).toMatchObject({
      generation: 1,
      state: { name: 'live', recordCheckAt: NOON + 1_000, nextCheckAt: NOON + 1_000 },
    });
    for (const state of ['removing', 'removed'] as const) {
      const domain = { ...added, state: { name: state, since: 0 } as Domain['state'] };
      expect(transition(domain, { kind: 'verify' }, NOON).kind, state).toBe('refused');
    }
  });

  test('a record that is gone is looked at again within an hour, and then reported; one look that finds it restores the domain', () => {
    const miss = { kind: 'dns_checked', diagnosis: BAD };
    const domain = upTo(5);
    const once = run([miss], domain);
    expect(once.state).toMatchObject({ name: 'live', misses: 1, missingSince: NOON + 1_000, diagnosis: BAD });
    expect(once.state).toMatchObject({ nextCheckAt: NOON + 1_000 + HOUR / 2 });
    const degraded = run([miss], once);
    expect(degraded.state).toMatchObject({ name: 'degraded', misses: 2, since: NOON + 1_000, diagnosis: BAD });
    expect(isServed(degraded.state)).toBe(true);
    // A repair is seen within the hour for two days, and within six hours later.
    const later = Array.from({ length: 60 }, () => miss).reduce((current, each) => run([each], current), degraded);
    expect(later.state).toMatchObject({ name: 'degraded', since: degraded.state.since, nextCheckAt: NOON + 1_000 + 6 * HOUR });
    const good = run([{ kind: 'dns_checked', diagnosis: GOOD }], degraded);
    expect(good.state).toMatchObject({ name: 'live', misses: 0, certificate: 'cert_1', nextCheckAt: NOON + 1_000 + LIVE_CHECK_MS });
    expect(good.state).toMatchObject({ diagnosis: undefined, missingSince: undefined });
  });

  test("a fault of others is reported when it has lasted for a day, and one of ours is none of the owner's", () => {
    const theirs = { kind: 'dns_checked', diagnosis: { ...BAD, code: 'dns_unreachable', actor: 'dns_provider' } };
    const ours = { kind: 'dns_checked', diagnosis: { ...BAD, code: 'dns_unreachable', actor: 'platform' } };
    const at = (hours: number, domain: Domain, event: typeof theirs) => run([event], domain, NOON + hours * HOUR);
    const day = [0, 1, 12, 23.9].reduce((current, hours) => at(hours, current, theirs), upTo(5));
    expect(day.state).toMatchObject({ name: 'live', misses: 4 });
    const told = at(24, day, theirs);
    expect(told.state).toMatchObject({ name: 'degraded', diagnosis: { actor: 'dns_provider' } });
    // It stays reported until the record is right, whoever's turn it is meanwhile.
    expect(run([{ kind: 'dns_checked', diagnosis: BAD }], told, NOON + 25 * HOUR).state.name).toBe('degraded');
    const away = [0, 24, 48, 72].reduce((current, hours) => at(hours, current, ours), upTo(5));
    expect(away.state).toMatchObject({ name: 'live', misses: 0 });
  });

  describe('the certificate of a served domain', () => {
    const DAY = 24 * HOUR;
    const certificate = { issuer: 'CA', notBefore: NOON, notAfter: NOON + 90 * DAY, renewAt: NOON + 60 * DAY };
    const live = run([{ kind: 'dns_checked', diagnosis: GOOD }], { ...upTo(5), certificate }, NOON + 59.5 * DAY);
    const fails = (domain: Domain, at: number) =>
      run([{ kind: 'attempt_failed', failure: 'authority_unavailable', detail: 'busy', isOver: true }], domain, at - 1_000);

    test('is due at its time, even before the next look at the record', () => {
      expect(live.state).toMatchObject({ name: 'live', nextCheckAt: NOON + 60 * DAY });
    });

    test('is late from the middle of the time for its renewal on, and the domain is not live when it has ended; a new one heals it', () => {
      let domain = fails(live, NOON + 60 * DAY);
      let lateAt = 0;
      while (domain.state.name === 'live') {
        const at = 'nextCheckAt' in domain.state ? (domain.state.nextCheckAt ?? 0) : 0;
        expect(at).toBeLessThan(certificate.notAfter + 60_000);
        const found = { kind: 'dns_checked', diagnosis: GOOD };
        domain = at === domain.lastFailure?.nextTryAt ? fails(domain, at) : run([found], domain, at - 1_000);
        if (lateAt === 0 && 'late' in domain.state && domain.state.late) lateAt = at;
      }
      expect(lateAt - (NOON + 75 * DAY)).toBeLessThan(60_000);
      expect(domain.state.name).toBe('certificate_expired');
      expect(domain.lastFailure?.attempts).toBeGreaterThan(100);
      // After the end, attempts go on.
      expect(domain.state).toMatchObject({ nextCheckAt: expect.any(Number) });
      const renewed = { ...certificate, notBefore: NOON + 91 * DAY, notAfter: NOON + 181 * DAY, renewAt: NOON + 151 * DAY };
      const healed = run([{ kind: 'certificate_renewed', certificate: 'cert_2', served: renewed }], domain, NOON + 91 * DAY);
      expect(healed).toMatchObject({ state: { name: 'live', certificate: 'cert_2', late: undefined }, certificate: renewed });
      expect(healed.lastFailure).toBeUndefined();
    });

    test('that is dead for another reason makes the domain expired until there is another, or it proves to be alive', () => {
      const seen = { kind: 'certificate_seen', served: certificate, isDead: true, isDue: true };
      const dead = run([seen], live, NOON + 10 * DAY);
      expect(dead.state).toMatchObject({ name: 'certificate_expired', nextCheckAt: NOON + 10 * DAY + 1_000 });
      expect(run([{ kind: 'nothing_due' }], dead, NOON + 10 * DAY).state.name).toBe('certificate_expired');
      expect(run([{ ...seen, isDead: false, isDue: false }], dead, NOON + 10 * DAY).state.name).toBe('live');
    });

    test('is not renewed while the record is wrong, and the state says what is wrong', () => {
      const wrong = run([{ kind: 'dns_checked', diagnosis: BAD }], live, NOON + 61 * DAY);
      expect(wrong.state).toMatchObject({ name: 'live', nextCheckAt: NOON + 61 * DAY + 1_000 + HOUR / 2 });
      const over = run([{ kind: 'dns_checked', diagnosis: BAD }], wrong, NOON + 91 * DAY);
      expect(over.state).toMatchObject({ name: 'certificate_expired', diagnosis: BAD, late: true });
    });
  });

  test('a renewed certificate replaces the old one', () => {
    expect(run([{ kind: 'certificate_renewed', certificate: 'cert_2' }], upTo(5)).state).toMatchObject({ name: 'live', certificate: 'cert_2' });
  });

  test('says when it was stored, by which a clock that was ahead is found out', () => {
    for (let steps = 1; steps <= WAY.length; steps += 1) expect(upTo(steps).changedAt).toBe(NOON + steps * 1_000);
    expect(isFromFuture(upTo(1), NOON)).toBe(true);
    expect([isFromFuture(upTo(1), NOON + 1_000), isFromFuture(added, 0)]).toEqual([false, false]);
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
      { kind: 'attempt_failed', failure: 'other', detail: '', isOver: true },
      { kind: 'attempt_failed', failure: 'name_refused', detail: '', isOver: true },
      { kind: 'attempt_failed', failure: 'authority_unavailable', detail: '', isOver: false },
      { kind: 'certificate_seen', served: undefined, isDead: true, isDue: true },
      { kind: 'nothing_due' },
      { kind: 'edge_checked', serving: false },
      { kind: 'guard_failed', reason: 'plan' },
      { kind: 'certificate_renewed', certificate: 'd' },
      { kind: 'teardown_pending' },
      { kind: 'teardown_done' },
    ];
    // Two in three events lead towards live: otherwise few histories would reach that state.
    const event = fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom<Record<string, unknown>>(...WAY) },
      { weight: 5, arbitrary: fc.constantFrom<Record<string, unknown>>(...others) },
      { weight: 2, arbitrary: fc.constant<Record<string, unknown>>({ kind: 'dns_checked', diagnosis: BAD }) },
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
          // Work that is left is always ahead of it.
          const wake = nextCheckAt(next.state);
          expect(wake === undefined).toBe(['awaiting_dns', 'suspended', 'taken_over', 'removed'].includes(next.state.name));
          expect(wake ?? now).toBeLessThanOrEqual(now + LONGEST_WAIT_MS);
          expect(next.changedAt).toBe(now);
          const { lost: _, lastFailure: __, changedAt: ___, ...rest } = next;
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
