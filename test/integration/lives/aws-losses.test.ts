// Domains on AWS that lose what they are served with: their certificate is revoked or deleted, or their tenant is, at any time; and an edge that is slow.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AwsLife, AwsWorld, DAY_MS, HOUR_MS, MINUTE_MS, WAYS, type Way } from '../../support/lives/aws-world.ts';

let world: AwsWorld;

beforeEach(() => {
  world = new AwsWorld();
});
afterEach(() => {
  world.close();
  expect([world.faults, world.aws.refused]).toEqual([[], []]);
});

async function expectHealthy(life: AwsLife): Promise<void> {
  const { state, lastFailure, advice } = await life.view();
  expect([state, lastFailure, advice, life.isValid()]).toEqual(['live', null, null, true]);
  expect(life.certificates().map(({ Status }) => Status)).toEqual(['ISSUED']);
}

/** Watches for how long a domain was said to be live while visitors were warned, in milliseconds. */
function watch(life: AwsLife): () => number {
  let longest = 0;
  let deadSince: number | undefined;
  world.afterMove = async () => {
    const isLie = !life.isValid() && (await life.domain()).state.name === 'live';
    deadSince = isLie ? (deadSince ?? world.clock.now) : undefined;
    longest = Math.max(longest, world.clock.now - (deadSince ?? world.clock.now));
  };
  return () => longest;
}

const endsAs = (Status: 'REVOKED' | 'INACTIVE') => (life: AwsLife) => {
  for (const certificate of life.certificates()) certificate.Status = Status;
};
const LOSSES: Readonly<Record<string, (life: AwsLife) => void>> = {
  'is revoked': endsAs('REVOKED'),
  'is inactive': endsAs('INACTIVE'),
  'is gone': ({ certificates }) => {
    for (const { CertificateArn } of certificates()) world.aws.certificates.delete(CertificateArn);
  },
  'has lost its tenant': ({ tenant }) => void world.aws.tenants.delete(tenant()?.Name ?? ''),
  'has a disabled tenant': ({ tenant }) => void Object.assign(tenant() ?? {}, { Enabled: false }),
};
const CASES = WAYS.flatMap((way) => Object.keys(LOSSES).map((loss) => [way, loss] as const));
/** Where only the tenant has to be mended: the certificate is still there. */
const keepsCertificate = (way: Way, loss: string) => loss.includes('disabled') || (way === 'zoned' && loss.includes('tenant'));

describe.each(CASES)('%s: a certificate that %s', (way, loss) => {
  test('while it is live is replaced by itself, and is said to be live for a day at most', async () => {
    const life = await world.begin(way);
    const lie = watch(life);
    await world.pass(120 * DAY_MS);
    LOSSES[loss]?.(life);
    expect(life.isValid()).toBe(false);
    await world.pass(DAY_MS + HOUR_MS);
    await expectHealthy(life);
    const isMended = keepsCertificate(way, loss);
    expect(await life.told()).toEqual(['domain_live', ...(isMended ? [] : ['certificate_expired', 'domain_live'])]);
    // The operator hears of what somebody has done to the edge.
    expect(world.lines.some((line) => line.includes('the edge did not serve it with its certificate; attached again'))).toBe(isMended);
    expect(lie()).toBeLessThanOrEqual(DAY_MS);
    expect(world.aws.requested).toBe(isMended ? 1 : 2);
  });

  test('while it is live and is not issued again for a week is said to be none, and replaced in the end', async () => {
    const life = await world.begin(way);
    await world.pass(20 * DAY_MS);
    LOSSES[loss]?.(life);
    world.aws.validates = false;
    await world.pass(7 * DAY_MS);
    if (keepsCertificate(way, loss)) return expectHealthy(life);
    const { state, lastFailure, advice } = await life.view();
    expect([state, lastFailure?.code, advice?.code, advice?.actor]).toEqual(['certificate_expired', 'timed_out', 'certificate_expired', 'nobody']);
    expect(await life.told()).toEqual(['domain_live', 'certificate_expired']);
    expect(world.lines.filter((line) => line.includes('its certificate could not be renewed (timed_out: '))).toHaveLength(2);
    world.aws.validates = true;
    const lie = watch(life);
    await world.pass(6 * HOUR_MS);
    await expectHealthy(life);
    expect([(await life.told()).at(-1), lie()]).toEqual(['domain_live', 0]);
  });

  test('while the edge loads it is replaced by itself', async () => {
    const life = await world.begin(way);
    let lost = false;
    world.onMove = () => {
      if (lost || ![...life.certificates()].some(({ Status }) => Status === 'ISSUED') || life.tenant() === undefined) return;
      lost = true;
      LOSSES[loss]?.(life);
    };
    await world.pass(DAY_MS + 2 * HOUR_MS);
    expect(lost).toBe(true);
    const { state, lastFailure } = await life.view();
    expect([state, lastFailure, life.isValid()]).toEqual(['live', null, true]);
  });
});

