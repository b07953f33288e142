// A single query to a server that lies, stays silent, or answers with more than fits in a packet.

import { createSocket } from 'node:dgram';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { query } from '../../../adapters/dns/query.ts';
import { freeDnsPort } from '../../support/ports.ts';
import { encodeReply, type Script, startScriptedDns } from '../../support/scripted-dns.ts';

const QUESTION = { name: 'shop.dev', type: 'A' } as const;
const RIGHT = { type: 'A', name: 'shop.dev', ttl: 60, data: '192.0.2.1' } as const;
const WRONG = { ...RIGHT, data: '198.51.100.66' } as const;
const ANSWER = { kind: 'answer', exists: true, answers: [expect.objectContaining({ data: '192.0.2.1' })] };

async function ask(script: Script, triesMs: readonly number[] = [300]) {
  const server = await startScriptedDns(script);
  onTestFinished(() => server.stop());
  return { result: await query(server, QUESTION, { triesMs }), asked: server.asked, server };
}

describe('DNS query', () => {
  test('is answered over UDP', async () => {
    expect((await ask(() => ({ answers: [RIGHT] }))).result).toMatchObject(ANSWER);
  });

  test('gets NXDOMAIN as an answer without records', async () => {
    expect((await ask(() => ({ rcode: 'NXDOMAIN' }))).result).toMatchObject({ kind: 'answer', exists: false, answers: [] });
  });

  test.each(['SERVFAIL', 'REFUSED'] as const)('reports %s as a failure', async (rcode) => {
    expect((await ask(() => ({ rcode }))).result).toEqual({ kind: 'failed', reason: rcode.toLowerCase() });
  });

  test('retries over TCP if the answer is truncated', async () => {
    const { result, asked } = await ask((_, transport) => (transport === 'UDP' ? { truncated: true } : { answers: [RIGHT] }));
    expect(result).toMatchObject(ANSWER);
    expect(asked).toEqual(['UDP A shop.dev', 'TCP A shop.dev']);
  });

  test('retries if a packet is lost, and switches to TCP if all are lost', async () => {
    let lost = 1;
    const once = await ask(() => (lost-- > 0 ? undefined : { answers: [RIGHT] }), [100, 300]);
    expect([once.result, once.asked]).toMatchObject([ANSWER, ['UDP A shop.dev', 'UDP A shop.dev']]);
    const never = await ask((_, transport) => (transport === 'UDP' ? undefined : { answers: [RIGHT] }), [50, 50]);
    expect([never.result, never.asked.length]).toMatchObject([ANSWER, 3]);
  });

  test('notices a closed port at once', async () => {
    const server = await startScriptedDns(() => undefined);
    await server.stop();
    const started = performance.now();
    expect(await query(server, QUESTION, { triesMs: [50_000] })).toEqual({ kind: 'failed', reason: 'timeout' });
    // If the server were silent, this would wait 50 s.
    expect(performance.now() - started).toBeLessThan(25_000);
  });

  // None of these addresses gets a packet: the socket can't connect to a broadcast address, nothing listens here, and the machine has no IPv6.
  test.each(['255.255.255.255', '0.0.0.0', '2001:db8::53'])('treats an unreachable address, %s, as silence', async (address) => {
    const server = { address, port: await freeDnsPort() };
    expect(await query(server, QUESTION, { triesMs: [100] })).toEqual({ kind: 'failed', reason: 'timeout' });
  });

  test('ends when aborted, over UDP and over TCP', async () => {
    for (const silentOver of ['UDP', 'TCP']) {
      const giveUp = new AbortController();
      const server = await startScriptedDns((_question, transport) => {
        if (transport === silentOver) setImmediate(() => giveUp.abort());
        return transport === silentOver ? undefined : { truncated: true };
      });
      onTestFinished(() => server.stop());
      expect(await query(server, QUESTION, { triesMs: [60_000], signal: giveUp.signal })).toEqual({ kind: 'failed', reason: 'timeout' });
      expect(server.asked.at(-1)).toBe(`${silentOver} A shop.dev`);
      const asked = server.asked.length;
      expect(await query(server, QUESTION, { signal: giveUp.signal })).toEqual({ kind: 'failed', reason: 'timeout' });
      expect(server.asked).toHaveLength(asked);
    }
  });

  test('ignores a packet with another id, another question, or no response flag', async () => {
    const { result } = await ask((_question, _transport, asked) => ({
      before: [
        encodeReply({ ...asked, id: ((asked.id ?? 0) + 1) % 65_536 }, { answers: [WRONG] }),
        encodeReply({ ...asked, questions: [{ name: 'other.dev', type: 'A' }] }, { answers: [WRONG] }),
        encodeReply({ ...asked, questions: [{ name: 'shop.dev', type: 'AAAA' }] }, { answers: [WRONG] }),
      ],
      answers: [RIGHT],
    }));
    expect(result).toMatchObject(ANSWER);
  });

  test('ignores an answer from another port', async () => {
    const liar = createSocket('udp4');
    onTestFinished(() => void liar.close());
    const server = createSocket('udp4');
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    const { decode } = (await import('dns-packet')).default;
    server.on('message', (message, from) => {
      liar.send(encodeReply(decode(message), { answers: [WRONG] }), from.port, from.address);
    });
    expect(await query({ address: '127.0.0.1', port: server.address().port }, QUESTION, { triesMs: [200] })).toEqual({
      kind: 'failed',
      reason: 'timeout',
    });
  });

  test('reports a malformed answer', async () => {
    const id = (asked: { id?: number | undefined }) => Buffer.from([(asked.id ?? 0) >> 8, (asked.id ?? 0) & 255]);
    const { result } = await ask((_question, _transport, asked) => ({
      raw: Buffer.concat([id(asked), Buffer.from([0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0xc0])]),
    }));
    expect(result).toEqual({ kind: 'failed', reason: 'malformed' });
  });

  /** A message that consists of an answer's header, the question, and the given bytes. */
  const answerOf = (asked: { id?: number | undefined }, counts: readonly [answers: number], rest: Buffer) => {
    const bare = encodeReply({ id: asked.id, questions: [{ ...QUESTION, class: 'IN' }] }, {});
    bare.writeUInt16BE(counts[0], 6);
    return Buffer.concat([bare, rest]);
  };

  test('parses a name with thousands of compression pointers quickly', async () => {
    // The longest possible chain of pointers, in the data of a record of an unknown type, and as many records as fit with their names at its end.
    const hostile = (asked: { id?: number | undefined }) => {
      const start = 12 + 14;
      const head = Buffer.from([0, 0xff, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
      const chain = Buffer.alloc(16_000);
      let at = start + head.length;
      for (let offset = 0, to = start; offset < chain.length; offset += 2, to = at, at += 2) chain.writeUInt16BE(0xc000 | to, offset);
      head.writeUInt16BE(chain.length, 9);
      const record = Buffer.from([0, 0, 0xff, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
      record.writeUInt16BE(0xc000 | (at - 2), 0);
      return answerOf(asked, [400], Buffer.concat([head, chain, ...Array.from({ length: 399 }, () => record)]));
    };
    const { result } = await ask((_question, _transport, asked) => ({ raw: hostile(asked) }));
    expect(result).toEqual({ kind: 'failed', reason: 'malformed' });
  });

  test('rejects a message with too many records', async () => {
    const { result } = await ask((_question, _transport, asked) => ({ raw: answerOf(asked, [501], Buffer.alloc(501 * 11)) }));
    expect(result).toEqual({ kind: 'failed', reason: 'malformed' });
  });

  test.each(['UDP', 'TCP'] as const)('parses only a few of many answers to other questions, over %s', async (over) => {
    const { result } = await ask((_question, transport, asked) => {
      const other = encodeReply({ ...asked, questions: [{ name: 'other.dev', type: 'A' }] }, { answers: [WRONG] });
      return transport === over ? { before: Array.from({ length: 20 }, () => other), answers: [RIGHT] } : { truncated: true };
    });
    expect(result).toEqual({ kind: 'failed', reason: 'malformed' });
  });

  test('leaves the decoder of dns-packet as others know it', async () => {
    const { decode, encode } = (await import('dns-packet')).default;
    const printer = Buffer.from(encode({ questions: [{ name: 'My Printer._ipp._tcp.local', type: 'SRV' }] }));
    const decodedByOthers = () => decode(printer).questions?.[0]?.name;
    expect(decodedByOthers()).toBe('My Printer._ipp._tcp.local');
    const { result } = await ask(() => ({ answers: [RIGHT] }));
    expect([result.kind, decodedByOthers()]).toEqual(['answer', 'My Printer._ipp._tcp.local']);
  });

  test('escapes dots within a label, and bytes that could move a terminal cursor', async () => {
    const label = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
    const data = Buffer.concat([label('shop.dev'), label('a\u001b[2J\\'), Buffer.from([0])]);
    const head = Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, data.length]);
    const { result } = await ask((_question, _transport, asked) => ({ raw: answerOf(asked, [1], Buffer.concat([head, data])) }));
    expect(result).toMatchObject({ answers: [{ name: 'shop.dev', data: 'shop\\.dev.a\\027\\[2J\\\\' }] });
    // This name was not queried.
    expect(await query({ address: '192.0.2.1', port: 53 }, { name: 'shop\\.dev', type: 'A' })).toEqual({ kind: 'failed', reason: 'malformed' });
  });

  test('never throws, whatever bytes arrive', async () => {
    let bytes = Buffer.alloc(0);
    const server = await startScriptedDns((_question, _transport, asked) => ({
      raw: Buffer.concat([Buffer.from([(asked.id ?? 0) >> 8, (asked.id ?? 0) & 255]), bytes]),
    }));
    onTestFinished(() => server.stop());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (random) => {
        bytes = Buffer.from(random);
        const result = await query(server, QUESTION, { triesMs: [30] });
        expect(['answer', 'failed']).toContain(result.kind);
      }),
      { numRuns: 20 },
    );
  });
});
