// Finds quotas that are nearly or fully used, and keys that were banned. Admission itself writes nothing for this: its counters say it all.

import type { NotificationOutbox, UsageSurvey } from '../../core/notifications/ports.ts';
import { usageNotifications } from '../../core/notifications/usage-notifications.ts';

/**
 * Adds the notifications that accounts' usage causes. Each is added once, however often this runs.
 *
 * @param now milliseconds since 1970
 * @returns the number of new notifications
 */
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
