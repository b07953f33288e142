// The embedded service's timers for notifications: one sends due notifications, the other finds used-up quotas and bans.

import type { NotificationOutbox, UsageSurvey } from '../../core/notifications/ports.ts';
import { usageNotifications } from '../../core/notifications/schedule.ts';
import { contain } from '../containment.ts';
import { type DeliveryWork, deliver } from './deliver.ts';

/** Interval between checks of the outbox, in milliseconds. */
const POLL_MS = 1_000;
/** Interval between surveys of all accounts' usage, in milliseconds: the longest delay before a used-up quota is reported. */
const SURVEY_MS = 60_000;

/** Starts the timers. @returns a function that stops them; it resolves once the work in progress has ended */
export function startNotificationTimers(
  work: DeliveryWork & Parameters<typeof surveyUsage>[0],
  onFault: (error: unknown) => void,
): () => Promise<void> {
  let stopped = false;
  const every = (milliseconds: number, task: () => Promise<unknown>) => {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> = Promise.resolve();
    const run = () => {
      running = contain(task, onFault)
        .then(() => {}, onFault)
        .finally(() => {
          if (!stopped) timer = setTimeout(run, milliseconds);
        });
    };
    run();
    return async () => {
      clearTimeout(timer);
      await running;
    };
  };
  const ends = [every(POLL_MS, () => deliver(work, onFault, () => !stopped)), every(SURVEY_MS, () => surveyUsage(work, work.clock()))];
  return async () => {
    stopped = true;
    await Promise.all(ends.map((end) => end()));
  };
}

/** Adds notifications of bans and of nearly or fully used quotas, each once; returns how many are new. @param now milliseconds since 1970 */
export async function surveyUsage(
  { survey, outbox }: { readonly survey: UsageSurvey; readonly outbox: Pick<NotificationOutbox, 'add'> },
  now: number,
): Promise<number> {
  let added = 0;
  let after: string | undefined;
  do {
    const { items, next } = await survey.usagePage(now, after);
    for (const usage of items) for (const notification of usageNotifications(usage, now)) if (await outbox.add(notification)) added += 1;
    after = next;
  } while (after !== undefined);
  return added;
}
