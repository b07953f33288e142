// Diagnoses a domain's name servers: silent, in disagreement, or with invalid signatures.

import type { Diagnosis, Expected, SourceFacts } from './diagnosis.ts';
import { joinValues, ownerDiagnosis, textOf, type Wanted } from './diagnosis-text.ts';
import type { ServerAnswer, ServerFailure } from './dns-facts.ts';

/** Failures that occur if a domain was never set up with the provider, or has moved to another provider: only its owner can know. */
const NOT_SET_UP_REASONS: readonly ServerFailure[] = ['refused', 'not_responsible', 'no_address'];

/** The diagnosis if no authoritative server gave an answer. */
export function unreachableDiagnosis({ host }: Wanted, facts: SourceFacts): Diagnosis {
  const zone = facts.zone ?? host;
  if (facts.bogusSeenBy !== undefined) return bogusDiagnosis({ host }, facts, facts.bogusSeenBy);
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
    return ownerDiagnosis('dns_unreachable', seen, `where ${zone} is registered, set the name servers that your DNS provider gives you`);
  }
  if (reasons.every((reason) => reason !== undefined && NOT_SET_UP_REASONS.includes(reason))) {
    return ownerDiagnosis(
      'dns_unreachable',
      seen,
      `add ${zone} at the DNS provider that these name servers belong to; or, where ${zone} is registered, set the name servers of your DNS provider, once all records are copied there, including those for email`,
    );
  }
  return {
    code: 'dns_unreachable',
    seen,
    fix: `nothing yet: we check again automatically; if the problem persists, ask the DNS provider of ${zone} to fix its name servers`,
    actor: 'dns_provider',
  };
}

/** The diagnosis if a validating resolver refuses the zone's signatures. */
export function bogusDiagnosis({ host }: Pick<Expected, 'host'>, facts: SourceFacts, resolver: string): Diagnosis {
  const zone = facts.zone ?? host;
  return ownerDiagnosis(
    'dnssec_bogus',
    `the DNSSEC signatures of ${zone} can't be verified, so ${resolver} and others refuse its answers, and many visitors can't reach it`,
    `where ${zone} is registered, switch DNSSEC off (this removes the DS record), or replace the DS record with the one that your DNS provider shows; it can take a day to take effect everywhere`,
  );
}

/** The diagnosis if the authoritative servers give different answers. */
export function disagreementDiagnosis(authoritative: readonly ServerAnswer[]): Diagnosis {
  return {
    code: 'propagating',
    seen: `the name servers disagree: ${joinValues(authoritative.map((answer) => `${answer.server}: ${textOf(answer)}`))}`,
    fix: 'wait until all of them have the change; if that takes more than an hour, ask the DNS provider',
    actor: 'nobody',
  };
}
