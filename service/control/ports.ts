// What the control API works with, and one call of it.

import type { KeyMode } from '../../core/access/api-key.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import type { AccountStore, MemberStore } from '../../core/access/ports.ts';
import type { AnswerStore } from '../../core/answers/ports.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher } from '../../core/domains/ports.ts';
import type { UsageStore } from '../../core/limits/ports.ts';
import type { ProjectStore, SiteStore } from '../../core/projects/ports.ts';
import type { OwnedRecord } from '../../core/sandbox/ownership.ts';
import type { SandboxRecord } from '../../core/sandbox/records.ts';

/** The sandbox's DNS, where there is one. */
export interface SandboxPort {
  readonly suffix: string;
  list(): readonly (SandboxRecord & OwnedRecord)[];
  set(record: SandboxRecord, beside: boolean, accountId: string): Promise<void>;
  unset(name: string, type: string, value: string): Promise<number>;
}

/** The users, where they are kept here. */
export interface DirectoryPort {
  emailOf(userId: string): string | undefined;
  /** From now on no token of the user counts. */
  endSessions(userId: string): Promise<void>;
}

export interface ControlPorts {
  readonly accounts: AccountStore;
  readonly members: MemberStore;
  readonly answers: AnswerStore;
  readonly usage: Pick<UsageStore, 'usage'>;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly sites: Pick<SiteStore, 'put'>;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: RecordPublisher;
  readonly rules: NameRules;
  /** Where domains are served over TLS. */
  readonly httpsPort: number;
  readonly sandbox: SandboxPort | undefined;
  readonly directory: DirectoryPort | undefined;
  readonly keyMode: KeyMode;
  readonly randomBytes: RandomBytes;
}

export interface ControlCall<Body> {
  readonly user: { readonly id: string; readonly email: string | undefined };
  readonly parameters: Readonly<Record<string, string>>;
  /** Those of the query that are set. */
  readonly flags: readonly string[];
  readonly body: Body;
  /** Milliseconds since 1970. */
  readonly now: number;
}
