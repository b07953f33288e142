// Messages to owners on one machine: by SMTP, to the addresses of the data folder's users.

import { createUserAddresses } from '../../adapters/identity/user-addresses.ts';
import type { AddressBook, Mailer } from '../../core/notifications/ports.ts';
import type { DataFolder } from './folder.ts';

/** Creates the mailer and the address book; undefined if no SMTP server is set. @param clock milliseconds since 1970 */
export async function createEmbeddedMail(
  { users, settings: { mail } }: Pick<DataFolder, 'users' | 'settings'>,
  clock: () => number,
): Promise<{ readonly mailer: Mailer; readonly addresses: AddressBook } | undefined> {
  if (mail === undefined) return undefined;
  // Loaded only if needed.
  const { createSmtpMailer } = await import('../../adapters/mail/smtp.ts');
  return { mailer: createSmtpMailer({ ...mail, clock }), addresses: createUserAddresses(users) };
}
