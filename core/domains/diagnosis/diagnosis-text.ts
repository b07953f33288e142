// The wording of diagnoses, which names records and servers as providers' forms do.

import { labelOf, registeredDomain } from '../host-name.ts';
import { printable } from '../printable.ts';
import type { ServerFailure } from './caa.ts';
import type { Diagnosis, DiagnosisCode, Expected, SourceFacts } from './diagnosis.ts';
import type { NameRecords, ServerAnswer } from './dns-facts.ts';

/** Maximum number of a record's values in one sentence, and the maximum length of each in characters. */
const SHOWN_VALUES = 8;

export const MAX_SHOWN_LENGTH = 100;

export const MAX_SENTENCE_LENGTH = 600;

/** What a verdict on records is based on. `proved` means that the TXT record was found. */
export type Wanted = Pick<Expected, 'host' | 'apex' | 'target' | 'otherTargets'> & { readonly proved: boolean };

/** Builds a diagnosis that requires the domain's owner to act. */
export function ownerDiagnosis(code: DiagnosisCode, seen: string, fix: string): Diagnosis {
  return { code, seen, fix, actor: 'owner' };
}

/** Describes the record that the owner was shown when they added the domain. */
export function neededText({ host, apex, target }: Wanted, facts: SourceFacts): string {
  return recordText(facts, apex ? 'ALIAS or ANAME' : 'CNAME', host, target);
}

/** Says what to do if the provider does not offer this record type. */
export function alternativeText({ host, apex }: Wanted): string {
  return apex ? `; at Cloudflare choose CNAME; if your provider has none of these, remove this domain here and add www.${host} instead` : '';
}

/** Says how to add the record to a name that has others: a CNAME must be the only record at its name; an ALIAS need not be. */
export function besideOthersFix(wanted: Wanted, facts: SourceFacts): string {
  const addition = additionFix(wanted, facts);
  return wanted.apex
    ? addition
    : `remove the other records at ${wanted.host} first; if you need one of them, use another name for the site; then ${addition}`;
}

/** Returns the name at which the domain can have its own CAA records. The closest set decides, so they override a registry's set. */
export function ownName({ zone }: SourceFacts, name: string): string {
  return zone?.endsWith(`.${name}`) ? zone : name;
}

/** Says how to add the record. A name below the registered domain may be a delegated zone; the record then goes into the parent zone. */
export function additionFix(wanted: Wanted, facts: SourceFacts): string {
  return wanted.apex || facts.zone !== wanted.host
    ? `add the record: ${neededText(wanted, facts)}${ownServers(wanted, facts)}${alternativeText(wanted)}`
    : apexFix(wanted, facts);
}

/** Says how to replace a CNAME at an apex, or at a name with its own name servers. */
export function apexFix(wanted: Wanted, facts: SourceFacts): string {
  const { host, target, apex } = wanted;
  if (apex) return `use this record instead: ${neededText(wanted, facts)}${alternativeText(wanted)}`;
  const above = registeredDomain(host);
  return `${host} has its own name servers (${serversOf(facts)}), where no CNAME is possible: in the zone ${above}, remove the NS records of ${host} and add: CNAME, ${nameText({ zone: above }, host)}, value ${target}; all other names below ${host} stop working`;
}

/** Says which zone the record goes into, unless it is the registered domain's own zone. */
function ownServers({ apex }: Wanted, facts: SourceFacts): string {
  const { zone, host } = facts;
  if (apex || zone === undefined || zone === host || zone.split('.').length < 3) return '';
  return `, at the name servers of ${zone} (${serversOf(facts)})`;
}

/** Says where a zone's name servers are set: at the registrar only for the registered domain itself. */
export function delegationPlace(zone: string): string {
  const registered = registeredDomain(zone);
  return zone === registered ? `where ${zone} is registered` : `in the zone above ${zone} (usually ${registered})`;
}

function serversOf({ authoritative }: SourceFacts): string {
  return joinValues(authoritative.map(({ server }) => server.split(' ')[0] ?? server));
}

/** Formats a record for a provider's form: first the name without the zone, because most forms append the zone. */
export function recordText(facts: Pick<SourceFacts, 'zone'>, type: string, name: string, value: string): string {
  return `${type}, ${nameText(facts, name)}, value ${value}`;
}

/** Formats a record's name for a provider's form, followed by the full name if it differs. */
export function nameText({ zone }: Pick<SourceFacts, 'zone'>, name: string): string {
  const label = labelOf(name, zone);
  if (label === name) return `name ${name}`;
  return label === '@' ? `name @ (that is ${name} itself)` : `name ${label} (in full ${name})`;
}

export const FAILURE_TEXTS: Readonly<Record<ServerFailure, string>> = {
  servfail: 'reports an internal failure',
  refused: 'refuses to answer for this name',
  timeout: 'does not answer',
  malformed: 'sends an invalid answer',
  not_public: 'has no address on the public internet',
  no_address: 'has no address',
  not_responsible: 'is not responsible for this name',
};

/** Formats an answer as text; equal answers have the same text. */
export function textOf(answer: ServerAnswer): string {
  switch (answer.kind) {
    case 'none':
      return 'no record';
    case 'failed':
      return FAILURE_TEXTS[answer.reason];
    case 'records': {
      const { cname, a, aaaa, https = [] } = answer.records;
      const parts = [
        ...cname.toSorted().map((value) => `CNAME ${value}`),
        ...a.toSorted().map((value) => `A ${value}`),
        ...aaaa.toSorted().map((value) => `AAAA ${value}`),
        ...https.toSorted().map((value) => `HTTPS ${value}`),
      ];
      return parts.length === 0 ? 'no record' : joinValues(parts);
    }
  }
}

/** Whether there are no CNAME, address or TXT records. */
export function isEmpty({ cname, a, aaaa, txt }: NameRecords): boolean {
  return cname.length + a.length + aaaa.length + txt.length === 0;
}

/** Returns the domain that would have to be registered. */
export function domainToRegister({ host }: Wanted, { zone }: SourceFacts): string {
  return zone ?? host;
}

/** Joins the first SHOWN_VALUES values with commas, and says how many more there are. */
export function joinValues(values: readonly string[]): string {
  const shown = values.slice(0, SHOWN_VALUES).map(shortened).join(', ');
  return values.length > SHOWN_VALUES ? `${shown} and ${values.length - SHOWN_VALUES} more` : shown;
}

/** Makes a value printable, with at most MAX_SHOWN_LENGTH characters. */
export function shortened(value: string): string {
  return printable(value, MAX_SHOWN_LENGTH);
}

/** Formats seconds as minutes, rounded up. */
export function minutesText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** Normalizes an address, because IPv6 addresses can be written in several ways (RFC 5952). */
export function canonicalAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname : address;
}
