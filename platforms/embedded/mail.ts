// Messages to owners on one machine: through an adapter or SMTP, to the addresses of the data folder's users.

import { createUserAddresses } from '../../adapters/identity/sqlite-users.ts';
import type { AddressBook, Mailer } from '../../core/notifications/ports.ts';
import type { DataFolder } from './folder.ts';

export interface EmbeddedMail {
  readonly mailer: Mailer;
  readonly addresses: AddressBook;
  /** Ends exchanges in progress at once; their messages are sent again later. @default they end when the server answers, or after a minute */
  readonly abort?: () => void;
}

/** Creates the mailer and the address book; undefined without a mail adapter or an SMTP server. @param clock milliseconds since 1970 */
export async function createEmbeddedMail(
  { users, mailer, settings: { mail } }: Pick<DataFolder, 'users' | 'mailer' | 'settings'>,
  clock: () => number,
): Promise<EmbeddedMail | undefined> {
  if (mailer !== undefined) return { mailer, addresses: createUserAddresses(users) };
  if (mail === undefined) return undefined;
  // Loaded only if needed.
  const { createSmtpMailer } = await import('../../adapters/mail/smtp.ts');
  const smtp = createSmtpMailer({ ...mail, clock });
  return { mailer: smtp, addresses: createUserAddresses(users), abort: smtp.abort };
}
