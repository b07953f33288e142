// A name with and without www, while it is being typed. The service decides which names have a counterpart (core/domains/companion.ts).

import { hostIn } from '../../core/domains/pasted-host.ts';

/** Two-label suffixes under which names are registered, such as co.uk. */
const SECOND_LEVEL = /^(?:co|com|net|org|ac|gov|edu|gob|or|ne)\.[a-z]{2}$/;

/** A host as typed, and its counterpart, which visitors also try. */
export interface Pair {
  readonly host: string;
  readonly other: string;
}

/** @returns undefined if the text is not a name yet, or is a name below a registered domain, such as blog.example.com */
export function pairIn(typed: string): Pair | undefined {
  const host = hostIn(typed).trim().toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  if (labels.length < 2 || labels.some((label) => label === '' || /\s/.test(label))) return undefined;
  const isWww = labels[0] === 'www';
  const name = isWww ? host.slice('www.'.length) : host;
  if (!isRegistered(name)) return undefined;
  return { host, other: isWww ? name : `www.${name}` };
}

function isRegistered(name: string): boolean {
  const [, ...suffix] = name.split('.');
  return !SECOND_LEVEL.test(name) && (suffix.length === 1 || SECOND_LEVEL.test(suffix.join('.')));
}
