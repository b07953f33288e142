// Sending to SMTP servers as they are: encrypted, slow, full, strict, or gone in the middle of an exchange.

import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { ROOT_FILE } from '../../../adapters/files/data-folder.ts';
import { createSmtpMailer, type SmtpOptions } from '../../../adapters/mail/smtp.ts';
import type { SmtpServer } from '../../../adapters/mail/smtp-url.ts';
import { openDatabase } from '../../../adapters/store/sqlite/database.ts';
import { MailRefusal } from '../../../core/notifications/ports.ts';
import { SAMPLE_MESSAGE } from '../../../testing/mailer.ts';
import { makeFolder } from '../../support/folders.ts';
import { type Behavior, parsePart, smtpError, startSmtpServer, type TestSmtpServer } from '../../support/smtp.ts';

const NAME = 'localhost';
const FROM = 'no-reply@pets.example.com';
let ca = '';
let encrypted: Pick<SMTPServerOptions, 'key' | 'cert' | 'disabledCommands'>;

beforeAll(async () => {
  const { path, remove } = makeFolder();
  const database = openDatabase(path, 'crash');
  const vault = createSqliteVault(database);
  const authority = await createDevelopmentAuthority(path, vault, Date.now);
  const { chain: cert = '', privateKey: key = '' } = vault.get(await authority.request(NAME, 'mail')) ?? {};
  ca = readFileSync(join(path, ROOT_FILE), 'utf8');
  encrypted = { key, cert, disabledCommands: [] };
  database.close();
  remove();
});

async function start(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options);
  onTestFinished(server.stop);
  return server;
}

const mailerFor = (port: number, server: Partial<SmtpServer> = {}, options: Partial<SmtpOptions> = {}) =>
  createSmtpMailer({ server: { host: NAME, port, tls: 'none', login: undefined, ...server }, from: FROM, clock: Date.now, ...options });

