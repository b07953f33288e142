// The words of a diagnosis: names, records and servers as people know them from the forms of their providers.

import type { Diagnosis, DiagnosisCode, Expected, SourceFacts } from './diagnosis.ts';
import type { NameRecords, ServerAnswer, ServerFailure } from './dns-facts.ts';
import { labelOf, registeredDomain } from './host-name.ts';
import { printable } from './printable.ts';

/** Values that one sentence shows of a record, and characters of each. */
const SHOWN_VALUES = 8;

export const SHOWN_CHARACTERS = 100;

/** Characters of a sentence. */
export const SENTENCE_CHARACTERS = 600;

/** What a verdict on records is made from; `proved`: the TXT record is there. */
export type Wanted = Pick<Expected, 'host' | 'apex' | 'target'> & { readonly proved: boolean };

export function owner(code: DiagnosisCode, seen: string, fix: string): Diagnosis {
  return { code, seen, fix, actor: 'owner' };
}

/** The record that its owner was shown when they added the domain. */
export function neededText({ host, apex, target }: Wanted, facts: SourceFacts): string {
  return recordText(facts, apex ? 'ALIAS or ANAME' : 'CNAME', host, target);
}

/** What to do where the provider has no such record. */
export function otherwise({ host, apex }: Wanted): string {
  return apex ? `; at Cloudflare choose CNAME; if your provider has none of these, remove this domain here and add www.${host} instead` : '';
}

/** Beside a CNAME no other record can stand; an ALIAS minds none. */
export function besideOthers(wanted: Wanted, facts: SourceFacts): string {
  const addition = additionOf(wanted, facts);
  return wanted.apex
    ? addition
    : `remove the other records at ${wanted.host} first; if one is needed, use another name for the site; then ${addition}`;
}

/** The nearest set of CAA records decides, so that one at a registry is answered by one of the domain's own. */
export function ownName({ zone }: SourceFacts, name: string): string {
  return zone?.endsWith(`.${name}`) ? zone : name;
}

/** How to add it. A name below the registered one may have name servers of its own: its record goes to those of the zone above. */
export function additionOf(wanted: Wanted, facts: SourceFacts): string {
  return wanted.apex || facts.zone !== wanted.host
    ? `add the record: ${neededText(wanted, facts)}${ownServers(wanted, facts)}${otherwise(wanted)}`
    : apexFix(wanted, facts);
}

export function apexFix(wanted: Wanted, facts: SourceFacts): string {
  const { host, target, apex } = wanted;
  if (apex) return `use this record instead: ${neededText(wanted, facts)}${otherwise(wanted)}`;
  const above = registeredDomain(host);
  return `${host} has name servers of its own (${serversOf(facts)}), where no CNAME is possible: in the zone ${above}, remove the NS records of ${host} and add: CNAME, ${nameText({ zone: above }, host)}, value ${target}; all other names below ${host} end with that`;
}

/** Where the record goes, if that is not the registered domain's own zone. */
function ownServers({ apex }: Wanted, facts: SourceFacts): string {
  const { zone, host } = facts;
  if (apex || zone === undefined || zone === host || zone.split('.').length < 3) return '';
  return `, at the name servers of ${zone} (${serversOf(facts)})`;
}

function serversOf({ authoritative }: SourceFacts): string {
  return listed(authoritative.map(({ server }) => server.split(' ')[0] ?? server));
}

/** A record as it is typed into a provider's form: the name without the zone first, since most forms add the rest. */
export function recordText(facts: Pick<SourceFacts, 'zone'>, type: string, name: string, value: string): string {
  return `${type}, ${nameText(facts, name)}, value ${value}`;
}

export function nameText({ zone }: Pick<SourceFacts, 'zone'>, name: string): string {
  const label = labelOf(name, zone);
  if (label === name) return `name ${name}`;
  return label === '@' ? `name @ (that is ${name} itself)` : `name ${label} (in full ${name})`;
}

export const TROUBLES: Readonly<Record<ServerFailure, string>> = {
  servfail: 'reports a failure of its own',
  refused: 'refuses to answer for this name',
  timeout: 'does not answer',
  malformed: 'answers with something that is no answer',
  not_public: 'has no address on the public internet',
  no_address: 'has no address',
  not_responsible: 'does not know this name, and sends elsewhere',
};

/** An answer in words; equal for equal answers. */
export function textOf(answer: ServerAnswer): string {
  switch (answer.kind) {
    case 'none':
      return 'no record';
    case 'failed':
      return TROUBLES[answer.reason];
    case 'records': {
      const { cname, a, aaaa } = answer.records;
      const parts = [
        ...cname.toSorted().map((value) => `CNAME ${value}`),
        ...a.toSorted().map((value) => `A ${value}`),
        ...aaaa.toSorted().map((value) => `AAAA ${value}`),
      ];
      return parts.length === 0 ? 'no record' : listed(parts);
    }
  }
}

export function isEmpty({ cname, a, aaaa, txt }: NameRecords): boolean {
  return cname.length + a.length + aaaa.length + txt.length === 0;
}

/** What somebody would have to register. */
export function registeredPart({ host }: Wanted, { zone }: SourceFacts): string {
  return zone ?? host;
}

export function listed(values: readonly string[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map(cut).join(', ');
  return values.length > SHOWN_VALUES ? `${shown} and ${values.length - SHOWN_VALUES} more` : shown;
}

export function cut(value: string): string {
  return printable(value, SHOWN_CHARACTERS);
}

export function minutesText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** One spelling for an address: IPv6 has many (RFC 5952). */
export function canonicalAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname : address;
}
