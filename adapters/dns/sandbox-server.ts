// The sandbox's name server. It is both authoritative for all zones under its suffix and recursive within it, and refuses all other queries.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import dnsPacket, { type Answer, type CaaData, type DecodedPacket, type Packet, type Question, type StringAnswer } from 'dns-packet';
import { isAtOrBelow } from '../../core/domains/host-name.ts';
import type { Awaitable } from '../../core/ports.ts';
import { parseCaa, type SandboxAnswer, type SandboxRecord, sandboxRecordsAt, zoneOfName } from '../../core/sandbox/records.ts';
import { decodeMessage } from './decode-message.ts';
import { firstMessage } from './query.ts';

export interface SandboxServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly suffix: string;
  /** Returns the current records of a zone such as `my-shop.test`, and possibly records of other zones. */
  readonly records: (zone: string) => Awaitable<readonly SandboxRecord[]>;
  /** The parent of all projects' targets, and its address. */
  readonly edge: { readonly host: string; readonly address: string };
  /** How long a connection may go without a complete query, in milliseconds. @default 10,000 */
  readonly idleMs?: number | undefined;
}

export interface SandboxServer {
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Short, in seconds, so that a record is found soon after it is created. */
const NEGATIVE_TTL = 5;
const ZONE_TTL = 60;
const MAX_CHAIN = 10;
/** Size limit of a UDP response without EDNS (RFC 1035, section 2.3.4). */
const UDP_BYTES = 512;
const EDNS_BYTES = 1_232;
const IDLE_MS = 10_000;
const MAX_CONNECTIONS = 100;
/** Maximum number of additional records in a query: the EDNS record and one more. */
const MAX_ADDITIONALS = 2;
const RCODE = { ok: 0, formatError: 1, noName: 3, refused: 5 } as const;

/** Maximum attempts to find a free port if no port is given: a port that is free for UDP may be in use for TCP. */
const FREE_PORT_TRIES = 20;

/** Starts the server on UDP and TCP; rejects if either can't listen. */
export async function startSandboxServer(options: SandboxServerOptions): Promise<SandboxServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listen(options);
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!taken || options.port !== 0 || attempt === FREE_PORT_TRIES) throw error;
    }
  }
}

async function listen(options: SandboxServerOptions): Promise<SandboxServer> {
  const udp = createSocket('udp4');
  let isOpen = true;
  udp.on('message', (message, from) => {
    // No response can reach port 0.
    if (from.port === 0) return;
    answerTo(message, options).then(
      (answer) => {
        if (answer !== undefined && isOpen) udp.send(encodeToFit(answer), from.port, from.address);
      },
      // A client that gets no answer asks again.
      () => {},
    );
  });
  await once(udp.bind(options.port, options.host), 'listening');
  udp.on('error', () => {});
  const { port } = udp.address();
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveTcp(socket, options);
  });
  tcp.maxConnections = MAX_CONNECTIONS;
  await once(tcp.listen(port, options.host), 'listening').catch((error) => {
    udp.close();
    throw error;
  });
  tcp.on('error', () => {});
  return {
    address: options.host,
    port,
    stop: async () => {
      isOpen = false;
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

function serveTcp(socket: Socket, options: SandboxServerOptions): void {
  let received: Buffer = Buffer.alloc(0);
  const idle = setTimeout(() => socket.destroy(), options.idleMs ?? IDLE_MS);
  socket.once('close', () => clearTimeout(idle));
  socket.on('error', () => {});
  let isAnswering = false;
  const answerReceived = async () => {
    if (isAnswering) return;
    isAnswering = true;
    // Nothing more is read meanwhile.
    socket.pause();
    for (let next = firstMessage(received); next !== undefined; next = firstMessage(received)) {
      // No more responses are sent to a client that does not read them.
      if (socket.writableNeedDrain) break;
      received = next.rest;
      const answer = await answerTo(next.message, options).catch(() => undefined);
      if (answer === undefined) return void socket.destroy();
      idle.refresh();
      socket.write(dnsPacket.streamEncode(answer.packet));
    }
    isAnswering = false;
    if (!socket.writableNeedDrain) socket.resume();
  };
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    answerReceived();
  });
  socket.on('drain', answerReceived);
}

interface Reply {
  readonly packet: Packet;
  /** Size limit of the response over UDP. */
  readonly udpBytes: number;
}

/** Answers a query. @returns undefined if the message is not a query */
async function answerTo(message: Buffer, options: SandboxServerOptions): Promise<Reply | undefined> {
  if (isOverfull(message)) {
    const packet = { type: 'response' as const, id: message.readUInt16BE(), flags: RCODE.formatError };
    return { packet: { ...packet, questions: [] }, udpBytes: UDP_BYTES };
  }
  let query: DecodedPacket;
  try {
    query = decodeMessage(message);
  } catch {
    return undefined;
  }
  if (query.type !== 'query') return undefined;
  const questions = query.questions ?? [];
  const [question] = questions;
  const found = question === undefined ? { rcode: RCODE.formatError, answers: [], authorities: [] } : await find(question, query.flag_rd, options);
  const flags = dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.RECURSION_AVAILABLE | (query.flag_rd ? dnsPacket.RECURSION_DESIRED : 0) | found.rcode;
  const packet = { type: 'response' as const, id: query.id, questions, flags };
  const udpBytes = query.additionals?.some(({ type }) => type === 'OPT') ? EDNS_BYTES : UDP_BYTES;
  return { packet: { ...packet, answers: [...found.answers], authorities: [...found.authorities] }, udpBytes };
}

