// `petstore cost`, as its users run it: without a data folder and without credentials.

import { expect, test } from 'vitest';
import { runCli } from '../support/processes.ts';

/** No command that opens a data folder starts with an empty name of one. */
const cost = (...args: string[]) => runCli('', ['cost', ...args]);

test('prints the bill by section, with its date, its region and what is not included', async () => {
  const { code, stdout, stderr } = await cost('--requests', '10M', '--domains', '1000', '--users', '500');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/\n +QUANTITY +UNIT +UNIT PRICE +COST\n/);
  expect(stdout).toMatch(/\n {2}HTTP API +10 +million +1 +10\.00\n/);
  expect(stdout).toMatch(/\n {2}CloudFront: tenants above 200 +800 +tenant +0\.1 +80\.00\n/);
  for (const title of ['Without traffic', 'Catalogue', 'Custom domains', 'Dashboard', 'Total'])
    expect(stdout).toMatch(new RegExp(`\n${title} +[\\d.]+\n`));
  expect(stdout).toMatch(/list prices of us-east-1 on \d{4}-\d\d-\d\d\..*Not included:\n- free amounts/);
});

test.each([
  [
    ['--requests', '10M', '--domains', '1000'],
    'production, with an edge name; 10,000,000 requests (list 60%, get 30%, create 10%, 15 ms); 1,000 domains, 100 new (assumed); 10,000,000 visitor requests, 500 GB (assumed)',
  ],
  [
    ['--domains', '15', '--new-domains', '3', '--site-requests', '1M', '--users', '2K'],
    'production, with an edge name; no requests; 15 domains, 3 new; 1,000,000 visitor requests, 50 GB (assumed); 2,000 users of the dashboard',
  ],
  [
    ['--profile', 'staging', '--no-edge', '--requests', '1', '--mix', 'get=99.5,unknown=0.5', '--ms', '2.5', '--animals', '1M'],
    'staging, without an edge name; 1 request (get 99.5%, unknown 0.5%, 2.5 ms); 0.5 GB in the tables',
  ],
])('%j: says in the first line what the bill is for', async (args, line) => {
  const { stdout } = await cost(...args);
  expect(stdout.split('\n').slice(0, 2)).toEqual([line, '']);
});

test('shows defaults in its help in the form in which the options take them', async () => {
  const { code, stdout } = await cost('--help');
  expect(code).toBe(0);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('at the list prices of us-east-1');
  expect(text).toContain('(default: list=60,get=30,create=10)');
  expect(text).toContain('default: 10% of --domains');
  expect(text).toContain('default: 10,000 per domain');
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
    rows: expect.arrayContaining([expect.objectContaining({ section: 'fixed', what: 'Alarms', quantity: 66, unit: 'metric', unitPrice: 0.1 })]),
  });
});

test.each([
  [['--requests', '10X'], 2, /allowed: a whole number from 0 to 1,000,000G/],
  [['--requests', '-1'], 2, /allowed: a whole number/],
  [['--requests', '9999999G'], 2, /allowed: a whole number/],
  [['--domains', '1.5'], 2, /allowed: a whole number/],
  [['--users', '1.0005K'], 2, /allowed: a whole number/],
  [['--site-gb', '10X'], 2, /allowed: a number from 0 to 1,000,000G, such as 1000, 2\.5K, 10M or 3G/],
  [['--ms', '10001'], 2, /allowed: a number from 0 to 10,000, the function's time limit/],
  [['--mix', 'list=50,get=40'], 2, /allowed: percentages that add up to 100, of list, filter/],
  [['--mix', 'list=50,list=50'], 2, /allowed: percentages/],
  [['--mix', 'steal=100'], 2, /allowed: percentages/],
  [['--profile', 'dev'], 2, /Allowed choices are staging, production/],
  [['--animals', '1', '--storage-gb', '1'], 2, /cannot be used with option/],
  [['--no-edge', '--domains', '1'], 2, /has neither custom domains nor a dashboard/],
])('%j is refused with exit code %i', async (args, code, message) => {
  const finished = await cost(...args);
  expect(finished.stderr).toMatch(message);
  expect(finished.code).toBe(code);
});

test('a stage is refused, because the cost is not that of a deployed one', async () => {
  const { code, stderr } = await runCli('', ['--stage', 'staging', 'cost']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("give the stage's --profile instead")]);
});
