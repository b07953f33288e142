import { expect, onTestFinished, test } from 'vitest';
import { createSmtpMailer } from '../../../adapters/mail/smtp.ts';
import { parseSmtpUrl } from '../../../adapters/mail/smtp-url.ts';
import { mailerContract } from '../../../testing/mailer.ts';
import { NOON } from '../../../testing/samples.ts';
import { smtpError, startSmtpServer } from '../../support/smtp.ts';

const FROM = 'no-reply@pets.example.com';

mailerContract(
  test,
  async () => {
    const server = await startSmtpServer();
    onTestFinished(server.stop);
    return {
      mailer: createSmtpMailer({ server: { host: '127.0.0.1', port: server.port, tls: 'none', login: undefined }, from: FROM, clock: () => NOON }),
      from: FROM,
      received: async () => server.mails,
      refuse: (how) =>
        server.behave({
          recipient: () => {
            throw how === 'permanently' ? smtpError(550, 'no such user') : smtpError(451, 'greylisted, try again later');
          },
        }),
    };
  },
  { name: 'SMTP' },
);

test.each([
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, tls: 'implicit', login: undefined }],
  ['smtp://mail.example.com/', { host: 'mail.example.com', port: 587, tls: 'starttls', login: undefined }],
  [
    'SMTP://ann%40example.com:p%3Aw%20@mail.example.com:2525',
    { host: 'mail.example.com', port: 2525, tls: 'starttls', login: { user: 'ann@example.com', password: 'p:w ' } },
  ],
  ['smtp://localhost:25', { host: 'localhost', port: 25, tls: 'none', login: undefined }],
  ['smtp://[::1]:25', { host: '::1', port: 25, tls: 'none', login: undefined }],
  ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, tls: 'none', login: undefined }],
  ['smtps://127.0.0.1', { host: '127.0.0.1', port: 465, tls: 'implicit', login: undefined }],
])('reads %s', (url, server) => {
  expect(parseSmtpUrl(url)).toEqual(server);
});

test.each([
  ...['', 'mail.example.com', 'mail.example.com:25', 'http://mail.example.com', 'smtp:mail.example.com', 'smtp://', 'smtp://:25'],
  ...['smtp://mail.example.com/inbox', 'smtp://mail.example.com?tls=off', 'smtp://mail.example.com#a', 'smtp://mail.example.com:0'],
  ...['smtp://mail.example.com:99999', 'smtp://ann@mail.example.com', 'smtp://:secret@mail.example.com', 'smtp://ann:%zz@mail.example.com'],
  ...['smtp://mail example.com', 'smtp://mail.example.com\r\nRCPT', 'smtp://mail_1.example.com'],
])('rejects %j', (url) => {
  expect(parseSmtpUrl(url)).toBeUndefined();
});
