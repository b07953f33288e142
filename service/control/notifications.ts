// The user's settings for emails.

import { NOTIFICATION_KINDS, type NotificationKind } from '../../core/notifications/notification.ts';
import { changedMeanwhile } from '../../core/refusal.ts';
import { type Answerer, ok } from './answer.ts';
import type { ControlPorts } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';

/** The handlers for the settings. What is stored is what a user has turned off, so that they get kinds that a later release adds. */
export function notificationHandlers(answer: Answerer, { notificationSettings, sendsMail }: ControlPorts) {
  const view = (muted: readonly NotificationKind[]) => ({ sends: sendsMail, kinds: NOTIFICATION_KINDS.filter((kind) => !muted.includes(kind)) });
  return {
    getNotificationSettings: answer(CONTROL_OPERATIONS.getNotificationSettings, async ({ caller }) =>
      ok(view(await notificationSettings.mutedBy(caller.id))),
    ),

    updateNotificationSettings: answer(CONTROL_OPERATIONS.updateNotificationSettings, async ({ caller, body: { kinds }, precondition }) => {
      const muted = NOTIFICATION_KINDS.filter((kind) => !kinds.includes(kind));
      const read = precondition && (await notificationSettings.mutedBy(caller.id));
      const changed = read && precondition(view(read));
      if (changed !== undefined) return changed;
      return (await notificationSettings.mute(caller.id, muted, read)) ? ok(view(muted)) : changedMeanwhile('the settings');
    }),
  };
}
