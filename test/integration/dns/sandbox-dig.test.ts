// The sandbox's name server, queried by Debian's dig.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import { nameServersInstalled } from '../../support/name-servers.ts';

const TARGET = 'abcdefgh23456789.edge.petstore.test';

describe.runIf(nameServersInstalled)('sandbox', () => {
  test('answers in a form that dig understands', async () => {
    const server = await startSandboxServer({
      host: '127.0.0.1',
      port: 0,
      suffix: 'test',
      records: () => [{ name: 'www.my-shop.test', type: 'CNAME', value: TARGET, ttl: 60 }],
      edge: { host: 'edge.petstore.test', address: '127.0.0.1' },
    });
    const dig = async (...args: string[]) =>
      (await promisify(execFile)('dig', ['@127.0.0.1', '-p', String(server.port), '+short', ...args])).stdout.trim();
    expect(await dig('www.my-shop.test')).toBe(`${TARGET}.\n127.0.0.1`);
    expect(await dig('+tcp', 'my-shop.test', 'NS')).toBe('ns.my-shop.test.');
    await server.stop();
  });
});
