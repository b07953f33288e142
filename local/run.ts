// The embedded service as a process: `npm start` and `petstore start`.

import { execFile } from 'node:child_process';
import { parseSettings, type Settings } from '../platforms/embedded/settings.ts';
import { catchStrayFaults, containServer } from '../service/containment.ts';
import { startApiService } from './api-service.ts';
import { FaultLogger } from './log.ts';
import { startService } from './service.ts';

/** How long, in milliseconds, the process may continue after the service has stopped. */
const LEFT_OPEN_MS = 1_000;
/** How often systemd is notified within the time after which it restarts a silent service. */
const NOTIFICATIONS_IN_TIME = 3;

type Environment = Readonly<Record<string, string | undefined>>;

/** What to serve. */
export interface ServerOptions {
  /** Only the catalogue API, without a dashboard or domains. @default everything */
  readonly only?: 'api' | undefined;
}

/**
 * Starts the service, prints its addresses, and stops it when the process is to end; exits with code 1 if it can't be started.
 * @example await runServer(process.env, { only: 'api' });
 */
export async function runServer(environment: Environment, { only }: ServerOptions = {}): Promise<void> {
  // Makes files that the service creates readable only by their owner.
  process.umask(0o077);
  // If the log's reader is gone, reporting this would only fail again.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
  const parsed = parseSettings(environment);
  if (parsed.ok) await run(parsed.settings, only, environment);
  else fail(`invalid settings:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
}

async function run(settings: Settings, only: ServerOptions['only'], environment: Environment): Promise<void> {
  const logger = new FaultLogger({ serviceName: 'petstore', logLevel: settings.logLevel });
  const onFault = (error: unknown) => logger.error('fault of the host', { error });
  catchStrayFaults((error) => {
    onFault(error);
    process.exit(1);
  });
  const start = () => (only === 'api' ? startApiService(settings, logger, onFault) : startService(settings, logger, onFault, () => process.exit(1)));
  const service = await containServer(onFault, start).catch((error: Error) => fail(error.message));

  // A terminal's Ctrl-C arrives twice, from the terminal and from npm; the second one does nothing.
  const stop = async () => {
    await service.stop();
    process.exitCode = 0;
    // Anything that an adapter has left open must not keep the process alive.
    setTimeout(() => process.exit(), LEFT_OPEN_MS).unref();
  };
  // SIGHUP is for supervisors that send it when settings have changed, and then start the service again.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);

  const { url, publicUrl = url, dataFolder, edge, demo, adapters, metrics, warnings } = service;
  for (const warning of warnings) console.error(`petstore: ${warning}`);
  if (demo !== undefined) {
    console.log(`First start: made the account Demo (plan pro). Its API key, shown only now:\n  ${demo.key}`);
    console.log(`and a user for the dashboard, whose password is shown only now:\n  ${demo.email}  ${demo.password}`);
  }
  if (edge !== undefined) console.log(`custom domains at ${edge}`);
  if (adapters !== undefined) console.log(`adapters: ${adapters}`);
  const facts = [
    ...(publicUrl === url ? [] : [`public address: ${publicUrl}`]),
    ...(edge === undefined ? ['API only'] : [`dashboard: ${publicUrl}/`]),
    `reference: ${publicUrl}/docs`,
    ...(metrics === undefined ? [] : [`metrics: ${metrics}`]),
    ...(dataFolder === undefined ? [] : [`data: ${dataFolder}`]),
  ];
  console.log(`petstore ready at ${url} (${facts.join(', ')})`);
  notifySupervisor(environment, `ready at ${publicUrl}`, onFault);
}

function fail(message: string): never {
  console.error(`petstore: ${message}`);
  process.exit(1);
}

/**
 * Notifies systemd (sd_notify(3)), if there is one, that the service is ready, and from then on that it is not stuck. systemd's own program sends the
 * messages, because Node does not support the type of socket that they need.
 * @param environment with `NOTIFY_SOCKET`, and `WATCHDOG_USEC` in microseconds @param status a line for `systemctl status`
 */
function notifySupervisor(environment: Environment, status: string, onFault: (error: unknown) => void): void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = environment;
  if (NOTIFY_SOCKET === undefined) return;
  const notify = (...message: string[]) => execFile('systemd-notify', message, (error) => error !== null && onFault(error));
  notify('--ready', `--status=${status}`);
  // In a stuck event loop, this timer does not run.
  if (WATCHDOG_USEC !== undefined) setInterval(notify, Number(WATCHDOG_USEC) / 1_000 / NOTIFICATIONS_IN_TIME, 'WATCHDOG=1').unref();
}
