// Domains on AWS that are live: for a year and more, while Amazon renews their certificates or can't, and while parts of them are lost.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AwsLife, AwsWorld, DAY_MS, HOUR_MS, LIFE_DAYS, MINUTE_MS, RENEWAL_DAYS, WAYS, type Way } from '../../support/lives/aws-world.ts';
import type { MemoryCertificate } from '../../support/memory-aws/account.ts';

/** Of certificates in most tests, for speed. */
const SHORT_DAYS = 180;

let world: AwsWorld;

beforeEach(() => {
  world = new AwsWorld();
});
afterEach(() => {
  world.close();
  expect(world.aws.refused).toEqual([]);
});

async function begunAndLive(way: Way): Promise<AwsLife> {
  const life = await world.begin(way);
  await world.pass(HOUR_MS);
  await expectHealthy(life);
  return life;
}

async function expectHealthy(life: AwsLife): Promise<void> {
  const { state, lastFailure, advice } = await life.view();
  expect([state, lastFailure, advice, life.isValid()]).toEqual(['live', null, null, true]);
  expect(life.certificates().map(({ Status }) => Status)).toEqual(['ISSUED']);
}

/** Watches that a domain is never said to be live for longer than this while visitors are warned. */
function watch(life: AwsLife, milliseconds: number): () => readonly string[] {
  const lies: string[] = [];
  let deadSince: number | undefined;
  world.afterMove = async () => {
    const { state } = await life.domain();
    if (life.isValid() || state.name !== 'live') deadSince = undefined;
    else deadSince ??= world.clock.now;
    if (deadSince !== undefined && world.clock.now - deadSince > milliseconds) lies.push(new Date(world.clock.now).toISOString());
  };
  return () => lies;
}

describe.each(WAYS)('a live domain whose certificate is %s', (way) => {
  test('stays so for years, and nobody hears of it', async () => {
    const life = await begunAndLive(way);
    await world.pass(3 * LIFE_DAYS * DAY_MS);
    await expectHealthy(life);
    expect([await life.told(), world.lines, world.faults, world.overdue]).toEqual([['domain_live'], [], [], 0]);
    // Its record is looked at once a day, and little else is done.
    expect(world.sweeps).toBeLessThan(3 * LIFE_DAYS + 20);
  });
});

test.each(WAYS)('a certificate that came from one machine is replaced in the first days, while visitors are served (%s)', async (way) => {
  const life = await begunAndLive(way);
  const arn = await world.bringCertificate(life);
  const lies = watch(life, 0);
  await world.pass(2 * DAY_MS);
  await expectHealthy(life);
  expect(life.certificates().map(({ CertificateArn }) => CertificateArn)).not.toContain(arn);
  await world.pass(2 * LIFE_DAYS * DAY_MS);
  await expectHealthy(life);
  expect([lies(), await life.told(), world.faults]).toEqual([[], ['domain_live'], []]);
});

const PROBLEMS = [
  ['PENDING_VALIDATION', undefined, 'validation'],
  ['FAILED', 'CAA_ERROR', 'caa'],
  ['FAILED', 'DOMAIN_NOT_ALLOWED', 'name_refused'],
  ['FAILED', 'OTHER', 'other'],
] as const;

describe.each(WAYS.flatMap((way) => PROBLEMS.map((problem) => [way, ...problem] as const)))(
  '%s: a renewal that is %s (%s)',
  (way, status, reason, code) => {
    const renewal = (): MemoryCertificate['renewal'] => ({
      RenewalStatus: status,
      ...(reason !== undefined && { RenewalStatusReason: reason }),
      DomainValidationOptions: [],
      UpdatedAt: new Date(0),
    });

    test('is shown, told at half of the time, and made up for by Amazon', async () => {
      world.lifeDays = SHORT_DAYS;
      const life = await begunAndLive(way);
      world.renewalProblem = renewal;
      await world.pass((SHORT_DAYS - RENEWAL_DAYS + 20) * DAY_MS);
      const { state, lastFailure, advice } = await life.view();
      const actor = code === 'other' ? 'platform' : 'nobody';
      expect([state, lastFailure?.code, lastFailure?.actor, advice?.code, advice?.actor]).toEqual(['live', code, actor, 'renewal_late', actor]);
      expect(advice?.seen).toContain('the certificate is valid until');
      expect(await life.told()).toEqual(['domain_live']);
      expect(world.overdue).toBe(0);
      expect(world.lines.filter((line) => line.startsWith(`www.shop.dev: its certificate could not be renewed (${code}: `)).length).toBeGreaterThan(
        2,
      );
      await world.pass(12 * DAY_MS);
      expect(await life.told()).toEqual(['domain_live', 'certificate_late']);
      expect(world.overdue).toBeGreaterThan(0);
      world.renewalProblem = () => undefined;
      await world.pass(8 * DAY_MS);
      await expectHealthy(life);
      // “has its new certificate”
      expect(await life.told()).toEqual(['domain_live', 'certificate_late', 'domain_live']);
      expect(world.faults).toEqual([]);
    });

    test('until the end, is a certificate that has expired, and is replaced once that is possible', async () => {
      world.lifeDays = SHORT_DAYS;
      const life = await begunAndLive(way);
      const lies = watch(life, 5 * MINUTE_MS);
      world.renewalProblem = renewal;
      await world.pass((SHORT_DAYS - 1) * DAY_MS);
      expect(await life.view()).toMatchObject({ state: 'live' });
      world.aws.validates = false;
      await world.pass(5 * DAY_MS);
      const { state, lastFailure, advice } = await life.view();
      expect([state, lastFailure?.actor, advice?.code, advice?.actor]).toEqual(['certificate_expired', 'nobody', 'certificate_expired', 'nobody']);
      expect(await life.told()).toEqual(['domain_live', 'certificate_late', 'certificate_expired']);
      expect(life.isValid()).toBe(false);
      world.aws.validates = true;
      world.renewalProblem = () => undefined;
      await world.pass(7 * HOUR_MS);
      await expectHealthy(life);
      // “works again”
      expect(await life.told()).toEqual(['domain_live', 'certificate_late', 'certificate_expired', 'domain_live']);
      expect([lies(), world.faults]).toEqual([[], []]);
    });
  },
);

