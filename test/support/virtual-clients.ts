// Clients in virtual time: each is an async function that sends and sleeps, and the clock jumps from one event to the next. The same clients run
// against the pure model and, over real HTTP, against a host that shares their clock.

/** The part of an answer that a client sees. */
export interface Answer {
  /** 200, or the error's code. */
  readonly outcome: 'ok' | 'rate_limit_exceeded' | 'api_key_banned';
  /** Undefined unless refused. */
  readonly retryAfterSeconds: number | undefined;
}

export interface Client {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** A request and its answer, each delayed by the network. */
  send(): Promise<Answer>;
}

/** A client's behavior until the experiment ends; it need not return. */
export type Behavior = (client: Client) => Promise<void>;

/** Answers a request that arrives at this moment. */
export type Server = (now: number) => Promise<Answer> | Answer;

export interface Sent {
  readonly at: number;
  readonly answer: Answer;
}

export interface Experiment {
  readonly server: Server;
  readonly clients: readonly Behavior[];
  readonly startAt: number;
  /** The experiment ends at this time. */
  readonly durationMs: number;
  /** Delay in each direction, in milliseconds. @default 1 */
  readonly networkMs?: number;
  /** Called for each step of the clock. */
  readonly onTime?: (now: number) => void;
  /** The experiment ends as soon as this function returns true. @default never */
  readonly until?: (sent: Sent) => boolean;
}

/** Runs the clients. @returns all requests, in order of arrival */
export async function runClients({ server, clients, startAt, durationMs, networkMs = 1, onTime, until }: Experiment): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const events: { readonly at: number; readonly resume: () => void }[] = [];
  const endAt = startAt + durationMs;
  let now = startAt;
  let over = false;
  let answering = 0;

  const sleep = (milliseconds: number) =>
    new Promise<void>((resume) => {
      insert(events, { at: now + Math.max(0, Math.ceil(milliseconds)), resume });
    });
  const send = async (): Promise<Answer> => {
    await sleep(networkMs);
    const at = now;
    answering += 1;
    const answer = await server(at);
    answering -= 1;
    sent.push({ at, answer });
    if (until?.({ at, answer })) over = true;
    await sleep(networkMs);
    return answer;
  };

  for (const behave of clients) void behave({ now: () => now, sleep, send });
  while (!over) {
    const next = events[0];
    if (next === undefined || next.at > endAt) break;
    now = next.at;
    onTime?.(now);
    // All events of this moment happen at once.
    while (events[0]?.at === now) events.shift()?.resume();
    do await new Promise((resolve) => setImmediate(resolve));
    while (answering > 0);
  }
  return sent;
}

/** Keeps the events ordered by time; simultaneous events stay in insertion order. */
function insert<E extends { readonly at: number }>(events: E[], event: E): void {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle] as E).at <= event.at) low = middle + 1;
    else high = middle;
  }
  events.splice(low, 0, event);
}

const forever = async (step: () => Promise<void>): Promise<void> => {
  for (;;) await step();
};

/** Starts after this many milliseconds. */
export const after =
  (milliseconds: number, behave: Behavior): Behavior =>
  async (client) => {
    await client.sleep(milliseconds);
    await behave(client);
  };

/** Sends again after a pause, regardless of the answer. */
export const ignores429 =
  (pauseMs: number): Behavior =>
  (client) =>
    forever(async () => {
      await client.send();
      await client.sleep(pauseMs);
    });

/** Sends without a pause, and waits for Retry-After after a 429. */
export const waitsRetryAfter: Behavior = (client) =>
  forever(async () => {
    const { retryAfterSeconds = 0 } = await client.send();
    await client.sleep(retryAfterSeconds * 1_000);
  });

/** Sends without a pause, until its first 429. */
export const stopsAt429: Behavior = async (client) => {
  while ((await client.send()).outcome === 'ok');
};

/** Sends one request. */
export const sendsOne: Behavior = async (client) => {
  await client.send();
};
