// Diagnoses name servers that are silent, disagree with each other, or have invalid signatures.

import { registeredDomain } from '../host-name.ts';
import type { ServerFailure } from './caa.ts';
import type { Diagnosis, Expected, Lag, SourceFacts } from './diagnosis.ts';
import { delegationPlace, joinValues, ownerDiagnosis, textOf, type Wanted } from './diagnosis-text.ts';
import type { BogusZone } from './dns-facts.ts';

/** Failures that occur if a domain was never set up at the provider, or has moved to another provider. Only the domain's owner can know which. */
const NOT_SET_UP_REASONS: readonly ServerFailure[] = ['refused', 'not_responsible', 'no_address'];

/** Returns the diagnosis if no authoritative server gave an answer. */
export function unreachableDiagnosis({ host }: Wanted, facts: SourceFacts): Diagnosis {
  const zone = facts.zone ?? host;
  if (facts.bogus !== undefined) return bogusDiagnosis({ host }, facts.bogus);
  const { authoritative } = facts;
  if (authoritative.length === 0) {
    return {
      code: 'dns_unreachable',
      seen: `could not find out which name servers ${host} has`,
      fix: 'nothing: our own resolvers got no answer; we check again automatically',
      actor: 'platform',
    };
  }
  const reasons = authoritative.map((answer) => (answer.kind === 'failed' ? answer.reason : undefined));
  const seen = `the name servers of ${zone} give no answer: ${joinValues(authoritative.map((answer) => `${answer.server} ${textOf(answer)}`))}`;
  if (reasons.every((reason) => reason === 'not_public')) {
    return ownerDiagnosis('dns_unreachable', seen, `${delegationPlace(zone)}, set the name servers that your DNS provider gives you`);
  }
  if (reasons.every((reason) => reason !== undefined && NOT_SET_UP_REASONS.includes(reason))) {
    return ownerDiagnosis(
      'dns_unreachable',
      seen,
      `add ${zone} at the DNS provider that these name servers belong to; or copy all records, including those for email, to your DNS provider, and then, ${delegationPlace(zone)}, set its name servers`,
    );
  }
  return {
    code: 'dns_unreachable',
    seen,
    fix: `nothing yet: we check again automatically; if the problem persists, ask the DNS provider of ${zone} to fix its name servers`,
    actor: 'dns_provider',
  };
}

/** Returns the diagnosis if a validating resolver rejects the zone's signatures. */
export function bogusDiagnosis({ host }: Pick<Expected, 'host'>, { name: zone, seenBy, why }: BogusZone): Diagnosis {
  const refused = `so ${seenBy} and others refuse its answers, and many visitors can't reach it`;
  const off =
    zone === registeredDomain(host)
      ? `switch DNSSEC off where ${zone} is registered (this removes the DS record)`
      : `remove the DS record of ${zone} in the zone above it`;
  const day = 'it can take a day to take effect everywhere';
  switch (why) {
    case 'expired':
    case 'not_yet_valid':
      return {
        code: 'dnssec_bogus',
        seen: `the DNSSEC signatures of ${zone} ${why === 'expired' ? 'have expired' : 'are not valid yet'}, ${refused}`,
        fix: `ask your DNS provider to sign ${zone} again; a new DS record does not help; if you can't wait, ${off}: ${day}`,
        actor: 'dns_provider',
      };
    case 'unsigned':
      return ownerDiagnosis(
        'dnssec_bogus',
        `a DS record announces DNSSEC signatures for ${zone}, which has none, ${refused}`,
        `${off}, or have your DNS provider sign the zone and set the DS record that it shows; ${day}`,
      );
    case 'other':
      return ownerDiagnosis(
        'dnssec_bogus',
        `the DNSSEC signatures of ${zone} can't be verified, ${refused}`,
        `${off}, or replace the DS record with the one that your DNS provider shows; ${day}`,
      );
  }
}

/** A change reaches all servers of a provider within an hour. */
const TRANSFER_SECONDS = 3_600;

/** Returns the diagnosis if the authoritative servers disagree. @param before the lag at the previous check @param now milliseconds since 1970 */
export function disagreementDiagnosis({ zone, host, authoritative }: SourceFacts, before: Lag | undefined, now: number): Diagnosis {
  const lag = { since: before?.since ?? now, ttlSeconds: before?.ttlSeconds ?? 0 };
  const seen = `the name servers disagree: ${joinValues(authoritative.map((answer) => `${answer.server}: ${textOf(answer)}`))}`;
  const propagating = { code: 'propagating', seen, lag } as const;
  if (now - lag.since <= TRANSFER_SECONDS * 1_000)
    return { ...propagating, fix: 'wait until all of them have the change; that takes an hour at most', actor: 'nobody' };
  const providers = new Set(authoritative.map(({ server }) => registeredDomain(server.split(' ')[0] ?? server)));
  return providers.size > 1
    ? {
        ...propagating,
        fix: `set the record at each of these DNS providers; or, ${delegationPlace(zone ?? host)}, remove the name servers of the provider that you no longer use`,
        actor: 'owner',
      }
    : { ...propagating, fix: 'send this message to your DNS provider: not all of its name servers have the change', actor: 'dns_provider' };
}
