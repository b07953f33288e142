// A real SMTP server (smtp-server, by the authors of nodemailer) on this machine, which can misbehave, and what it received.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { ReceivedMail } from '../../testing/mailer.ts';

export interface TestSmtpServer {
  readonly port: number;
  /** Messages that were accepted, in order. */
  readonly mails: readonly ReceivedMail[];
  /** All content that arrived completely, whether or not it was accepted. */
  readonly contents: readonly string[];
  /** Changes how it behaves from the next connection on. */
  behave(behavior: Behavior): void;
  stop(): Promise<void>;
}

/** Each is called at its point. An error, with `responseCode`, is the answer; a promise delays it. */
export interface Behavior {
  readonly connect?: () => unknown;
  readonly recipient?: (address: string) => unknown;
  /** After the content has arrived, and before it is accepted. */
  readonly content?: (content: string) => unknown;
}

/** An SMTP error. */
export const smtpError = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

/** Starts the server on a free port. @param options of smtp-server. @default no TLS, no login */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const contents: string[] = [];
  let behavior: Behavior = {};
  const answer = (call: () => unknown, callback: (error?: Error | null) => void) => {
    Promise.resolve()
      .then(call)
      .then(
        () => callback(),
        (error) => callback(error),
      );
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect: (_session, callback) => answer(() => behavior.connect?.(), callback),
    onRcptTo: ({ address }, _session, callback) => answer(() => behavior.recipient?.(address), callback),
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const content = Buffer.concat(chunks).toString('latin1');
        contents.push(content);
        answer(async () => {
          await behavior.content?.(content);
          mails.push({
            ...parseMail(content),
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
          });
        }, callback);
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    mails,
    contents,
    behave: (next) => {
      behavior = next;
    },
    stop: () =>
      new Promise((resolve) => {
        for (const connection of server.connections) (connection as unknown as { close(): void }).close();
        server.close(() => resolve());
      }),
  };
}

/** The headers of a part, with unfolded and decoded values, by lower-case name, and its body. Several of one name are in one list. */
export function parsePart(part: string): { readonly headers: Readonly<Record<string, readonly string[]>>; readonly body: string } {
  const at = part.indexOf('\r\n\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of part
    .slice(0, at)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), decodeWords(value.join(': '))];
  }
  return { headers, body: part.slice(at + 4) };
}

function parseMail(content: string): Omit<ReceivedMail, 'from' | 'to'> {
  const { headers, body } = parsePart(content);
  const header = (name: string) => headers[name]?.join() ?? '';
  const boundary = /boundary="([^"]+)"/.exec(header('content-type'))?.[1] ?? '';
  const [text = '', html = ''] = body.split(`--${boundary}`).slice(1, 3).map(decodeBody);
  return {
    id: header('message-id'),
    subject: header('subject'),
    text,
    html,
    unsubscribe: header('list-unsubscribe'),
    unsubscribePost: header('list-unsubscribe-post'),
  };
}

function decodeBody(part: string): string {
  const { headers, body } = parsePart(part.slice(2));
  const encoding = headers['content-transfer-encoding']?.[0];
  const decoded =
    encoding === 'base64' ? Buffer.from(body, 'base64') : encoding === 'quoted-printable' ? quotedPrintable(body) : Buffer.from(body, 'latin1');
  return decoded.toString('utf8').replaceAll('\r\n', '\n').replace(/\n$/, '');
}

function quotedPrintable(text: string): Buffer {
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** RFC 2047. */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind, word) =>
      (kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64') : quotedPrintable(word.replaceAll('_', ' '))).toString('latin1'),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'));
}
