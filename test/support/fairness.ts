// Which clients are banned and which are not: the lists in docs/decisions/0003-bans.md, as clients that can run against any server.

import type { Limits } from '../../core/access/plans.ts';
import { DAY_MS, MINUTE_MS } from '../../core/limits/windows.ts';
import {
  type Answer,
  after,
  type Behavior,
  ignores429,
  runClients,
  type Sent,
  type Server,
  sendsOne,
  stopsAt429,
  waitsRetryAfter,
} from './virtual-clients.ts';

const FREE: Limits = { perMinute: 60, perDay: 1_000 };
/** Plan Free, with a daily limit that is used up at once. */
const ONE_DAY_LEFT: Limits = { perMinute: 60, perDay: 60 };

/** A service with one account and one key. */
export interface Bench {
  readonly server: Server;
  setLimits(limits: Limits): Promise<void> | void;
  readonly onTime?: (now: number) => void;
}

export interface Case {
  readonly name: string;
  readonly limits: Limits;
  readonly clients: readonly Behavior[];
  readonly durationMs: number;
  readonly networkMs?: number;
}

const many = (count: number, behave: (index: number) => Behavior): readonly Behavior[] => Array.from({ length: count }, (_, n) => behave(n));

/** Distributes moments over time without a pattern, but reproducibly. */
const scattered = (index: number, over: number) => Math.floor(((index * 0.618_033_988_749) % 1) * over);

export const NEVER_BANNED: readonly Case[] = [
  ...[500, 3_000].flatMap((size) =>
    [0, 200].map((networkMs) => ({
      name: `a burst of ${size} requests within 2 s, ${networkMs} ms of network each way`,
      limits: FREE,
      clients: many(size, (n) => after(scattered(n, 2_000), sendsOne)),
      durationMs: MINUTE_MS,
      networkMs,
    })),
  ),
  ...[0, 200].map((networkMs) => ({
    name: `50 connections that each stop at their first 429, ${networkMs} ms of network each way`,
    limits: FREE,
    clients: many(50, () => stopsAt429),
    durationMs: MINUTE_MS,
    networkMs,
  })),
  {
    name: '50 processes that share a key and wait for Retry-After, started at any moment of the minute',
    limits: { perMinute: 60, perDay: 1_000_000 },
    clients: many(50, (n) => after(scattered(n, MINUTE_MS), waitsRetryAfter)),
    durationMs: 5 * MINUTE_MS,
    networkMs: 20,
  },
  {
    name: 'one client that retries exactly at Retry-After, for a day',
    limits: FREE,
    clients: [waitsRetryAfter],
    durationMs: DAY_MS,
    networkMs: 0,
  },
];

export const BANNED: readonly (Case & { readonly withinMs: number })[] = [
  { name: 'a loop without pause', limits: FREE, clients: [ignores429(0)], networkMs: 2, withinMs: MINUTE_MS },
  { name: 'a loop with a pause of 200 ms', limits: FREE, clients: [ignores429(200)], withinMs: 2 * MINUTE_MS },
  { name: 'a loop with a pause of 200 ms, after a day limit', limits: ONE_DAY_LEFT, clients: [ignores429(200)], withinMs: 10 * MINUTE_MS },
  { name: '20 connections that never stop', limits: FREE, clients: many(20, () => ignores429(0)), networkMs: 20, withinMs: 2 * MINUTE_MS },
].map((each) => ({ ...each, durationMs: each.withinMs + MINUTE_MS }));

/** Runs a case. @param startAt when the clients start: its position in the minute decides which windows they reach */
export function runCase(bench: Bench, each: Case, startAt: number, until?: (sent: Sent) => boolean): Promise<readonly Sent[]> {
  const { clients, durationMs, networkMs = 1 } = each;
  return runClients({
    server: bench.server,
    clients,
    startAt,
    durationMs,
    networkMs,
    ...(bench.onTime && { onTime: bench.onTime }),
    ...(until && { until }),
  });
}

/** Whether the request was refused because its key is banned. */
export const isBan = ({ answer }: Sent) => answer.outcome === 'api_key_banned';
/** Whether the request was refused, by a limit or a ban. */
export const isRefusal = ({ answer }: Sent) => answer.outcome !== 'ok';

/** The time from the first 429 to the ban; undefined if there was none. */
export function bannedAfterMs(sent: readonly Sent[]): number | undefined {
  const first = sent.find(isRefusal);
  const ban = sent.find(isBan);
  return first && ban && ban.at - first.at;
}

export interface UpgradeResult {
  readonly bans: number;
  /** The time from the upgrade to the first admitted request; undefined if there was none. */
  readonly admittedAfterMs: number | undefined;
}

/** An account uses up its daily quota, is refused for a while, and is upgraded while its client continues. */
export async function runUpgrade(bench: Bench, behave: Behavior, startAt: number, upgradeAfterMs: number): Promise<UpgradeResult> {
  const before = { limits: ONE_DAY_LEFT, clients: [behave], name: 'upgrade' };
  const upgradeAt = startAt + upgradeAfterMs;
  const operator: Behavior = async ({ sleep }) => {
    await sleep(upgradeAfterMs);
    await bench.setLimits({ perMinute: 1_000_000, perDay: 1_000_000 });
  };
  const sent = await runCase(
    bench,
    { ...before, clients: [operator, behave], durationMs: upgradeAfterMs + 3 * MINUTE_MS },
    startAt,
    ({ at, answer }) => at > upgradeAt && answer.outcome === 'ok',
  );
  const admitted = sent.find(({ at, answer }) => at > upgradeAt && answer.outcome === 'ok');
  return { bans: sent.filter(isBan).length, admittedAfterMs: admitted && admitted.at - upgradeAt };
}

/** A client that ignores 429 during its first ban and afterwards. @returns the Retry-After of the first answer in each ban, in seconds */
export async function runRepeatedBans(bench: Bench, startAt: number): Promise<readonly number[]> {
  const bans: number[] = [];
  let banned = false;
  const behave: Behavior = async ({ send, sleep }) => {
    for (;;) {
      const { outcome, retryAfterSeconds = 0 }: Answer = await send();
      if (outcome === 'api_key_banned' && !banned) bans.push(retryAfterSeconds);
      banned = outcome === 'api_key_banned';
      // While banned, it continues less often, so that the case finishes.
      await sleep(banned ? 5_000 : 50);
    }
  };
  await runCase(bench, { name: 'again', limits: FREE, clients: [behave], durationMs: 30 * MINUTE_MS }, startAt, () => bans.length === 2);
  return bans;
}

export { FREE, ONE_DAY_LEFT };
