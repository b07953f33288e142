// Diagnoses a domain's records, based on one server's answer.

import { printable } from '../printable.ts';
import type { Diagnosis, SourceFacts } from './diagnosis.ts';
import {
  additionFix,
  alternativeText,
  apexFix,
  besideOthersFix,
  canonicalAddress,
  isEmpty,
  joinValues,
  MAX_SHOWN_LENGTH,
  neededText,
  ownerDiagnosis,
  recordText,
  shortened,
  type Wanted,
} from './diagnosis-text.ts';
import { type NameRecords, proxyOf, type ServerAnswer } from './dns-facts.ts';

/** Returns the diagnosis for one server's answer. */
export function diagnoseRecords(wanted: Wanted, facts: SourceFacts, answer: ServerAnswer): Diagnosis {
  if (answer.kind !== 'records' || isEmpty(answer.records)) return missing(wanted, facts);
  const { records } = answer;
  const [cname] = records.cname;
  if (cname !== undefined) return judgeCname(wanted, facts, records, cname);
  return judgeAddresses(wanted, facts, records);
}

function missing(wanted: Wanted, facts: SourceFacts): Diagnosis {
  const { misplaced } = facts;
  const slip =
    misplaced === undefined
      ? ''
      : misplaced.name.startsWith(`${wanted.host}.`)
        ? `; found ${printable(misplaced.value, MAX_SHOWN_LENGTH)} at ${misplaced.name}, which is another name: your DNS provider adds the rest of the name automatically`
        : `; found ${printable(misplaced.value, MAX_SHOWN_LENGTH)} at ${misplaced.name}: if it is meant for ${wanted.host}, it is at the wrong name`;
  return ownerDiagnosis('not_found', `no CNAME and no addresses at ${wanted.host}${slip}`, additionFix(wanted, facts));
}

function judgeCname(wanted: Wanted, facts: SourceFacts, records: NameRecords, cname: string): Diagnosis {
  const { host, target, apex } = wanted;
  const shown = printable(cname, MAX_SHOWN_LENGTH);
  if (records.cname.length > 1) {
    return ownerDiagnosis(
      'multiple_cname',
      `${records.cname.length} CNAME records at ${host}: ${joinValues(records.cname)}`,
      `keep one CNAME, with the value ${target}, and remove the others`,
    );
  }
  if (apex || facts.zone === host) {
    return ownerDiagnosis(
      'apex_cname',
      `a CNAME to ${shown} at ${host}, where other records are required, and a CNAME can't exist alongside them`,
      apexFix(wanted, facts),
    );
  }
  const change = changeText(wanted, facts, records);
  if (cname === host || facts.loops) {
    return ownerDiagnosis('cname_loop', `a CNAME at ${host} that loops back to itself: ${[host, ...facts.chain].map(shortened).join(' → ')}`, change);
  }
  const conflict = conflictOf(records, `alongside the CNAME at ${host}`, `remove it: a name with a CNAME has no other records`);
  if (conflict !== undefined) return conflict;
  if (cname === target) return httpsConflict(wanted, records) ?? { code: 'ok', seen: `CNAME ${shown}`, fix: 'nothing', actor: 'nobody' };
  if (facts.chain.includes(target)) {
    return ownerDiagnosis(
      'indirect_cname',
      `a CNAME to ${shown}, which ends up at ${target}`,
      `${change}; only a direct CNAME shows which project is meant, and the one in between can change`,
    );
  }
  const project = wanted.otherTargets?.get(cname);
  if (project !== undefined) {
    const name = JSON.stringify(printable(project, MAX_SHOWN_LENGTH));
    return ownerDiagnosis('wrong_target', `a CNAME to ${shown}, which is for your project ${name}`, `${change}; or add ${host} to project ${name}`);
  }
  const suffixed = facts.zone !== undefined && cname === `${target}.${facts.zone}`;
  return ownerDiagnosis(
    'wrong_target',
    `a CNAME to ${shown}${originText(facts, records)}`,
    suffixed ? `${change}; type a dot at the end of the value, since your DNS provider has added ${facts.zone} to it` : change,
  );
}

/** Says how to replace a wrong CNAME, which may be a record at the name, or come from a DNAME or a wildcard. */
function changeText(wanted: Wanted, facts: SourceFacts, { dname }: NameRecords): string {
  const { host, target } = wanted;
  const record = recordText(facts, 'CNAME', host, target);
  if (dname !== undefined)
    return `remove the DNAME record at ${dname}, which redirects all names below it, and add the record: ${record}; or choose a name that is not below ${dname}`;
  return facts.wildcard ? `add the record: ${record}; the wildcard record * can stay` : `change the record to: ${record}`;
}

/** Says where a CNAME comes from if it is not a record at the name itself; otherwise, returns an empty text. */
function originText({ wildcard }: SourceFacts, { dname }: NameRecords): string {
  if (dname !== undefined) return `, from the DNAME record at ${dname}`;
  return wildcard ? ', from the wildcard record *' : '';
}

