// Sends messages to an SMTP server, over one connection each. It uses nodemailer's connection rather than its transport, so the promise resolves as
// soon as the server has accepted the message, before QUIT, and a connection that takes too long can be closed.

import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { printable, quotes } from '../../core/domains/printable.ts';
import { type Message, unsubscribeHeaders } from '../../core/notifications/layout.ts';
import { type Mailer, MailRefusal } from '../../core/notifications/ports.ts';
import { senderOf } from '../../core/notifications/sender.ts';
import type { SmtpServer } from './smtp-url.ts';

export interface SmtpOptions {
  readonly server: SmtpServer;
  /** The sender: an address, or `Name <address>`. */
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Time limit for the whole exchange, in milliseconds. @default 55,000 */
  readonly deadlineMs?: number;
  /** Root certificates, in PEM. @default Node's, and NODE_EXTRA_CA_CERTS */
  readonly ca?: string;
}

/** Time limits for connecting, for the greeting, and for silence afterwards, in milliseconds. */
const TIMEOUTS = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 20_000, socketTimeout: 30_000 };
/** Within the time that `Mailer` promises. */
const DEADLINE_MS = 55_000;
/** In characters. */
const LONGEST_REASON = 300;
/** The code of the error that an abort causes. */
const STOPPED = 'STOPPED';

/**
 * Creates the mailer. `abort` ends exchanges in progress at once: their messages may have been accepted, but are rejected here, to be sent again.
 */
export function createSmtpMailer(options: SmtpOptions): Mailer & { abort(): void } {
  const { from, clock } = options;
  const { name, address } = senderOf(from);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  let stopping = new AbortController();
  return {
    abort: () => {
      stopping.abort();
      stopping = new AbortController();
    },
    send: async (message) => {
      const { signal } = stopping;
      const composed = new MailComposer({
        from: { name, address },
        to: { name: '', address: message.to },
        subject: message.subject,
        text: message.text,
        html: message.html,
        messageId: `<${message.id}@${domain}>`,
        date: new Date(clock()),
        headers: {
          ...unsubscribeHeaders(message),
          // No vacation replies (RFC 3834).
          'Auto-Submitted': 'auto-generated',
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      await handOver({ ...options, from: address }, message, await composed.compile().build(), signal);
    },
  };
}

/** Resolves once the server has accepted the message. */
function handOver({ server, from, ca, deadlineMs = DEADLINE_MS }: SmtpOptions, { to }: Message, content: Buffer, signal: AbortSignal): Promise<void> {
  const connection = new SMTPConnection({
    ...TIMEOUTS,
    host: server.host,
    port: server.port,
    secure: server.tls === 'implicit',
    requireTLS: server.tls === 'starttls',
    ignoreTLS: server.tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
  });
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => fail(new Error(`not finished after ${deadlineMs / 1_000} s`)), deadlineMs);
    const stop = () => fail(Object.assign(new Error('the service stops'), { code: STOPPED }));
    const end = () => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', stop);
    };
    const fail = (error: Error) => {
      end();
      // This comes first, because closing emits `end`, which would reject with another error.
      reject(refusalOf(error, server.login));
      connection.close();
    };
    const accepted = () => {
      end();
      resolve();
      connection.quit();
    };
    const send = () => connection.send({ from, to }, content, (error) => (error === null ? accepted() : fail(error)));
    // The listener remains after the end, so that a connection that breaks later does no harm.
    connection.on('error', fail);
    connection.once('end', () => fail(new Error('the server closed the connection')));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop);
    connection.connect((problem) => {
      if (problem !== undefined && problem !== null) return fail(problem);
      if (server.login === undefined) return send();
      const { user, password } = server.login;
      connection.login({ user, pass: password }, (error) => (error === null ? send() : fail(error)));
    });
  });
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** Replies about this recipient or message are permanent (RFC 5321, section 4.2.3); the operator must resolve all others. */
function refusalOf(error: SmtpError, login: SmtpServer['login']): MailRefusal {
  const { command = '', responseCode = 0 } = error;
  const isPermanent = ['RCPT TO', 'DATA'].includes(command) && responseCode >= 550 && responseCode < 560;
  const isInvalid = error.code === 'EENVELOPE' && command === 'API';
  // No reply, "service not available" (RFC 5321, section 4.2.2), or a reply before any message is involved.
  const isOutage = error.code !== STOPPED && (responseCode === 0 || responseCode === 421 || !['MAIL FROM', 'RCPT TO', 'DATA'].includes(command));
  const text = printable(error.message, LONGEST_REASON);
  const isQuoted = secretsOf(login).some((secret) => quotes(text, secret));
  const reason = isQuoted ? `${responseCode}, and the rest is not shown, because it quotes the login` : text;
  return new MailRefusal(`SMTP ${command}: ${reason}`, isPermanent || isInvalid, { isOutage, ...(!isQuoted && { cause: error }) });
}

/** Returns a login's secrets in the forms in which they are sent (RFC 4616, and AUTH LOGIN). */
function secretsOf(login: SmtpServer['login']): readonly string[] {
  if (login === undefined) return [];
  const { user, password } = login;
  return [password, ...[user, password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'))];
}
