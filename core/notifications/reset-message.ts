// The message with which users who forgot their password choose a new one.

import { hash } from 'node:crypto';
import { layOut, type Message } from './layout.ts';

/** Writes the message. @param link with the token */
export function resetMessage(email: string, link: string): Message {
  return layOut({
    id: `reset${hash('sha256', link, 'hex').slice(0, 32)}`,
    to: email,
    subject: 'Choose a new password for Petstore',
    paragraphs: [
      `Someone, probably you, asked to reset the password of ${email}.`,
      'To choose a new one, open the link within 30 minutes. It works only once.',
      'If it wasn’t you, ignore this email: your password has not changed.',
    ],
    link: [link, 'Choose a new password'],
    signature: 'You get this email because this address belongs to a user of this service.',
  });
}
