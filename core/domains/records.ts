// The records that a domain's owner has to set (specification, section 4).

import type { Project } from '../projects/project.ts';
import { txtName } from './diagnosis/diagnosis.ts';
import type { DnsLookup, NeededRecord, RecordPublisher, ZoneInspector } from './ports.ts';

/** The TTL given in the specification, in seconds. */
const TTL = 3_600;

/** Where the platform serves domains. */
export interface EdgeName {
  /** The parent of all projects' targets. */
  readonly host: string;
  /** The token that CloudFront requires in a TXT record if a CNAME is not possible. @default none required */
  readonly challenge?: string | undefined;
  /** Whether projects are served at their targets as well. @default false */
  readonly servesTargets?: boolean;
}

/** @param apex whether the host is a registered domain, which can't have a CNAME */
export function recordsFor({ token }: Pick<Project, 'token'>, host: string, apex: boolean, edge: EdgeName): readonly NeededRecord[] {
  const value = projectTarget(token, edge.host);
  if (!apex) return [{ type: 'CNAME', name: host, value, ttl: TTL }];
  return [
    { type: 'ALIAS', name: host, value, ttl: TTL },
    { type: 'TXT', name: txtName(host), value: ownershipToken(token), ttl: TTL },
    ...(edge.challenge === undefined ? [] : [{ type: 'TXT' as const, name: `_cf-challenge.${host}`, value: edge.challenge, ttl: TTL }]),
  ];
}

// The value of a project's CNAME. It identifies the project, so the record itself proves which project the owner meant.

/** Letters and digits that are not easily confused. Tokens have almost 80 bits, so they can't be guessed. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
export const PROJECT_TOKEN_LENGTH = 16;

/** @param random bytes, at least PROJECT_TOKEN_LENGTH */
export function newProjectToken(random: Uint8Array): string {
  // 256 is not a multiple of 31, so the first eight characters are slightly more likely, which costs less than half a bit.
  return Array.from(random.subarray(0, PROJECT_TOKEN_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** @param edgeHost the parent of all projects' targets */
export function projectTarget(token: string, edgeHost: string): string {
  return `${token}.${edgeHost}`;
}

/** Returns the token in a target; undefined if the name is not a target below the edge host. */
export function tokenOfTarget(name: string, edgeHost: string): string | undefined {
  const suffix = `.${edgeHost}`;
  const token = name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
  return token !== undefined && new RegExp(`^[${ALPHABET}]{${PROJECT_TOKEN_LENGTH}}$`).test(token) ? token : undefined;
}

/** Returns the value of the TXT record that proves a project's claim. */
export function ownershipToken(projectToken: string): string {
  return `petstore-project=${projectToken}`;
}

// Combines the publishers of several providers, because owners have their zones at different ones.

/** Combines publishers. The first one that hosts a name's zone sets the name's records; each publisher withdraws the records that it has set. */
export function firstPublisher(publishers: readonly RecordPublisher[]): RecordPublisher {
  return {
    publish: async (accountId, host, records) => {
      for (const publisher of publishers) {
        const result = await publisher.publish(accountId, host, records);
        if (result.kind !== 'no_zone') return result;
      }
      return { kind: 'no_zone' };
    },
    manages: async (accountId, host) => {
      for (const publisher of publishers) if (await publisher.manages(accountId, host)) return true;
      return false;
    },
    withdraw: async (accountId, host, records) => {
      for (const publisher of publishers) await publisher.withdraw(accountId, host, records);
    },
  };
}

// Finds out who hosts the zone of a domain that is being added, so that the owner gets that provider's instructions before the first check.

/** Creates an inspector that queries the DNS and the publisher directly. */
export function createZoneInspector(dns: Pick<DnsLookup, 'zoneOf'>, publisher: Pick<RecordPublisher, 'manages'>): ZoneInspector {
  return {
    inspect: async (accountId, host) => {
      const [zone, editable] = await Promise.all([dns.zoneOf(host), publisher.manages(accountId, host).catch(() => false)]);
      return zone && { ...zone, editable };
    },
  };
}
