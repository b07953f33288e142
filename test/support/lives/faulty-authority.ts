// A proxy in front of Pebble that plays faults. Orders, challenges and validations are Pebble's; the certificates are issued here instead, because
// their dates have to follow a clock that tests move, and so is the renewal information (RFC 9773), which Debian's Pebble lacks.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestIssuer, type TestIssuer } from './test-issuer.ts';

export const STEPS = [
  'directory',
  'nonce',
  'account',
  'order',
  'authorization',
  'challenge',
  'poll',
  'finalize',
  'download',
  'renewal_info',
] as const;

/** What a request is for. `order` creates one, `poll` reads one. */
export type Step = (typeof STEPS)[number];

/** What goes wrong with one answer. */
export type Fault =
  /** A problem document (RFC 8555, section 6.7), or without a type an answer without one. The request does not reach the authority. */
  | { readonly status: number; readonly type?: string; readonly detail?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is closed without an answer, before or after the authority has done its work. */
  | 'silent'
  | 'lost'
  /** An answer that is not JSON. */
  | 'garbage'
  /** The order becomes invalid, now and for good, as after a failed validation (`challenge`) or a failed issuance (`finalize`). */
  | { readonly invalid: { readonly type: string; readonly detail: string; readonly address?: string } };

export interface Asked {
  readonly step: Step;
  /** Of the order that the request is about; undefined if it is about none. */
  readonly host: string | undefined;
  /** How many requests for this step and host there were before. */
  readonly before: number;
}

export interface OrderRecord {
  readonly host: string;
  /** By the tests' clock, in milliseconds since 1970. */
  readonly at: number;
  /** Id of the certificate that it replaces (RFC 9773, section 5). */
  readonly replaces: string | undefined;
}

export interface FaultyAuthority {
  readonly directory: string;
  /** PEM of the root that signs the certificates. */
  readonly issuer: TestIssuer;
  /** Orders that the authority has created. */
  readonly orders: readonly OrderRecord[];
  /** Requests that came, whether or not they reached it. */
  readonly asked: readonly Asked[];
  /** Chooses the fault of each answer. */
  play(choose: (asked: Asked) => Fault | undefined): void;
  /** The window for the renewal of the certificates that a host has, instead of the last third of their life; undefined: as before. */
  setWindow(host: string, window: { readonly start: number; readonly end: number } | undefined): void;
  stop(): Promise<void>;
}

export interface FaultyAuthorityOptions {
  /** Pebble's directory. */
  readonly directory: string;
  /** PEM of the root to trust for it. */
  readonly ca: string;
  /** The proxy's own certificate and key, valid for localhost. */
  readonly certificate: string;
  readonly privateKey: string;
  readonly clock: () => number;
  /** @default 90 */
  readonly lifeDays?: number;
  /** Whether the directory offers renewal information. @default false */
  readonly renewalInfo?: boolean;
  /** A path that stands for another authority, with accounts and certificates of its own. @default /dir */
  readonly path?: string;
}

const DAY_MS = 86_400_000;
const PROBLEM = 'urn:ietf:params:acme:error:';

interface Upstream {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** Starts the proxy on a free port. */
export async function startFaultyAuthority(options: FaultyAuthorityOptions): Promise<FaultyAuthority> {
  const { clock, lifeDays = 90, renewalInfo = false, path = '/dir' } = options;
  const upstream = new URL(options.directory);
  const agent = new Agent({ keepAlive: true, ca: options.ca });
  const issuer = await createTestIssuer();
  /** What a URL of the authority is about. */
  const hostOf = new Map<string, string>();
  const stepOf = new Map<string, Step>();
  /** Orders that have become invalid, and why; by host, because a host has one order at a time. */
  const dead = new Map<string, Extract<Fault, { invalid: unknown }>['invalid']>();
  const keys = new Map<string, string>();
  const chains = new Map<string, string>();
  const windows = new Map<string, { start: number; end: number }>();
  const hostOfCertificate = new Map<string, { host: string; notBefore: number; notAfter: number }>();
  const orders: OrderRecord[] = [];
  const asked: Asked[] = [];
  const counts = new Map<string, number>();
  let choose: (asked: Asked) => Fault | undefined = () => undefined;
  let server: ReturnType<typeof createServer>;

  const forward = (from: IncomingMessage, body: Buffer): Promise<Upstream> =>
    new Promise((resolve, reject) => {
      const url = from.url === path ? upstream.pathname : from.url;
      // The Host stays: Pebble's own URLs lead here then, and signatures over them are valid.
      const to = request({ host: upstream.hostname, port: upstream.port, path: url, method: from.method, headers: from.headers, agent }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: { ...answer.headers }, body: Buffer.concat(chunks).toString('latin1') }),
        );
      });
      to.once('error', reject);
      to.end(body);
    });

  async function handle(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const payload = payloadOf(body);
    const url = `https://${from.headers.host}${from.url}`;
    const step = from.url === path ? 'directory' : from.url?.startsWith('/renewal-info/') ? 'renewal_info' : (stepOf.get(url) ?? 'poll');
    const identifier = (payload as { identifiers?: readonly { value: string }[] }).identifiers?.[0]?.value;
    const host = step === 'order' ? identifier : step === 'renewal_info' ? hostOfCertificate.get(certificateId(from.url))?.host : hostOf.get(url);
    const key = `${step} ${host}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    const question = { step, host, before };
    asked.push(question);
    const fault = choose(question);
    if (fault === 'silent') return void from.socket.destroy();
    if (fault === 'garbage') return answer(to, { status: 200, headers: { 'content-type': 'application/json' }, body: '<html>maintenance' });
    if (typeof fault === 'object' && 'status' in fault) return answer(to, await problem(from, fault));
    if (typeof fault === 'object' && host !== undefined) dead.set(host, fault.invalid);
    if (step === 'renewal_info') return answer(to, renewalInfoOf(from.url));
    const result = from.method === 'POST' && step === 'finalize' && host !== undefined && dead.has(host) ? undefined : await forward(from, body);
    // Even if the answer is lost.
    if (step === 'order' && host !== undefined && result?.status === 201) {
      dead.delete(host);
      orders.push({ host, at: clock(), replaces: (payload as { replaces?: string }).replaces });
    }
    if (step === 'finalize' && host !== undefined && result?.status === 200) keys.set(host, String((payload as { csr?: string }).csr));
    if (fault === 'lost') return void from.socket.destroy();
    if (result === undefined) return answer(to, await deadFinalize(from, host ?? ''));
    learn(url, step, host, result);
    answer(to, await rewritten(url, step, host, result, from));
  }

  /** A fault's answer, with a nonce as any answer has. */
  async function problem(
    from: IncomingMessage,
    { status, type, detail = 'played', headers = {} }: Extract<Fault, { status: number }>,
  ): Promise<Upstream> {
    const text = type === undefined ? 'busy' : JSON.stringify({ type: `${PROBLEM}${type}`, detail, status });
    const nonce = await freshNonce(from);
    return {
      status,
      headers: { 'content-type': type === undefined ? 'text/plain' : 'application/problem+json', 'replay-nonce': nonce, ...headers },
      body: text,
    };
  }

  async function deadFinalize(from: IncomingMessage, host: string): Promise<Upstream> {
    const { type, detail } = dead.get(host) ?? { type: 'serverInternal', detail: '' };
    return problem(from, { status: 500, type, detail });
  }

  async function freshNonce(from: IncomingMessage): Promise<string> {
    const { headers } = await forward(
      { url: '/nonce-plz', method: 'HEAD', headers: { host: from.headers.host } } as IncomingMessage,
      Buffer.alloc(0),
    );
    return String(headers['replay-nonce']);
  }

  /** Remembers what the URLs in an answer are about. */
  function learn(url: string, step: Step, host: string | undefined, { headers, body }: Upstream): void {
    const note = (at: unknown, what: Step) => {
      if (typeof at !== 'string') return;
      stepOf.set(at, what);
      if (host !== undefined) hostOf.set(at, host);
    };
    const data = parsed(body);
    if (step === 'directory') {
      note(data.newNonce, 'nonce');
      note(data.newAccount, 'account');
      note(data.newOrder, 'order');
    }
    if (step === 'account') note(headers.location, 'account');
    if (step === 'order') note(headers.location, 'poll');
    for (const each of (data.authorizations as string[] | undefined) ?? []) note(each, 'authorization');
    note(data.finalize, 'finalize');
    note(data.certificate, 'download');
    for (const each of (data.challenges as { url: string }[] | undefined) ?? []) note(each.url, 'challenge');
    if (stepOf.get(url) === undefined) stepOf.set(url, step);
  }

  async function rewritten(url: string, step: Step, host: string | undefined, result: Upstream, from: IncomingMessage): Promise<Upstream> {
    const death = host === undefined ? undefined : dead.get(host);
    const data = parsed(result.body);
    const json = (changed: object): Upstream => ({ ...result, body: JSON.stringify(changed) });
    if (step === 'directory' && renewalInfo) return json({ ...data, renewalInfo: `https://${from.headers.host}/renewal-info` });
    if (death !== undefined && (step === 'poll' || step === 'challenge') && data.authorizations !== undefined)
      return json({ ...data, status: 'invalid', error: { type: `${PROBLEM}${death.type}`, detail: death.detail, status: 403 } });
    if (death !== undefined && step === 'authorization') {
      const error = { type: `${PROBLEM}${death.type}`, detail: death.detail, status: 403 };
      const validationRecord = death.address === undefined ? [] : [{ hostname: host, addressUsed: death.address }];
      const challenges = (data.challenges as { type: string }[]).map((each) =>
        each.type === 'http-01' ? { ...each, status: 'invalid', error, validationRecord } : each,
      );
      return json({ ...data, status: 'invalid', challenges });
    }
    if (step === 'download' && host !== undefined && result.status === 200) {
      // The same certificate however often it is downloaded.
      const known = chains.get(url);
      if (known !== undefined) return { ...result, body: known };
      const [notBefore, notAfter] = [clock() - 3_600_000, clock() + lifeDays * DAY_MS];
      const { chain, id } = await issuer.issue(keys.get(host) ?? '', notBefore, notAfter);
      hostOfCertificate.set(id, { host, notBefore, notAfter });
      chains.set(url, chain);
      return { ...result, body: chain };
    }
    return result;
  }

  function renewalInfoOf(url: string | undefined): Upstream {
    const found = hostOfCertificate.get(certificateId(url));
    if (found === undefined) return { status: 404, headers: {}, body: '' };
    const { notBefore, notAfter } = found;
    const third = (notAfter - notBefore) / 3;
    const { start, end } = windows.get(certificateId(url)) ?? { start: notAfter - third, end: notAfter - third + 2 * DAY_MS };
    const suggestedWindow = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
    return { status: 200, headers: { 'content-type': 'application/json', 'retry-after': '21600' }, body: JSON.stringify({ suggestedWindow }) };
  }

  server = createServer({ cert: options.certificate, key: options.privateKey }, (from, to) => {
    handle(from, to).catch(() => from.socket.destroy());
  });
  // On a busy machine two requests may be seconds apart, and one that meets the end of its connection is a fault that nobody played.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    directory: `https://localhost:${port}${path}`,
    issuer,
    orders,
    asked,
    play: (next) => {
      choose = next;
    },
    setWindow: (host, window) => {
      for (const [id, { host: of }] of hostOfCertificate)
        if (of === host) {
          if (window === undefined) windows.delete(id);
          else windows.set(id, window);
        }
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function answer(to: ServerResponse, { status, headers, body }: Upstream): void {
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...rest } = headers;
  to.writeHead(status, rest as Record<string, string>);
  to.end(Buffer.from(body, 'latin1'));
}

function parsed(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The payload of a JWS. */
function payloadOf(body: Buffer): object {
  const { payload = '' } = parsed(body.toString('utf8')) as { payload?: string };
  return parsed(Buffer.from(payload, 'base64url').toString('utf8'));
}

function certificateId(url: string | undefined): string {
  return (url ?? '').slice('/renewal-info/'.length);
}
