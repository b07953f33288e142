// The form that all messages have, as plain text and as HTML that says the same.

import { printable } from '../domains/printable.ts';

export interface Message {
  /** The same whenever the message is sent; the start of its Message-ID. Letters and digits. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page where the user turns such messages off; undefined if there is nothing to turn off. */
  readonly settingsUrl: string | undefined;
}

/** A page to look at, and what it shows. */
export type Link = readonly [url: string, label: string];

export interface Letter extends Pick<Message, 'id' | 'to' | 'subject'> {
  /** Titles, and what they are followed by. */
  readonly parts: readonly (readonly [title: string, body: string])[];
  readonly link: Link;
  /** Why the recipient gets it. */
  readonly signature: string;
  /** @default none */
  readonly settings?: Link;
}

/** Writes the message. */
export function layOut({ id, to, subject, parts, link, signature, settings }: Letter): Message {
  const footer = settings === undefined ? signature : `${signature}\n${settings[1]}: ${settings[0]}`;
  const text = [...parts.map(([title, body]) => `${title}: ${body}`), `${link[1]}: ${link[0]}`, `-- \n${footer}`].join('\n\n');
  const anchor = ([url, label]: Link) => `<a href="${htmlText(url)}">${htmlText(label)}</a>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${htmlText(subject)}</title></head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">
${parts.map(([title, body]) => `<p><strong>${title}</strong><br>${htmlText(body)}</p>`).join('\n')}
<p>${anchor(link)}</p>
<hr>
<p><small>${htmlText(signature)}${settings === undefined ? '' : ` ${anchor(settings)}`}</small></p>
</body></html>
`;
  return { id, to, subject: subjectLine(subject), text: `${text}\n`, html, settingsUrl: settings?.[0] };
}

// Makes text that strangers chose (names of accounts, projects and keys) harmless in a message.

/** In characters. Names have at most 100, which may be escaped. */
const LONGEST_NAME = 120;
/** In characters, in a subject, which mail programs cut. */
const LONGEST_SUBJECT = 150;

/**
 * Returns a name as one line without control characters and changes of writing direction, in quotation marks, so that it reads as a name and not as
 * our text. Mail programs turn what looks like an address of a page into a link, so such text is taken apart.
 */
export function quotedName(name: string): string {
  return `“${printable(name, LONGEST_NAME).replace(/(?<=\S)[.:@](?=\S)/g, '$& ')}”`;
}

/** Returns a subject: one line, without anything that could begin another header. */
export function subjectLine(text: string): string {
  return printable(text, LONGEST_SUBJECT);
}

/** Escapes text for HTML, as content or in a quoted attribute. */
export function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
