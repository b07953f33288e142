// The edge's TLS handshakes: session resumption, and accepted cipher suites.

import { randomBytes, webcrypto } from 'node:crypto';
import { Agent, request } from 'node:https';
import { connect, getCiphers, type SecureVersion, type TLSSocket } from 'node:tls';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestEdge, type TestEdge } from '../../support/edge.ts';

// The names have equal lengths, because the session that a client stores contains the name.
const HOST = 'one.edge-shop.test';
const OTHER = 'two.edge-shop.test';
const RSA = 'rsa.edge-shop.test';

let edge: TestEdge;

beforeAll(async () => {
  edge = await startTestEdge();
  await edge.serve(HOST);
  await edge.serve(OTHER);
  edge.vault.put('rsa', await rsaCertificate(RSA));
  await edge.serve(RSA, 'rsa');
});

afterAll(async () => {
  expect(edge.faults).toEqual([]);
  await edge.stop();
});

async function rsaCertificate(host: string) {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2_048 };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const [notBefore, notAfter] = [Date.now() - 3_600_000, Date.now() + 3_600_000];
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: randomBytes(16).toString('hex'),
      name: `CN=${host}`,
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
      signingAlgorithm: algorithm,
      keys,
    },
    webcrypto,
  );
  const privateKey = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { host, chain: certificate.toString('pem'), privateKey, notBefore, notAfter, authority: undefined };
}

/**
 * Opens one connection: a handshake with the name, then one request for the host. The status is NaN if the connection is closed without an answer.
 */
