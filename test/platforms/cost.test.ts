// What docs/aws/costs.md says about costs, and docs/reference/ceilings.md about the edge map's ceiling.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { DEPLOYMENT_ID_PREFIX, ID_LENGTH, PROJECT_ID_PREFIX } from '../../core/projects/project.ts';
import { billOf, IDLE, visitorsUsd } from '../../platforms/aws/cost.ts';
import { currentOf, sampleProject } from '../../testing/projects.ts';
import { STORE_ARN } from '../support/memory-aws/key-value-store.ts';
import { MemoryAws } from '../support/memory-aws.ts';

const COSTS = readFileSync(join(import.meta.dirname, '../../docs/aws/costs.md'), 'utf8');
const CEILINGS = readFileSync(join(import.meta.dirname, '../../docs/reference/ceilings.md'), 'utf8');
const USED = { ...IDLE, requests: 10e6, animals: 1e6, domains: 1_000, siteRequests: 10e6, siteGb: 500, users: 500 };
/** The price of a line of the bill. */
const priceOf = (what: string) => billOf(USED).rows.find((row) => row.what === what)?.unitPrice ?? Number.NaN;
const [API, CALLS, GB_SECONDS, LOGS] = ['API Gateway: requests', 'Lambda: calls', 'Lambda: duration', 'CloudWatch: logs written'].map(priceOf) as [
  number,
  number,
  number,
  number,
];
const [WRITES, READS, TRACES, OBJECTS] = ['DynamoDB: write units', 'DynamoDB: read units', 'X-Ray: traces', 'S3: reads'].map(priceOf) as [
  number,
  number,
  number,
  number,
];

describe('docs/aws/costs.md', () => {
  const [, table = ''] = /\| operation \| read units .*\n\| --- .*\n((?:\|.*\n)+)/.exec(COSTS) ?? [];

  test.each(table.trim().split('\n'))('the cost in the row %s is that of its units at 15 ms', (line) => {
    const [label = '', reads = '', writes = '', cost] = line.slice(2, -2).split(' | ');
    const units = Number.parseFloat(writes) + (/no key|refused|an unknown key/.test(label) ? 0 : 1);
    const usd = API + CALLS + GB_SECONDS * 1.73 * 0.015 + WRITES * units + READS * Number.parseFloat(reads) + LOGS * 1.4 + TRACES * 0.05;
    expect(cost).toBe(`$${usd.toFixed(2)}`);
  });

  test('both formulas have the current prices', () => {
    const price = (usd: number) => (Number.isInteger(Math.round(usd * 1e4) / 100) ? usd.toFixed(2) : String(usd));
    for (const text of [
      `cost = ${price(API)} `,
      `cost = ${price(CALLS)} + 0.5 GB × 80 ms/1000 × ${price(GB_SECONDS)} `,
      `     + ${price(CALLS)} + 1.73 GB × ms/1000 × ${price(GB_SECONDS)} `,
      `     + ${price(WRITES)} × write units`,
      `     + ${price(READS)} × read units + ${price(WRITES)} × writes`,
      `     + ${price(LOGS)} × 1.4 `,
      `     + ${price(TRACES)} × 0.05`,
      `     + ${price(OBJECTS)} × 6 `,
      `     + ${price(LOGS)} × 0.5 + ${price(TRACES)} × 0.05`,
    ])
      expect(COSTS).toContain(text);
    expect(CALLS + GB_SECONDS * 0.5 * 0.08 + OBJECTS * 6 + LOGS * 0.5 + TRACES * 0.05).toBeCloseTo(3.6, 1);
    expect(COSTS).toContain('about $3.60 per million');
  });

  test('the usage history costs as much as it says: at most one write and a tenth for each minute of an account', () => {
    expect(COSTS).toContain('$0.03 a month');
    expect((30 * 24 * 60 * 1.1 * WRITES) / 1e6).toBeCloseTo(0.03, 2);
  });

  test.each([
    [20, '80,000 domains with names of 20 characters'],
    [253, '16,500 with names of the maximum length'],
  ])("the edge map's 5 MB hold as many names of %i characters as it says", async (length, text) => {
    const aws = new MemoryAws();
    const id = (prefix: string) => `${prefix}${'0'.repeat(ID_LENGTH)}`;
    const project = sampleProject({ id: id(PROJECT_ID_PREFIX), currentDeploymentId: id(DEPLOYMENT_ID_PREFIX) });
    await createKeyValueMap(aws.keyValueStore, STORE_ARN).publish(project, currentOf(project, ['a.dev'.padStart(length, 'a')]));
    const bytes = [...aws.keys].flat().reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const domains = Number(text.split(' ')[0]?.replace(',', ''));
    const fit = 5e6 / bytes;
    expect(domains).toBeLessThanOrEqual(fit);
    expect(domains).toBeGreaterThan(fit * 0.95);
    expect(CEILINGS).toContain(text);
  });
});