async function refusalOf(sending: Promise<void>): Promise<MailRefusal> {
  const refusal = await sending.then(
    () => expect.fail('accepted'),
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(MailRefusal);
  return refusal as MailRefusal;
}

describe('encryption', () => {
  test.each([
    ['starttls', {}],
    ['implicit', { secure: true }],
  ] as const)('%s, with a login', async (tls, options) => {
    const logins: unknown[] = [];
    const server = await start({
      ...encrypted,
      ...options,
      authOptional: false,
      onAuth: ({ username, password }, session, callback) => {
        logins.push([username, password, session.secure]);
        callback(null, { user: username });
      },
    });
    await mailerFor(server.port, { tls, login: { user: 'ann', password: 'p:w' } }, { ca }).send(SAMPLE_MESSAGE);
    expect([server.mails.length, logins]).toEqual([1, [['ann', 'p:w', true]]]);
  });

  test.each([
    ['is not offered', () => ({}), 'starttls'],
    ['has a certificate that no one vouches for', () => encrypted, 'starttls'],
    ['has a certificate that no one vouches for', () => ({ ...encrypted, secure: true }), 'implicit'],
    ['is expected, and the server speaks plain text', () => ({}), 'implicit'],
  ] as const)('nothing is sent if it %s', async (_, options, tls) => {
    const server = await start(options());
    const refusal = await refusalOf(mailerFor(server.port, { tls, login: { user: 'ann', password: 'secret' } }).send(SAMPLE_MESSAGE));
    expect([refusal.isPermanent, server.contents]).toEqual([false, []]);
    expect(refusal.message).not.toContain('secret');
  });

  test('nothing is sent if the certificate is for another name', async () => {
    const server = await start(encrypted);
    const refusal = await refusalOf(mailerFor(server.port, { host: '127.0.0.1', tls: 'starttls' }, { ca }).send(SAMPLE_MESSAGE));
    expect([refusal.isPermanent, server.contents]).toEqual([false, []]);
  });
});

describe('refusals', () => {
  const reject = (code: number) => () => {
    throw smtpError(code, 'no');
  };

  test.each<[string, Behavior, boolean]>([
    ['greylisting', { recipient: reject(451) }, false],
    ['a full mailbox', { recipient: reject(452) }, false],
    ['an unknown recipient', { recipient: reject(550) }, true],
    ['a recipient who has moved', { recipient: reject(551) }, true],
    ['a relay that wants a login', { recipient: reject(530) }, false],
    ['content that is refused for now', { content: reject(451) }, false],
    ['content that is refused for good', { content: reject(554) }, true],
    ['a busy server', { connect: reject(421) }, false],
    ['a server that refuses us', { connect: reject(554) }, false],
  ])('%s', async (_, behavior, isPermanent) => {
    const server = await start();
    server.behave(behavior);
    const mailer = mailerFor(server.port);
    expect(await refusalOf(mailer.send(SAMPLE_MESSAGE))).toMatchObject({ isPermanent });
    expect(server.mails).toEqual([]);
    server.behave({});
    await mailer.send(SAMPLE_MESSAGE);
    expect(server.mails).toHaveLength(1);
  });

  test('a wrong login is the operator’s to resolve', async () => {
    const server = await start({ ...encrypted, authOptional: false, onAuth: (_auth, _session, callback) => callback(smtpError(535, 'wrong')) });
    const refusal = await refusalOf(
      mailerFor(server.port, { tls: 'starttls', login: { user: 'ann', password: 'secret' } }, { ca }).send(SAMPLE_MESSAGE),
    );
    expect([refusal.isPermanent, refusal.message.includes('secret')]).toEqual([false, false]);
  });

  test.each([
    ['PLAIN', 'AGFubgBzZWNyZXQ='],
    ['LOGIN', 'c2VjcmV0'],
    ['LOGIN', 'secret'],
  ])('a login that the server quotes is not shown: AUTH %s %s', async (method, quoted) => {
    const onAuth: SMTPServerOptions['onAuth'] = (_auth, _session, callback) => callback(smtpError(535, `bad credentials: ${quoted}`));
    const server = await start({ ...encrypted, authOptional: false, authMethods: [method], onAuth });
    const refusal = await refusalOf(
      mailerFor(server.port, { tls: 'starttls', login: { user: 'ann', password: 'secret' } }, { ca }).send(SAMPLE_MESSAGE),
    );
    expect([refusal.message, refusal.cause]).toEqual([`SMTP AUTH ${method}: 535, and the rest is not shown, because it quotes the login`, undefined]);
  });

  test('a reply with control characters is shown without them', async () => {
    const server = await start();
    server.behave({
      recipient: () => {
        throw smtpError(550, `no\u001b[31m\u202e${'x'.repeat(2_000)}`);
      },
    });
    const { message } = await refusalOf(mailerFor(server.port).send(SAMPLE_MESSAGE));
    expect(message).not.toMatch(/\p{C}/u);
    expect(message.length).toBeLessThan(400);
  });
});

describe('connections', () => {
  /** A server that does not follow the protocol. */
  async function odd(serve: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      serve(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as { port: number }).port;
  }

  test('no server', async () => {
    const server = await startSmtpServer();
    await server.stop();
    expect((await refusalOf(mailerFor(server.port).send(SAMPLE_MESSAGE))).isPermanent).toBe(false);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['cut at once', (socket) => socket.destroy()],
    ['cut after the greeting', (socket) => socket.write('220 x\r\n', () => socket.destroy())],
    [
      'cut while the content is sent',
      (socket) => {
        socket.write('220 x\r\n');
        socket.on('data', (chunk) =>
          String(chunk).startsWith('DATA') ? socket.write('354 go\r\n', () => socket.destroy()) : socket.write('250 ok\r\n'),
        );
      },
    ],
  ])('%s', async (_, serve) => {
    expect((await refusalOf(mailerFor(await odd(serve)).send(SAMPLE_MESSAGE))).isPermanent).toBe(false);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['that says nothing', () => {}],
    [
      'that sends a byte now and then',
      (socket) => {
        const timer = setInterval(() => socket.write('2'), 20);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      'that never answers the content',
      (socket) => {
        socket.write('220 x\r\n');
        socket.on('data', (chunk) => {
          const text = String(chunk);
          if (text.startsWith('DATA')) socket.write('354 go\r\n');
          else if (/^(?:EHLO|MAIL|RCPT)/.test(text)) socket.write('250 ok\r\n');
        });
      },
    ],
  ])('a server %s is given up in time', async (_, serve) => {
    const begun = performance.now();
    const closed = Promise.withResolvers<void>();
    const port = await odd((socket) => {
      socket.once('close', () => closed.resolve());
      serve(socket);
    });
    const { isPermanent, message } = await refusalOf(mailerFor(port, {}, { deadlineMs: 300 }).send(SAMPLE_MESSAGE));
    expect([isPermanent, message]).toEqual([false, 'SMTP : not finished after 0.3 s']);
    expect(performance.now() - begun).toBeLessThan(20_000);
    await closed.promise;
  });

  test('a slow server', async () => {
    const server = await start();
    const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
    server.behave({ connect: pause, recipient: pause, content: pause });
    await mailerFor(server.port).send(SAMPLE_MESSAGE);
    expect(server.mails).toHaveLength(1);
  });

  test('resolves before the connection ends, and a broken end does no harm', async () => {
    const port = await odd((socket) => {
      socket.write('220 x\r\n');
      socket.on('data', (chunk) => {
        const text = String(chunk);
        if (text.startsWith('DATA')) socket.write('354 go\r\n');
        else if (text.endsWith('\r\n.\r\n')) socket.write('250 accepted\r\n');
        else if (text.startsWith('QUIT')) socket.resetAndDestroy();
        else socket.write('250 ok\r\n');
      });
    });
    await mailerFor(port).send(SAMPLE_MESSAGE);
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

test('the content has exactly the headers that it needs, whatever is in the message', async () => {
  const server = await start();
  const subject = 'x\r\nBcc: eve@example.com\r\nX: y';
  await mailerFor(server.port).send({ ...SAMPLE_MESSAGE, subject, text: `${'z'.repeat(3_000)}\n.\r\nRCPT TO:<eve@example.com>\n` });
  const { headers } = parsePart(server.contents[0] ?? '');
  expect(Object.keys(headers).toSorted()).toEqual(
    [
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'list-unsubscribe',
      'list-unsubscribe-post',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ].toSorted(),
  );
  expect(server.mails[0]).toMatchObject({ to: [SAMPLE_MESSAGE.to], text: expect.stringContaining('\n.\nRCPT TO:<eve@example.com>') });
  expect((server.contents[0] ?? '').split('\r\n').every((line) => line.length < 998)).toBe(true);
  for (const to of ['ann@example.com\r\nRCPT TO:<eve@example.com>', 'ann@example.com> SIZE=1'])
    expect((await refusalOf(mailerFor(server.port).send({ ...SAMPLE_MESSAGE, to }))).isPermanent).toBe(true);
});

test.each([
  [FROM, `Petstore <${FROM}>`],
  [`Café & Co. <${FROM}>`, `Café & Co. <${FROM}>`],
])('the sender %s is %s in the message, and its address alone in the envelope', async (from, header) => {
  const server = await start();
  await mailerFor(server.port, {}, { from }).send(SAMPLE_MESSAGE);
  expect(server.mails.map((mail) => mail.from)).toEqual([FROM]);
  expect(parsePart(server.contents[0] ?? '').headers.from).toEqual([header]);
});
