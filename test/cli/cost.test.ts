// `petstore cost`, as its users run it: without a data folder and without credentials.

import { expect, test } from 'vitest';
import { runCli } from '../support/processes.ts';

/** No command that opens a data folder starts with an empty name of one. */
const cost = (...args: string[]) => runCli('', ['cost', ...args]);

test('prints the bill by section, with its date, its region and what is not included', async () => {
  const { code, stdout, stderr } = await cost('--requests', '10M', '--domains', '1000', '--users', '500');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^ +QUANTITY +UNIT +UNIT PRICE +COST\n/);
  expect(stdout).toMatch(/\n {2}HTTP API +10 +million +1 +10\.00\n/);
  expect(stdout).toMatch(/\n {2}CloudFront: tenants above 200 +800 +tenant +0\.1 +80\.00\n/);
  for (const title of ['Without traffic', 'Catalogue', 'Custom domains', 'Dashboard', 'Total'])
    expect(stdout).toMatch(new RegExp(`\n${title} +[\\d.]+\n`));
  expect(stdout).toMatch(/list prices of us-east-1 on \d{4}-\d\d-\d\d\..*Not included:\n- free amounts/);
});

test('prints JSON with the usage that it assumed', async () => {
  const { stdout } = await cost('--requests', '2.5k', '--domains', '20', '--animals', '1M', '--profile', 'staging', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    currency: 'USD',
    total: expect.any(Number),
    usage: {
      profile: 'staging',
      edge: true,
      requests: 2_500,
      mix: { list: 0.6, get: 0.3, create: 0.1 },
      storageGb: 0.5,
      newDomains: 2,
      siteRequests: 200_000,
      siteGb: 10,
    },
    rows: expect.arrayContaining([expect.objectContaining({ section: 'fixed', what: 'Alarms', quantity: 56, unit: 'metric', unitPrice: 0.1 })]),
  });
});

test.each([
  [['--requests', '10X'], 2, /allowed: a number from 0 to 1000000G/],
  [['--requests', '-1'], 2, /allowed: a number/],
  [['--requests', '9999999G'], 2, /allowed: a number/],
  [['--mix', 'list=50,get=40'], 2, /allowed: percentages that add up to 100, of list, filter/],
  [['--mix', 'list=50,list=50'], 2, /allowed: percentages/],
  [['--mix', 'steal=100'], 2, /allowed: percentages/],
  [['--profile', 'dev'], 2, /Allowed choices are staging, production/],
  [['--animals', '1', '--storage-gb', '1'], 2, /cannot be used with option/],
  [['--no-edge', '--domains', '1'], 1, /has neither custom domains nor a dashboard/],
])('%j is refused with exit code %i', async (args, code, message) => {
  const finished = await cost(...args);
  expect(finished.stderr).toMatch(message);
  expect(finished.code).toBe(code);
});

test('a stage is refused, because the cost is not that of a deployed one', async () => {
  const { code, stderr } = await runCli('', ['--stage', 'staging', 'cost']);
  expect([code, stderr]).toEqual([1, expect.stringContaining("give the stage's --profile instead")]);
});
