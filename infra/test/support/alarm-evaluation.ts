// Decides, as CloudWatch does, what state an alarm of the templates gets from recorded values
// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html). The emulator stores alarms without evaluating them.
// Not covered: the older datapoints that CloudWatch adds if recent ones are missing, and percentiles of few samples, which leave the state as it is.

import type { MetricReference } from '../../../judge/rules.ts';

/** An alarm's properties in a template, with references resolved. */
export interface AlarmProperties {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly TreatMissingData: string;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly Dimension[];
  readonly Period?: number;
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Metrics?: readonly MetricQuery[];
}

interface Dimension {
  readonly Name: string;
  readonly Value: string;
}

interface MetricQuery {
  readonly Id: string;
  readonly ReturnData?: boolean;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { readonly Namespace: string; readonly MetricName: string; readonly Dimensions?: readonly Dimension[] };
    readonly Period: number;
    readonly Stat: string;
  };
}

/** A metric that an alarm reads. */
export interface ReadMetric extends MetricReference {
  /** In the alarm's expression. */
  readonly id: string;
  readonly periodSeconds: number;
  readonly statistic: string;
}

/** The metrics that an alarm reads. */
export function metricsOf(alarm: AlarmProperties): readonly ReadMetric[] {
  const named = (dimensions: readonly Dimension[] = []) => Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, Value]));
  if (alarm.Metrics === undefined) {
    const { Namespace = '', MetricName = '', Period = 0, Statistic, ExtendedStatistic } = alarm;
    const statistic = Statistic ?? ExtendedStatistic ?? '';
    return [{ id: 'm', namespace: Namespace, name: MetricName, dimensions: named(alarm.Dimensions), periodSeconds: Period, statistic }];
  }
  return alarm.Metrics.flatMap(({ Id, MetricStat }) => {
    if (MetricStat === undefined) return [];
    const { Metric, Period, Stat } = MetricStat;
    const dimensions = named(Metric.Dimensions);
    return [{ id: Id, namespace: Metric.Namespace, name: Metric.MetricName, dimensions, periodSeconds: Period, statistic: Stat }];
  });
}

/** The values that were recorded for a metric in a minute; minute 0 is the most recent one. */
export type Recorded = (metric: ReadMetric, minutesAgo: number) => readonly number[];

/** The state that the alarm gets. */
export function stateOf(alarm: AlarmProperties, recorded: Recorded): 'ALARM' | 'OK' {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, TreatMissingData } = alarm;
  const periods = Array.from({ length: EvaluationPeriods }, (_, period) => datapoint(alarm, recorded, period));
  const breaching = periods.filter((value) => (value === undefined ? TreatMissingData === 'breaching' : isBreaching(alarm, value)));
  return breaching.length >= DatapointsToAlarm ? 'ALARM' : 'OK';
}

/** @param period how many periods ago */
function datapoint(alarm: AlarmProperties, recorded: Recorded, period: number): number | undefined {
  const values = new Map(
    metricsOf(alarm).map((metric) => {
      const minutes = metric.periodSeconds / 60;
      const samples = Array.from({ length: minutes }, (_, minute) => recorded(metric, period * minutes + minute)).flat();
      return [metric.id, statisticOf(metric.statistic, samples)] as const;
    }),
  );
  const expression = alarm.Metrics?.find(({ Expression }) => Expression !== undefined)?.Expression;
  return expression === undefined ? [...values.values()][0] : evaluate(expression, values);
}

function statisticOf(statistic: string, samples: readonly number[]): number | undefined {
  if (samples.length === 0) return undefined;
  const sum = samples.reduce((total, value) => total + value, 0);
  const percentile = /^p(\d+)$/.exec(statistic)?.[1];
  if (percentile !== undefined) return samples.toSorted((a, b) => a - b)[Math.ceil((samples.length * Number(percentile)) / 100) - 1];
  const known: Readonly<Record<string, number>> = {
    Sum: sum,
    Average: sum / samples.length,
    Maximum: Math.max(...samples),
    SampleCount: samples.length,
  };
  const value = known[statistic];
  if (value === undefined) throw new Error(`statistic ${statistic}: not known in infra/test/support/alarm-evaluation.ts`);
  return value;
}

/** The value of a metric math expression. @returns undefined if a metric without FILL has no datapoint */
function evaluate(expression: string, values: ReadonlyMap<string, number | undefined>): number | undefined {
  const filled = expression.replace(/FILL\((\w+), 0\)/g, (_, id: string) => String(read(values, id) ?? 0));
  const condition = /^IF\((\w+) >= (\d+), (.*), (\d+)\)$/.exec(filled);
  if (condition === null) return total(filled);
  const [, id = '', bound, then = '', otherwise] = condition;
  const value = read(values, id);
  if (value === undefined) return undefined;
  if (value < Number(bound)) return Number(otherwise);
  if (/^[a-z]\w*$/.test(then)) return read(values, then);
  const [, factor, dividend, divisor = ''] = /^(\d+) \* ([\d.]+) \/ (\w+)$/.exec(then) ?? unknown(expression);
  return (Number(factor) * Number(dividend)) / (read(values, divisor) ?? 0);
}

function read(values: ReadonlyMap<string, number | undefined>, id: string): number | undefined {
  if (!values.has(id)) throw new Error(`metric math: no metric has the id ${id}`);
  return values.get(id);
}

function total(sum: string): number {
  const terms = sum.split(' + ').map(Number);
  if (terms.some(Number.isNaN)) unknown(sum);
  return terms.reduce((one, two) => one + two, 0);
}

function unknown(expression: string): never {
  throw new Error(`metric math ${expression}: not known in infra/test/support/alarm-evaluation.ts`);
}

function isBreaching({ ComparisonOperator, Threshold }: AlarmProperties, value: number): boolean {
  if (ComparisonOperator === 'GreaterThanThreshold') return value > Threshold;
  if (ComparisonOperator === 'LessThanThreshold') return value < Threshold;
  throw new Error(`${ComparisonOperator}: not known in infra/test/support/alarm-evaluation.ts`);
}
