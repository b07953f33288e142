// First certificates on AWS that do not come at once, because a service fails for a while. Nobody clicks.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AwsLife, AwsWorld, DAY_MS, HOUR_MS, MINUTE_MS, WAYS, type Way } from '../../support/lives/aws-world.ts';
import { FAULTS, named } from '../../support/memory-aws/account.ts';

let world: AwsWorld;

beforeEach(() => {
  world = new AwsWorld();
});
afterEach(() => {
  world.close();
});

/** A domain is live, with one certificate, and nothing is left to say. */
async function expectLive(life: AwsLife): Promise<void> {
  const { state, lastFailure } = await life.domain();
  expect([state.name, lastFailure, life.isValid()]).toEqual(['live', undefined, true]);
  expect(life.certificates().map(({ Status }) => Status)).toEqual(['ISSUED']);
  expect(world.aws.tenants.size).toBe(1);
  expect((await life.told()).at(-1)).toBe('domain_live');
  expect(world.aws.refused).toEqual([]);
}

/** Calls of a first certificate that no fault meets. */
async function callsOf(way: Way): Promise<readonly string[]> {
  const clean = new AwsWorld();
  await clean.begin(way);
  await clean.pass(HOUR_MS);
  clean.close();
  return [...new Set(clean.aws.log)].filter((operation) => operation !== 'StartExecution');
}

const CALLS = (await Promise.all(WAYS.map(async (way) => (await callsOf(way)).map((operation) => [way, operation] as const)))).flat();
const PASSING = FAULTS.filter((fault) => fault !== 'answered twice');
/** What AWS has done counts, even if its answer is lost. */
const DONE_ALL_THE_SAME = /^(Create|Update|Request)/;

