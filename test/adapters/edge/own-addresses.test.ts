// Projects at their own addresses: certificates on demand, and nothing for names that are no project's.

import { request as requestPlainly } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createOwnAddresses } from '../../../adapters/edge/own-addresses.ts';
import { createSqliteOwnAddresses } from '../../../adapters/edge/sqlite-edge.ts';
import { createSqliteOrderLimiter } from '../../../adapters/store/sqlite/domains.ts';
import { openSqliteStores } from '../../../adapters/store/sqlite/stores.ts';
import type { StoredCertificate } from '../../../core/domains/certificate-ports.ts';
import { AuthoritySilent, type CertificateAuthority } from '../../../core/domains/ports.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { sampleProject } from '../../../testing/projects.ts';
import { NOON } from '../../../testing/samples.ts';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';
import { testFolder } from '../../support/folders.ts';

const EDGE = 'edge.petstore.test';
const TOKEN = 'abcdefghjkmnpqrs';
const HOST = `${TOKEN}.${EDGE}`;

let edge: TestEdge | undefined;

afterEach(async () => {
  await edge?.stop();
  edge = undefined;
});

interface Seen {
  readonly calls: string[];
  now: number;
}

/** An edge whose authority is watched, and may be changed by the test. */
async function start(change: (authority: CertificateAuthority, seen: Seen) => Partial<CertificateAuthority> = () => ({})) {
  const seen: Seen = { calls: [], now: Date.now() };
  const started = await startTestEdge({
    ownBelow: EDGE,
    token: TOKEN,
    clock: () => seen.now,
    wrapAuthority: (authority) => ({
      ...authority,
      request: async (host, requestId) => {
        seen.calls.push(`request ${host}`);
        return authority.request(host, requestId);
      },
      ...change(authority, seen),
    }),
  });
  edge = started;
  return { started, seen };
}

function ask({ httpsPort, ca }: TestEdge, host = HOST, path = '/'): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: httpsPort, servername: host, path, ca, headers: { host }, agent: false }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    })
      .once('error', reject)
      .end();
  });
}

/** What plain HTTP is answered with. */
function plainly({ httpPort }: TestEdge, host: string): Promise<[number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    requestPlainly({ host: '127.0.0.1', port: httpPort, path: '/x', headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers.location]);
    })
      .once('error', reject)
      .end();
  });
}

/** The serial number of the certificate that the edge presents; undefined if it presents none. */
function serialOf({ httpsPort }: TestEdge, host = HOST): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: host, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
  });
}