async function exchange(servername: string, host: string, session?: Buffer, { server = edge, version = 'TLSv1.2' as SecureVersion } = {}) {
  const { httpsPort: port, ca } = server;
  const socket = connect({ host: '127.0.0.1', port, servername, ca, minVersion: version, maxVersion: version, ...(session && { session }) });
  let [answer, resumed, made] = ['', false, Buffer.alloc(0)];
  socket.on('session', (given) => {
    made = given;
  });
  socket.once('secureConnect', () => {
    resumed = socket.isSessionReused();
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return { status: Number(answer.split(' ')[1]), resumed, session: made };
}

test('a resumed TLS 1.3 connection is bound to the name in its own handshake (RFC 8446, section 4.2.11)', async () => {
  const options = { version: 'TLSv1.3' } as const;
  const { session, ...first } = await exchange(HOST, HOST, undefined, options);
  expect(first).toEqual({ status: 200, resumed: false });
  expect(await exchange(HOST, HOST, session, options)).toMatchObject({ status: 200, resumed: true });
  expect(await exchange(HOST, OTHER, session, options)).toMatchObject({ status: 421, resumed: true });
  // A client that changes the name in its stored session, so that its own TLS library resumes the session for another name.
  const changed = Buffer.from(session.toString('latin1').replace(HOST, OTHER), 'latin1');
  expect(await exchange(OTHER, HOST, changed, options)).toMatchObject({ status: 421, resumed: true });
  expect(await exchange(OTHER, OTHER, changed, options)).toMatchObject({ status: 200, resumed: true });
});

describe('a resumed TLS 1.2 session', () => {
  const statusOf = (agent: Agent) =>
    new Promise<{ status: number | undefined; resumed: boolean }>((resolve, reject) => {
      request({ host: '127.0.0.1', port: edge.httpsPort, servername: HOST, headers: { host: HOST }, ca: edge.ca, agent }, (response) => {
        const resumed = (response.socket as TLSSocket).isSessionReused();
        response.resume().on('end', () => resolve({ status: response.statusCode, resumed }));
      })
        .once('error', reject)
        .end();
    });

  test('is served like the first session', async () => {
    const agent = new Agent({ maxVersion: 'TLSv1.2' });
    const answers = [];
    for (let times = 0; times < 5; times += 1) answers.push(await statusOf(agent));
    expect(answers).toEqual([{ status: 200, resumed: false }, ...Array(4).fill({ status: 200, resumed: true })]);
    agent.destroy();
  });

  test('stays bound to the name in its first handshake', async () => {
    const { session, ...first } = await exchange(HOST, HOST);
    expect(first).toEqual({ status: 200, resumed: false });
    expect(await exchange(HOST, OTHER, session)).toMatchObject({ status: 421, resumed: true });
    // A client that changes the name in its stored session, so that its own TLS library resumes the session for another name.
    const changed = Buffer.from(session.toString('latin1').replace(HOST, OTHER), 'latin1');
    expect(await exchange(OTHER, OTHER, changed)).toMatchObject({ status: 421, resumed: true });
    expect(await exchange(HOST, HOST, session)).toMatchObject({ status: 200, resumed: true });
    expect(await exchange(OTHER, OTHER)).toMatchObject({ status: 200, resumed: false });
  });

  test('is closed if its name is no longer known', async () => {
    const forgetful = await startTestEdge({ keptSessions: 1 });
    onTestFinished(forgetful.stop);
    for (const host of [HOST, OTHER]) await forgetful.serve(host);
    const { session } = await exchange(HOST, HOST, undefined, { server: forgetful });
    expect(await exchange(HOST, HOST, session, { server: forgetful })).toMatchObject({ status: 200, resumed: true });
    await exchange(OTHER, OTHER, undefined, { server: forgetful });
    expect(await exchange(HOST, HOST, session, { server: forgetful })).toMatchObject({ status: Number.NaN, resumed: true });
    expect(await exchange(HOST, HOST, undefined, { server: forgetful })).toMatchObject({ status: 200, resumed: false });
    expect(forgetful.faults).toEqual([]);
  });
});

describe('cipher suites', () => {
  const TLS_1_3 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
  const ECDSA = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305'];
  const BY_RSA = ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305'];
  /** Known to OpenSSL, but not listed by Node. */
  const UNLISTED = [
    ...['TLS_AES_128_CCM_SHA256', 'TLS_AES_128_CCM_8_SHA256'],
    ...['AES128-CCM', 'AES256-CCM', 'AES128-CCM8', 'AES256-CCM8', 'ARIA128-GCM-SHA256', 'ARIA256-GCM-SHA384'],
    ...['128', '256'].flatMap((bits) => [
      ...[`ECDHE-ECDSA-AES${bits}-CCM`, `ECDHE-ECDSA-AES${bits}-CCM8`, `DHE-RSA-AES${bits}-CCM`, `DHE-RSA-AES${bits}-CCM8`],
      ...[`ECDHE-ECDSA-CAMELLIA${bits}-SHA${bits === '128' ? 256 : 384}`, `ECDHE-RSA-CAMELLIA${bits}-SHA${bits === '128' ? 256 : 384}`],
      ...[`CAMELLIA${bits}-SHA`, `CAMELLIA${bits}-SHA256`, `DHE-RSA-CAMELLIA${bits}-SHA`, `DHE-RSA-CAMELLIA${bits}-SHA256`],
    ]),
    ...['ECDHE-ECDSA-ARIA', 'ECDHE-ARIA', 'DHE-RSA-ARIA'].flatMap((name) => [`${name}128-GCM-SHA256`, `${name}256-GCM-SHA384`]),
  ];
  const all = [...new Set([...TLS_1_3, ...ECDSA, ...BY_RSA, ...UNLISTED, ...getCiphers().map((name) => name.toUpperCase())])];

  /** The result for a client that offers only this suite. */
  const offer = (cipher: string, servername: string) =>
    new Promise<string>((resolve) => {
      const version = cipher.startsWith('TLS_') ? 'TLSv1.3' : 'TLSv1.2';
      const socket = connect({
        ...{ host: '127.0.0.1', port: edge.httpsPort, servername, rejectUnauthorized: false },
        // This security level lets the client offer suites that it would not offer by default.
        ...{ ciphers: `${cipher}${version === 'TLSv1.2' ? ':@SECLEVEL=0' : ''}`, minVersion: version, maxVersion: version },
      });
      socket.once('secureConnect', () => {
        resolve(socket.getCipher().name);
        socket.destroy();
      });
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });

  const REFUSED = /^(ERR_SSL_(SSL\/)?(TLSV1_ALERT|SSLV3_ALERT|TLS_ALERT)_HANDSHAKE_FAILURE|ECONNRESET)$/;

  test('in the list are accepted', async () => {
    for (const cipher of [...TLS_1_3, ...ECDSA]) expect(await offer(cipher, HOST)).toBe(cipher);
    for (const cipher of BY_RSA) expect(await offer(cipher, RSA)).toBe(cipher);
  });

  test('not in the list are refused', async () => {
    const taken: string[] = [];
    const others = all.filter((cipher) => ![...TLS_1_3, ...ECDSA, ...BY_RSA].includes(cipher));
    const offered: string[] = [];
    for (const cipher of others) {
      for (const servername of [HOST, RSA]) {
        const answer = await offer(cipher, servername);
        if (answer === cipher) taken.push(`${cipher} by ${servername}`);
        if (REFUSED.test(answer)) offered.push(cipher);
      }
    }
    expect(taken).toEqual([]);
    // Some suites can't be offered without a shared secret or a special certificate, but these can.
    expect(offered).toEqual(
      expect.arrayContaining(['ECDHE-ECDSA-AES128-SHA', 'AES128-SHA', 'ECDHE-ECDSA-AES128-CCM', 'ECDHE-ECDSA-ARIA128-GCM-SHA256']),
    );
  });
});
