// All that owners work with, put together from adapters: what the command line and the control API have in common.

import type { AnswerStore } from '../../core/control/answers.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import type { DomainStore, DomainWorkflow, EdgeMap, MemberStore, ProjectStore, RecordPublisher, SiteStore, Stores } from '../../core/ports.ts';

export interface Platform extends Stores {
  readonly members: MemberStore;
  readonly answers: AnswerStore;
  readonly projects: ProjectStore;
  readonly domains: DomainStore;
  readonly sites: SiteStore;
  readonly edge: EdgeMap;
  readonly workflow: DomainWorkflow;
  readonly publisher: RecordPublisher;
  readonly rules: NameRules;
}
