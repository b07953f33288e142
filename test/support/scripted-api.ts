// Clients of servers that answer from a script and record what is sent and when.

import { type ClientOptions, createClient, type PetstoreClient } from '../../client/client.ts';
import { NOON } from '../../testing/samples.ts';
import { virtualTime } from './virtual-time.ts';

export const MINUTE_MS = 60_000;

export interface Sent {
  readonly at: number;
  readonly key: string;
  status?: number;
}

/** A fetch that records what is sent, and fails if called while the last 429 for the key asks to wait. */
export function recorded(clock: { now: number }, send: (key: string) => Promise<Response>) {
  const sent: Sent[] = [];
  const closedUntil = new Map<string, number>();
  const early: Sent[] = [];
  const record: typeof fetch = async (_input, init) => {
    const key = new Headers(init?.headers).get('authorization') ?? '';
    const one: Sent = { at: clock.now, key };
    sent.push(one);
    if (clock.now < (closedUntil.get(key) ?? 0)) early.push(one);
    const response = await send(key);
    one.status = response.status;
    const seconds = Number(response.headers.get('retry-after'));
    if (response.status === 429) closedUntil.set(key, Math.max(closedUntil.get(key) ?? 0, clock.now + seconds * 1_000));
    return response;
  };
  return { sent, early, record };
}

/** An empty page of the list. @param remaining value for X-RateLimit-Remaining; no header if undefined */
export const page = (remaining?: number) =>
  new Response('[]', { headers: remaining === undefined ? {} : { 'x-ratelimit-remaining': String(remaining) } });

/** A 429. @param retryAfter in seconds @param more headers */
export function refusal(retryAfter: number, code = 'rate_limit_exceeded', more: Record<string, string> = {}): Response {
  const body = JSON.stringify({ code, message: code, status: 429 });
  return new Response(body, { status: 429, headers: { 'retry-after': String(retryAfter), 'x-ratelimit-remaining': '0', ...more } });
}

/** A server that admits this many requests a minute by the clock. */
export function quota(clock: { now: number }, perMinute: number) {
  let [minute, used] = [0, 0];
  return async () => {
    const current = Math.floor(clock.now / MINUTE_MS);
    if (current !== minute) [minute, used] = [current, 0];
    used += 1;
    if (used <= perMinute) return page(perMinute - used);
    return refusal(Math.ceil((MINUTE_MS - (clock.now % MINUTE_MS)) / 1_000));
  };
}

/** Gives the answers in order, then repeats the last. */
export function script(...answers: (() => Response | Promise<Response>)[]) {
  return async () => ((answers.length > 1 ? answers.shift() : answers[0]) as () => Response | Promise<Response>)();
}

let keys = 0;
let clients: PetstoreClient[] = [];

/** A client for this test. */
export function clientOf(options: ClientOptions): PetstoreClient {
  const client = createClient(options);
  clients.push(client);
  return client;
}

/** A client on a scripted server, with its own key. */
export function scripted(makeSend: (clock: { now: number }) => () => Promise<Response>, options: Partial<ClientOptions> = {}) {
  const clock = { now: NOON };
  const { sent, early, record } = recorded(clock, makeSend(clock));
  const time = virtualTime(clock, record);
  const shared = { baseUrl: 'http://petstore.test', apiKey: newKey(), sleep: time.sleep, fetch: time.fetch, clock: () => clock.now };
  const make = (more: Partial<ClientOptions> = {}) => clientOf({ ...shared, random: seededRandom(), ...options, ...more });
  return { client: make(), make, time, clock, sent, early };
}

function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export const many = <T>(count: number, make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, make));
/** The reason for the promise's rejection, or else its value. */
export const caught = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** A key that no other test uses. */
export function newKey(): string {
  keys += 1;
  return `key ${keys}`;
}

/** Opens the gates that a test's clients have closed, so that they don't affect the next test. */
export function openAll(): void {
  for (const client of clients) client.resume();
  clients = [];
}
