// Sends one query to one name server, over UDP and, if the response does not fit, over TCP. Only responses from the queried address, with the id and
// the question that were sent, count (RFC 5452). Each query has its own socket, and so its own port.

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createConnection, isIPv6 } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type Packet, type RecordType } from 'dns-packet';
import { decodeMessage } from './decode-message.ts';
import type { NameServer } from './name-server.ts';

export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  /** Ask a recursive resolver to resolve the name. @default false */
  readonly recursive?: boolean;
  /** Accept the answer even if its DNSSEC signatures are invalid (RFC 4035, section 3.2.2). @default false */
  readonly checkingDisabled?: boolean;
  /** Ask for the signatures of the records, too (RFC 3225). @default false */
  readonly signatures?: boolean;
}

export type QueryFailure = 'servfail' | 'refused' | 'timeout' | 'malformed';

export type QueryResult =
  | {
      readonly kind: 'answer';
      readonly exists: boolean;
      /** Whether the server is an authority for the name (AA bit; RFC 1035, section 4.1.1). A recursive resolver is not. */
      readonly authoritative: boolean;
      readonly answers: readonly Answer[];
      readonly authorities: readonly Answer[];
      readonly additionals: readonly Answer[];
    }
  | {
      readonly kind: 'failed';
      readonly reason: QueryFailure;
      /** The code of the server's extended error (RFC 8914, section 5.2). */
      readonly extendedError?: number | undefined;
    };

/** Timeouts for the UDP attempts, in milliseconds: packets get lost, so there is a second attempt. */
const UDP_TRIES_MS = [1_000, 2_000];
const TCP_MS = 4_000;
/** Fits every path without fragmentation (DNS flag day 2020). */
const UDP_PAYLOAD_BYTES = 1_232;

/** Maximum number of records in a message: answers to our queries have a few, and parsing thousands takes long. */
const MAX_RECORDS = 500;
/** Maximum number of messages read per query: a server that has sent this many without a match is not going to answer. */
const MAX_MESSAGES = 8;

const FAILURES: Readonly<Record<string, QueryFailure>> = { SERVFAIL: 'servfail', REFUSED: 'refused' };
/** Response codes of a server that does not support EDNS (RFC 6891, section 7). */
const WITHOUT_EDNS: readonly string[] = ['FORMERR', 'NOTIMP'];
/** RFC 8914, section 2. */
const EXTENDED_ERROR = 15;

export interface QueryOptions {
  /** Timeouts for the UDP attempts, in milliseconds. @default 1 s, then 2 s */
  readonly triesMs?: readonly number[] | undefined;
  /** Aborting ends the query, with a timeout as its result. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a query. Never rejects: timeouts and unreachable addresses are results, too. */
export async function query(server: NameServer, question: DnsQuestion, options: QueryOptions = {}): Promise<QueryResult> {
  // An escaped name comes from another server's answer and can't be a host name, so it is not queried.
  if (question.name.includes('\\')) return { kind: 'failed', reason: 'malformed' };
  const answer = await exchange(server, question, options);
  // RFC 6891, section 6.2.2.
  const last = answer === 'no_edns' ? await exchange(server, { ...question, edns: false }, options) : answer;
  return last === 'no_edns' ? { kind: 'failed', reason: 'servfail' } : last;
}

type Exchanged = QueryResult | 'no_edns';

async function exchange(server: NameServer, question: Sent, { triesMs = UDP_TRIES_MS, signal }: QueryOptions): Promise<Exchanged> {
  for (const waitMs of triesMs) {
    if (signal?.aborted) return SILENT;
    const answer = await overUdp(server, question, waitMs, signal);
    if (answer === 'timeout') continue;
    if (answer === 'truncated') return overTcp(server, question, signal);
    return answer;
  }
  // Some paths drop UDP altogether.
  return overTcp(server, question, signal);
}

/** EDNS(0), for responses longer than 512 bytes (RFC 6891). */
const optOf = ({ signatures = false }: DnsQuestion): Answer => ({
  type: 'OPT',
  name: '.',
  udpPayloadSize: UDP_PAYLOAD_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: signatures ? dnsPacket.DNSSEC_OK : 0,
  flag_do: signatures,
  options: [],
});

const SILENT: QueryResult = { kind: 'failed', reason: 'timeout' };

interface Sent extends DnsQuestion {
  /** @default true */
  readonly edns?: boolean;
}

/** Builds the query with a new random id. */
function packetOf(question: Sent): Packet & { readonly id: number } {
  return {
    type: 'query',
    id: randomInt(65_536),
    flags: (question.recursive ? dnsPacket.RECURSION_DESIRED : 0) | (question.checkingDisabled ? dnsPacket.CHECKING_DISABLED : 0),
    questions: [{ name: question.name, type: question.type, class: 'IN' }],
    additionals: question.edns === false ? [] : [optOf(question)],
  };
}

function overUdp(server: NameServer, question: Sent, waitMs: number, signal: AbortSignal | undefined): Promise<Exchanged | 'timeout' | 'truncated'> {
  return new Promise((resolve) => {
    const packet = packetOf(question);
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
    const end = ending<Exchanged | 'timeout' | 'truncated'>(resolve, () => socket.close(), 'timeout', waitMs, signal);
    // A connected socket receives packets only from that address and port, and gets an error if no process is listening there.
    socket.on('error', () => end('timeout'));
    let messages = 0;
    socket.on('message', (message) => {
      messages += 1;
      const decoded = messages > MAX_MESSAGES ? 'malformed' : decode(message, packet.id, question);
      if (decoded === 'malformed') end({ kind: 'failed', reason: 'malformed' });
      else if (decoded !== undefined) end(decoded.flag_tc ? 'truncated' : resultOf(decoded));
    });
    // An unreachable address is reported only to the callback, and the socket then stays unconnected.
    socket.connect(server.port, server.address, ((error?: Error) => {
      if (error) end('timeout');
      else socket.send(dnsPacket.encode(packet), (unsent) => unsent && end('timeout'));
    }) as () => void);
  });
}

function overTcp(server: NameServer, question: Sent, signal: AbortSignal | undefined): Promise<Exchanged> {
  if (signal?.aborted) return Promise.resolve(SILENT);
  return new Promise((resolve) => {
    const packet = packetOf(question);
    const socket = createConnection({ host: server.address, port: server.port });
    let received: Buffer = Buffer.alloc(0);
    let messages = 0;
    const end = ending<Exchanged>(resolve, () => socket.destroy(), SILENT, TCP_MS, signal);
    socket.once('connect', () => socket.write(dnsPacket.streamEncode(packet)));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let next = firstMessage(received); next !== undefined; next = firstMessage(received)) {
        received = next.rest;
        messages += 1;
        const decoded = messages > MAX_MESSAGES ? 'malformed' : decode(next.message, packet.id, question);
        if (decoded === 'malformed') return end({ kind: 'failed', reason: 'malformed' });
        if (decoded !== undefined) return end(resultOf(decoded));
      }
    });
    socket.on('error', () => end(SILENT));
    socket.once('close', () => end(SILENT));
  });
}

