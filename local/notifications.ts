// Sends messages to owners, if there is a mail server.

import { randomBytes } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { EmbeddedMail } from '../platforms/embedded/mail.ts';
import { newMailServerState } from '../service/notifications/deliver.ts';
import { startNotificationTimers } from '../service/notifications/timers.ts';

interface NotificationOptions {
  /** @default undefined: there is neither a mail server nor an adapter */
  readonly mail: EmbeddedMail | undefined;
  /** Origin of the dashboard, without a trailing slash. */
  readonly dashboard: string;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
}

/** Starts the timers. @returns stops them, once messages that are being sent are done */
export async function startNotifications(
  folder: DataFolder,
  { mail, dashboard, logger, clock, onFault }: NotificationOptions,
): Promise<() => Promise<void>> {
  // Without a mail server, nothing would empty it.
  await folder.setOutboxOpen(mail !== undefined);
  if (mail === undefined) return async () => {};
  return startNotificationTimers(
    {
      ...folder,
      ...mail,
      settings: folder.notificationSettings,
      operator: folder.settings.operatorMail,
      dashboard,
      randomBytes,
      clock,
      accepted: new Set(),
      server: newMailServerState(),
      warn: (message, detail) => logger.warn(`mail: ${message}`, detail),
    },
    onFault,
  );
}
