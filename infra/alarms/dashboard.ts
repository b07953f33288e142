// Alarms for the control API and for sign-in. Few people use them at a time, so these alarms count instead of comparing with the traffic.

import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { sumOf } from '../constructs/api-metrics.ts';
import type { AlarmDefinition } from '../constructs/service-alarm.ts';
import type { DashboardStack } from '../stacks/dashboard.ts';

const FIVE_MINUTES = Duration.minutes(5);
/** In five minutes. */
const FAULTS = 4;
const ERRORS = 2;
/** The mean of five minutes. Starting an execution or setting records takes a second. */
const SLOW_MS = 3_000;
/** Per five minutes. Each throttled call may delay or reject someone who is signing in. */
const THROTTLED = 0;

/** Returns the alarms for the control API and for sign-in. */
export function dashboardAlarms({ api, control, userPool, client }: DashboardStack): AlarmDefinition[] {
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
      // A percentile needs hundreds of requests.
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
      meaning: "The control API's function does not start, crashes, times out, or is refused by Lambda.",
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
  ];
}
