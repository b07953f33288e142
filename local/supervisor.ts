// systemd's notifications (sd_notify(3)), sent by its own program: Node has no sockets of the kind that they need.

import { execFile } from 'node:child_process';

/** How many notifications fit into the time after which systemd restarts a silent service. */
const NOTIFICATIONS_IN_TIME = 3;

/**
 * Notifies systemd that the service is ready, and from then on that it is not stuck, if its unit has `Type=notify` and `WatchdogSec=`. Without systemd, it
 * does nothing.
 *
 * @param environment with `NOTIFY_SOCKET`, and `WATCHDOG_USEC` in microseconds
 * @param status a line for `systemctl status`
 * @param onFault called if systemd can't be notified
 */
export function notifySupervisor(environment: Readonly<Record<string, string | undefined>>, status: string, onFault: (error: unknown) => void): void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = environment;
  if (NOTIFY_SOCKET === undefined) return;
  const notify = (...message: string[]) => execFile('systemd-notify', message, (error) => error !== null && onFault(error));
  notify('--ready', `--status=${status}`);
  // A stuck event loop has no timers.
  if (WATCHDOG_USEC !== undefined) setInterval(notify, Number(WATCHDOG_USEC) / 1_000 / NOTIFICATIONS_IN_TIME, 'WATCHDOG=1').unref();
}
