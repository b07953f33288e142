// What every AddressBook must do.

import { expect } from 'expect';
import type { AddressBook } from '../core/notifications/ports.ts';
import { contractSuite, type SuiteOptions, type TestFunction } from './suite.ts';

const ANN = { id: 'usr_ann', email: 'ann@example.com' };
const WITHOUT = 'usr_without';

/** Declares the suite for an adapter. @param make returns an address book with the user's verified address, and none for the user `withoutId` */
export function addressBookContract(
  runner: TestFunction,
  make: (user: { readonly id: string; readonly email: string }, withoutId: string) => AddressBook | Promise<AddressBook>,
  options: SuiteOptions = {},
): void {
  const test = contractSuite(runner, 'AddressBook contract', options, { setUp: () => make(ANN, WITHOUT) });

  test('knows verified addresses only', async (book) => {
    expect([await book.addressOf(ANN.id), await book.addressOf(WITHOUT), await book.addressOf('usr_nobody')]).toEqual([
      ANN.email,
      undefined,
      undefined,
    ]);
  });
}
