// Examines the machine: its clock, disk and ports, and the service that runs on it.

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, statfsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { descriptorLimit } from '../../../adapters/connections/bounded.ts';
import { DATABASE_FILE } from '../../../adapters/files/data-folder.ts';
import { MINUTE_MS } from '../../../core/limits/windows.ts';
import { messageOf } from '../../platform.ts';
import type { RunningService } from '../folder-lock.ts';
import { neighborProblem, type Settings } from '../settings.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const MIB = 2 ** 20;
/** Space, in bytes, for the log, and for data that arrives before the operator acts. */
const LEAST_FREE_BYTES = 100 * MIB;
const COMFORTABLE_FREE_BYTES = 1024 * MIB;
/** Each connection needs a descriptor, and some systems' default limit is 1,024. */
const FEW_DESCRIPTORS = 4_096;
const SERVICE_MS = 5_000;

const readySchema = z.object({
  checks: z.array(z.object({ name: z.string(), state: z.enum(['ok', 'warning', 'failed']), reason: z.string().optional() })),
});
/** Parts for which the examination has its own findings. */
const EXAMINED_HERE = ['space', 'authority'];

/** Checks whether pages of sites can set cookies for the dashboard. */
export function examineNames(settings: Settings): readonly Finding[] {
  const found = neighborProblem(settings);
  return [found === undefined ? ok('names', 'sites are below a registered domain of their own') : warning('names', found.found, found.action)];
}

/** Checks whether the clock is behind or ahead of stored times. @param now milliseconds since 1970 */
export function examineClock(database: DatabaseSync, now: number): readonly Finding[] {
  const newest = database
    .prepare(
      `SELECT max(at) AS at FROM (SELECT max(created_at) AS at FROM accounts UNION ALL SELECT max(created_at) FROM api_keys
       UNION ALL SELECT max(last_used_at) FROM api_keys UNION ALL SELECT max(created_at) FROM deployments UNION ALL SELECT max(not_before) FROM certificates)`,
    )
    .get()?.at;
  const { at, ahead_for } = database.prepare('SELECT at, ahead_for FROM settled_time').get() ?? {};
  const minutes = (ms: number) => Math.round(ms / MINUTE_MS);
  const time = new Date(now).toISOString();
  const action = 'correct the clock, and keep it in sync with NTP (timedatectl)';
  const behindMs = Number(newest ?? 0) - now;
  // It is unknown when the clock was wrong: now, or when the time was stored.
  if (behindMs >= MINUTE_MS) {
    const until = new Date(Number(newest)).toISOString();
    const past = `if the clock is right now, it was ahead earlier: there is nothing to do, and this warning ends at ${until}`;
    return [warning('clock', `${time} is ${minutes(behindMs)} minutes behind the newest stored time`, `${action}; ${past}`)];
  }
  const aheadMs = typeof ahead_for === 'number' ? now - Number(at) : 0;
  if (aheadMs < MINUTE_MS) return [ok('clock', `fits the stored times: ${time}`)];
  const found = `${time} is ${minutes(aheadMs)} minutes ahead of the time that the service uses, because the clock has jumped`;
  return [warning('clock', found, `${action}; if it is right, the service follows it within an hour`)];
}

/** Checks whether there is space for new data, and for a copy of the database before an upgrade. */
export function examineSpace(dataFolder: string): readonly Finding[] {
  const { bavail, bsize } = statfsSync(dataFolder);
  const free = bavail * bsize;
  const copy = statSync(join(dataFolder, DATABASE_FILE)).size;
  const found = `${Math.floor(free / MIB)} MiB free`;
  if (free < LEAST_FREE_BYTES) return [problem('space', found, 'free up space now: writes will soon fail')];
  if (free < Math.max(COMFORTABLE_FREE_BYTES, 2 * copy)) return [warning('space', found, 'free up space; an upgrade first copies the database')];
  return [ok('space', found)];
}

/** Checks whether many clients can connect. */
export function examineDescriptors(): readonly Finding[] {
  const limit = descriptorLimit();
  if (limit >= FEW_DESCRIPTORS) return [ok('open files', `at most ${limit}`)];
  const action = 'each connection needs one: raise the limit of the service, in systemd with LimitNOFILE=';
  return [warning('open files', `at most ${limit}, in this shell`, action)];
}

