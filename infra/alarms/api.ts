// Alarms for an API with keys, such as the catalogue's, and for its tables.

import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { PROBE_FAILED, refusedMetric } from '../../service/metric-names.ts';
import { domainMetric, keylessMetric, latency, serverErrorRate, sumOf, throttledRequests } from '../constructs/api-metrics.ts';
import type { AnyTable, Tables } from '../constructs/catalogue-tables.ts';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';
import type { Throttle } from '../constructs/service-props.ts';

const MINUTE = Duration.minutes(1);
const QUARTER = Duration.minutes(15);
const FAULTS_PERCENT = 1;
const SLOW = Duration.seconds(1);
/** Per five minutes. A client with a wrong key sends a few hundred such requests; guessing from many addresses causes thousands. */
const REFUSED_KEYS = 3_000;
const HANDLER_ERRORS = 2;
/** Percentage of the stage's safety limit, and of reserved concurrency. */
const NEAR_LIMIT_PERCENT = 80;

export interface ApiAlarmsProps {
  readonly name: string;
  readonly throttle: Throttle;
  /** Alarm threshold for the slowest hundredth of the responses. @default one second */
  readonly slowAlarm?: Duration | undefined;
  readonly tables: Partial<Tables>;
  readonly api: HttpApi;
  readonly handler: IFunction;
  /** The handler's reserved concurrency. @default none */
  readonly reservedConcurrency?: number | undefined;
  /** The function that calls the API from outside; undefined if there is none. */
  readonly probe: IFunction | undefined;
}

/** Returns the alarms for an API with keys and its tables. */
export function apiAlarms(props: ApiAlarmsProps): AlarmDefinition[] {
  const { name: stage, throttle, slowAlarm = SLOW, tables, api, handler, reservedConcurrency, probe } = props;
  const slowMs = slowAlarm.toMilliseconds();
  return [
    {
      id: 'Faults',
      name: 'faults',
      meaning: `More than ${FAULTS_PERCENT}% of responses were 5xx in three of five minutes.`,
      metric: serverErrorRate(api),
      above: FAULTS_PERCENT,
      periods: { above: 3, of: 5 },
    },
    ...(probe === undefined ? [] : probeAlarms(stage, probe)),
    {
      id: 'Slow',
      name: 'slow',
      meaning: `One response in a hundred took more than ${slowMs} ms in three of five minutes.`,
      metric: latency(api, 99),
      above: slowMs,
      periods: { above: 3, of: 5 },
    },
    {
      id: 'HandlerDead',
      name: 'handler-dead',
      meaning: "The API's function fails to start, crashes or times out.",
      metric: handler.metricErrors({ period: MINUTE, statistic: Stats.SUM }),
      above: HANDLER_ERRORS,
      periods: { above: 2, of: 5 },
    },
    {
      id: 'FunctionThrottled',
      name: 'function-throttled',
      meaning: "Lambda refused to run the function: the account's or the function's concurrency is used up.",
      metric: handler.metricThrottles({ period: MINUTE, statistic: Stats.SUM }),
      above: 0,
    },
    ...(reservedConcurrency === undefined ? [] : [nearReserved(handler, reservedConcurrency)]),
    {
      // API Gateway's own 429 counts as a 4xx like ours, and has no separate metric.
      id: 'NearThrottle',
      name: 'near-throttle',
      meaning: `Traffic was above ${NEAR_LIMIT_PERCENT}% of the stage's safety limit in two of five minutes; above the limit, API Gateway answers with 429.`,
      metric: api.metricCount({ period: MINUTE, statistic: Stats.SUM }),
      above: (throttle.rate * 60 * NEAR_LIMIT_PERCENT) / 100,
      periods: { above: 2, of: 5 },
    },
    ...(Object.entries(tables) as [keyof Tables, AnyTable][]).map(([name, table]) => ({
      id: `TableThrottled-${name}`,
      name: `table-throttled-${name}`,
      meaning: `DynamoDB throttled reads or writes of the table ${name} or its index in two of five minutes.`,
      metric: throttledRequests(table, name),
      above: 0,
      periods: { above: 2, of: 5 },
    })),
    {
      id: 'RefusedKeys',
      name: 'refused-keys',
      meaning: `More than ${REFUSED_KEYS} requests in five minutes had no valid key: someone is guessing keys, or a customer's deployment has lost its key.`,
      metric: keylessMetric(stage, refusedMetric('unauthorized'), Duration.minutes(5)),
      above: REFUSED_KEYS,
    },
  ];
}

function nearReserved(handler: IFunction, reserved: number): AlarmDefinition {
  return {
    id: 'NearReserved',
    name: 'near-reserved-concurrency',
    meaning: `More than ${NEAR_LIMIT_PERCENT}% of the ${reserved} environments that the API's function reserves were in use in three of five minutes.`,
    metric: handler.metric('ConcurrentExecutions', { period: MINUTE, statistic: Stats.MAXIMUM }),
    above: (reserved * NEAR_LIMIT_PERCENT) / 100,
    periods: { above: 3, of: 5 },
  };
}

function probeAlarms(stage: string, probe: IFunction): AlarmDefinition[] {
  const ofQuarter = { period: QUARTER, statistic: Stats.SUM };
  return [
    {
      // If no request reaches the API, its own metrics show no fault.
      id: 'Unreachable',
      name: 'unreachable',
      meaning: "The API's public address did not answer as documented, in two of three periods of five minutes, or was not called at all.",
      metric: domainMetric(stage, PROBE_FAILED, Duration.minutes(5), Stats.MAXIMUM),
      above: 0,
      periods: { above: 2, of: 3 },
      isSilenceAFault: true,
    },
    {
      id: 'ProbeFailing',
      name: 'probe-failing',
      meaning: 'The function that calls the API from outside failed or was throttled more than once in fifteen minutes.',
      metric: sumOf('probe', { errors: probe.metricErrors(ofQuarter), throttles: probe.metricThrottles(ofQuarter) }, QUARTER),
      above: 1,
    },
  ];
}
