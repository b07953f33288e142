// An account's audit log.

import { auditEntryView } from '../../core/audit/audit-view.ts';
import { MAX_PAGE_SIZE } from '../../core/list-page.ts';
import { refused } from '../../core/refusal.ts';
import { type Answerer, okPage } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';

const NO_LOG = refused('conflict', 'this installation keeps no audit log yet');

/** The handler for the audit log. */
export function auditHandlers(answer: Answerer, { audit, directory }: ControlPorts, owned: OwnedLookups) {
  return {
    listAuditEntries: answer(CONTROL_OPERATIONS.listAuditEntries, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      if (audit === undefined) return NO_LOG;
      const { since, until, limit = MAX_PAGE_SIZE, cursor } = asked.query;
      const page = await audit.entries({ accountId: found.account.id, since, until }, limit, cursor);
      return okPage(page, (entry) => auditEntryView(entry, (userId) => directory.emailOf(userId)));
    }),
  };
}
