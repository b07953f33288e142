// All that the work on domains needs of a platform.

import type { AccountStore } from '../access/ports.ts';
import type { ProjectStore } from '../projects/ports.ts';
import type { NameRules } from './actions.ts';
import type { Domain } from './domain.ts';
import type { CertificateAuthority, DnsLookup, DomainStore, Edge, RecordPublisher } from './ports.ts';

export interface DomainWork {
  readonly domains: DomainStore;
  readonly projects: Pick<ProjectStore, 'getProject'>;
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly dns: DnsLookup;
  readonly authority: CertificateAuthority;
  readonly edge: Edge;
  /** The host that all projects' targets are below. */
  readonly edgeHost: string;
  /** What is set for owners is withdrawn by the same. */
  readonly publisher: RecordPublisher;
  /** Asked for when records are withdrawn: an edge may have to be asked for its own. */
  readonly rules: () => Promise<NameRules>;
  /** Called with what an operator should know, in one line. @default nobody is told */
  readonly warn?: (message: string) => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface SweepWork extends DomainWork {
  /** Starts the work on a domain whose execution is gone. */
  restart(domain: Domain, now: number): Promise<void>;
}
