// What every AddressBook must do.

import { expect, test } from 'vitest';
import type { AddressBook } from '../../core/notifications/ports.ts';

/** Declares the suite for an adapter. @param makeBook a book in which this user has this verified address, and another user has none */
export function addressBookContract(
  name: string,
  makeBook: (user: { readonly id: string; readonly email: string }, withoutId: string) => Promise<AddressBook>,
): void {
  test(`AddressBook contract: ${name}: knows verified addresses only`, async () => {
    const book = await makeBook({ id: 'usr_ann', email: 'ann@example.com' }, 'usr_without');
    expect([await book.addressOf('usr_ann'), await book.addressOf('usr_without'), await book.addressOf('usr_nobody')]).toEqual([
      'ann@example.com',
      undefined,
      undefined,
    ]);
  });
}