describe("a project's own address", () => {
  test('is served over TLS from the first visit, and not for search engines', async () => {
    const { started, seen } = await start();
    const answers = await Promise.all([ask(started), ask(started), ask(started, HOST.toUpperCase())]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([200, 200, 200].map((status) => [status, 'page']));
    expect(answers[0]?.headers).toMatchObject({ 'x-robots-tag': 'noindex', 'strict-transport-security': expect.any(String) });
    expect((await ask(started)).status).toBe(200);
    expect(seen.calls).toEqual([`request ${HOST}`]);
    expect(await plainly(started, HOST)).toEqual([301, `https://${HOST}:${started.httpsPort}/x`]);
    expect(await plainly(started, `abcdefghjkmnpqrt.${EDGE}`)).toEqual([404, undefined]);
    // A domain of the project is for search engines.
    await started.serve('www.shop.test');
    expect((await ask(started, 'www.shop.test')).headers['x-robots-tag']).toBeUndefined();
    expect(started.faults).toEqual([]);
  });

  test.each([`abcdefghjkmnpqrt.${EDGE}`, `x.${HOST}`, EDGE, `${TOKEN}.other.test`, `ABC.${EDGE}`])(
    'a name that is none gets no certificate: %s',
    async (host) => {
      const { started, seen } = await start();
      expect(await serialOf(started, host)).toBeUndefined();
      expect(seen.calls).toEqual([]);
    },
  );

  test('ends with its project, and its certificate goes with the next one that is made', async () => {
    const { started } = await start();
    expect((await ask(started)).status).toBe(200);
    await started.stores.projects.deleteProject(started.project, Date.now());
    expect(await serialOf(started)).toBeUndefined();
    const next = { ...started.project, id: 'prj_2', token: 'abcdefghjkmnpqrt' };
    await started.stores.projects.createProject(next);
    expect(await ask(started, `${next.token}.${EDGE}`)).toMatchObject({
      status: 404,
      body: expect.stringContaining('nothing is published here yet'),
    });
    const rows = (table: string) => started.stores.database.prepare(`SELECT * FROM ${table}`).all();
    expect([rows('own_addresses').length, rows('certificates').length]).toEqual([1, 1]);
    await started.stores.projects.deleteProject(next, Date.now());
    await started.forgetDeleted();
    expect([rows('own_addresses').length, rows('certificates').length]).toEqual([0, 0]);
  });

  test('is renewed at a visit when that is due, while visitors get the old certificate; an expired one is never presented', async () => {
    const { started, seen } = await start();
    const first = await serialOf(started);
    seen.now += 70 * DAY_MS;
    expect(await serialOf(started)).toBe(first);
    await expect.poll(() => serialOf(started)).not.toBe(first);
    expect(seen.calls).toHaveLength(2);
    const second = await serialOf(started);
    seen.now += 100 * DAY_MS;
    const third = await serialOf(started);
    expect([third === second, third]).toEqual([false, expect.any(String)]);
    expect(started.stores.database.prepare('SELECT * FROM certificates').all()).toHaveLength(1);
  });

  test.each([
    ['refuses', 0, { check: async () => ({ kind: 'failed', failure: 'other', detail: 'no' }) as const }],
    ['has a fault', 1, { request: () => Promise.reject(new Error('a fault')) }],
    ['is away', 0, { request: () => Promise.reject(new AuthoritySilent('away')) }],
  ])('an authority that %s is left alone for a minute, however many visitors come, and then asked anew', async (_what, faults, failure) => {
    let isFailing = true;
    /** An order that has failed stays failed until another one is requested. */
    const failedOrders = new Set<string>();
    const { started, seen } = await start((authority, { calls }) => ({
      request: async (host, requestId) => {
        calls.push('request');
        if (isFailing && 'request' in failure) return failure.request();
        const reference = await authority.request(host, requestId);
        failedOrders.delete(reference);
        return reference;
      },
      check: async (reference) => {
        if (isFailing && 'check' in failure) failedOrders.add(reference);
        return failedOrders.has(reference) && 'check' in failure ? failure.check() : authority.check(reference);
      },
    }));
    for (let visits = 0; visits < 3; visits += 1) expect(await serialOf(started)).toBeUndefined();
    expect(seen.calls).toHaveLength(1);
    isFailing = false;
    seen.now += 59_000;
    expect(await serialOf(started)).toBeUndefined();
    seen.now += 1_000;
    expect(await serialOf(started)).toEqual(expect.any(String));
    expect(started.faults).toHaveLength(faults);
  });

  test("four projects whose authority is slow don't keep the installation's own name waiting", async () => {
    const { database, projects, close } = openSqliteStores(testFolder(), { accountsElsewhere: true });
    const hosts = await Promise.all(
      [...'stvwx'].map(async (last) => {
        const project = sampleProject({ token: `${TOKEN.slice(0, -1)}${last}` });
        await projects.createProject(project);
        return `${project.token}.${EDGE}`;
      }),
    );
    const requested: string[] = [];
    let end = (_error: Error) => {};
    const never = new Promise<never>((_, reject) => {
      end = reject;
    });
    const authority = {
      request: (host: string) => {
        requested.push(host);
        return never;
      },
    } as unknown as CertificateAuthority;
    const options = { vault: { get: () => undefined }, clock: Date.now, onFault: () => {} };
    const addresses = createOwnAddresses({
      store: createSqliteOwnAddresses(database),
      edgeHost: EDGE,
      platformHost: 'pets.test',
      authority,
      ...options,
    });
    const waiting = [...hosts, 'pets.test'].map((host) => addresses.certificateFor(host));
    await expect.poll(() => requested.toSorted()).toEqual([...hosts.slice(0, 4), 'pets.test'].toSorted());
    end(new Error('over'));
    await Promise.all(waiting);
    close();
  });

  test('while changes are stopped, no certificate is requested, and a request that has begun ends; then it is continued', async () => {
    const { database, projects, close } = openSqliteStores(testFolder(), { accountsElsewhere: true });
    onTestFinished(close);
    await projects.createProject({ ...sampleProject({ token: TOKEN }) });
    let isStopped = true;
    let isIssued = false;
    let now = NOON;
    const calls: string[] = [];
    const followed: Promise<unknown>[] = [];
    const addresses = createOwnAddresses({
      store: createSqliteOwnAddresses(database),
      edgeHost: EDGE,
      changes: {
        isStopped: () => isStopped,
        follow: (work) => {
          followed.push(work);
          return work;
        },
      },
      vault: { get: () => undefined },
      authority: {
        request: async (_host, requestId) => {
          calls.push(requestId);
          return requestId;
        },
        check: async () => (isIssued ? { kind: 'issued', life: { notBefore: NOON, notAfter: NOON + 90 * DAY_MS } } : { kind: 'pending' }),
        release: async () => {},
      },
      clock: () => now,
      onFault: (error: unknown) => expect.fail(String(error)),
    });
    expect([await addresses.certificateFor(HOST), calls]).toEqual([undefined, []]);
    isStopped = false;
    const waiting = addresses.certificateFor(HOST);
    await expect.poll(() => calls.length).toBe(1);
    isStopped = true;
    await Promise.all(followed);
    expect(await waiting).toBeUndefined();
    [isStopped, isIssued] = [false, true];
    now += 60_000;
    expect(await addresses.certificateFor(HOST)).toBe(calls[0]);
    expect(calls[1]).toBe(calls[0]);
  });

  /** Many projects of one account that are created and visited, beside one of another account. @returns the hosts of the orders */
  async function visitMany(count: number, hasWildcard: boolean): Promise<{ orders: readonly string[]; other: string; minutes: number }> {
    const { database, projects, close } = openSqliteStores(testFolder(), { accountsElsewhere: true });
    onTestFinished(close);
    const orders: string[] = [];
    const known = new Map<string, StoredCertificate>();
    let now = NOON;
    const addresses = createOwnAddresses({
      ...{
        store: createSqliteOwnAddresses(database),
        edgeHost: EDGE,
        hasWildcard,
        clock: () => now,
        onFault: (error: unknown) => expect.fail(String(error)),
      },
      orders: createSqliteOrderLimiter(database),
      vault: { get: (reference) => known.get(reference) },
      authority: {
        request: async (host, requestId) => {
          orders.push(host);
          known.set(requestId, { host, chain: '', privateKey: '', notBefore: now, notAfter: now + 90 * DAY_MS, authority: undefined });
          return requestId;
        },
        check: async () => ({ kind: 'issued', life: { notBefore: now, notAfter: now + 90 * DAY_MS } }),
        release: async () => {},
      },
    });
    const add = async (accountId: string, index: number) => {
      const token = `abcdefgh${[...index.toString(4).padStart(8, '0')].map((digit) => 'abcd'[Number(digit)]).join('')}`;
      const project = sampleProject({ accountId, token });
      await projects.createProject(project);
      return { project, host: `${token}.${EDGE}` };
    };
    for (let index = 0; index < count; index += 1) {
      const { project, host } = await add('acc_loop', index);
      await addresses.certificateFor(host);
      await projects.deleteProject(project, now);
      now += 10_000;
    }
    const { host: other } = await add('acc_other', count);
    await addresses.certificateFor(other);
    return { orders, other, minutes: (now - NOON) / 60_000 };
  }

  test("300 projects that are created, visited and deleted use up their account's share, and no one else's", async () => {
    const { orders, other, minutes } = await visitMany(300, false);
    expect(minutes).toBe(50);
    expect(orders.length).toBeLessThanOrEqual(12);
    expect(orders.at(-1)).toBe(other);
  });

  test('where the authority can issue a wildcard, there is one certificate for all', async () => {
    expect((await visitMany(300, true)).orders).toEqual([`*.${EDGE}`]);
  });

  test('a handshake waits for an authority that takes its time, and the next visit has the certificate', async () => {
    let pending = 3;
    const { started } = await start((authority) => ({
      check: async (reference) => {
        pending -= 1;
        return pending > 0 ? { kind: 'pending' } : authority.check(reference);
      },
    }));
    expect(await serialOf(started)).toEqual(expect.any(String));
  });
});
