// `petstore cost`, as its users run it: without a data folder and without credentials.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/processes.ts';

/** No command that opens a data folder starts with an empty name of one. */
const cost = (...args: string[]) => runCli('', ['cost', ...args]);

test('prints the bill, with its date, its region and what is not included', async () => {
  const { code, stdout, stderr } = await cost('--requests', '10M', '--domains', '1000', '--users', '500');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^ +QUANTITY +UNIT +UNIT PRICE +COST\n/);
  expect(stdout).toMatch(/\nCloudFront: tenants above 200 +800 +tenant +0\.1 +80\.00\n/);
  expect(stdout).toMatch(/\nTotal +[\d.]+\n/);
  expect(stdout).toMatch(/list prices of us-east-1 on \d{4}-\d\d-\d\d\. Not included: tax/);
});

test('shows defaults in its help in the form in which the options take them', async () => {
  const { code, stdout } = await cost('--help');
  expect(code).toBe(0);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain('at the list prices of us-east-1');
  expect(text).toContain('default: 10,000 per domain');
});

test('prints JSON with the usage that it assumed', async () => {
  const { stdout } = await cost('--requests', '2.5k', '--domains', '20', '--animals', '1M', '--alarms', '66', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    currency: 'USD',
    total: expect.any(Number),
    usage: { edge: true, requests: 2_500, animals: 1e6, siteRequests: 200_000, siteGb: 10, alarms: 66 },
    rows: expect.arrayContaining([{ what: 'Alarms', quantity: 66, unit: 'metric', unitPrice: 0.1, cost: expect.closeTo(6.6) }]),
  });
});

describe('docs/aws/costs.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/aws/costs.md'), 'utf8');
  const [, table = ''] = /\| a stage \| options of `cost` .*\n\| --- .*\n((?:\|.*\n)+)/.exec(page) ?? [];

  test.each(table.trim().split('\n'))('has the bill of the row %s', async (line) => {
    const [, options = '', total] = line
      .slice(2, -2)
      .split('|')
      .map((cell) => cell.trim());
    const { stdout } = await cost(...options.replaceAll('`', '').split(' ').filter(Boolean), '--json');
    expect(total).toBe(JSON.parse(stdout).total.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
  });
});

test.each([
  [['--requests', '10X'], 2, /allowed: a whole number from 0 to 1,000,000G/],
  [['--requests', '-1'], 2, /allowed: a whole number/],
  [['--requests', '9999999G'], 2, /allowed: a whole number/],
  [['--domains', '1.5'], 2, /allowed: a whole number/],
  [['--users', '1.0005K'], 2, /allowed: a whole number/],
  [['--site-gb', '10X'], 2, /allowed: a number from 0 to 1,000,000G, such as 1000, 2\.5K, 10M or 3G/],
  [['--no-edge', '--domains', '1'], 2, /has neither custom domains nor a dashboard/],
])('%j is refused with exit code %i', async (args, code, message) => {
  const finished = await cost(...args);
  expect(finished.stderr).toMatch(message);
  expect(finished.code).toBe(code);
});

test('a stage is refused, because the cost is not that of a deployed one', async () => {
  const { code, stderr } = await runCli('', ['--stage', 'staging', 'cost']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('the cost is computed for any stage')]);
});
