// A diagnosis of a domain's DNS: codes, who must act, and what is expected.

import type { CaaIdentity } from './caa.ts';
import type { DnsFacts } from './dns-facts.ts';

export const DIAGNOSIS_CODES = [
  ...([
    'ok',
    'ok_flattened',
    'not_found',
    'wrong_target',
    'indirect_cname',
    'cname_required',
    'conflict_a',
    'conflict_aaaa',
    'conflict_https',
  ] as const),
  ...(['apex_cname', 'multiple_cname', 'cname_loop', 'proxied', 'propagating', 'unregistered', 'dnssec_bogus', 'dns_unreachable'] as const),
  ...(['ownership_required', 'caa_blocked', 'caa_lookup_failed'] as const),
];

export type DiagnosisCode = (typeof DIAGNOSIS_CODES)[number];

export const ACTORS = ['owner', 'dns_provider', 'platform', 'nobody'] as const;

/** Who must act: the domain's owner, the operator of its name servers, this service's operators, or `nobody` if it is enough to wait. */
export type Actor = (typeof ACTORS)[number];

export interface Diagnosis {
  readonly code: DiagnosisCode;
  readonly seen: string;
  readonly fix: string;
  readonly actor: Actor;
  /** Seconds until another check makes sense, because resolvers cache an old answer for this long. */
  readonly retryAfterSeconds?: number | undefined;
  /** Set while servers or resolvers disagree. */
  readonly lag?: Lag | undefined;
}

/** How long a change has been propagating. */
export interface Lag {
  /** When the change was first seen, in milliseconds since 1970. */
  readonly since: number;
  /** The longest TTL that a resolver reported for the old answer, in seconds. */
  readonly ttlSeconds: number;
}

/** Who else has already claimed the name. */
export type OtherClaim = 'none' | 'same_account' | 'other_account';

/** What a domain's DNS should contain. */
export interface Expected {
  readonly host: string;
  /** Whether the host is a registered domain, for which the owner was shown an ALIAS. */
  readonly apex: boolean;
  /** The project's edge host: the value of the CNAME. */
  readonly target: string;
  /** The value of the TXT record that proves a claim: needed for an apex, and for a name that another account or project has claimed. */
  readonly token: string;
  /** If the name is claimed elsewhere, a TXT record is needed in addition to the CNAME, which identifies the project. */
  readonly claimed: OtherClaim;
  /** How a CAA record may permit the certificate authority in use. */
  readonly authority: CaaIdentity;
  /** The targets of the account's other projects, with the projects' names. @default none */
  readonly otherTargets?: ReadonlyMap<string, string>;
}

/** Returns the name of the TXT record that proves a claim. */
export function txtName(host: string): string {
  return `_petstore.${host}`;
}

/** Whether the diagnosis found the record correct. */
export function isRecordCorrect(code: DiagnosisCode): boolean {
  return code === 'ok' || code === 'ok_flattened';
}

/** What the first part of a check finds: what is configured. The second part (what the world sees) is only done if this is right. */
export type SourceFacts = Omit<DnsFacts, 'recursive' | 'referred' | 'caa'>;
