// What is said of the DNS of a domain: codes, who must act, and what it is compared with.

import type { DnsFacts } from './dns-facts.ts';

export const DIAGNOSIS_CODES = [
  'ok',
  'ok_flattened',
  'not_found',
  'wrong_target',
  'indirect_cname',
  'cname_required',
  'conflict_a',
  'conflict_aaaa',
  'apex_cname',
  'multiple_cname',
  'cname_loop',
  'proxied',
  'propagating',
  'unregistered',
  'dnssec_bogus',
  'dns_unreachable',
  'ownership_required',
  'caa_blocked',
  'caa_lookup_failed',
] as const;

export type DiagnosisCode = (typeof DIAGNOSIS_CODES)[number];

export const ACTORS = ['owner', 'dns_provider', 'platform', 'nobody'] as const;

/** Who must do something: the domain's owner, whoever runs its name servers, this service's operators, or nobody: it takes time. */
export type Actor = (typeof ACTORS)[number];

export interface Diagnosis {
  readonly code: DiagnosisCode;
  /** What was found, in words. */
  readonly seen: string;
  /** What to do, in words. */
  readonly fix: string;
  readonly actor: Actor;
  /** Seconds until looking again makes sense: resolvers go on giving an old answer for so long. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Who else has the name already. */
export type OtherClaim = 'none' | 'same_account' | 'other_account';

/** What the DNS of a domain should say. */
export interface Expected {
  readonly host: string;
  /** Is the host what somebody registered, so that its owner was shown an ALIAS? */
  readonly apex: boolean;
  /** The project's edge host: the value of the CNAME. */
  readonly target: string;
  /** The value of the TXT record that proves a claim: for an apex, and for a name that is claimed elsewhere. */
  readonly token: string;
  /** With another claim a TXT record is needed though the CNAME names the project. */
  readonly claimed: OtherClaim;
  /** Issuer names of the certificate authority in use (RFC 8659); empty if they are not known. */
  readonly authorities: readonly string[];
}

/** Where the TXT record stands. */
export function txtName(host: string): string {
  return `_petstore.${host}`;
}

export function isRecordCorrect(code: DiagnosisCode): boolean {
  return code === 'ok' || code === 'ok_flattened';
}

/** The facts of a look's first part: what is configured. The second part, what the world sees, is worth looking at only if that is right. */
export type SourceFacts = Omit<DnsFacts, 'recursive' | 'caa'>;
