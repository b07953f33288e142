// Lambda entry point that sends notifications: with `{}` each minute; with `{"survey":true}`, every five minutes, also about used-up quotas and bans.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { notifierSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';
import { createAwsNotificationWork } from '../platforms/aws/notification-work.ts';
import { METRICS_NAMESPACE, NOTIFICATIONS_LOST } from '../service/metric-names.ts';
import { type Delivered, deliver, newMailServerState } from '../service/notifications/deliver.ts';
import { surveyUsage } from '../service/notifications/timers.ts';

const settings = parseEnvironment(notifierSettings, process.env);
const logger = new Logger({ serviceName: settings.SERVICE_NAME });
const metrics = new Metrics({ namespace: METRICS_NAMESPACE, serviceName: settings.SERVICE_NAME });
const adapters = createAwsNotificationWork(settings);
const work = {
  ...adapters,
  operator: settings.OPERATOR_MAIL,
  dashboard: new URL(settings.DASHBOARD_URL).origin,
  randomBytes,
  clock: Date.now,
  accepted: new Set<string>(),
  server: newMailServerState(),
  warn: (message: string, detail: Readonly<Record<string, unknown>>) => logger.warn(`notifications: ${message}`, detail),
};
/** Minimum time left, in milliseconds, to start a message: for one call to SES, and for recording it. */
const LAST_MESSAGE_MS = 20_000;

/** Adds notifications from a survey, and sends due ones until the run's time is up. @throws the first fault, after everything else is done */
export async function handler(
  { survey = false }: { readonly survey?: boolean },
  context: { readonly getRemainingTimeInMillis: () => number },
): Promise<Delivered & { readonly added: number }> {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const isTimeLeft = () => context.getRemainingTimeInMillis() > LAST_MESSAGE_MS;
  const reported =
    <Value>(value: Value) =>
    (error: unknown) => {
      onFault(error);
      return value;
    };
  const added = survey ? await surveyUsage(work, work.clock()).catch(reported(0)) : 0;
  const total = { sent: 0, lost: 0 };
  for (let sent = 1; sent > 0 && isTimeLeft(); ) {
    const round = await deliver(work, onFault, isTimeLeft).catch(reported({ sent: 0, lost: 0 }));
    total.sent += round.sent;
    total.lost += round.lost;
    sent = round.sent;
  }
  metrics.addMetric(NOTIFICATIONS_LOST, MetricUnit.Count, total.lost);
  metrics.publishStoredMetrics();
  for (const error of faults) logger.error('notifications: fault', { error });
  if (faults.length > 0) throw faults[0];
  const result = { ...total, added };
  if (total.sent + total.lost + added > 0) logger.info('notifications', result);
  return result;
}
