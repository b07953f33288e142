// The cost calculator's facts about a stage, compared with the templates, the workflow and the names of metrics.

import { afterAll, describe, expect, test } from 'vitest';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { DNS_SCHEDULE } from '../../core/domains/schedule.ts';
import { billOf } from '../../platforms/aws/cost/bill.ts';
import { TRANSITIONS_WITHOUT_RECORD, waitsWithin } from '../../platforms/aws/cost/domain-lines.ts';
import { PRICES } from '../../platforms/aws/cost/prices.ts';
import { RESOURCE_COSTS } from '../../platforms/aws/cost/resource-types.ts';
import {
  ALARM_METRICS,
  CATALOGUE_LIMIT_MS,
  CHANGES_SWEEP_MINUTES,
  EDGE_SWEEP_METRICS,
  EDGE_SWEEP_MINUTES,
  LOG_MONTHS,
  MEMORY_MB,
  NOTIFIER_METRICS,
  NOTIFIER_MINUTES,
  OPERATION_VALUES,
  PLAN_VALUES,
  PROBE_METRICS,
  PROBE_MINUTES,
  STATES_PER_WAIT,
  STATES_TO_LIVE,
  STATES_TO_REMOVED,
  STEPS_TO_LIVE,
  STEPS_TO_REMOVED,
  SURVEY_MINUTES,
  SWEEP_METRICS,
  SWEEP_MINUTES,
} from '../../platforms/aws/cost/stage-facts.ts';
import type { Usage } from '../../platforms/aws/cost/usage.ts';
import { OPERATIONS } from '../../service/catalogue/operations.ts';
import { DOMAINS_STUCK, EDGE_MAP_BYTES, EDGE_TENANTS, NOTIFICATIONS_LOST, PROBE_FAILED, RENEWALS_OVERDUE } from '../../service/metric-names.ts';
import { EDGE_EVERY_MS } from '../../service/workflow/sweep-orphans.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { emptySettings, everySetting } from '../../test/support/stage-settings.ts';
import { execute } from '../../test/support/state-machine.ts';
import { PROFILES, type ProfileName } from '../profiles.ts';
import { domainWorkflow } from '../workflow/definition.ts';
import { type Templates, templatesOf } from './support/stage-summary.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

// biome-ignore lint/suspicious/noExplicitAny: templates are what CloudFormation takes, and that is anything
type Resource = { readonly Type: string; readonly Properties: any };

const NAMES = ['staging', 'production'] as const satisfies readonly ProfileName[];
const synthesized = (settings: Record<string, string>) =>
  Object.fromEntries(makeStages(makeApp(folder.path), settings, NAMES).map((stage) => [stage.stageName, templatesOf(stage)])) as Record<
    ProfileName,
    Templates
  >;
const FULL = synthesized(everySetting());
const EMPTY = synthesized(emptySettings());

/** The properties of all resources of a type. @param inStack only of this stack */
function propertiesOf(templates: Templates, type: string, inStack?: string): Resource['Properties'][] {
  return [...templates]
    .filter(([stack]) => inStack === undefined || stack === inStack)
    .flatMap(([, { Resources = {} }]) => Object.values<Resource>(Resources))
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);
}

