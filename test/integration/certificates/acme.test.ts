// The ACME client against Pebble, with its own name server and edge.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AcmeOptions, createAcmeAuthority } from '../../../adapters/certificates/acme.ts';
import { createSqliteAcmeOrders } from '../../../adapters/certificates/acme-orders.ts';
import { createSqliteSandboxRecords } from '../../../adapters/dns/sandbox.ts';
import { type SandboxServer, startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import type { CertificateAuthority, CertificateStatus } from '../../../core/domains/ports.ts';
import { certificateAuthorityContract } from '../../../testing/certificate-authority.ts';
import { currentOf } from '../../../testing/projects.ts';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';
import { type Pebble, pebbleInstalled, startPebble } from '../../support/pebble.ts';

describe.runIf(pebbleInstalled)('ACME', () => {
  let orders: ReturnType<typeof createSqliteAcmeOrders>;
  let now = Date.now();
  let edge: TestEdge;
  let dns: SandboxServer;
  let records: ReturnType<typeof createSqliteSandboxRecords>;
  let pebble: Pebble;
  let authority: CertificateAuthority;
  /** The edge knows the challenge responses. */
  let answering = true;

  const makeAuthority = (more: Partial<AcmeOptions> = {}) =>
    createAcmeAuthority({
      directory: pebble.directory,
      extraRoot: readFileSync(pebble.caFile, 'utf8'),
      issuerNames: ['pebble.test'],
      orders,
      vault: edge.vault,
      clock: () => now,
      ...more,
    });

  beforeAll(async () => {
    edge = await startTestEdge({ challenge: (host, token) => (answering ? orders.challenge(host, token) : undefined) });
    orders = createSqliteAcmeOrders(edge.stores.database);
    records = createSqliteSandboxRecords(edge.stores.database);
    dns = await startSandboxServer({
      host: '127.0.0.1',
      port: 0,
      suffix: 'test',
      records: records.inZone,
      edge: { host: 'edge.petstore.test', address: '127.0.0.1' },
    });
    records.set({ name: '*.acme.test', type: 'A', value: '198.51.100.1', ttl: 60 }, false);
    records.set({ name: '*.acme.test', type: 'A', value: '127.0.0.1', ttl: 60 }, false);
    pebble = await startPebble(join(edge.folder, 'pebble'), { httpPort: edge.httpPort, dnsServer: `127.0.0.1:${dns.port}` });
    authority = await makeAuthority();
  });

  afterAll(async () => {
    await Promise.all([pebble.stop(), dns.stop()]);
    await edge.stop();
  });

  async function settle(reference: string, by = authority): Promise<CertificateStatus> {
    for (;;) {
      const status = await by.check(reference);
      if (status.kind !== 'pending') return status;
    }
  }

  certificateAuthorityContract(
    test,
    async () => {
      const select = edge.stores.database.prepare(
        'SELECT chain AS what FROM certificates WHERE host = ?1 UNION ALL SELECT reference FROM acme_orders WHERE host = ?1',
      );
      return {
        authority,
        zone: 'acme.test',
        certificates: (host) => select.all(host).map(({ what }) => String(what)),
        unreachable: await createAcmeAuthority({ directory: 'https://localhost:1/dir', orders, vault: edge.vault, clock: () => now }),
      };
    },
    { name: 'ACME' },
  );

  test('issues a certificate for the name, and remembers it', async () => {
    const reference = await authority.request('www.acme.test', 'dom_1-g1');
    const status = await settle(reference);
    expect(status).toEqual({
      kind: 'issued',
      life: { notBefore: expect.any(Number), notAfter: expect.any(Number) },
      issuer: expect.stringContaining('Pebble'),
    });
    const stored = edge.vault.get(reference);
    const leaf = new X509Certificate(stored?.chain ?? '');
    expect([leaf.checkHost('www.acme.test'), leaf.checkHost('other.acme.test')]).toEqual(['www.acme.test', undefined]);
    expect(leaf.checkPrivateKey((await import('node:crypto')).createPrivateKey(stored?.privateKey ?? ''))).toBe(true);
    // The order leaves nothing behind.
    expect(orders.get(reference)).toBeUndefined();
    await authority.release({ id: 'dom_1', host: 'www.acme.test' });
    expect(await authority.check(reference)).toMatchObject({ kind: 'failed' });
  });

  test('issues a wildcard with a TXT record, which is gone afterwards', async () => {
    const set: string[] = [];
    const txt = {
      set: async (name: string, value: string) => {
        set.push(name);
        records.set({ name, type: 'TXT', value, ttl: 60 }, false);
      },
      unset: async (name: string, value: string) => void (await records.unset(name, 'TXT', value)),
    };
    const wildcards = await makeAuthority({ txt });
    const reference = await wildcards.request('*.own.acme.test', 'wildcard-own-0');
    expect(await settle(reference, wildcards)).toMatchObject({ kind: 'issued' });
    const leaf = new X509Certificate(edge.vault.get(reference)?.chain ?? '');
    expect([leaf.checkHost('any.own.acme.test'), leaf.checkHost('own.acme.test')]).toEqual(['*.own.acme.test', undefined]);
    expect(set).toEqual(['_acme-challenge.own.acme.test']);
    expect(records.inZone('acme.test').filter(({ type }) => type === 'TXT')).toEqual([]);
  });

  test("reports a refusal in the authority's own words", async () => {
    answering = false;
    const reference = await authority.request('silent.acme.test', 'dom_2-g1');
    expect(await settle(reference)).toMatchObject({ kind: 'failed', failure: 'validation', detail: expect.stringMatching(/404|non-200|invalid/i) });
    // Asked again, it is still refused; the same request makes another attempt.
    expect(await authority.check(reference)).toMatchObject({ kind: 'failed', failure: 'validation' });
    answering = true;
    expect(await authority.request('silent.acme.test', 'dom_2-g1')).toBe(reference);
    expect(await settle(reference)).toMatchObject({ kind: 'issued' });
  });

  test('limits failed attempts within an hour, so that the authority does not block the name', async () => {
    const host = 'eager.acme.test';
    answering = false;
    for (let generation = 1; generation <= 4; generation += 1) {
      expect(await settle(await authority.request(host, `dom_7-g${generation}`))).toMatchObject({ kind: 'failed', failure: 'validation' });
    }
    answering = true;
    const next = await authority.request(host, 'dom_7-g5');
    const barred = await settle(next);
    expect(barred).toMatchObject({ kind: 'failed', failure: 'rate_limited', detail: expect.stringContaining('4 orders failed') });
    now = barred.kind === 'failed' ? (barred.retryAt ?? 0) : 0;
    await authority.request(host, 'dom_7-g5');
    expect(await settle(next)).toMatchObject({ kind: 'issued' });
  });

  test('does not count failures from before the clock was set back', async () => {
    const host = 'clock.acme.test';
    answering = false;
    for (let generation = 1; generation <= 4; generation += 1) await settle(await authority.request(host, `dom_77-g${generation}`));
    answering = true;
    now -= 2 * 3_600_000;
    expect(await settle(await authority.request(host, 'dom_77-g5'))).toMatchObject({ kind: 'issued' });
    now += 2 * 3_600_000;
  });

  test('keeps the certificate of a removed domain in case the name returns', async () => {
    const host = 'back.acme.test';
    const first = await authority.request(host, 'dom_8-g1');
    expect(await settle(first)).toMatchObject({ kind: 'issued' });
    const chain = edge.vault.get(first)?.chain;
    await authority.release({ id: 'dom_8', host });
    expect(edge.vault.get(first)).toBeUndefined();
    const again = await authority.request(host, 'dom_9-g1');
    expect(await authority.check(again)).toMatchObject({ kind: 'issued' });
    expect(edge.vault.get(again)?.chain).toBe(chain);
    // A certificate that is about to expire is not reused.
    now += 365 * 86_400_000 * 10;
    expect(edge.vault.get(await authority.request(host, 'dom_10-g1'))).toBeUndefined();
  });

  test('reports a name that the authority rejects', async () => {
    const reference = await authority.request('a_b.acme.test', 'dom_3-g1');
    expect(await settle(reference)).toMatchObject({ kind: 'failed' });
  });

  test('lets the next process continue with the same account and order', async () => {
    const reference = await authority.request('next.acme.test', 'dom_4-g1');
    // The account is created with the first order that is placed.
    await authority.check(reference);
    const key = orders.account(pebble.directory)?.privateKey;
    expect(key).toContain('PRIVATE KEY');
    const next = await makeAuthority();
    expect(await settle(reference, next)).toMatchObject({ kind: 'issued' });
    expect(orders.account(pebble.directory)?.privateKey).toBe(key);
  });

  test('an order that an unreachable authority can not create has failed, and the next request makes another attempt', async () => {
    const lost = await createAcmeAuthority({ directory: 'https://localhost:1/dir', orders, vault: edge.vault, clock: () => now });
    const reference = await lost.request('lost.acme.test', 'dom_5-g1');
    const failed = { kind: 'failed', failure: 'authority_unavailable', detail: expect.stringContaining('ECONNREFUSED') };
    expect(await lost.check(reference)).toMatchObject(failed);
    expect(await lost.check(reference)).toMatchObject(failed);
    expect((await lost.caaIdentity()).issuers).toEqual([]);
    // The attempt that has failed is not repeated by asking; a request makes another one, here at an authority that answers.
    expect(await authority.check(reference)).toMatchObject(failed);
    expect(await authority.request('lost.acme.test', 'dom_5-g1')).toBe(reference);
    expect(await settle(reference)).toMatchObject({ kind: 'issued' });
  });

  test('answers challenges over plain HTTP at the edge, which redirects served hosts to HTTPS', async () => {
    orders.keepChallenge('known.acme.test', 'token', 'answer');
    const ask = async (host: string, path: string) => {
      const { request } = await import('node:http');
      return new Promise<[number, string]>((resolve) => {
        request({ host: '127.0.0.1', port: edge.httpPort, path, headers: { host }, agent: false }, (response) => {
          let body = '';
          response.on('data', (chunk) => {
            body += chunk;
          });
          response.on('end', () => resolve([response.statusCode ?? 0, response.headers.location ?? body]));
        }).end();
      });
    };
    expect(await ask('known.acme.test', '/.well-known/acme-challenge/token')).toEqual([200, 'answer']);
    expect((await ask('known.acme.test', '/.well-known/acme-challenge/other'))[0]).toBe(404);
    expect((await ask('other.acme.test', '/.well-known/acme-challenge/token'))[0]).toBe(404);
    await edge.edge.attach(
      { id: 'dom_6', host: 'known.acme.test', projectId: edge.project.id },
      currentOf(edge.project, ['known.acme.test']),
      'none',
    );
    expect(await ask('known.acme.test', '/a')).toEqual([301, `https://known.acme.test:${edge.httpsPort}/a`]);
    // The host is in the map, but has no certificate, so the handshake fails.
    expect(await edge.edge.isServing({ id: 'dom_6', host: 'known.acme.test' }, 'none')).toBe(false);
  });
});