/** Diagnoses HTTPS records that point to another name; some browsers follow these instead of addresses. */
function httpsConflict({ host, target }: Wanted, { https = [] }: NameRecords): Diagnosis | undefined {
  const foreign = https.filter((name) => name !== host && name !== target);
  if (foreign.length === 0) return undefined;
  return ownerDiagnosis(
    'conflict_https',
    `an HTTPS record at ${host} that points to ${joinValues(foreign)}`,
    `remove the HTTPS record at ${host}: some browsers follow it instead of your other records, which are right`,
  );
}

function judgeAddresses(wanted: Wanted, facts: SourceFacts, records: NameRecords): Diagnosis {
  const { host, target, apex, proved } = wanted;
  const addresses = [...records.a, ...records.aaaa];
  if (addresses.length === 0)
    return ownerDiagnosis('not_found', `no CNAME and no addresses at ${host}, only other records`, besideOthersFix(wanted, facts));
  const ours = new Set([...facts.edge.a, ...facts.edge.aaaa].map(canonicalAddress));
  const foreign = addresses.filter((address) => !ours.has(canonicalAddress(address)));
  const flattened = apex || facts.zone === host;
  const some = foreign.length < addresses.length;
  // If addresses rotate, no client sees all of them at once, so one of ours per family is enough, together with the proof. If none is ours, ownership
  // has to be proved first. Authorities and most visitors prefer IPv6, so a family without an address of ours would lead them elsewhere.
  const strange = [records.a, records.aaaa].filter((family) => family.length > 0 && family.every((address) => foreign.includes(address))).flat();
  const isRotated = facts.rotating && (some ? strange.length === 0 : !proved);
  if (foreign.length === 0 || (flattened && isRotated)) {
    if (flattened)
      return (
        httpsConflict(wanted, records) ?? {
          code: 'ok_flattened',
          seen: `addresses of ${target}: ${joinValues(addresses)}`,
          fix: 'nothing',
          actor: 'nobody',
        }
      );
    return ownerDiagnosis(
      'cname_required',
      `addresses of our servers at ${host}: ${joinValues(addresses)}`,
      `use this record instead: ${recordText(facts, 'CNAME', host, target)}; the addresses change, and they do not show which project is meant`,
    );
  }
  const needed = neededText(wanted, facts);
  const proxy = foreign.map(proxyOf).find((name) => name !== undefined);
  if (proxy !== undefined) {
    return ownerDiagnosis(
      'proxied',
      `addresses of ${proxy}'s proxy at ${host}: ${joinValues(addresses)}`,
      `if you use ${proxy}, set this record to "DNS only" (the gray cloud); otherwise remove it; the record should be: ${needed}`,
    );
  }
  // An owner who has set the TXT record has most likely set this record as well; its addresses may be another region's, or out of date.
  if (flattened && proved && !some) {
    return ownerDiagnosis(
      'wrong_target',
      `addresses at ${host} that do not belong to ${target}: ${joinValues(foreign)}`,
      `make sure that the record is: ${needed}; if it is, wait: providers refresh the addresses every few minutes, and we check again automatically`,
    );
  }
  if (flattened && some) {
    const beside = facts.rotating ? strange : foreign;
    const only = (family: readonly string[]) => family.filter((address) => beside.includes(address));
    const [a, aaaa] = [only(records.a), only(records.aaaa)];
    const those = [...a.map((address) => `A ${address}`), ...aaaa.map((address) => `AAAA ${address}`)];
    return conflictOf(
      { ...records, a, aaaa },
      `at ${host}, alongside our addresses`,
      `remove ${joinValues(those)}: some visitors, and perhaps the certificate authority, end up there instead of here; keep: ${needed}`,
    ) as Diagnosis;
  }
  const remove = facts.wildcard
    ? 'it comes from the wildcard record *, which can stay'
    : 'remove all A and AAAA records at this name (an old website or mail server that uses them becomes unreachable), and leave MX and TXT records';
  const conflict = conflictOf(
    { ...records, a: records.a.filter((address) => foreign.includes(address)), aaaa: records.aaaa.filter((address) => foreign.includes(address)) },
    facts.wildcard ? `at ${host} and at every other name that has no records` : `at ${host}`,
    `${remove}; add the record: ${needed}${alternativeText(wanted)}`,
  );
  return conflict as Diagnosis;
}

function conflictOf({ a, aaaa }: NameRecords, where: string, fix: string): Diagnosis | undefined {
  if (a.length > 0) return ownerDiagnosis('conflict_a', `A ${joinValues(a)} ${where}`, fix);
  if (aaaa.length > 0) return ownerDiagnosis('conflict_aaaa', `AAAA ${joinValues(aaaa)} ${where}`, fix);
  return undefined;
}
