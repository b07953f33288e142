// The advice that the owner of a domain is shown. The text comes from the service (core/domains/diagnosis/advice.ts); this file formats it.

import { sentence } from './failures.ts';
import type { Domain } from './shapes.ts';
import { KINDS, needsRecords } from './stages.ts';

const SEVERITIES = ['error', 'warning', 'info'] as const;

export interface Advice {
  readonly severity: (typeof SEVERITIES)[number];
  /** What to do, or what was seen if there is nothing to do. */
  readonly header: string;
  /** Sentences below the header. If there is something to do, the first one says what was seen. */
  readonly lines: readonly string[];
}

type DomainAdvice = NonNullable<Domain['advice']>;

/** Who must act, if it is not the reader. */
const OTHERS: Readonly<Partial<Record<DomainAdvice['actor'], string>>> = { dns_provider: 'your DNS provider', platform: 'the operator' };

/** How the API's messages begin if there is nothing to do. */
const NOTHING = 'nothing: ';
/** A record in the API's messages: its type, its name, its value. */
const RECORD = /( to)?: [A-Z][^:;]*, value ([^ ;]+)/g;
/** Codes for domains whose records must be added rather than changed. */
const MISSING: readonly string[] = ['awaiting_dns', 'not_found'];
/** Sentences that the card with the records contains as well. */
const SAID_THERE = /^(Then Verify|At Cloudflare|If your provider has none)/;

/** Returns the advice to show; undefined if nothing is pending. @param listed records that are shown below the advice, so it does not repeat them */
export function adviceFor({ advice, state }: Pick<Domain, 'advice' | 'state'>, listed: Domain['records'] = []): Advice | undefined {
  if (advice === null) return undefined;
  const { seen, fix, actor } = advice;
  const severity = KINDS[state] === 'error' ? 'error' : actor === 'nobody' || state === 'awaiting_dns' ? 'info' : 'warning';
  const who = OTHERS[actor] === undefined ? [] : [`Who must act: ${OTHERS[actor]}.`];
  if (fix.startsWith(NOTHING)) return { severity, header: title(seen), lines: [sentence(fix.slice(NOTHING.length)), ...who] };
  const shown = fix.replace(RECORD, (record, to = '', value) =>
    listed.some((each) => each.value === value) ? `${to && ' to the one'} below` : record,
  );
  const [task = '', ...more] = shown.split('; ');
  return { severity, header: title(task), lines: [sentence(`seen: ${seen}`), ...more.map(sentence), ...who] };
}

/** Returns the advice on a domain, or on two that are set up together. Advice that applies to both is shown once. */
export function adviceOn(domains: readonly Domain[]): Advice | undefined {
  const isListed = domains.some(needsRecords);
  const each = domains
    .flatMap((domain) => {
      const advice = adviceFor(domain, isListed ? domain.records : []);
      return advice === undefined ? [] : [{ domain, ...advice }];
    })
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const [first, ...others] = each;
  if (first === undefined) return undefined;
  const { severity } = first;
  if (isListed && each.every(({ domain: { advice } }) => MISSING.includes(advice?.code ?? ''))) {
    const { length } = each.flatMap(({ domain }) => domain.records);
    const found = ({ domain: { advice, displayHost } }: (typeof each)[number]) => {
      if (advice === null || advice.code === 'awaiting_dns') return [];
      return sentence(domains.length === 1 ? advice.seen : `${displayHost}: ${advice.seen}`);
    };
    const add = `add ${length === 1 ? 'this record' : `these ${length} records`} at your DNS provider`;
    const header = domains.some(({ canPublish }) => canPublish) ? `Select Set up for me, or ${add}` : title(`${add}, then select Verify`);
    const rest = each.flatMap(({ lines }) => lines.slice(1)).filter((line) => !SAID_THERE.test(line));
    return { severity, header, lines: [...each.flatMap(found), ...rest] };
  }
  if (each.length === domains.length && others.every(({ header }) => header === first.header)) return first;
  const named = ({ domain, header }: (typeof each)[number]) => `${domain.displayHost}: ${header}`;
  return { severity, header: named(first), lines: [...first.lines, ...others.flatMap((other) => [`${named(other)}.`, ...other.lines])] };
}

/** Returns the first sentence about what to do, without the records, for a list of domains. Empty if there is nothing to do. */
export function taskFor({ advice, records }: Pick<Domain, 'advice' | 'records'>): string {
  if (advice === null || advice.fix.startsWith(NOTHING)) return '';
  const task = title(advice.fix.replace(/( to)?(:| \(|;).*/s, ''));
  return records.length === 1 ? task.replace('the records', 'the record') : task;
}

/** A sentence without its period. */
function title(text: string): string {
  return sentence(text).replace(/\.$/, '');
}
