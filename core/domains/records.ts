// The records that a domain's owner has to set (specification, section 4).

import type { Project } from '../projects/project.ts';
import { txtName } from './diagnosis.ts';
import type { NeededRecord } from './ports.ts';
import { ownershipToken, projectTarget } from './project-target.ts';

/** The TTL given in the specification, in seconds. */
const TTL = 3_600;

/** Where the platform serves domains. */
export interface EdgeName {
  /** The parent of all projects' targets. */
  readonly host: string;
  /** The token that CloudFront requires in a TXT record if no CNAME can point to it. @default none required */
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