/** Encodes a response for UDP. If it is too long it is truncated, and the client retries over TCP. */
function encodeToFit({ packet, udpBytes }: Reply): Buffer {
  const encoded = dnsPacket.encode(packet);
  if (encoded.byteLength <= udpBytes) return encoded;
  return dnsPacket.encode({ ...packet, flags: (packet.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE, answers: [], authorities: [] });
}

/** Whether the header announces more records than a query can contain. Many names that point to each other take long to decode. */
function isOverfull(message: Buffer): boolean {
  if (message.byteLength < 12 || message.readUInt8(2) >= 0x80) return false;
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at));
  return Number(questions) > 1 || answers !== 0 || authorities !== 0 || Number(additionals) > MAX_ADDITIONALS;
}

interface Found {
  readonly rcode: number;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
}

async function find(question: Question, follow: boolean, options: SandboxServerOptions): Promise<Found> {
  const { suffix } = options;
  const asked = question.name.toLowerCase();
  if (!isAtOrBelow(asked, suffix)) return { rcode: RCODE.refused, answers: [], authorities: [] };
  const answers: Answer[] = [];
  for (let name = asked, hops = 0; hops < MAX_CHAIN && isAtOrBelow(name, suffix); hops += 1) {
    const own = await ofName(name, question.type, options);
    answers.push(...own.answers);
    const cname = own.answers.find((answer): answer is StringAnswer => answer.type === 'CNAME');
    if (!follow || cname === undefined || question.type === 'CNAME') {
      if (own.answers.length > 0 || answers.length > 0) return { rcode: RCODE.ok, answers, authorities: [] };
      return { rcode: own.exists ? RCODE.ok : RCODE.noName, answers, authorities: [soaOf(zoneOfName(name, suffix))] };
    }
    name = cname.data;
  }
  return { rcode: RCODE.ok, answers, authorities: [] };
}

async function ofName(name: string, type: string, options: SandboxServerOptions): Promise<{ answers: readonly Answer[]; exists: boolean }> {
  const zone = zoneOfName(name, options.suffix);
  if (name === zone && type === 'NS') return { answers: [{ type: 'NS', name, ttl: ZONE_TTL, data: `ns.${zone}` }], exists: true };
  if (name === zone && type === 'SOA') return { answers: [soaOf(zone)], exists: true };
  if (name === `ns.${zone}` && type === 'A') return { answers: [{ type: 'A', name, ttl: ZONE_TTL, data: options.host }], exists: true };
  // The suffix itself has no records.
  if (name === options.suffix) return { answers: [], exists: true };
  const found = await recordsAt(name, options);
  if (found.kind !== 'records') return { answers: [], exists: found.kind === 'no_data' || name === zone };
  const answers = await Promise.all(found.records.map((record) => answersOf(record, type, options)));
  return { answers: answers.flat(), exists: true };
}

/** Returns a record as answers to a query for this type. */
async function answersOf(record: SandboxRecord, type: string, options: SandboxServerOptions): Promise<Answer[]> {
  const { name, ttl, value } = record;
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return type === record.type ? [{ type: record.type, name, ttl, data: value }] : [];
    case 'TXT':
      return type === 'TXT' ? [{ type: 'TXT', name, ttl, data: [value] }] : [];
    case 'CAA': {
      const data = parseCaa(value);
      return type === 'CAA' && data !== undefined ? [{ type: 'CAA', name, ttl, data: { ...data, tag: data.tag as CaaData['tag'] } }] : [];
    }
    case 'CNAME':
      // Returned for any queried type: the name is an alias (RFC 1034, section 3.6.2).
      return [{ type: 'CNAME', name, ttl, data: value }];
    case 'ALIAS': {
      // Flattened, as DNS providers do: the target's addresses are returned under this name.
      if (type !== 'A' && type !== 'AAAA') return [];
      const target = await recordsAt(value, options);
      if (target.kind !== 'records') return [];
      return target.records.filter((other) => other.type === type).map((other) => ({ type, name, ttl, data: other.value }));
    }
  }
}

async function recordsAt(name: string, options: SandboxServerOptions): Promise<SandboxAnswer> {
  if (!isAtOrBelow(name, options.suffix)) return { kind: 'no_name' };
  return sandboxRecordsAt([...(await options.records(zoneOfName(name, options.suffix))), ...zoneRecords(options)], name);
}

/** Returns the platform's own records in the sandbox: the addresses of its edge. */
function zoneRecords({ edge }: SandboxServerOptions): readonly SandboxRecord[] {
  return [edge.host, `*.${edge.host}`].map((name) => ({ name, type: 'A', value: edge.address, ttl: ZONE_TTL }));
}

function soaOf(zone: string): Answer {
  return {
    type: 'SOA',
    name: zone,
    ttl: NEGATIVE_TTL,
    data: { mname: `ns.${zone}`, rname: `hostmaster.${zone}`, serial: 1, refresh: 3_600, retry: 600, expire: 86_400, minimum: NEGATIVE_TTL },
  };
}