/** Returns a function that resolves with the first result passed to it, or with `silent` on timeout or abort. Later results are ignored. */
function ending<T>(resolve: (result: T) => void, close: () => void, silent: T, waitMs: number, signal: AbortSignal | undefined): (result: T) => void {
  const give = (result: T) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    if (ended) return;
    ended = true;
    close();
    resolve(result);
  };
  let ended = false;
  const giveUp = () => give(silent);
  const timer = setTimeout(giveUp, waitMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  return give;
}

/** Decodes a message. @returns undefined if it does not answer this question */
function decode(message: Buffer, id: number, question: DnsQuestion): (DecodedPacket & { readonly rcode?: string }) | 'malformed' | undefined {
  // A message with another id is not for this query, even if malformed.
  if (message.byteLength < 2 || message.readUInt16BE() !== id) return undefined;
  if (message.byteLength < HEADER_BYTES || recordsIn(message) > MAX_RECORDS) return 'malformed';
  try {
    const decoded = decodeMessage(message) as DecodedPacket & { readonly rcode?: string };
    if (decoded.type !== 'response') return undefined;
    const [asked] = decoded.questions ?? [];
    if (asked === undefined) return decoded.rcode === 'NOERROR' ? 'malformed' : decoded;
    return asked.name.toLowerCase() === question.name.toLowerCase() && asked.type === question.type ? decoded : undefined;
  } catch {
    return 'malformed';
  }
}

/** RFC 1035, section 4.1.1. */
const HEADER_BYTES = 12;

/** Returns the number of records that the header announces: answers, authorities and additionals. */
function recordsIn(header: Buffer): number {
  return header.readUInt16BE(6) + header.readUInt16BE(8) + header.readUInt16BE(10);
}

function resultOf(decoded: DecodedPacket & { readonly rcode?: string }): Exchanged {
  const rcode = decoded.rcode ?? 'NOERROR';
  const { answers = [], authorities = [], additionals = [] } = decoded;
  if (WITHOUT_EDNS.includes(rcode)) return 'no_edns';
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')
    return { kind: 'failed', reason: FAILURES[rcode] ?? 'servfail', extendedError: extendedErrorIn(additionals) };
  return { kind: 'answer', exists: rcode === 'NOERROR', authoritative: decoded.flag_aa, answers, authorities, additionals };
}

function extendedErrorIn(additionals: readonly Answer[]): number | undefined {
  const options = additionals.flatMap((record) => (record.type === 'OPT' ? (record.options as readonly { code: unknown; data?: Buffer }[]) : []));
  const data = options.find(({ code }) => code === EXTENDED_ERROR)?.data;
  return data === undefined || data.byteLength < 2 ? undefined : data.readUInt16BE();
}

// DNS messages over TCP, each prefixed with its length (RFC 1035, section 4.2.2). dns-packet's `streamEncode` writes them. Its `streamDecode` is
// not used for reading: it decodes past the end of the message before any limit can be checked, and does not report where the next message begins.

/** Splits off the first complete message; returns undefined until all of it has been received. */
export function firstMessage(received: Buffer): { readonly message: Buffer; readonly rest: Buffer } | undefined {
  if (received.byteLength < 2) return undefined;
  const end = 2 + received.readUInt16BE();
  return received.byteLength < end ? undefined : { message: received.subarray(2, end), rest: received.subarray(end) };
}
