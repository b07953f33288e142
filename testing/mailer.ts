// What every Mailer must do.

import { expect } from 'expect';
import type { Message } from '../core/notifications/layout.ts';
import { type Mailer, MailRefusal } from '../core/notifications/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

/** A message, as a receiver sees it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Receivers recognize duplicates by it. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** In angle brackets. */
  readonly unsubscribe: string;
  /** The value of List-Unsubscribe-Post; empty if there is none. */
  readonly unsubscribePost: string;
}

export interface MailWorld {
  readonly mailer: Mailer;
  readonly from: string;
  /** Returns the messages in the order in which they were accepted. */
  received(): Promise<readonly ReceivedMail[]>;
  /** Makes the next server refuse the messages that follow. */
  refuse(how: 'permanently' | 'for now'): void;
}

/** Contains characters that messages have to encode. */
export const SAMPLE_MESSAGE: Message = {
  id: '0123456789abcdef0123456789abcdef01234567',
  to: 'ann@example.com',
  subject: 'www.shop.dev is live',
  text: 'What happened: “Café ☕” is live.\n\n-- \n.\n..two dots\n',
  html: '<!doctype html>\n<p>“Café &#38; ☕” is live.</p>\n',
  settingsUrl: 'https://pets.example.com/notifications',
  unsubscribeUrl: 'https://pets.example.com/unsubscribe?user=usr_1&proof=1',
};

/** Declares the suite for an adapter. @param make returns a mailer that has sent nothing, and its next server; called for each test */
export function mailerContract(runner: TestFunction, make: Make<MailWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'Mailer contract', options, { setUp: make });

  test('hands over the message unchanged, and once', async (world) => {
    await world.mailer.send(SAMPLE_MESSAGE);
    const { id, to, settingsUrl, unsubscribeUrl, ...content } = SAMPLE_MESSAGE;
    const unsubscribePost = 'List-Unsubscribe=One-Click';
    expect(await world.received()).toEqual([
      { ...content, from: world.from, to: [to], id: expect.stringContaining(id), unsubscribe: `<${unsubscribeUrl}>`, unsubscribePost },
    ]);
    const { unsubscribeUrl: _, ...withSettings } = SAMPLE_MESSAGE;
    await world.mailer.send(withSettings);
    expect((await world.received()).at(-1)).toMatchObject({ unsubscribe: `<${settingsUrl}>`, unsubscribePost: '' });
  });

  test('a message that is sent again keeps its id; a different message has a different id', async (world) => {
    for (const message of [SAMPLE_MESSAGE, SAMPLE_MESSAGE, { ...SAMPLE_MESSAGE, id: 'f'.repeat(40) }]) await world.mailer.send(message);
    const ids = (await world.received()).map(({ id }) => id);
    expect([ids.length, new Set(ids).size, ids[0] === ids[1]]).toEqual([3, 2, true]);
  });

  for (const how of ['permanently', 'for now'] as const)
    test(`rejects if the message is refused ${how}, and says so`, async (world) => {
      world.refuse(how);
      const refusal = await world.mailer.send(SAMPLE_MESSAGE).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(MailRefusal);
      expect(refusal).toMatchObject({ isPermanent: how === 'permanently' });
      expect(await world.received()).toEqual([]);
    });
}
