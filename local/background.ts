// Removes expired rows and files: at the start, and every hour.

import { randomBytes } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { EmbeddedMail } from '../platforms/embedded/mail.ts';
import { actingAs } from '../service/audit/acting.ts';
import { newMailServerState } from '../service/notifications/deliver.ts';
import { startNotificationTimers } from '../service/notifications/timers.ts';

const EVERY_MS = 3_600_000;
/** How long a stop waits for the mail server, in milliseconds. */
const MAIL_ENDS_MS = 5_000;

/** Removes unneeded data until none is left or time runs out. @param now milliseconds since 1970 */
export type Sweep = (now: number, isTimeLeft: () => boolean) => Promise<unknown>;

/** Returns the sweeps for a data folder. */
export function sweepsOf({ removeExpired, sweepFiles }: Pick<DataFolder, 'removeExpired' | 'sweepFiles'>): readonly Sweep[] {
  return [removeExpired, sweepFiles];
}

/** Runs sweeps periodically, one at a time. @param clock milliseconds since 1970 @returns a function that stops them and awaits the current one */
export function startSweeps(sweeps: readonly Sweep[], clock: () => number, onFault: (error: unknown) => void): () => Promise<void> {
  let stopped = false;
  const run = () =>
    actingAs({ kind: 'sweep' }, async () => {
      for (const sweep of sweeps) if (!stopped) await sweep(clock(), () => !stopped).catch(onFault);
    });
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, EVERY_MS);
  return () => {
    stopped = true;
    clearInterval(timer);
    return running;
  };
}

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

/** Starts sending messages to owners, if there is a mail server. @returns a function that stops this; a mail server that hangs does not delay it */
export async function startNotifications(
  folder: DataFolder,
  { mail, dashboard, logger, clock, onFault }: NotificationOptions,
): Promise<() => Promise<void>> {
  // Without a mail server, nothing would empty the outbox.
  const unsent = mail === undefined ? (await folder.state.dueItems(Number.MAX_SAFE_INTEGER)).notifications.count : 0;
  await folder.setOutboxOpen(mail !== undefined);
  if (unsent > 0)
    logger.warn(`mail: dropped the unsent emails of ${unsent} notifications; without PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM, none are sent`);
  if (mail === undefined) return async () => {};
  const stop = startNotificationTimers(
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
  return async () => {
    const abort = setTimeout(() => mail.abort?.(), MAIL_ENDS_MS);
    await stop();
    clearTimeout(abort);
  };
}
