// The alert rules for Prometheus: judged by Prometheus itself, brought about by series that fire each alert, and by series that just don't.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Family, seriesNames } from '../../core/metrics/registry.ts';
import { FAMILIES } from '../../platforms/embedded/metrics/families.ts';
import { testFolder } from '../support/folders.ts';
import { promtool, promtoolInstalled } from '../support/promtool.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'prometheus/petstore.rules.yaml');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Series by name, as promtool writes them, with one value a minute. */
type Series = Readonly<Record<string, string>>;

interface Case {
  readonly fires: Series;
  readonly silent: Series;
  /** When to look, after the first value. */
  readonly at: string;
}

const DAY = 24 * 60;
const GIB = 2 ** 30;
const constant = (value: number, minutes: number) => `${value}x${minutes}`;
const rate = (perMinute: number, minutes: number) => `0+${perMinute}x${minutes}`;
const requests = (status: number) => `petstore_http_requests_total{api="catalogue",operation="getPet",status="${status}"}`;
const edgeRequests = (status: number) => `petstore_edge_requests_total{outcome="site",status="${status}"}`;
const duration = (api: string, operation: string, bound: string) =>
  `petstore_http_request_duration_seconds_bucket{api="${api}",operation="${operation}",le="${bound}"}`;
const slow = (quick: number, api = 'catalogue', operation = 'getPet'): Series => ({
  [duration(api, operation, '1.0')]: rate(quick, 30),
  [duration(api, operation, '2.5')]: rate(1_000, 30),
  [duration(api, operation, '+Inf')]: rate(1_000, 30),
});
const lateness = (queue: string, seconds: number): Series => ({ [`petstore_queue_lateness_seconds{queue="${queue}"}`]: constant(seconds, 30) });
const expiry = (day: number): Series => ({ petstore_certificate_first_expiry_timestamp_seconds: constant(day * DAY * 60, 3 * 60) });
const disk = (minutes: number, free: string): Series => ({
  petstore_data_folder_free_bytes: free,
  petstore_data_folder_disk_size_bytes: constant(100 * GIB, minutes),
});

const CASES: Readonly<Record<string, Case>> = {
  PetstoreDown: { fires: { up: constant(0, 10) }, silent: { up: '0 0 1x10' }, at: '3m' },
  PetstoreNotReady: { fires: { petstore_ready: constant(0, 10) }, silent: { petstore_ready: '0 0 1x10' }, at: '3m' },
  // The first start and one upgrade are no loop.
  PetstoreRestarts: { fires: { process_start_time_seconds: '1 1 2 2 3 3 4 4' }, silent: { process_start_time_seconds: '1 1 2 2 3 3 3 3' }, at: '7m' },
  PetstoreErrors: {
    fires: { [requests(200)]: rate(97, 20), [requests(503)]: rate(3, 20) },
    silent: { [requests(200)]: rate(99, 20), [requests(503)]: rate(1, 20), [requests(429)]: rate(100, 20) },
    at: '15m',
  },
  PetstoreEdgeErrors: {
    fires: { [edgeRequests(200)]: rate(97, 20), [edgeRequests(500)]: rate(3, 20) },
    silent: { [edgeRequests(200)]: rate(99, 20), [edgeRequests(500)]: rate(1, 20), [edgeRequests(404)]: rate(100, 20) },
    at: '15m',
  },
  PetstoreConnectionsRefused: {
    fires: { 'petstore_refused_connections_total{listener="edge",limit="total"}': rate(1, 20) },
    silent: {
      'petstore_refused_connections_total{listener="edge",limit="total"}': '7x5 8x15',
      'petstore_refused_connections_total{listener="edge",limit="address"}': rate(100, 20),
    },
    at: '15m',
  },
  // A file takes as long as its sender's line needs.
  PetstoreSlow: { fires: slow(980), silent: { ...slow(995), ...slow(100, 'control', 'uploadFile') }, at: '25m' },
  PetstoreEventLoopBlocked: {
    fires: { nodejs_eventloop_lag_p99_seconds: constant(0.3, 10) },
    silent: { nodejs_eventloop_lag_p99_seconds: '0.3 0.3 0.3 0.01x10' },
    at: '6m',
  },
  PetstoreWalLarge: {
    fires: { petstore_database_wal_size_bytes: constant(0.3 * GIB, 30) },
    silent: { petstore_database_wal_size_bytes: constant(0.2 * GIB, 30) },
    at: '20m',
  },
  PetstoreDiskAlmostFull: { fires: disk(10, constant(0.9 * GIB, 10)), silent: disk(10, constant(1.1 * GIB, 10)), at: '6m' },
  PetstoreDiskWillBeFull: {
    // 9 GiB a day, of 30; and of 90, which are enough for ten days.
    fires: disk(12 * 60, `${30 * GIB}-${Math.round((9 * GIB) / DAY)}x${12 * 60}`),
    silent: disk(12 * 60, `${90 * GIB}-${Math.round((9 * GIB) / DAY)}x${12 * 60}`),
    at: '8h',
  },
  PetstoreCertificateExpiresSoon: { fires: expiry(6.9), silent: expiry(7.1), at: '90m' },
  PetstoreCertificateExpires: { fires: expiry(1.9), silent: expiry(2.1), at: '90m' },
  PetstoreAuthorityRefusesAccount: {
    fires: { 'petstore_readiness_check{check="authority",state="warning"}': constant(1, 30) },
    silent: {
      'petstore_readiness_check{check="authority",state="warning"}': '1 1 1 0x30',
      'petstore_readiness_check{check="space",state="warning"}': constant(1, 30),
    },
    at: '16m',
  },
  PetstoreDomainWorkLate: {
    fires: lateness('domains', 1_000),
    silent: { ...lateness('domains', 800), ...lateness('file_removals', 3_000) },
    at: '6m',
  },
  PetstoreNotificationsLate: { fires: lateness('notifications', 1_000), silent: lateness('notifications', 800), at: '6m' },
  PetstorePlanRequestOpen: { fires: { petstore_plan_requests: constant(1, 30) }, silent: { petstore_plan_requests: '1x10 0x20' }, at: '20m' },
  PetstoreBackupOld: {
    fires: { petstore_last_backup_timestamp_seconds: constant(0, 2 * DAY), petstore_database_size_bytes: constant(1, 2 * DAY) },
    silent: {
      petstore_last_backup_timestamp_seconds: `${constant(0, DAY)} ${constant(DAY * 60, DAY)}`,
      petstore_database_size_bytes: constant(1, 2 * DAY),
    },
    at: '38h',
  },
  PetstoreMetricsIncomplete: {
    fires: { 'petstore_metrics_collection_errors_total{part="files"}': rate(1, 60) },
    silent: { 'petstore_metrics_collection_errors_total{part="files"}': constant(7, 60) },
    at: '50m',
  },
};

