// A name server that follows a script, over UDP and TCP on one port: for lies, silence and truncation, which no real server produces on demand.

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type Question } from 'dns-packet';
import { decodeMessage } from '../../adapters/dns/decode-message.ts';
import { firstMessage } from '../../adapters/dns/query.ts';
import { freeDnsPort } from './ports.ts';

export interface Reply {
  readonly rcode?: keyof typeof RCODES;
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
  readonly truncated?: boolean;
  /** RFC 8914. */
  readonly extendedError?: number;
  /** Sent before the reply: packets from another sender. */
  readonly before?: readonly Buffer[];
  /** Sent instead of the reply. */
  readonly raw?: Buffer;
}

export interface ScriptedDns {
  readonly address: string;
  readonly port: number;
  /** The received questions, such as `UDP A shop.dev`. */
  readonly asked: string[];
  stop(): Promise<void>;
}

export type Script = (question: Question, transport: 'UDP' | 'TCP', query: DecodedPacket) => Reply | undefined;

const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

/** A reply as bytes, to this query or to another one. */
export function encodeReply(
  query: Pick<DecodedPacket, 'id' | 'questions'>,
  { rcode = 'NOERROR', answers = [], authorities = [], truncated, extendedError }: Reply,
): Buffer {
  return dnsPacket.encode({
    type: 'response',
    id: query.id,
    flags: dnsPacket.AUTHORITATIVE_ANSWER | (truncated ? dnsPacket.TRUNCATED_RESPONSE : 0) | RCODES[rcode],
    questions: query.questions,
    answers: [...answers],
    authorities: [...authorities],
    additionals: extendedError === undefined ? [] : [extendedErrorOpt(extendedError)],
  });
}

function extendedErrorOpt(code: number): Answer {
  const option = { code: 15, data: Buffer.from([code >> 8, code & 255]) };
  const opt = { type: 'OPT', name: '.', udpPayloadSize: 1_232, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [option] };
  return opt as unknown as Answer;
}

/** Starts a server on the given port, or on a free one. */
export async function startScriptedDns(script: Script, address = '127.0.0.1', port?: number): Promise<ScriptedDns> {
  const chosen = port ?? (await freeDnsPort());
  const asked: string[] = [];
  const replyTo = (query: DecodedPacket, transport: 'UDP' | 'TCP'): readonly Buffer[] => {
    const [question] = query.questions ?? [];
    if (question === undefined) return [];
    asked.push(`${transport} ${question.type} ${question.name}`);
    const reply = script(question, transport, query);
    return reply === undefined ? [] : [...(reply.before ?? []), reply.raw ?? encodeReply(query, reply)];
  };
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => {
    for (const reply of replyTo(decodeMessage(message), 'UDP')) udp.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(chosen, address, resolve));
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      // The question on a connection, once it is complete. There is one question per connection.
      const query = firstMessage(received)?.message;
      for (const reply of query === undefined ? [] : replyTo(decodeMessage(query), 'TCP')) {
        const framed = Buffer.concat([Buffer.from([reply.byteLength >> 8, reply.byteLength & 255]), reply]);
        // Sent in pieces, as a network may deliver it.
        for (const piece of [framed.subarray(0, 1), framed.subarray(1, 7), framed.subarray(7)]) socket.write(piece);
      }
    });
  });
  await new Promise<void>((resolve) => tcp.listen(chosen, address, resolve));
  return {
    address,
    port: chosen,
    asked,
    stop: async () => {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}
