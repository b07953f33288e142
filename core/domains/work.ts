// What a platform provides for the domain workflow.

import type { AccountStore } from '../access/ports.ts';
import type { AuditLog } from '../audit/ports.ts';
import type { ProjectStore } from '../projects/ports.ts';
import type { NameRules } from './actions.ts';
import type { Domain } from './domain.ts';
import type { CertificateAuthority, DnsLookup, DomainStore, Edge, OrderLimiter, RecordPublisher } from './ports.ts';

export interface DomainWork {
  readonly domains: DomainStore;
  readonly projects: Pick<ProjectStore, 'getProject' | 'listProjects' | 'putConfiguration' | 'listDeployments' | 'deleteDeployment'>;
  readonly accounts: Pick<AccountStore, 'getAccount'>;
  readonly dns: DnsLookup;
  readonly authority: CertificateAuthority;
  readonly edge: Edge;
  /** The parent of all projects' targets. */
  readonly edgeHost: string;
  /** The same publisher sets owners' records and withdraws them. */
  readonly publisher: RecordPublisher;
  /** Needed to withdraw records. Asynchronous, because the rules may have to be queried from the edge. */
  readonly rules: () => Promise<NameRules>;
  /** Limits certificate orders. @default nothing is limited */
  readonly orders?: OrderLimiter | undefined;
  /** Reports an event that an operator should know about, in one line. @default not reported */
  readonly warn?: (message: string) => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface SweepWork extends DomainWork {
  /** The audit log, for recent changes. @default there is none */
  readonly changes?: Pick<AuditLog, 'entries'> | undefined;
  /** Restarts the workflow of a domain whose execution is gone. */
  restart(domain: Domain, now: number): Promise<void>;
}