describe.each(WAYS)('%s', (way) => {
  test('a certificate that has ended, which ACM does not know yet, is not taken for a new one', async () => {
    world.lifeDays = SHORT_DAYS;
    const life = await begunAndLive(way);
    const until = world.clock.now + (SHORT_DAYS + 2) * DAY_MS;
    world.renewalProblem = () => ({ RenewalStatus: 'PENDING_VALIDATION', DomainValidationOptions: [], UpdatedAt: new Date(0) });
    world.onMove = () => {
      for (const each of life.certificates()) if (each.Status === 'EXPIRED' && world.clock.now < until) each.Status = 'ISSUED';
    };
    const lies = watch(life, 5 * MINUTE_MS);
    await world.pass(SHORT_DAYS * DAY_MS);
    const sweepsBefore = world.sweeps;
    await world.pass(DAY_MS);
    // Our own request has replaced it, or Amazon still gives the old one: then another attempt follows, but not in a circle.
    expect([(await life.view()).state, life.isValid()]).toEqual(way === 'zoned' ? ['live', true] : ['certificate_expired', false]);
    if (way === 'managed') expect(await life.view()).toMatchObject({ lastFailure: { code: 'other', actor: 'platform' } });
    expect(world.sweeps - sweepsBefore).toBeLessThan(48);
    world.renewalProblem = () => undefined;
    await world.pass(2 * DAY_MS);
    await expectHealthy(life);
    expect([lies(), world.faults]).toEqual([[], []]);
  });

  test('while ACM gives no answer, nothing is said of a certificate that is not due; a late one is, and one that ends meanwhile', async () => {
    world.lifeDays = SHORT_DAYS;
    const life = await begunAndLive(way);
    world.renewalProblem = () => ({ RenewalStatus: 'PENDING_VALIDATION', DomainValidationOptions: [], UpdatedAt: new Date(0) });
    world.aws.play = (operation) => (operation === 'DescribeCertificate' ? 'failed' : undefined);
    await world.pass((SHORT_DAYS - 31) * DAY_MS);
    const { state, lastFailure, advice, recordSeenAt } = { recordSeenAt: await recordCheckOf(life), ...(await life.view()) };
    expect([state, lastFailure, advice, await life.told()]).toEqual(['live', null, null, ['domain_live']]);
    // Operators hear of it once a day, and the record is looked at all the same.
    expect(world.lines.length).toBeGreaterThan(SHORT_DAYS - 34);
    expect(world.sweeps).toBeLessThan(SHORT_DAYS);
    expect(recordSeenAt).toBeGreaterThan(world.clock.now);
    await world.pass(20 * DAY_MS);
    expect(await life.view()).toMatchObject({
      state: 'live',
      lastFailure: { code: 'authority_unavailable', actor: 'nobody' },
      advice: { code: 'renewal_late' },
    });
    expect(await life.told()).toEqual(['domain_live', 'certificate_late']);
    await world.pass(12 * DAY_MS);
    expect(await life.view()).toMatchObject({ state: 'certificate_expired', advice: { code: 'certificate_expired', actor: 'nobody' } });
    world.aws.play = () => undefined;
    await world.pass(7 * HOUR_MS);
    await expectHealthy(life);
    expect(await life.told()).toEqual(['domain_live', 'certificate_late', 'certificate_expired', 'domain_live']);
    expect(world.faults).toEqual([]);
  });
});

const recordCheckOf = async ({ domain }: AwsLife): Promise<number | undefined> => {
  const { state } = await domain();
  return 'recordCheckAt' in state ? state.recordCheckAt : undefined;
};
