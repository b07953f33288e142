// The embedded service: the counterpart of the Lambda functions, on the platform for a single machine.

import { randomBytes } from 'node:crypto';
import type { Logger } from '@aws-lambda-powertools/logger';
import { createDemoAccount, type Demo } from '../core/access/accounts.ts';
import { dashboardFirstFiles } from '../platforms/built-files.ts';
import { describeProviders } from '../platforms/embedded/configuration.ts';
import { startDomains } from '../platforms/embedded/domains.ts';
import { openForService } from '../platforms/embedded/folder.ts';
import { openIdentity, openSignInLog } from '../platforms/embedded/identity.ts';
import { createEmbeddedMail } from '../platforms/embedded/mail.ts';
import type { Settings } from '../platforms/embedded/settings.ts';
import { openSettledTime, withSettledTime } from '../platforms/embedded/settled-time.ts';
import { currentActor } from '../service/audit/acting.ts';
import { startDomainTimers } from '../service/workflow/timers.ts';
import { startApi } from './api.ts';
import { startNotifications, startSweeps, sweepsOf } from './background.ts';
import { openChanges } from './changes.ts';
import { createControlMounts } from './control.ts';
import { folderHealth, watchDatabase } from './health.ts';
import { openAccessLog } from './log.ts';
import { createMetrics, folderParts, readinessPart, workParts } from './metrics/metrics.ts';
import { startMetrics } from './metrics/serve-metrics.ts';
import { openDashboard } from './pages.ts';
import { folderWarnings, operatorWarnings, settingWarnings } from './warnings.ts';

/** How long a service that has lost its database responds with 503 before it stops, in milliseconds. */
const LAST_ANSWERS_MS = 1_000;

export interface Service {
  /** The address on which the service listens, without a trailing slash. */
  readonly url: string;
  /** The origin that clients use, if it differs from `url`. */
  readonly publicUrl: string | undefined;
  /** @default undefined: all data is stored by adapters */
  readonly dataFolder: string | undefined;
  /** The edge's addresses, as text for operators. @default undefined: only the API is served */
  readonly edge: string | undefined;
  /** The demo account that the first start created. @default undefined: accounts existed already */
  readonly demo: Demo | undefined;
  /** The adapters in use and their ports, as text for operators. @default undefined: there is no configuration, or it names no adapters */
  readonly adapters: string | undefined;
  /** The address of the metrics. @default undefined: they are not served */
  readonly metrics: string | undefined;
  /** Warnings for operators, one sentence each, such as settings without effect, or a data folder that others can read. */
  readonly warnings: readonly string[];
  /** Stops the service after requests in progress are answered. */
  stop(): Promise<void>;
}

/**
 * Starts the service. If a folder or port is unavailable, rejects with a message for operators and leaves nothing running.
 *
 * @param onFault called with faults in the service itself
 * @param onLost called after the service has stopped because its database was deleted or replaced
 * @example
 * const parsed = parseSettings({ PETSTORE_PORT: '0', PETSTORE_DATA: 'data' });
 * if (!parsed.ok) throw new Error(parsed.problems.join());
 * const service = await startService(parsed.settings, new Logger(), console.error);
 */
