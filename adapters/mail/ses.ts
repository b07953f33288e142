// Sends messages with Amazon SES.

import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { printable } from '../../core/domains/printable.ts';
import { unsubscribeHeaders } from '../../core/notifications/layout.ts';
import { type Mailer, MailRefusal } from '../../core/notifications/ports.ts';
import { fromHeader, senderOf } from '../../core/notifications/sender.ts';

/** Errors that a retry can't resolve (SES API v2 reference, SendEmail), including those for unverified recipients in SES's sandbox. */
const PERMANENT: readonly string[] = ['MessageRejected', 'BadRequestException'];
/** In characters. */
const LONGEST_REASON = 300;

/** Creates the mailer. @param client must not retry, which could send the message twice @param from an address, or `Name <address>` */
export function createSesMailer(client: SESv2Client, from: string): Mailer {
  const sender = fromHeader(senderOf(from));
  return {
    send: async (message) => {
      const { id, to, subject, text, html } = message;
      const command = new SendEmailCommand({
        FromEmailAddress: sender,
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: {
            Subject: { Data: subject, Charset: 'UTF-8' },
            Body: { Text: { Data: text, Charset: 'UTF-8' }, Html: { Data: html, Charset: 'UTF-8' } },
            Headers: [
              ...Object.entries(unsubscribeHeaders(message)).map(([Name, Value]) => ({ Name, Value })),
              // A header of our own, because SES replaces the Message-ID.
              { Name: 'X-Petstore-Notification', Value: id },
            ],
          },
        },
      });
      try {
        await client.send(command);
      } catch (error) {
        const [name, reason] = error instanceof Error ? [error.name, error.message] : ['', String(error)];
        throw new MailRefusal(`SES ${name}: ${printable(reason, LONGEST_REASON)}`, PERMANENT.includes(name), { isOutage: true, cause: error });
      }
    },
  };
}
