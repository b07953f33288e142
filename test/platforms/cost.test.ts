// The cost calculator, and what docs/operations.md says about costs and the edge map's ceiling.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyValueMap } from '../../adapters/edge/key-value-map.ts';
import { DEPLOYMENT_ID_PREFIX, ID_LENGTH, PROJECT_ID_PREFIX } from '../../core/projects/project.ts';
import { formula, missingPagesFormula } from '../../docs/cost-tables.ts';
import { billOf, type Section } from '../../platforms/aws/cost/bill.ts';
import { tracesOf } from '../../platforms/aws/cost/catalogue-lines.ts';
import { TRANSITIONS_PER_LIFE, TRANSITIONS_WITHOUT_RECORD, waitsWithin } from '../../platforms/aws/cost/domain-lines.ts';
import { PRICES, PRICES_OF, type Price } from '../../platforms/aws/cost/prices.ts';
import { costPerMillion, costPerMillionMissingPages, REQUEST_KINDS, type RequestKindName } from '../../platforms/aws/cost/requests.ts';
import { PROBE_METRICS, PROBE_SERVICE_METRICS, SERVICE_METRICS } from '../../platforms/aws/cost/stage-facts.ts';
import type { Usage } from '../../platforms/aws/cost/usage.ts';
import { currentOf, sampleProject } from '../../testing/projects.ts';
import { STORE_ARN } from '../support/memory-aws/key-value-store.ts';
import { MemoryAws } from '../support/memory-aws.ts';

const OPERATIONS = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const KINDS = Object.keys(REQUEST_KINDS) as RequestKindName[];
const USAGE: Usage = {
  ...{ profile: 'production', edge: true, requests: 10e6, mix: { list: 0.6, get: 0.3, create: 0.1 }, ms: 15, storageGb: 1 },
  ...{ domains: 1_000, newDomains: 100, siteRequests: 10e6, siteGb: 500, users: 500 },
};
const IDLE: Usage = { ...USAGE, requests: 0, storageGb: 0, domains: 0, newDomains: 0, siteRequests: 0, siteGb: 0, users: 0 };
const rowOf = (usage: Usage, section: Section, what: string) =>
  billOf(usage).rows.find((row) => row.section === section && row.what.startsWith(what));

describe('docs/operations.md', () => {
  test.each(KINDS)('the row of %s is what the calculator computes', (kind) => {
    const { label, reads, writes } = REQUEST_KINDS[kind];
    const cells = OPERATIONS.split('\n')
      .find((line) => line.startsWith(`| ${label} | `))
      ?.split(' | ');
    expect(cells?.at(-1)).toBe(`$${costPerMillion(kind, 15).toFixed(2)} |`);
    expect([Number.parseFloat(cells?.[1] ?? ''), Number.parseFloat(cells?.[2] ?? '') - (kind === 'unknown' ? 1 : 0)]).toEqual([reads, writes]);
  });

  test('the table of requests has no other rows', () => {
    const [, table = ''] = /\| operation \| read units .*\n\| --- .*\n((?:\|.*\n)+)/.exec(OPERATIONS) ?? [];
    expect(table.trim().split('\n')).toHaveLength(KINDS.length);
  });

  test('both formulas have the current prices', () => {
    expect(OPERATIONS).toContain(`\`\`\`text\n${formula()}\`\`\``);
    expect(OPERATIONS).toContain(`\`\`\`text\n${missingPagesFormula()}\`\`\``);
    expect(costPerMillionMissingPages()).toBeCloseTo(3.6, 1);
    expect(OPERATIONS).toContain('about $3.60 per million');
  });

  test('a million requests of each kind cost in the bill what the table says, with data and traces', () => {
    for (const kind of KINDS) {
      // Of this many requests, X-Ray records almost exactly the share.
      const usage: Usage = { ...IDLE, profile: 'staging', edge: false, requests: 1e12, mix: { [kind]: 1 } };
      const others = ['Data', 'Metrics', 'KMS', 'Catalogue: logs stored', 'DynamoDB: usage history'];
      const rows = billOf(usage).rows.filter(({ section, what }) => section === 'catalogue' && !others.some((other) => what.startsWith(other)));
      expect(rows.reduce((sum, { cost }) => sum + cost, 0) / 1e6).toBeCloseTo(costPerMillion(kind, 15), 4);
    }
  });

  test('the usage history costs as much as it says: at most one write and a tenth for each minute of an account', () => {
    const history = (mix: Usage['mix']) => rowOf({ ...IDLE, requests: 1e6, mix }, 'catalogue', 'DynamoDB: usage history');
    expect(history({ get: 1 })?.quantity).toBeCloseTo(0.055, 6);
    expect(OPERATIONS).toContain('$0.03 per million requests');
    expect(history({ get: 1 })?.cost).toBeCloseTo(0.03, 2);
    // A refusal from memory is counted nowhere but in the refusals.
    expect(history({ refused: 1 })?.quantity ?? 0).toBe(0);
    const minutes = 30 * 24 * 60;
    expect(OPERATIONS).toContain('$0.03 a month');
    expect((minutes * 1.1 * PRICES.writeUnits.usd) / 1e6).toBeCloseTo(0.03, 2);
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
    expect(OPERATIONS).toContain(text);
  });

  test('transitions of a domain are about as many as it says', () => {
    expect(OPERATIONS).toContain('about 200 state transitions in its life');
    expect(TRANSITIONS_PER_LIFE / 200).toBeCloseTo(1, 0);
    expect(OPERATIONS).toContain('one whose record never appears, about 700 in a month');
    expect(TRANSITIONS_WITHOUT_RECORD / 700).toBeCloseTo(1, 1);
  });
});