describe('the bill', () => {
  test('adds up, and each row is its quantity at its price', () => {
    const { rows, total } = billOf(USED);
    expect(total).toBeCloseTo(rows.reduce((sum, { cost }) => sum + cost, 0));
    for (const { quantity, unitPrice, cost } of rows) expect(cost).toBeCloseTo(quantity * unitPrice);
    expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length);
  });

  test('never falls when there is more of something', () => {
    const amounts = ['alarms', 'requests', 'animals', 'domains', 'siteRequests', 'siteGb', 'users'] as const;
    const usages = fc.record({
      ...(Object.fromEntries(amounts.map((name) => [name, fc.nat(1e9)])) as Record<(typeof amounts)[number], fc.Arbitrary<number>>),
      edge: fc.boolean(),
    });
    fc.assert(
      fc.property(usages, fc.constantFrom(...amounts), fc.nat(1e9), (usage, name, more) => {
        const [before, after] = [billOf(usage).total, billOf({ ...usage, [name]: usage[name] + more }).total];
        expect(after).toBeGreaterThanOrEqual(before - 1e-6);
      }),
    );
  });

  test.each([
    [0, 0, 0],
    [10, 0, 0],
    [11, 1, 0],
    [200, 1, 0],
    [1_000, 1, 800],
  ])('%i tenants: the first ten are free, one price covers 200', (domains, base, further) => {
    const quantityOf = (what: string) => billOf({ ...IDLE, domains }).rows.find((row) => row.what === what)?.quantity ?? 0;
    expect(quantityOf('CloudFront: tenants, up to 200')).toBe(base);
    expect(quantityOf('CloudFront: tenants above 200')).toBe(further);
  });

  test('of a stage without an edge name is only for what it has', () => {
    const names = billOf({ ...IDLE, edge: false, requests: 1e6 }).rows.map(({ what }) => what);
    expect(names.filter((what) => /CloudFront|S3|Cognito|Step Functions|Route 53/.test(what))).toEqual([]);
    expect(names).toContain('API Gateway: requests');
  });

  test('has of X-Ray the first request of each second, and 5% of the others', () => {
    const tracesOf = (requests: number) =>
      1e6 *
      ((billOf({ ...IDLE, requests }).rows.find(({ what }) => what === 'X-Ray: traces')?.quantity ?? 0) -
        (billOf(IDLE).rows.find(({ what }) => what === 'X-Ray: traces')?.quantity ?? 0));
    // One every five minutes: all of them.
    expect(tracesOf(8_760) / 8_760).toBeCloseTo(1, 2);
    const seconds = 730 * 3_600;
    expect(tracesOf(1_000 * seconds) / (seconds + 999 * seconds * 0.05)).toBeCloseTo(1, 4);
  });

  test('of visitors is that of CloudFront', () => {
    const row = (what: string) => billOf({ ...IDLE, siteRequests: 3e6, siteGb: 20 }).rows.find((each) => each.what === what)?.cost ?? 0;
    expect(visitorsUsd(3e6, 20e9)).toBeCloseTo(row('CloudFront: visits to domains') + row('CloudFront: data'));
    expect(visitorsUsd(3e6, 20e9)).toBeCloseTo(3 * 1.16 + 20 * 0.085);
  });
});