const inJob = (name: string) =>
  name.includes('{') ? name.replace('{', '{job="petstore",instance="host:9464",') : `${name}{job="petstore",instance="host:9464"}`;

test('each alert has a case, a severity, a sentence, and what to do, in docs/server/alerts.md too', () => {
  const document = readFileSync(join(ROOT, 'docs/server/alerts.md'), 'utf8');
  expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(CASES).sort());
  const headings = [...document.matchAll(/^## (Petstore\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of rules) {
    expect(Object.keys(labels), alert).toEqual(['severity']);
    expect(['critical', 'warning'], alert).toContain(labels.severity);
    expect(Object.keys(annotations), alert).toEqual(['summary', 'description', 'runbook']);
    expect(annotations.summary, alert).toContain('{{ $labels.instance }}');
    expect(annotations.runbook).toBe(`docs/server/alerts.md#${alert.toLowerCase()}`);
  }
});

test('each metric in a rule is exported, with the labels that the rule asks for', () => {
  const families = Object.values<Family>(FAMILIES);
  const known = new Set(['up', ...families.flatMap(seriesNames)]);
  const used = rules.flatMap(({ expr }) => expr.match(/\b(?:petstore|process|nodejs)_\w+|\bup\b/g) ?? []);
  expect(used.length).toBeGreaterThanOrEqual(rules.length);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
  for (const { expr } of rules)
    for (const [, name = '', selectors = ''] of expr.matchAll(/\b(\w+)\{([^}]*)\}/g)) {
      const labels = ['job', ...(families.find((family) => seriesNames(family).includes(name))?.labels ?? [])];
      for (const [, label = ''] of selectors.matchAll(/(\w+)=/g)) expect(labels, `${name}: ${label}`).toContain(label);
    }
});

describe.runIf(promtoolInstalled)('Prometheus', () => {
  test('accepts the rules', () => {
    expect(promtool(['check', 'rules', '--lint=all', '--lint-fatal', FILE])).toMatchObject({ status: 0 });
  });

  /** Runs one case. @returns promtool's complaints */
  function run(alert: string, series: Series, at: string, isFiring: boolean): string {
    const { labels } = rules.find((rule) => rule.alert === alert) as Rule;
    const file = join(testFolder(), 'case.yaml');
    const query = {
      expr: `count by (alertname, severity) (ALERTS{alertname="${alert}",alertstate="firing"})`,
      eval_time: at,
      exp_samples: isFiring ? [{ labels: `{alertname="${alert}",severity="${labels.severity}"}`, value: 1 }] : [],
    };
    const input = Object.entries(series).map(([name, values]) => ({ series: inJob(name), values }));
    const tests = [{ interval: '1m', input_series: input, promql_expr_test: [query] }];
    writeFileSync(file, JSON.stringify({ rule_files: [FILE], evaluation_interval: '1m', tests }));
    const { status, output } = promtool(['test', 'rules', file]);
    return status === 0 ? '' : output;
  }

  test.each(Object.entries(CASES))('fires %s, and does not fire it needlessly', (alert, { fires, silent, at }) => {
    expect(run(alert, fires, at, true)).toBe('');
    expect(run(alert, silent, at, false)).toBe('');
  });

  test('fires PetstoreBackupOld if there is no backup at all, but not on a host without a data folder', () => {
    expect(run('PetstoreBackupOld', { petstore_database_size_bytes: constant(1, 90) }, '70m', true)).toBe('');
    expect(run('PetstoreBackupOld', { petstore_ready: constant(1, 90) }, '70m', false)).toBe('');
  });
});