describe('prices', () => {
  test.each(Object.entries<Price>(PRICES))('%s has a unit, and a page of AWS as its source', (_name, { unit, usd, source }) => {
    expect(usd).toBeGreaterThan(0);
    expect(unit).not.toBe('');
    expect(source).toMatch(/^https:\/\/aws\.amazon\.com\/[\w-]+\/pricing\//);
  });

  test('have a date and a region', () => {
    expect(PRICES_OF).toMatchObject({ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), region: 'us-east-1' });
  });
});

describe('the bill', () => {
  test('adds up, and each row is its quantity at its price', () => {
    const { rows, total } = billOf(USAGE);
    expect(total).toBeCloseTo(rows.reduce((sum, { cost }) => sum + cost, 0));
    for (const { quantity, unitPrice, cost, price, unit } of rows) {
      expect(cost).toBeCloseTo(quantity * unitPrice);
      expect([unit, unitPrice]).toEqual([PRICES[price].unit, PRICES[price].usd]);
    }
    expect(new Set(rows.map(({ section, what }) => `${section} ${what}`)).size).toBe(rows.length);
  });

  test('never falls when there is more of something', () => {
    const amounts = ['requests', 'ms', 'storageGb', 'domains', 'newDomains', 'siteRequests', 'siteGb', 'users'] as const;
    const usages = fc.record({
      ...(Object.fromEntries(amounts.map((name) => [name, fc.nat(1e9)])) as Record<(typeof amounts)[number], fc.Arbitrary<number>>),
      profile: fc.constantFrom('staging' as const, 'production' as const),
      edge: fc.boolean(),
      mix: fc.constantFrom(...KINDS).map((kind) => ({ [kind]: 1 })),
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
    const usage = { ...IDLE, domains };
    expect(rowOf(usage, 'domains', 'CloudFront: tenants, up to')?.quantity ?? 0).toBe(base);
    expect(rowOf(usage, 'domains', 'CloudFront: tenants above')?.quantity ?? 0).toBe(further);
  });

  test('a stage without an edge name has no rows of custom domains and of the dashboard', () => {
    const sections = (usage: Usage) => new Set(billOf(usage).rows.map(({ section }) => section));
    expect(sections({ ...USAGE, edge: false })).toEqual(new Set(['fixed', 'catalogue']));
    expect(sections(USAGE)).toEqual(new Set(['fixed', 'catalogue', 'domains', 'dashboard']));
    expect(sections(IDLE)).toEqual(new Set(['fixed']));
  });

  test('metrics that the probe causes are paid for once, with and without traffic', () => {
    const metrics = (usage: Usage, ...sections: readonly string[]) =>
      billOf({ ...usage, edge: false })
        .rows.filter(({ price, section }) => price === 'metrics' && sections.includes(section))
        .reduce((sum, { quantity }) => sum + quantity, 0);
    expect(metrics(IDLE, 'fixed')).toBe(PROBE_METRICS + PROBE_SERVICE_METRICS);
    expect(metrics(IDLE, 'catalogue')).toBe(0);
    expect(metrics(USAGE, 'fixed', 'catalogue')).toBe(PROBE_METRICS + SERVICE_METRICS);
  });

  test('logs are stored for a year in production, a month in staging', () => {
    const stored = (profile: Usage['profile']) => rowOf({ ...USAGE, profile }, 'catalogue', 'Catalogue: logs stored')?.quantity ?? 0;
    expect(stored('production') / stored('staging')).toBeCloseTo(12);
  });

  test('X-Ray records the first request of each second, and 5% of the others', () => {
    expect(tracesOf(0)).toBe(0);
    // One every five minutes: all of them.
    expect(tracesOf(8_760) / 8_760).toBeCloseTo(1, 2);
    const seconds = 730 * 3_600;
    expect(tracesOf(1_000 * seconds)).toBeCloseTo(seconds + 999 * seconds * 0.05, -3);
  });
});

test('waits are counted until the time has passed, or the schedule has ended', () => {
  const schedule = [
    { everySeconds: 30, times: 2 },
    { everySeconds: 60, times: 3 },
  ];
  expect([0, 1, 2, 100].map((minutes) => waitsWithin(schedule, minutes))).toEqual([0, 2, 3, 5]);
});
