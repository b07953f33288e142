// The sender of messages, as operators write it: an address, or a name and an address.

import { printable } from '../domains/printable.ts';
import { isEmailAddress } from '../identity/user.ts';

export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** The allowed form, for messages. */
export const SENDER_FORM = 'an email address, such as no-reply@example.com, or one with a name, such as Pet Shop <no-reply@example.com>';

const DEFAULT_NAME = 'Petstore';
/** In characters. */
const LONGEST_NAME = 60;
/** An encoded word has at most 75 characters (RFC 2047, section 2), which hold 45 bytes in base64; a code point takes at most four bytes. */
const POINTS_PER_WORD = 11;

/** Parses `address` or `Name <address>`; returns undefined if the text is neither. The default name is Petstore. */
export function parseSender(text: string): Sender | undefined {
  const [, name = DEFAULT_NAME, address = text] = /^([^<>"\\:]+?) *<([^<>]*)>$/.exec(text) ?? [];
  const isName = name.trim() === name && name.length <= LONGEST_NAME && printable(name, LONGEST_NAME) === name;
  return isName && isEmailAddress(address) ? { name, address } : undefined;
}

/** Returns the sender given by a setting. The settings are checked elsewhere, so text in neither form is taken for an address. */
export function senderOf(text: string): Sender {
  return parseSender(text) ?? { name: DEFAULT_NAME, address: text };
}

/** Returns the sender as the value of the From header, in ASCII: names with special characters are quoted, names with other letters are encoded. */
export function fromHeader({ name, address }: Sender): string {
  return `${phrase(name)} <${address}>`;
}

/** Returns a name as a phrase in ASCII (RFC 5322, section 3.2.5; RFC 2047). */
export function phrase(name: string): string {
  if (/^[\w -]+$/.test(name)) return name;
  if (/^[\x20-\x7e]+$/.test(name)) return `"${name}"`;
  const points = [...name];
  const words = Array.from({ length: Math.ceil(points.length / POINTS_PER_WORD) }, (_, word) =>
    points.slice(word * POINTS_PER_WORD, (word + 1) * POINTS_PER_WORD).join(''),
  );
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
