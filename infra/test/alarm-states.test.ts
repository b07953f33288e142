// A fault brings each alarm about, after as many periods as it is configured to wait; heavy but healthy use does not.

import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import { type AlarmProperties, metricsOf, type ReadMetric, stateOf } from './support/alarm-evaluation.ts';
import { deployedStage } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const alarms = makeStages(makeApp(folder.path), everySetting(), ['production']).flatMap((stage) =>
  deployedStage(stage)
    .resources('AWS::CloudWatch::Alarm')
    .map(({ properties }) => properties as AlarmProperties),
);
const nameOf = ({ AlarmName }: AlarmProperties) => AlarmName.replace('petstore-production-', '');

/** What is recorded each minute, by metric: during a fault, and in heavy but healthy use. */
interface Situation {
  readonly fault: Readonly<Record<string, number>>;
  readonly healthy: Readonly<Record<string, number>>;
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  faults: { fault: { Count: 1_000, '5xx': 11 }, healthy: { Count: 1_000, '5xx': 10 } },
  unreachable: { fault: { ProbeFailed: 1 }, healthy: { ProbeFailed: 0 } },
  'probe-failing': { fault: { Throttles: 1 / 7 }, healthy: { Errors: 1 / 16 } },
  slow: { fault: { Latency: 1_001 }, healthy: { Latency: 1_000 } },
  'handler-dead': { fault: { Errors: 3 }, healthy: { Errors: 2 } },
  'function-throttled': { fault: { Throttles: 1 }, healthy: { Throttles: 0 } },
  'near-throttle': { fault: { Count: 240_001 }, healthy: { Count: 240_000 } },
  'table-throttled-pets': { fault: { WriteThrottleEvents: 1 }, healthy: { WriteThrottleEvents: 0, ReadThrottleEvents: 0 } },
  'table-throttled-usage': { fault: { ReadThrottleEvents: 1 }, healthy: {} },
  'table-throttled-control': { fault: { WriteThrottleEvents: 1 }, healthy: {} },
  'table-throttled-audit': { fault: { WriteThrottleEvents: 1 }, healthy: {} },
  'refused-keys': { fault: { Refused_unauthorized: 601 }, healthy: { Refused_unauthorized: 600 } },
  'release-faults': { fault: { Count: 100, '5xx': 3 }, healthy: { Count: 19, '5xx': 19 } },
  'release-errors': { fault: { Errors: 3 }, healthy: { Errors: 2 } },
  'release-slow': { fault: { Latency: 1_501 }, healthy: { Latency: 1_500 } },
  'concurrency-near-quota': { fault: { ClaimedAccountConcurrency: 801 }, healthy: { ClaimedAccountConcurrency: 800 } },
  'notifications-failed': { fault: { NumberOfNotificationsFailed: 1 }, healthy: {} },
  'domains-stuck': { fault: { DomainsStuck: 1 }, healthy: { DomainsStuck: 0 } },
  'domain-workflow-failed': { fault: { ExecutionsTimedOut: 1 }, healthy: { ExecutionsFailed: 0 } },
  'domain-workflow-throttled': { fault: { ExecutionThrottled: 21 }, healthy: { ExecutionThrottled: 20 } },
  'domain-steps-failing': { fault: { Errors: 1, Throttles: 1 }, healthy: { Errors: 1 } },
  'sweep-failing': { fault: { Errors: 1 / 7 }, healthy: { Errors: 1 / 16 } },
  'sweep-overdue': { fault: {}, healthy: { DomainsStuck: 0 } },
  'sweep-of-edge-overdue': { fault: { EdgeSweepAge: 49 }, healthy: { EdgeSweepAge: 48 } },
  'publications-failed': { fault: { PublicationsFailed: 1 }, healthy: { PublicationsFailed: 0 } },
  'certificates-failed': { fault: { CertificateFailed: 1 }, healthy: { CertificateFailed: 10 / 60 } },
  'edge-near-quota': { fault: { EdgeTenants: 2_001 }, healthy: { EdgeTenants: 2_000 } },
  'tenants-near-quota': { fault: { EdgeTenants: 8_001 }, healthy: { EdgeTenants: 8_000 } },
  'edge-map-near-quota': { fault: { EdgeMapBytes: 4_000_001 }, healthy: { EdgeMapBytes: 4_000_000 } },
  'renewals-overdue': { fault: { RenewalsOverdue: 1 }, healthy: { RenewalsOverdue: 0 } },
  'failover-failing': { fault: { Url5xxCount: 3 }, healthy: { Url5xxCount: 2 } },
  'failover-throttled': { fault: { Throttles: 1 }, healthy: { Throttles: 0 } },
  'edge-5xx': { fault: { Requests: 20, '5xxErrorRate': 5.1 }, healthy: { Requests: 19, '5xxErrorRate': 100 } },
  'edge-function-failing': { fault: { FunctionValidationErrors: 1 }, healthy: { FunctionThrottles: 0 } },
  'dashboard-5xx': { fault: { Requests: 20, '5xxErrorRate': 5.1 }, healthy: { Requests: 1_000, '5xxErrorRate': 5 } },
  'dashboard-function-failing': { fault: { FunctionExecutionErrors: 1 }, healthy: { FunctionValidationErrors: 0 } },
  'control-api-5xx': { fault: { '5xx': 1 }, healthy: { '5xx': 0.8 } },
  'control-api-latency': { fault: { Latency: 3_001 }, healthy: { Latency: 3_000 } },
  'control-api-dead': { fault: { Throttles: 1 }, healthy: { Errors: 0 } },
  'messages-lost': { fault: { NotificationsLost: 1 }, healthy: { NotificationsLost: 20 / 60 } },
  'notifier-failing': { fault: { Errors: 1 }, healthy: { Throttles: 1 / 3 } },
  'notifier-overdue': { fault: {}, healthy: { NotificationsLost: 0 } },
  'sign-in-throttled': { fault: { TokenRefreshThrottles: 1 }, healthy: {} },
};

