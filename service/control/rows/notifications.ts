// The control API's operations on the user's settings for emails.

import * as z from 'zod';
import { NOTIFICATION_KINDS } from '../../../core/notifications/notification.ts';
import type { ControlRow } from './row.ts';

const kind = z.enum(NOTIFICATION_KINDS, `one of ${NOTIFICATION_KINDS.join(', ')}`).meta({
  id: 'NotificationKind',
  description: 'What an email to the members of an account is about.',
});

export const notificationSettings = z
  .object({
    sends: z.boolean().describe('Whether this installation sends emails at all'),
    kinds: z.array(kind).describe('The kinds that the user gets'),
  })
  .meta({ id: 'NotificationSettings', description: 'Which emails the user gets, about all of their accounts.' });

const notificationSettingsInput = z
  .strictObject({
    kinds: z
      .array(z.enum(NOTIFICATION_KINDS, `one of ${NOTIFICATION_KINDS.join(', ')}`), `a list of ${NOTIFICATION_KINDS.join(', ')}`)
      .max(NOTIFICATION_KINDS.length, 'each kind once')
      .describe('The kinds to get; all others are turned off'),
  })
  .meta({ id: 'NotificationSettingsInput' });

export const NOTIFICATION_ROWS = {
  getNotificationSettings: {
    method: 'GET',
    path: '/me/notifications',
    summary: 'Which emails the user gets.',
    status: 200,
    result: notificationSettings,
  },
  updateNotificationSettings: {
    method: 'PUT',
    path: '/me/notifications',
    summary: 'Chooses which emails the user gets.',
    body: notificationSettingsInput,
    status: 200,
    result: notificationSettings,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
