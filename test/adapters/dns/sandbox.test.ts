// The sandbox's name server, queried with the lookup that also queries real name servers.

import { Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import dnsPacket, { type Packet } from 'dns-packet';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDnsLookup } from '../../../adapters/dns/lookup.ts';
import { query } from '../../../adapters/dns/query.ts';
import { createSqliteSandboxRecords } from '../../../adapters/dns/sandbox.ts';
import { type SandboxServer, startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { diagnose } from '../../../core/domains/diagnosis/diagnose.ts';
import { isApex } from '../../../core/domains/host-name.ts';
import { parseSandboxRecord, type SandboxRecord } from '../../../core/sandbox/records.ts';
import { sandboxRecordsContract } from '../../../testing/sandbox-records.ts';

const TARGET = 'abcdefgh23456789.edge.petstore.test';
let records: SandboxRecord[];
let server: SandboxServer;

function set(name: string, type: string, value: string): void {
  const parsed = parseSandboxRecord({ name, type, value }, 'test');
  if (!parsed.ok) throw new Error(parsed.message);
  records.push(parsed.record);
}

async function codeOf(host: string): Promise<string> {
  const { facts, ownership } = await createDnsLookup({ recursives: [server], authoritativePort: server.port, privateNetworks: true }).lookUp({
    host,
    target: TARGET,
    token: 'token',
  });
  return diagnose(
    { host, target: TARGET, token: 'token', claimed: 'none', apex: isApex(host), authority: { issuers: ['ca.test'] } },
    facts,
    ownership,
  ).code;
}

describe('sandbox', () => {
  beforeEach(async () => {
    records = [];
    server = await startSandboxServer({
      host: '127.0.0.1',
      port: 0,
      suffix: 'test',
      records: () => records,
      edge: { host: 'edge.petstore.test', address: '127.0.0.1' },
    });
  });

  afterEach(() => server.stop());

  test('supports the whole procedure: no record, then a wrong record, then the right one', async () => {
    expect(await codeOf('www.my-shop.test')).toBe('not_found');
    set('www.my-shop.test', 'A', '198.51.100.1');
    expect(await codeOf('www.my-shop.test')).toBe('conflict_a');
    records = [];
    set('www.my-shop.test', 'CNAME', 'other.test');
    expect(await codeOf('www.my-shop.test')).toBe('wrong_target');
    records = [];
    set('WWW.my-shop.test.', 'cname', `${TARGET}.`);
    expect(await codeOf('www.my-shop.test')).toBe('ok');
    set('my-shop.test', 'CAA', '0 issue "other.test"');
    expect(await codeOf('www.my-shop.test')).toBe('caa_blocked');
  });

  test('flattens an ALIAS at the apex', async () => {
    set('my-shop.test', 'ALIAS', TARGET);
    expect(await codeOf('my-shop.test')).toBe('ownership_required');
    set('_petstore.my-shop.test', 'TXT', 'token');
    expect(await codeOf('my-shop.test')).toBe('ok_flattened');
    records = [];
    set('my-shop.test', 'CNAME', TARGET);
    expect(await codeOf('my-shop.test')).toBe('apex_cname');
  });

  test('follows a CNAME only if recursion is desired', async () => {
    set('www.my-shop.test', 'CNAME', 'relay.my-shop.test');
    set('relay.my-shop.test', 'CNAME', TARGET);
    const types = async (recursive: boolean) => {
      const result = await query(server, { name: 'www.my-shop.test', type: 'A', recursive });
      return result.kind === 'answer' ? result.answers.map(({ type }) => type) : result.reason;
    };
    expect(await types(false)).toEqual(['CNAME']);
    expect(await types(true)).toEqual(['CNAME', 'CNAME', 'A']);
    expect(await codeOf('www.my-shop.test')).toBe('indirect_cname');
  });

  test('answers for wildcards, empty non-terminals, and names that do not exist', async () => {
    set('*.my-shop.test', 'A', '192.0.2.1');
    set('a.b.my-shop.test', 'A', '192.0.2.2');
    const seen = async (name: string) => {
      const result = await query(server, { name, type: 'A' });
      return result.kind === 'answer' ? [result.exists, ...result.answers.map((answer) => 'data' in answer && answer.data)] : result.reason;
    };
    expect(await seen('x.my-shop.test')).toEqual([true, '192.0.2.1']);
    expect(await seen('b.my-shop.test')).toEqual([true]);
    expect(await seen('c.b.my-shop.test')).toEqual([false]);
    expect(await seen('nobody.test')).toEqual([true]);
    expect(await seen('www.nobody.test')).toEqual([false]);
    expect(await seen('shop.dev')).toBe('refused');
  });

  test('answers over TCP if the answer does not fit in UDP', async () => {
    for (let n = 0; n < 60; n += 1) set('many.my-shop.test', 'TXT', `${n} ${'x'.repeat(60)}`);
    const result = await query(server, { name: 'many.my-shop.test', type: 'TXT' });
    expect(result.kind === 'answer' && result.answers.length).toBe(60);
  });

  test('keeps answering, whatever bytes arrive', async () => {
    const { createSocket } = await import('node:dgram');
    const socket = createSocket('udp4');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        await new Promise((resolve) => socket.send(bytes, server.port, '127.0.0.1', resolve));
      }),
      { numRuns: 200 },
    );
    socket.close();
    expect((await query(server, { name: 'my-shop.test', type: 'SOA' })).kind).toBe('answer');
  });
});