describe.each(NAMES)('%s', (name) => {
  test('alarms watch as many metrics as are paid for', () => {
    const metricsOf = ({ Metrics }: { Metrics?: { MetricStat?: object }[] }) => Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1;
    const count = (templates: Templates) => propertiesOf(templates, 'AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0);
    const { catalogue, domains } = ALARM_METRICS[name];
    expect([count(EMPTY[name]), count(FULL[name])]).toEqual([catalogue, catalogue + domains]);
    for (const { Period = 60 } of propertiesOf(FULL[name], 'AWS::CloudWatch::Alarm')) expect(Period).toBeGreaterThanOrEqual(60);
  });

  test('logs are stored for as many months as are paid for', () => {
    expect(Math.round(PROFILES[name].logRetentionDays / 30.4)).toBe(LOG_MONTHS[name]);
    for (const { RetentionInDays } of propertiesOf(FULL[name], 'AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(PROFILES[name].logRetentionDays);
  });

  test("the catalogue's function has the time limit that bounds its duration", () => {
    expect(propertiesOf(FULL[name], 'AWS::Lambda::Function', 'Api').map(({ Timeout }) => 1_000 * Timeout)).toEqual([CATALOGUE_LIMIT_MS]);
  });

  test('functions have the memory that is paid for, on arm64, and record traces', () => {
    const stacks = {
      Api: [MEMORY_MB.catalogue],
      Dashboard: [MEMORY_MB.control, MEMORY_MB.notifier],
      Domains: [MEMORY_MB.steps, MEMORY_MB.sweep],
      Edge: [MEMORY_MB.failover],
      Observability: [MEMORY_MB.probe],
    };
    for (const [stack, memory] of Object.entries(stacks))
      expect(propertiesOf(FULL[name], 'AWS::Lambda::Function', stack).map(({ MemorySize }) => MemorySize)).toEqual(memory);
    for (const { Architectures, TracingConfig } of propertiesOf(FULL[name], 'AWS::Lambda::Function'))
      expect([Architectures, TracingConfig]).toEqual([['arm64'], { Mode: 'Active' }]);
  });

  test('what is charged by the route, or by the table and month, is not switched on', () => {
    for (const { DefaultRouteSettings } of propertiesOf(FULL[name], 'AWS::ApiGatewayV2::Stage'))
      expect(DefaultRouteSettings.DetailedMetricsEnabled ?? false).toBe(false);
    for (const { Replicas } of propertiesOf(FULL[name], 'AWS::DynamoDB::GlobalTable'))
      expect(JSON.stringify(Replicas)).not.toContain('ContributorInsights');
  });

  test('the sweeps run as often as is paid for', () => {
    const schedules = propertiesOf(FULL[name], 'AWS::Events::Rule', 'Domains').map(({ ScheduleExpression }) => ScheduleExpression);
    expect(propertiesOf(FULL[name], 'AWS::Events::Rule', 'Observability').map(({ ScheduleExpression }) => ScheduleExpression)).toContain(
      `rate(${PROBE_MINUTES} minutes)`,
    );
    expect(schedules).toEqual([`rate(${SWEEP_MINUTES} minutes)`, `rate(${CHANGES_SWEEP_MINUTES / 60} hour)`]);
    expect(EDGE_EVERY_MS / 60_000 + CHANGES_SWEEP_MINUTES / 2).toBe(EDGE_SWEEP_MINUTES);
    const notifier = propertiesOf(FULL[name], 'AWS::Events::Rule', 'Dashboard').map(({ ScheduleExpression }) => ScheduleExpression);
    expect(notifier).toEqual([`rate(${NOTIFIER_MINUTES} minute)`, `rate(${SURVEY_MINUTES} minutes)`]);
  });

  test('tables and users are as the prices assume', () => {
    for (const { BillingMode, SSESpecification, Replicas } of propertiesOf(FULL[name], 'AWS::DynamoDB::GlobalTable'))
      expect([BillingMode, SSESpecification.SSEType, Replicas.length]).toEqual(['PAY_PER_REQUEST', 'KMS', 1]);
    // Without a tier, Cognito takes Essentials.
    for (const { UserPoolTier = 'ESSENTIALS' } of propertiesOf(FULL[name], 'AWS::Cognito::UserPool')) expect(UserPoolTier).toBe('ESSENTIALS');
  });
});

test('every type of resource has a row in the bill, or a reason why it costs nothing', () => {
  const used = [FULL, EMPTY].flatMap((stages) =>
    Object.values(stages).flatMap((templates) =>
      [...templates.values()].flatMap(({ Resources = {} }) => Object.values<Resource>(Resources).map(({ Type }) => Type)),
    ),
  );
  expect([...new Set(used)].filter((type) => !(type in RESOURCE_COSTS))).toEqual([]);
  expect(Object.keys(RESOURCE_COSTS).filter((type) => !used.includes(type))).toEqual([]);
  const usage: Usage = {
    ...{ profile: 'production', edge: true, requests: 1e7, mix: { list: 0.5, create: 0.5 }, ms: 15, storageGb: 1 },
    ...{ domains: 1_000, newDomains: 100, siteRequests: 1e7, siteGb: 500, users: 100 },
  };
  const priced = new Set(billOf(usage).rows.map(({ price }) => price));
  for (const [type, costs] of Object.entries(RESOURCE_COSTS))
    for (const price of typeof costs === 'string' ? [] : costs) expect([...priced], `${type}: ${price}`).toContain(price);
  const caused = Object.values(RESOURCE_COSTS).flat();
  expect(Object.keys(PRICES).filter((price) => !caused.includes(price))).toEqual([]);
});

test('the values of dimensions are those of the service', () => {
  expect([OPERATION_VALUES, PLAN_VALUES]).toEqual([OPERATIONS.length + 2, PLAN_NAMES.length + 1]);
  expect([DOMAINS_STUCK, RENEWALS_OVERDUE]).toHaveLength(SWEEP_METRICS);
  expect([EDGE_TENANTS, EDGE_MAP_BYTES]).toHaveLength(EDGE_SWEEP_METRICS);
  expect([PROBE_FAILED]).toHaveLength(PROBE_METRICS);
  expect([NOTIFICATIONS_LOST]).toHaveLength(NOTIFIER_METRICS);
});

describe('state transitions', () => {
  const workflow = domainWorkflow('arn:aws:lambda:us-east-1:123456789012:function:steps');
  /** Runs an execution whose steps report these states, each with a wait of a second. */
  const pathOf = async (states: readonly string[]) => {
    const left = [...states];
    const { path } = await execute(
      workflow,
      { domainId: 'dom_1', generation: 1 },
      async () => ({ state: left.shift() ?? '', waitSeconds: 1 }),
      () => {},
    );
    return { states: path.length, steps: path.filter((name) => workflow.States[name]?.Type === 'Task').length };
  };
  const LIVE = ['verifying', 'verified', 'certificate_pending', 'attaching', 'attaching', 'attaching', 'live'];

  test('from Verify to live, and from Remove to removed', async () => {
    expect(await pathOf(LIVE)).toEqual({ states: STATES_TO_LIVE, steps: STEPS_TO_LIVE });
    expect(await pathOf(['removing', 'removed'])).toEqual({ states: STATES_TO_REMOVED, steps: STEPS_TO_REMOVED });
  });

  test.each([
    ['DNS', 1],
    ['the certificate', 3],
    ['the edge', 6],
  ])('each wait for %s adds three states', async (_what, at) => {
    const waiting = [...LIVE.slice(0, at), LIVE[at - 1] === 'attaching' ? 'attaching' : (LIVE[at - 1] ?? ''), ...LIVE.slice(at)];
    expect(await pathOf(waiting)).toEqual({ states: STATES_TO_LIVE + STATES_PER_WAIT, steps: STEPS_TO_LIVE + 1 });
  });

  test('a record that never appears stays far below the 25,000 events of an execution', async () => {
    const checks = (hours: number) =>
      Array.from({ length: waitsWithin(DNS_SCHEDULE, hours * 60) }, (_, at) => (at < 165 ? 'verifying' : 'dns_failed'));
    const { states: ofMonth } = await pathOf(['verifying', ...checks(730), '']);
    // One for the start, instead of the last one here.
    expect(TRANSITIONS_WITHOUT_RECORD).toBe(ofMonth);
    const { states: ofYear } = await pathOf(['verifying', ...checks(365 * 24), '']);
    // An execution ends after a year. Each state has at most five events.
    expect(ofYear * 5).toBeLessThan(25_000);
  });
});
