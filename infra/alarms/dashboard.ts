// Alarms for the control API, for sign-in and for emails to owners. Few people use these at a time, so the alarms use counts rather than rates.

import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { NOTIFICATIONS_LOST } from '../../service/metric-names.ts';
import { domainMetric, sumOf } from '../constructs/api-metrics.ts';
import type { DashboardParts } from '../constructs/dashboard-site.ts';
import type { NotifierFunction } from '../constructs/notifier-function.ts';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';

const FIVE_MINUTES = Duration.minutes(5);
/** In five minutes. */
const FAULTS = 4;
const ERRORS = 2;
/** Mean over five minutes. Starting an execution or setting records takes a second. */
const SLOW_MS = 3_000;
/** Per five minutes. Each throttled call may delay or reject someone who is signing in. */
const THROTTLED = 0;

/** Per hour. A member's address that no longer exists is not our fault. */
const MESSAGES_LOST = 20;
/** Per fifteen minutes, in which there are eighteen runs. */
const NOTIFIER_ERRORS = 5;

/** Returns the alarms for the control API, for sign-in and for emails to owners. */
export function dashboardAlarms(stage: StageName, { api, control, userPool, client, notifier }: DashboardParts): AlarmDefinition[] {
  const sum = { period: FIVE_MINUTES, statistic: Stats.SUM };
  const handler = control.function;
  const ofSignIn = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Cognito',
      metricName,
      dimensionsMap: { UserPool: userPool.userPoolId, UserPoolClient: client.userPoolClientId },
      ...sum,
    });
  return [
    {
      id: 'ControlFaults',
      name: 'control-api-5xx',
      meaning: `The control API answered more than ${FAULTS} requests with 5xx in five minutes.`,
      metric: api.metricServerError(sum),
      above: FAULTS,
    },
    {
      // Uses the mean, because a percentile needs hundreds of requests.
      id: 'ControlSlow',
      name: 'control-api-latency',
      meaning: `The control API took more than ${SLOW_MS} ms on average, for fifteen minutes.`,
      metric: api.metricLatency({ period: FIVE_MINUTES, statistic: Stats.AVERAGE }),
      above: SLOW_MS,
      periods: { above: 3, of: 3 },
    },
    {
      id: 'ControlHandlerDead',
      name: 'control-api-dead',
      meaning: "The control API's function fails to start, crashes, times out, or is refused by Lambda.",
      metric: sumOf('control', { errors: handler.metricErrors(sum), throttles: handler.metricThrottles(sum) }, FIVE_MINUTES),
      above: ERRORS,
    },
    {
      id: 'SignInThrottled',
      name: 'sign-in-throttled',
      meaning: 'Cognito refused to sign users in or up, or to renew their tokens, in two of three periods of five minutes.',
      metric: sumOf(
        'sign-in',
        { signIns: ofSignIn('SignInThrottles'), signUps: ofSignIn('SignUpThrottles'), renewals: ofSignIn('TokenRefreshThrottles') },
        FIVE_MINUTES,
      ),
      above: THROTTLED,
      periods: { above: 2, of: 3 },
    },
    ...(notifier === undefined ? [] : notifierAlarms(stage, notifier)),
  ];
}

function notifierAlarms(stage: StageName, { function: handler }: NotifierFunction): AlarmDefinition[] {
  const [quarter, hour] = [Duration.minutes(15), Duration.hours(1)];
  const ofQuarter = { period: quarter, statistic: Stats.SUM };
  return [
    {
      id: 'MessagesLost',
      name: 'messages-lost',
      meaning: `More than ${MESSAGES_LOST} emails to owners were refused for good or abandoned within an hour.`,
      metric: domainMetric(stage, NOTIFICATIONS_LOST, hour, Stats.SUM),
      above: MESSAGES_LOST,
    },
    {
      id: 'NotifierFailing',
      name: 'notifier-failing',
      meaning: `The function that sends emails to owners failed or was throttled more than ${NOTIFIER_ERRORS} times within fifteen minutes.`,
      metric: sumOf('notifier', { errors: handler.metricErrors(ofQuarter), throttles: handler.metricThrottles(ofQuarter) }, quarter),
      above: NOTIFIER_ERRORS,
    },
    {
      // Each run records this metric, so the alarm notices a disabled schedule.
      id: 'NotifierOverdue',
      name: 'notifier-overdue',
      meaning: 'The function that sends emails to owners has not run for half an hour.',
      metric: domainMetric(stage, NOTIFICATIONS_LOST, FIVE_MINUTES, Stats.SAMPLE_COUNT),
      silentPeriods: 6,
    },
  ];
}