export async function startService(
  settings: Settings,
  logger: Logger,
  onFault: (error: unknown) => void,
  onLost: () => void = () => {},
): Promise<Service> {
  const clock = Date.now;
  const opened = await openForService(settings, clock, currentActor);
  // The parts to stop, in reverse order, if startup fails or the service ends.
  const running: (() => Promise<void> | void)[] = [opened.close];
  const stop = async () => {
    for (let end = running.pop(); end !== undefined; end = running.pop()) await end();
  };
  const changes = openChanges(opened, 'main', logger, onFault);
  running.push(changes.close);
  const time = openSettledTime(opened.database, clock, (aheadMs) => logger.warn(jumpText(aheadMs)));
  running.push(time.stop);
  const folder = withSettledTime(opened, time.clock, clock);
  const file = folder.databaseFile;
  const metrics = settings.metrics === undefined ? undefined : createMetrics();
  const accessLog = openAccessLog(settings, clock);
  // Ended after everything that writes to it.
  if (accessLog !== undefined) running.push(accessLog.flush);
  const signInLog = openSignInLog(folder, clock, onFault);
  running.push(signInLog.stop);
  await changes.run(() => () => changes.followed().then(signInLog.flush));
  const endWatch = watchDatabase(file, () => {
    onFault(
      new Error(`PETSTORE_DATA: ${file} was deleted or replaced while the service was running; stopping, because nothing could be stored any more`),
    );
    // From now on, requests that need storage get a 503, so that callers see a reason before connections are refused.
    void folder.close();
    setTimeout(() => void stop().then(onLost, onFault), LAST_ANSWERS_MS);
  });
  running.push(endWatch);
  try {
    const { publicUrl } = settings;
    const health = folderHealth(folder, { clock: time.clock, hasTimers: true, changes });
    const { host, finish } = await startApi({ stores: folder, health, changes, settings, logger, clock, onFault, metrics, accessLog });
    running.push(finish, host.stop);
    const domains = await startDomains(folder, {
      adopt: host.adopt,
      observer: metrics?.edge,
      logVisit: settings.accessLog === 'all' ? (entry) => accessLog?.write('visit', entry) : undefined,
      warn: (message) => logger.warn(message),
      onFault,
      clock: time.clock,
      visitClock: clock,
      changes,
    });
    // Each of these takes a while to stop, so they stop concurrently.
    running.pop();
    running.push(async () => void (await Promise.all([host.stop(), changes.end().then(domains.stop)])));
    await changes.run(() => startDomainTimers(domains.work, onFault).stop);
    await changes.run(() => startSweeps([...sweepsOf(folder), domains.sweep], time.clock, onFault));
    const origin = publicUrl ?? host.url;
    const mail = await createEmbeddedMail(folder, time.clock);
    const identity = await openIdentity(folder, {
      origin,
      mailer: mail?.mailer,
      warn: (message, detail) => logger.warn(`mail: ${message}`, detail),
      signInLog,
      prefetch: dashboardFirstFiles(),
      clock: time.clock,
      machineClock: clock,
      onFault,
    });
    await changes.run(() => startNotifications(folder, { mail, dashboard: origin, logger, clock: time.clock, onFault }));
    const { httpsPort, inspector } = domains;
    const watching = { accessLogger: accessLog?.write ?? ('off' as const), observer: metrics?.observerOf('control') };
    host.mount(
      createControlMounts({ folder, changes, identity, inspector, readiness: health.readiness, httpsPort, logger, clock, onFault, ...watching }),
      openDashboard(identity.client),
    );
    const parts = [readinessPart(health.readiness), ...folderParts(folder), ...workParts(folder, time.clock)];
    const metricsServer = await startMetrics({ metrics, settings, parts, clock, onFault });
    if (metricsServer !== undefined) running.push(metricsServer.stop);
    try {
      folder.announce({ pid: process.pid, url: host.url, startedAt: clock() });
    } catch (error) {
      // Only commands need this file, for their messages. Without it, as on a full disk, the service can still serve sites and reads.
      onFault(error);
    }
    // The last step, because the account's key is shown only once: if the start fails before this, the next start creates it.
    const demo = changes.isStopped() ? undefined : await createDemoAccount(folder, randomBytes, clock());
    const { dataFolder } = settings;
    const warnings = [...folderWarnings(dataFolder), ...settingWarnings(settings, folder.providers), ...(await operatorWarnings(settings, folder))];
    return {
      url: host.url,
      publicUrl,
      dataFolder,
      edge: domains.description,
      demo,
      adapters: describeProviders(folder.providers),
      metrics: metricsServer?.url,
      warnings,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the text to log when the machine's clock jumps ahead. */
function jumpText(aheadMs: number): string {
  const hours = Math.round(aheadMs / 3_600_000);
  return `the machine's clock has jumped ${hours} hours ahead; background work (domains, emails and the removal of expired data) uses the new time once the clock has kept it for an hour`;
}
