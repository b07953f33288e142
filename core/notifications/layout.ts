// The layout of all messages, as plain text and as HTML with the same content. The HTML has the dashboard's colors, no images, and no fixed width, so
// it fits a phone. Mail programs remove style sheets, so every element has its own style.

import { printable } from '../domains/printable.ts';

export interface Message {
  /** The start of the Message-ID, the same each time the message is sent. Letters and digits. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page where the user can turn such messages off; undefined if there is nothing to turn off. */
  readonly settingsUrl: string | undefined;
  /** The URL where a POST turns such messages off without a sign-in (RFC 8058). @default none */
  readonly unsubscribeUrl?: string | undefined;
}

/** The URL of a page to open, and the text of the link. */
export type Link = readonly [url: string, label: string];

export interface Letter extends Pick<Message, 'id' | 'to' | 'subject'> {
  readonly paragraphs: readonly string[];
  /** Lines to copy, such as DNS records, after the last paragraph. @default none */
  readonly lines?: readonly string[];
  readonly link: Link;
  /** Why the recipient gets it. */
  readonly signature: string;
  readonly settings?: Link;
  readonly unsubscribeUrl?: string | undefined;
}

/** Returns the headers that let mail programs offer to turn such messages off (RFC 2369, RFC 8058). A DKIM signature should cover both. */
export function unsubscribeHeaders({
  settingsUrl,
  unsubscribeUrl,
}: Pick<Message, 'settingsUrl' | 'unsubscribeUrl'>): Readonly<Record<string, string>> {
  if (unsubscribeUrl !== undefined) return { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return settingsUrl === undefined ? {} : { 'List-Unsubscribe': `<${settingsUrl}>` };
}

/** The dashboard's colors (dashboard/src/ui/tokens.css), in light and dark mode. */
export const COLORS = {
  paper: ['#faf8f5', '#131618'],
  surface: ['#fff', '#1b1f22'],
  sunken: ['#f3f0ea', '#0f1113'],
  ink: ['#1f2326', '#eceeef'],
  muted: ['#5a6167', '#a5acb2'],
  line: ['#e2ded6', '#31373c'],
  accent: ['#0b5f77', '#74c9e0'],
  'on-accent': ['#fff', '#06212a'],
} as const;

/** Programs that don't know light-dark() use the light color before it, and may invert all colors themselves. */
const color = (property: 'background-color' | 'border-color' | 'color', name: keyof typeof COLORS) =>
  `${property}:${COLORS[name][0]};${property}:light-dark(${COLORS[name].join(',')})`;
const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif';
const STYLES = {
  body: `margin:0;padding:16px;color-scheme:light dark;${color('background-color', 'paper')}`,
  card: `max-width:560px;margin:0 auto;padding:24px;border:1px solid;border-radius:12px;${FONT};font-size:16px;line-height:1.5;overflow-wrap:anywhere;${color('border-color', 'line')};${color('background-color', 'surface')};${color('color', 'ink')}`,
  title: 'margin:0 0 16px;font-size:22px;line-height:1.25',
  paragraph: 'margin:0 0 16px',
  lines: `margin:0 0 16px;padding:12px;border-radius:8px;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px;${color('background-color', 'sunken')}`,
  button: `display:inline-block;padding:10px 18px;border-radius:8px;font-weight:600;text-decoration:none;${color('background-color', 'accent')};${color('color', 'on-accent')}`,
  footer: `max-width:560px;margin:16px auto 0;padding:0 24px;${FONT};font-size:13px;line-height:1.5;overflow-wrap:anywhere;${color('color', 'muted')}`,
  quiet: color('color', 'muted'),
} as const;

/** Writes the message. */
export function layOut({ id, to, subject, paragraphs, lines = [], link, signature, settings, unsubscribeUrl }: Letter): Message {
  const footer = settings === undefined ? signature : `${signature}\n${settings[1]}: ${settings[0]}`;
  const listed = lines.length === 0 ? [] : [lines.map((line) => `  ${line}`).join('\n')];
  const text = [...paragraphs, ...listed, `${link[1]}:\n${link[0]}`, `-- \n${footer}`].join('\n\n');
  const anchor = ([url, label]: Link, style: keyof typeof STYLES) => `<a href="${htmlText(url)}" style="${STYLES[style]}">${htmlText(label)}</a>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${htmlText(subject)}</title></head>
<body style="${STYLES.body}">
<div style="${STYLES.card}">
<h1 style="${STYLES.title}">${htmlText(subject)}</h1>
${paragraphs.map((paragraph) => `<p style="${STYLES.paragraph}">${htmlText(paragraph)}</p>`).join('\n')}
${lines.length === 0 ? '' : `<p style="${STYLES.lines}">${lines.map(htmlText).join('<br>')}</p>\n`}<p style="margin:24px 0 0">${anchor(link, 'button')}</p>
</div>
<p style="${STYLES.footer}">${htmlText(signature)}${settings === undefined ? '' : ` ${anchor(settings, 'quiet')}`}</p>
</body></html>
`;
  return { id, to, subject: subjectLine(subject), text: `${text}\n`, html, settingsUrl: settings?.[0], unsubscribeUrl };
}

// Makes text chosen by strangers (names of accounts, projects and keys) harmless in a message.

/** In characters. Names have at most 100, and escaping may add some. */
const LONGEST_NAME = 120;
/** In characters. Mail programs truncate longer subjects. */
const LONGEST_SUBJECT = 150;

/**
 * Returns a name as one printable line, in quotation marks, so that it reads as a name and not as our text. Text that looks like a URL is broken up,
 * because mail programs would turn it into a link.
 */
export function quotedName(name: string): string {
  return `“${printable(name, LONGEST_NAME).replace(/(?<=\S)[.:@](?=\S)/g, '$& ')}”`;
}

/** Returns a subject: one line, with nothing that could begin another header. */
export function subjectLine(text: string): string {
  return printable(text, LONGEST_SUBJECT);
}

/** Escapes text for HTML, as content or in a quoted attribute. */
export function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
