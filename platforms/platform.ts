// What a platform gives to the service, whatever it is made of: what the control API and the command line have in common.

import type { MemberStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import type { NameRules } from '../core/domains/actions.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, RecordPublisher } from '../core/domains/ports.ts';
import type { ProjectStore, SiteStore } from '../core/projects/ports.ts';
import type { Stores } from '../core/stores.ts';

/** Accounts, projects and domains: what can be done without an edge. */
export interface StorePlatform extends Stores {
  readonly members: MemberStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  /** After this nothing of it may be used. */
  close(): void;
}

/** All that owners work with. */
export interface Platform extends StorePlatform {
  readonly answers: AnswerStore;
  readonly sites: SiteStore;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: RecordPublisher;
  readonly rules: NameRules;
}

/** A platform that can't be opened, for a reason that its user can act on. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
}