/** Checks whether the running service answers, and what it reports about itself. */
export async function examineService(service: RunningService): Promise<readonly Finding[]> {
  const at = `process ${service.pid}, ${service.url}`;
  try {
    const response = await fetch(`${service.url}/readyz`, { signal: AbortSignal.timeout(SERVICE_MS) });
    const { checks } = readySchema.parse(await response.json());
    const faults = checks.flatMap(({ name, state, reason = '' }) => {
      if (state === 'ok' || EXAMINED_HERE.includes(name)) return [];
      const [found, action] = [`${name}: ${reason} (${at})`, 'check its log; docs/server/alerts.md has more under "PetstoreNotReady"'];
      return [state === 'failed' ? problem('service', found, action) : warning('service', found, action)];
    });
    return faults.length === 0 ? [ok('service', `answers (${at})`)] : faults;
  } catch (error) {
    return [problem('service', `does not answer (${at}): ${messageOf(error)}`, 'check its log, and restart it')];
  }
}

type Listening = Pick<Settings, 'host' | 'port' | 'edge' | 'dns' | 'metrics' | 'acme'>;

/** Checks whether the service can start with the addresses, ports and files in the settings. */
export async function examinePorts({ host, port, edge, dns, metrics, acme }: Listening): Promise<readonly Finding[]> {
  const tcp: readonly (readonly [setting: string, ofHost: string, address: string, number: number])[] = [
    ['PETSTORE_PORT', 'PETSTORE_HOST', host, port],
    ['PETSTORE_EDGE_HTTP_PORT', 'PETSTORE_EDGE_HOST', edge.host, edge.httpPort],
    ['PETSTORE_EDGE_HTTPS_PORT', 'PETSTORE_EDGE_HOST', edge.host, edge.httpsPort],
    ...(metrics === undefined ? [] : ([['PETSTORE_METRICS_PORT', 'PETSTORE_METRICS_HOST', metrics.host, metrics.port]] as const)),
    ...(dns.kind === 'sandbox' ? ([['PETSTORE_SANDBOX_DNS_PORT', '', '127.0.0.1', dns.port]] as const) : []),
  ];
  const findings: Finding[] = [];
  // They stay open until the end, so that two settings with the same port conflict here as they do in the service.
  const open: { close(): unknown }[] = [];
  const failure = (listener: Server | Socket) =>
    once(listener, 'listening').then(
      () => void open.push(listener),
      (error: Error) => error,
    );
  for (const [at, [setting, ofHost, address, number]] of tcp.entries()) {
    const error: NodeJS.ErrnoException | undefined =
      (await failure(createServer().listen(number, address))) ??
      (ofHost === '' ? await failure(createSocket('udp4').bind(number, address)) : undefined);
    if (error === undefined) continue;
    const twin = tcp.slice(0, at).find((other) => other[3] === number && (other[2] === address || [other[2], address].includes('0.0.0.0')))?.[0];
    const [found, action] = reasonOf(error, ofHost, twin);
    findings.push(problem('ports', `${setting}: ${address}:${number} ${found}`, action));
  }
  for (const each of open) each.close();
  return [ok('service', 'is not running'), ...(findings.length === 0 ? [ok('ports', 'free')] : findings), ...rootProblems(acme?.caFile)];
}

/** Returns what is wrong with an address and a port, and what to do. @param twin the setting with the same port */
function reasonOf({ code, message }: NodeJS.ErrnoException, ofHost: string, twin: string | undefined): readonly [found: string, action: string] {
  if (code === 'EADDRINUSE' && twin !== undefined) return [`is also the port of ${twin}`, 'choose another port for one of them'];
  if (code === 'EADDRINUSE') return ['is in use', 'stop the process that uses it, or choose another port'];
  if (code === 'EACCES') return ['needs a permission: ports below 1024 need CAP_NET_BIND_SERVICE', 'grant it, or choose another port'];
  return [`can't be listened on: ${message}`, `set ${ofHost} to an address of this machine, such as 127.0.0.1`];
}

function rootProblems(caFile: string | undefined): readonly Finding[] {
  try {
    if (caFile !== undefined) readFileSync(caFile);
    return [];
  } catch (error) {
    return [problem('certificate authority', `PETSTORE_ACME_CA_FILE: can't read ${caFile}: ${messageOf(error)}`, 'correct the setting, or the file')];
  }
}
