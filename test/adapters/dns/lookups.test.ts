// The lookup against the sandbox's server, and against a scripted one.

import { test } from 'vitest';
import { createDnsLookup } from '../../../adapters/dns/lookup.ts';
import type { NameServer } from '../../../adapters/dns/name-server.ts';
import { startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import { type DnsRecord, dnsLookupContract } from '../../../testing/dns-lookup.ts';
import { type Reply, startScriptedDns } from '../../support/scripted-dns.ts';

/** A server on the loopback address that plays both parts. */
function lookupsAt(server: NameServer) {
  const options = { recursives: [server], authoritativePort: server.port, privateNetworks: true };
  return { lookup: createDnsLookup(options), impatient: createDnsLookup({ ...options, triesMs: [50], deadlineMs: 200 }) };
}

dnsLookupContract(
  test,
  async () => {
    let records: readonly DnsRecord[] = [];
    const server = await startSandboxServer({
      host: '127.0.0.1',
      port: 0,
      suffix: 'test',
      records: () => records.map((record) => ({ ...record, ttl: 60 })),
      edge: { host: 'edge.petstore.test', address: '127.0.0.1' },
    });
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= server.stop();
      return stopped;
    };
    return {
      ...lookupsAt(server),
      zone: 'my-shop.test',
      set: (next) => {
        records = next;
      },
      fallSilent: stop,
      stop,
    };
  },
  { name: 'at the sandbox', declares: ['malformed_answers'] },
);

dnsLookupContract(
  test,
  async () => {
    let records: readonly DnsRecord[] = [];
    let raw: Buffer | undefined;
    let silent = false;
    const zone: Readonly<Record<string, Reply>> = {
      'NS shop.dev': { answers: [{ type: 'NS', name: 'shop.dev', ttl: 60, data: 'ns.shop.dev' }] },
      'A ns.shop.dev': { answers: [{ type: 'A', name: 'ns.shop.dev', ttl: 60, data: '127.0.0.1' }] },
    };
    const server = await startScriptedDns(({ type, name }) => {
      if (silent) return undefined;
      if (raw !== undefined) return { raw };
      const own = records.filter((record) => record.name === name && (record.type === type || record.type === 'CNAME'));
      return zone[`${type} ${name}`] ?? { answers: own.map((record) => ({ type: record.type as 'A', name, ttl: 60, data: record.value })) };
    });
    return {
      ...lookupsAt(server),
      zone: 'shop.dev',
      set: (next) => {
        records = next;
      },
      fallSilent: async () => {
        silent = true;
      },
      answerWith: (bytes) => {
        raw = Buffer.from(bytes);
      },
      stop: server.stop,
    };
  },
  { name: 'at a scripted server' },
);
