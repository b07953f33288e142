// A name moves from another distribution of the AWS account to its domain's tenant, while visitors go on being served.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AwsLife, AwsWorld, DAY_MS, HOUR_MS, WAYS, type Way } from '../../support/lives/aws-world.ts';
import { FAULTS, named } from '../../support/memory-aws/account.ts';

const HOST = 'www.shop.dev';
const PLACEHOLDER = `placeholder.${HOST}`;

let world: AwsWorld;

beforeEach(() => {
  world = new AwsWorld();
});
afterEach(() => {
  world.close();
});

/** A domain whose name another distribution has. */
async function refusedLife(way: Way): Promise<AwsLife> {
  world.aws.takenHere = HOST;
  const life = await world.begin(way);
  await world.pass(HOUR_MS);
  return life;
}

function certificate(names = [HOST, PLACEHOLDER], Status: 'ISSUED' | 'PENDING_VALIDATION' = 'ISSUED'): string {
  const [DomainName = ''] = names;
  const arn = world.aws.addCertificate({ DomainName, names, ManagedBy: undefined, Tags: [], token: undefined, listedFrom: 0 });
  Object.assign(world.aws.certificates.get(arn) ?? {}, { Status, life: world.aws.life });
  return arn;
}

/** Whether a visitor gets the site, of either distribution. */
function isServed(life: AwsLife): boolean {
  return world.aws.takenHere === HOST || (life.tenant()?.Enabled === true && world.aws.keys.has(HOST));
}

test.each(WAYS)('%s: a name that this account uses elsewhere moves without a moment in which nobody serves it', async (way) => {
  const life = await refusedLife(way);
  expect((await life.domain()).lastFailure?.failure).toBe('name_in_use_here');
  const unserved: string[] = [];
  world.aws.play = (operation) => {
    if (!isServed(life)) unserved.push(operation);
    return undefined;
  };
  const arn = certificate();
  const { moved, steps } = await world.moveName(life, arn);
  expect([moved, steps.length]).toEqual([true, 5]);
  expect(world.aws.log.lastIndexOf('UpdateKeys')).toBeLessThan(world.aws.log.lastIndexOf('UpdateDomainAssociation'));
  await world.pass(DAY_MS);
  expect([unserved, (await life.domain()).state.name, life.isValid()]).toEqual([[], 'live', true]);
  // It has a certificate of its own by now, and the placeholder is gone.
  expect(life.tenant()?.Domains.map(({ Domain }) => Domain)).toEqual([HOST]);
  expect(life.tenant()?.Customizations?.Certificate?.Arn).not.toBe(arn);
  expect([world.aws.tenants.size, world.aws.refused, world.faults]).toEqual([1, [], []]);
  expect(await world.moveName(life, arn)).toEqual({ moved: false, steps: [] });
});

const CALLS = [
  'GetDistributionTenant',
  'DescribeCertificate',
  'CreateDistributionTenant',
  'ListDomainConflicts',
  'UpdateKeys',
  'UpdateDomainAssociation',
];

test.each(CALLS)('goes on where it stopped if %s fails', async (call) => {
  for (const fault of FAULTS) {
    world.close();
    world = new AwsWorld();
    const life = await refusedLife('zoned');
    const arn = certificate();
    let played = 0;
    world.aws.play = (operation) => {
      if (operation !== call || played > 0) return undefined;
      played += 1;
      return fault;
    };
    await world.moveName(life, arn).catch(() => {});
    expect([fault, played, isServed(life)]).toEqual([fault, 1, true]);
    await world.moveName(life, arn);
    await world.pass(DAY_MS);
    expect([fault, (await life.domain()).state.name, world.aws.tenants.size]).toEqual([fault, 'live', 1]);
  }
});

test('what AWS refuses leaves the name where it is', async () => {
  const life = await refusedLife('managed');
  const arn = certificate();
  world.aws.play = (operation) => (operation === 'UpdateDomainAssociation' ? named('IllegalUpdate', 'disable the source first') : undefined);
  await expect(world.moveName(life, arn)).rejects.toThrow('disable the source first');
  expect(world.aws.takenHere).toBe(HOST);
});

test.each([
  ['is not issued yet', () => certificate(undefined, 'PENDING_VALIDATION'), /is PENDING_VALIDATION; allowed: ISSUED/],
  ['is for another name', () => certificate(['shop.dev', '*.eu.shop.dev']), /covers shop\.dev, \*\.eu\.shop\.dev, but not www\.shop\.dev/],
  ['has no second name', () => certificate([HOST]), /it has to cover a second name, such as placeholder\.www\.shop\.dev/],
])('a certificate that %s is refused before anything is made', async (_, made, message) => {
  const life = await refusedLife('managed');
  await expect(world.moveName(life, made())).rejects.toThrow(message);
  expect(world.aws.tenants.size).toBe(0);
});

test('a name that nothing else has is not moved', async () => {
  const life = await refusedLife('managed');
  const arn = certificate(['*.shop.dev', HOST]);
  world.aws.takenHere = undefined;
  await expect(world.moveName(life, arn)).rejects.toThrow('nothing at CloudFront has exactly this name');
  expect([...world.aws.tenants.values()].map(({ Domains }) => Domains[0]?.Domain)).toEqual(['petstore-placeholder.shop.dev']);
});
