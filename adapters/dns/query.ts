// One question to one name server, over UDP and, if the answer does not fit, over TCP. An answer counts only if it comes from
// the address that was asked, with the id and the question that were sent: anything else is a lie or a mistake, and is passed over
// (RFC 5452). Each question has a socket and so a port of its own.

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createConnection, isIPv6 } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type RecordType } from 'dns-packet';
import type { NameServer } from './name-server.ts';

export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  /** Ask a recursive server to find it out. @default false */
  readonly recursive?: boolean;
  /** Take it though its DNSSEC signatures don't hold (RFC 4035, section 3.2.2). @default false */
  readonly checkingDisabled?: boolean;
}

export type QueryFailure = 'servfail' | 'refused' | 'timeout' | 'malformed';

export type QueryResult =
  | { readonly kind: 'answer'; readonly exists: boolean; readonly answers: readonly Answer[]; readonly authorities: readonly Answer[] }
  | { readonly kind: 'failed'; readonly reason: QueryFailure };

/** How long each try waits, in milliseconds: packets get lost, so UDP is tried again. */
const UDP_TRIES_MS = [1_000, 2_000];
const TCP_MS = 4_000;
/** What fits through every path without fragments (DNS flag day 2020). */
const UDP_PAYLOAD_BYTES = 1_232;

const FAILURES: Readonly<Record<string, QueryFailure>> = { SERVFAIL: 'servfail', REFUSED: 'refused' };

/** Never rejects: silence is an answer too. */
export async function query(server: NameServer, question: DnsQuestion, triesMs: readonly number[] = UDP_TRIES_MS): Promise<QueryResult> {
  for (const waitMs of triesMs) {
    const { id, packet } = encode(question);
    const answer = await overUdp(server, question, id, packet, waitMs);
    if (answer === 'timeout') continue;
    if (answer === 'truncated') return overTcp(server, question);
    return answer;
  }
  // Some paths drop UDP altogether.
  return overTcp(server, question);
}

function encode(question: DnsQuestion): { id: number; packet: Buffer } {
  const id = randomInt(65_536);
  const flags = (question.recursive ? dnsPacket.RECURSION_DESIRED : 0) | (question.checkingDisabled ? dnsPacket.CHECKING_DISABLED : 0);
  const packet = dnsPacket.encode({
    type: 'query',
    id,
    flags,
    questions: [{ name: question.name, type: question.type, class: 'IN' }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: UDP_PAYLOAD_BYTES, flags: 0, options: [] }] as never,
  });
  return { id, packet };
}

function overUdp(
  server: NameServer,
  question: DnsQuestion,
  id: number,
  packet: Buffer,
  waitMs: number,
): Promise<QueryResult | 'timeout' | 'truncated'> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
    const end = (result: QueryResult | 'timeout' | 'truncated') => {
      clearTimeout(timer);
      socket.close();
      resolve(result);
    };
    const timer = setTimeout(() => end('timeout'), waitMs);
    // A connected socket gets packets of that one address and port alone, and hears when nobody listens there.
    socket.once('error', () => end('timeout'));
    socket.on('message', (message) => {
      const decoded = decode(message, id, question);
      if (decoded === 'malformed') end({ kind: 'failed', reason: 'malformed' });
      else if (decoded !== undefined) end(decoded.flag_tc ? 'truncated' : resultOf(decoded));
    });
    socket.connect(server.port, server.address, () => {
      socket.send(packet);
    });
  });
}

/** Each message over TCP has its length before it (RFC 1035, section 4.2.2). */
function overTcp(server: NameServer, question: DnsQuestion): Promise<QueryResult> {
  return new Promise((resolve) => {
    const { id, packet } = encode(question);
    const socket = createConnection({ host: server.address, port: server.port });
    let received = Buffer.alloc(0);
    const end = (result: QueryResult) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end({ kind: 'failed', reason: 'timeout' }), TCP_MS);
    socket.once('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(packet.byteLength);
      socket.write(Buffer.concat([length, packet]));
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.byteLength >= 2 && received.byteLength >= 2 + received.readUInt16BE()) {
        const message = received.subarray(2, 2 + received.readUInt16BE());
        received = received.subarray(2 + message.byteLength);
        const decoded = decode(message, id, question);
        if (decoded === 'malformed') return end({ kind: 'failed', reason: 'malformed' });
        if (decoded !== undefined) return end(resultOf(decoded));
      }
    });
    socket.once('error', () => end({ kind: 'failed', reason: 'timeout' }));
    socket.once('close', () => end({ kind: 'failed', reason: 'timeout' }));
  });
}

/** The message, if it answers this question; undefined for one that does not. */
function decode(message: Buffer, id: number, question: DnsQuestion): (DecodedPacket & { readonly rcode?: string }) | 'malformed' | undefined {
  // Of another id it is not ours, however malformed.
  if (message.byteLength < 2 || message.readUInt16BE() !== id) return undefined;
  try {
    const decoded = dnsPacket.decode(message) as DecodedPacket & { readonly rcode?: string };
    if (decoded.type !== 'response') return undefined;
    const [asked] = decoded.questions ?? [];
    if (asked === undefined) return decoded.rcode === 'NOERROR' ? 'malformed' : decoded;
    return asked.name.toLowerCase() === question.name.toLowerCase() && asked.type === question.type ? decoded : undefined;
  } catch {
    return 'malformed';
  }
}

function resultOf(decoded: DecodedPacket & { readonly rcode?: string }): QueryResult {
  const rcode = decoded.rcode ?? 'NOERROR';
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { kind: 'failed', reason: FAILURES[rcode] ?? 'servfail' };
  return { kind: 'answer', exists: rcode === 'NOERROR', answers: decoded.answers ?? [], authorities: decoded.authorities ?? [] };
}
