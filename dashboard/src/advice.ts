// What the owner of a domain is shown. The text comes from the service (core/domains/diagnosis/advice.ts); this file formats it.

import type { Domain } from './shapes.ts';
import { KINDS } from './stages.ts';

export interface Advice {
  readonly severity: 'info' | 'warning' | 'error';
  /** What to do; or what was seen, if there is nothing to do. */
  readonly header: string;
  /** More, below it; a label may be empty. */
  readonly lines: readonly (readonly [label: string, text: string])[];
}

type DomainAdvice = NonNullable<Domain['advice']>;

const ACTORS: Readonly<Record<DomainAdvice['actor'], string | undefined>> = {
  owner: 'You',
  dns_provider: 'Your DNS provider',
  platform: 'The operator',
  nobody: undefined,
};

/** How the API's messages begin if there is nothing to do. */
const NOTHING = 'nothing: ';
/** A record in the API's messages: its type, its name, its value. */
const RECORD = /( to)?: [A-Z][^:;]*, value ([^ ;]+)/g;

/** The advice to show; undefined if nothing is pending. @param listed records that are shown below it, and so are not repeated */
export function adviceFor({ advice, state }: Pick<Domain, 'advice' | 'state'>, listed: Domain['records'] = []): Advice | undefined {
  if (advice === null) return undefined;
  const { seen, fix, actor } = advice;
  const severity = KINDS[state] === 'error' ? 'error' : actor === 'nobody' || state === 'awaiting_dns' ? 'info' : 'warning';
  const who = ACTORS[actor] === undefined ? [] : [['Who must act', ACTORS[actor]] as const];
  if (fix.startsWith(NOTHING)) return { severity, header: sentence(seen), lines: [['', sentence(fix.slice(NOTHING.length))], ...who] };
  const header = fix.replace(RECORD, (record, to = '', value) =>
    listed.some((each) => each.value === value) ? `${to && ' to the one'} below` : record,
  );
  return { severity, header: sentence(header), lines: [['Seen', sentence(seen)], ...who] };
}

/** What to do in a few words, for a list, which leads to the records: the first sentence, without them. Empty if there is nothing to do. */
export function taskFor({ advice }: Pick<Domain, 'advice'>): string {
  return advice === null || advice.fix.startsWith(NOTHING) ? '' : sentence(advice.fix.replace(/( to)?(:| \(|;).*/s, ''));
}

/** The API's messages start in lower case, because they follow a name there. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