describe.each(CASES.filter(([, loss]) => !loss.includes('disabled')))('%s: a certificate that %s', (way, loss) => {
  test('before the edge accepts it is replaced by itself', async () => {
    const life = await world.begin(way);
    const until = world.clock.now + 30 * MINUTE_MS;
    world.aws.play = (operation) => {
      const isIssued = life.certificates().some(({ Status }) => Status === 'ISSUED');
      return isIssued && world.clock.now < until && /^(Create|Update)DistributionTenant$/.test(operation) ? 'failed' : undefined;
    };
    await world.pass(20 * MINUTE_MS);
    expect(await life.view()).toMatchObject({ state: 'attaching', lastFailure: { code: 'edge_not_ready', actor: 'platform' } });
    LOSSES[loss]?.(life);
    await world.pass(3 * HOUR_MS);
    const { state, lastFailure } = await life.view();
    expect([state, lastFailure, life.isValid()]).toEqual(['live', null, true]);
  });
});

describe.each(WAYS)('%s', (way) => {
  test.each(['the authority', 'the edge'])('a failure of %s that is over is no longer shown while the edge loads the certificate', async (whose) => {
    const life = await world.begin(way);
    const until = world.clock.now + 5 * MINUTE_MS;
    world.aws.failureReason = whose === 'the edge' ? undefined : 'CAA_ERROR';
    const attaching = `${way === 'managed' ? 'Update' : 'Create'}DistributionTenant`;
    world.aws.play = (operation) => (whose === 'the edge' && operation === attaching && world.clock.now < until ? 'failed' : undefined);
    await world.pass(5 * MINUTE_MS);
    expect((await life.view()).lastFailure?.code).toBe(whose === 'the edge' ? 'edge_not_ready' : 'caa');
    world.aws.failureReason = undefined;
    world.onMove = () => void Object.assign(life.tenant() ?? {}, { settling: 9 });
    await world.pass(25 * MINUTE_MS);
    expect(await life.view()).toMatchObject({ state: 'attaching', lastFailure: null, advice: { code: 'attaching', actor: 'nobody' } });
  });

  test('an edge that does not serve a domain for three hours is the platform’s, and the domain live after it', async () => {
    const life = await world.begin(way);
    const until = world.clock.now + 3 * HOUR_MS;
    world.onMove = () => void Object.assign(life.tenant() ?? {}, { settling: world.clock.now < until ? 9 : 0 });
    await world.pass(HOUR_MS);
    expect(await life.view()).toMatchObject({ state: 'attaching', lastFailure: null, advice: { code: 'attaching', actor: 'nobody' } });
    await world.pass(100 * MINUTE_MS);
    const { state, lastFailure, advice } = await life.view();
    expect([state, lastFailure?.code, lastFailure?.actor, advice?.actor]).toEqual(['attaching', 'edge_not_ready', 'platform', 'platform']);
    expect(Date.parse(lastFailure?.nextTryAt ?? '')).toBeGreaterThan(world.clock.now);
    expect(world.lines.some((line) => line.startsWith('www.shop.dev: not served yet (edge_not_ready: '))).toBe(true);
    await world.pass(HOUR_MS);
    await expectHealthy(life);
    expect(await life.told()).toEqual(['domain_live']);
  });

  test('an edge that is slow to load a new certificate keeps the domain from being said to be live', async () => {
    const life = await world.begin(way);
    await world.pass(20 * DAY_MS);
    LOSSES['is revoked']?.(life);
    const until = world.clock.now + 5 * HOUR_MS;
    world.onMove = () => void Object.assign(life.tenant() ?? {}, { settling: world.clock.now < until ? 9 : 0 });
    await world.pass(4 * HOUR_MS);
    // ACM has issued another one.
    expect(life.certificates().map(({ Status }) => Status)).toContain('ISSUED');
    expect(await life.view()).toMatchObject({ state: 'certificate_expired' });
    await world.pass(3 * HOUR_MS);
    await expectHealthy(life);
  });
});