describe('sandbox clients', () => {
  const question: Packet = { type: 'query', id: 1, flags: dnsPacket.RECURSION_DESIRED, questions: [{ name: 'www.my-shop.test', type: 'A' }] };
  const opened: Socket[] = [];
  const zones: string[] = [];

  async function start(idleMs?: number): Promise<void> {
    zones.length = 0;
    server = await startSandboxServer({
      host: '127.0.0.1',
      port: 0,
      suffix: 'test',
      records: (zone) => {
        zones.push(zone);
        return [{ name: 'www.my-shop.test', type: 'CNAME', value: 'relay.other.test', ttl: 60 }];
      },
      edge: { host: 'edge.petstore.test', address: '127.0.0.1' },
      idleMs,
    });
  }

  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await server.stop();
  });

  async function open(): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    opened.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  test('can open a hundred connections', async () => {
    await start();
    for (let n = 0; n < 100; n += 1) await open();
    const [first] = opened;
    const refused = await open();
    await expect.poll(() => refused.resume().closed).toBe(true);
    first?.write(dnsPacket.streamEncode(question));
    await once(first as Socket, 'data');
  });

  test('keep a connection only while they send queries: other bytes do not count', async () => {
    await start(400);
    const [trickling, asking] = [await open(), await open()];
    let answers = 0;
    asking.on('data', () => {
      answers += 1;
    });
    trickling.resume().write('\x01');
    const timer = setInterval(() => {
      trickling.write('\0');
      asking.write(dnsPacket.streamEncode(question));
    }, 20);
    await expect.poll(() => trickling.closed).toBe(true);
    expect([asking.closed, answers > 1]).toEqual([false, true]);
    clearInterval(timer);
    await expect.poll(() => asking.closed).toBe(true);
  });

  test('cannot exhaust memory by not reading answers', async () => {
    await start(400);
    const socket = await open();
    const questions = Buffer.concat(Array(20_000).fill(dnsPacket.streamEncode(question)));
    const flood = () => {
      while (!socket.destroyed && socket.write(questions));
      socket.once('drain', flood);
    };
    flood();
    // The server reads nothing from a connection whose answers are not read.
    await expect.poll(() => socket.destroyed || socket.closed, { timeout: 10_000 }).toBe(true);
  });

  test('can use source port 0', async () => {
    const bind = vi.spyOn(Datagrams.prototype, 'bind');
    await start();
    const udp = bind.mock.contexts[0] as Datagrams;
    bind.mockRestore();
    udp.emit('message', dnsPacket.encode(question), { address: '127.0.0.1', port: 0, family: 'IPv4', size: 0 });
    expect((await query(server, { name: 'my-shop.test', type: 'SOA' })).kind).toBe('answer');
  });

  test('cause reads only in the zones that they query', async () => {
    await start();
    await query(server, { name: 'www.my-shop.test', type: 'A', recursive: true });
    await query(server, { name: 'test', type: 'A' });
    expect(zones).toEqual(['my-shop.test', 'other.test']);
  });

  test('are refused if one message has many questions, before any is parsed', async () => {
    await start();
    // Each name is a pointer to the previous one: parsing them one by one would take millions of steps.
    const bytes = Buffer.alloc(60_000);
    bytes.writeUInt16BE(9, 0);
    let [at, count, previous] = [17, 1, 12];
    for (; at + 6 <= 16_000; at += 6, count += 1) {
      for (const [offset, target] of [previous, at, at + 2].entries()) bytes.writeUInt16BE(0xc000 | target, at + 2 * offset);
      previous = at + 4;
    }
    for (; at + 6 <= bytes.length; at += 6, count += 1) bytes.writeUInt16BE(0xc000 | previous, at);
    bytes.writeUInt16BE(count, 4);
    const decode = vi.spyOn(dnsPacket, 'decode');
    const socket = await open();
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    socket.write(Buffer.concat([length, bytes]));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const decoded = decode.mock.calls.length;
    decode.mockRestore();
    expect([dnsPacket.streamDecode(answer), decoded]).toMatchObject([{ id: 9, rcode: 'FORMERR' }, 0]);
  });
});

describe('sandbox record', () => {
  test.each([
    ['shop.dev', 'A', '192.0.2.1', /^name: .* below test/],
    ['test', 'A', '192.0.2.1', /^name/],
    ['a..test', 'A', '192.0.2.1', /^name/],
    ['my-shop.test', 'MX', 'mail', /^type: got "MX"; allowed: A, AAAA/],
    ['my-shop.test', 'A', '2001:db8::1', /^value: .*IPv4/],
    ['my-shop.test', 'AAAA', '192.0.2.1', /^value: .*IPv6/],
    ['my-shop.test', 'CNAME', 'a b', /^value: .*host name/],
    ['my-shop.test', 'TXT', '', /^value: .*text/],
    ['my-shop.test', 'TXT', 'ü', /^value: .*ASCII/],
    ['my-shop.test', 'CAA', 'issue ca', /^value: .*flags/],
    ['my-shop.test', 'CAA', '300 issue "ca"', /^value: .*flags/],
  ])('%s %s %j is refused', (name, type, value, message) => {
    expect(parseSandboxRecord({ name, type, value }, 'test')).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  test('TTLs have bounds', () => {
    for (const ttl of [0, 1.5, 604_801])
      expect(parseSandboxRecord({ name: 'a.my-shop.test', type: 'A', value: '192.0.2.1', ttl }, 'test').ok).toBe(false);
    expect(parseSandboxRecord({ name: '*.my-shop.test', type: 'a', value: '192.0.2.1', ttl: 60 }, 'test')).toEqual({
      ok: true,
      record: { name: '*.my-shop.test', type: 'A', value: '192.0.2.1', ttl: 60 },
    });
  });
});

sandboxRecordsContract(
  test,
  async () => {
    const database = new DatabaseSync(':memory:');
    for (const migration of MIGRATIONS) database.exec(migration);
    return createSqliteSandboxRecords(database);
  },
  { name: 'SQLite' },
);