describe('states', () => {
  const recordedAs = (samples: Readonly<Record<string, number>>) => (metric: ReadMetric) => {
    const value = samples[metric.name];
    return value === undefined ? [] : [value];
  };

  test('every alarm has a situation', () => {
    expect(alarms.map(nameOf).sort()).toEqual(Object.keys(SITUATIONS).sort());
  });

  test('every situation is one of metrics that the alarm reads', () => {
    const strange = Object.entries(SITUATIONS).flatMap(([name, { fault, healthy }]) => {
      const known = alarms.filter((alarm) => nameOf(alarm) === name).flatMap((alarm) => metricsOf(alarm).map((metric) => metric.name));
      return [...Object.keys(fault), ...Object.keys(healthy)].filter((metric) => !known.includes(metric)).map((metric) => `${name}: ${metric}`);
    });
    expect(strange).toEqual([]);
  });

  test.each(alarms.map((alarm) => [nameOf(alarm), alarm] as const))('%s', (name, alarm) => {
    const { fault = {}, healthy = {} } = SITUATIONS[name] ?? {};
    expect([stateOf(alarm, recordedAs(fault)), stateOf(alarm, recordedAs(healthy))]).toEqual(['ALARM', 'OK']);
    expect(stateOf(alarm, () => [])).toBe(alarm.TreatMissingData === 'breaching' ? 'ALARM' : 'OK');
    const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm;
    const lasting = (periods: number) => (metric: ReadMetric, minutesAgo: number) =>
      recordedAs(minutesAgo < (periods * metric.periodSeconds) / 60 ? fault : healthy)(metric);
    expect([stateOf(alarm, lasting(DatapointsToAlarm - 1)), stateOf(alarm, lasting(DatapointsToAlarm))]).toEqual(['OK', 'ALARM']);
  });
});