describe('a first certificate', () => {
  test.each(CALLS)('%s comes by itself if %s has failed for two hours, and its owner knows why it took so long', async (way, operation) => {
    expect(CALLS.length).toBeGreaterThan(18);
    for (const fault of PASSING) {
      world.close();
      world = new AwsWorld();
      const life = await world.begin(way);
      const until = world.clock.now + 2 * HOUR_MS;
      world.aws.play = (called) => (called === operation && world.clock.now < until ? fault : undefined);
      await world.pass(100 * MINUTE_MS);
      const { state, lastFailure, advice } = await life.view();
      if (!(fault === 'timed out' && DONE_ALL_THE_SAME.test(operation))) {
        const isOfEdge = state === 'attaching';
        expect([fault, state]).toEqual([fault, isOfEdge ? 'attaching' : 'certificate_pending']);
        expect([fault, lastFailure?.code]).toEqual([fault, isOfEdge ? 'edge_not_ready' : 'authority_unavailable']);
        expect([fault, advice?.actor]).toEqual([fault, isOfEdge ? 'platform' : 'nobody']);
        expect(advice?.fix).toContain('nothing: we will try again at');
        // No later than half an hour after the last one.
        expect(Date.parse(lastFailure?.nextTryAt ?? '')).toBeGreaterThan(world.clock.now);
        expect(
          world.lines.filter((line) => line.startsWith(`www.shop.dev: ${isOfEdge ? 'not served' : 'no certificate'} yet (`)).length,
        ).toBeGreaterThan(4);
        // One attempt at a time.
        const attempts = world.linesAt.filter((_, index) => world.lines[index]?.includes(' yet ('));
        expect(new Set(attempts).size).toBe(attempts.length);
        if (!isOfEdge) expect(await life.told()).toEqual(['certificate_late']);
      }
      await world.pass(HOUR_MS);
      await expectLive(life);
      expect(world.faults).toEqual([]);
    }
  });

  const FAILURES = [
    ['FAILED', 'CAA_ERROR', 'caa'],
    ['FAILED', 'DOMAIN_VALIDATION_DENIED', 'name_refused'],
    ['FAILED', 'DOMAIN_NOT_ALLOWED', 'name_refused'],
    ['FAILED', 'INVALID_PUBLIC_DOMAIN', 'name_refused'],
    ['FAILED', 'ADDITIONAL_VERIFICATION_REQUIRED', 'name_refused'],
    ['FAILED', 'NO_AVAILABLE_CONTACTS', 'other'],
    ['FAILED', 'OTHER', 'other'],
    ['FAILED', undefined, 'other'],
    ['INACTIVE', undefined, 'other'],
    ['EXPIRED', undefined, 'other'],
    ['REVOKED', undefined, 'other'],
  ] as const;

  test.each(WAYS.flatMap((way) => FAILURES.map((failure) => [way, ...failure] as const)))(
    '%s that is %s (%s) is requested again, and the failed one deleted',
    async (way, status, reason, failure) => {
      const life = await world.begin(way);
      let failed = 0;
      world.onMove = () => {
        for (const certificate of life.certificates()) {
          if (failed > 0 || certificate.Status !== 'PENDING_VALIDATION') continue;
          Object.assign(certificate, { Status: status, FailureReason: reason });
          failed += 1;
        }
      };
      await world.pass(10 * MINUTE_MS);
      const { lastFailure, advice } = await life.view();
      if (failure !== 'other') expect([failed, lastFailure?.code, lastFailure?.actor, advice?.actor]).toEqual([1, failure, 'nobody', 'nobody']);
      expect(world.lines.filter((line) => line.includes(`no certificate yet (${failure}: `))).toHaveLength(1);
      await world.pass(2 * HOUR_MS);
      await expectLive(life);
      expect(world.aws.requested).toBe(2);
    },
  );

  test.each(WAYS)('%s that is not validated within 72 hours is requested again until it is', async (way) => {
    const life = await world.begin(way);
    world.aws.validates = false;
    await world.pass(9 * DAY_MS);
    const { state, lastFailure, advice } = await life.view();
    expect([state, lastFailure?.code, advice?.code, advice?.actor]).toEqual(['certificate_pending', 'timed_out', 'certificate_late', 'nobody']);
    expect(await life.told()).toEqual(['certificate_late']);
    world.aws.validates = true;
    await world.pass(4 * HOUR_MS);
    await expectLive(life);
  });

  test.each(WAYS)('%s of a name that Amazon refuses is the owner’s to know, asked for all the same, and leaves nothing behind', async (way) => {
    world.aws.failureReason = 'DOMAIN_NOT_ALLOWED';
    const life = await world.begin(way);
    await world.pass(120 * DAY_MS);
    const { state, advice } = await life.view();
    expect([state, advice?.code, advice?.actor]).toEqual(['certificate_failed', 'certificate_refused', 'owner']);
    expect((await life.told()).filter((kind) => kind === 'domain_failed')).toHaveLength(1);
    // ACM allows only so many.
    expect(life.certificates().length).toBeLessThanOrEqual(1);
    world.aws.failureReason = undefined;
    await world.pass(8 * DAY_MS);
    await expectLive(life);
  });

  test.each([
    ['managed', 'CreateDistributionTenant', 'EntityLimitExceeded'],
    ['managed', 'CreateDistributionTenant', 'AccessDenied'],
    ['managed', 'GetDistributionTenant', 'AccessDenied'],
    ['zoned', 'RequestCertificate', 'LimitExceededException'],
    ['zoned', 'RequestCertificate', 'AccessDeniedException'],
  ] as const)('%s waits for the operator if %s answers %s, for as long as it takes', async (way, operation, refusal) => {
    const life = await world.begin(way);
    const text = 'User: arn:aws:sts::123456789012:assumed-role/step is at its limit';
    world.aws.play = (called) => (called === operation ? named(refusal, text) : undefined);
    await world.pass(20 * DAY_MS);
    const { state, lastFailure, advice } = await life.view();
    expect([state, lastFailure?.code, lastFailure?.actor, advice?.actor]).toEqual(['certificate_pending', 'account', 'platform', 'platform']);
    expect(await life.told()).toEqual(['certificate_late']);
    // AWS's words are for the operator.
    expect(world.lines.some((line) => line.includes(text))).toBe(true);
    if (refusal.startsWith('AccessDenied')) expect(advice?.seen).not.toContain('arn:');
    world.aws.play = () => undefined;
    await world.pass(2 * HOUR_MS);
    await expectLive(life);
  });
});
