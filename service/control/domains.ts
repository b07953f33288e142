// A project's custom domains.

import { addDomain, publishRecords, recordsOf, removeDomain, verifyDomain } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import type { ZoneInspector } from '../../core/domains/ports.ts';
import type { QuotaStatus } from '../../core/limits/decide.ts';
import { retryAfterSeconds } from '../../core/limits/headers.ts';
import { pageByAge } from '../../core/list-page.ts';
import type { Project } from '../../core/projects/project.ts';
import { type ActionRefusal, refused } from '../../core/refusal.ts';
import { createMinuteLimiter } from '../admission/minute-limiter.ts';
import { type Answerer, ok, okPage } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';
import { domainViewWithRecords } from './views.ts';

/** Per account, for all of its domains together. */
const VERIFICATIONS_A_MINUTE = 30;
/** Per account. Each sends queries to name servers; further domains are added without, and the first check finds out who hosts them. */
const INSPECTIONS_A_MINUTE = 30;

/** The handlers for domains. */
export function domainHandlers(answer: Answerer, ports: ControlPorts, owned: OwnedLookups) {
  const { domains, rules, publisher, randomBytes } = ports;
  const verifications = createMinuteLimiter(VERIFICATIONS_A_MINUTE);
  const inspections = createMinuteLimiter(INSPECTIONS_A_MINUTE);
  const inspector = (now: number): ZoneInspector => ({
    inspect: async (accountId, host) => (inspections.count(accountId, now) ? ports.inspector.inspect(accountId, host) : undefined),
  });
  const show = (domain: Domain, project: Project, now: number) => ok(domainViewWithRecords(domain, project, rules, now));
  return {
    listDomains: answer(CONTROL_OPERATIONS.listDomains, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const { project } = found;
      const page = pageByAge(await domains.listDomains(project.id), 'oldest first', asked.query);
      return okPage(page, (domain) => domainViewWithRecords(domain, project, rules, asked.now));
    }),

    addDomain: answer(CONTROL_OPERATIONS.addDomain, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const added = await addDomain(ports, found.project, asked.body.host, rules, randomBytes, asked.now, {
        inspector: inspector(asked.now),
        companion: asked.body.companion,
      });
      return added.ok ? show(added.domain, found.project, asked.now) : added;
    }),

    getDomain: answer(CONTROL_OPERATIONS.getDomain, async (asked) => {
      const found = await owned.domain(asked);
      return found.ok ? show(found.domain, found.project, asked.now) : found;
    }),

    verifyDomain: answer(CONTROL_OPERATIONS.verifyDomain, async (asked) => {
      const found = await owned.domain(asked);
      if (!found.ok) return found;
      const { accountId } = found.domain;
      const quota = verifications.quota(accountId, asked.now);
      if (!verifications.count(accountId, asked.now)) return tooManyVerifications(quota, asked.now);
      const verified = await verifyDomain(ports, found.domain, asked.now);
      if (verified.ok) return show(verified.domain, found.project, asked.now);
      // Counted first, so that concurrent requests are counted as well; uncounted if nothing was done.
      verifications.takeBack(accountId, asked.now);
      return verified;
    }),

    publishRecords: answer(CONTROL_OPERATIONS.publishRecords, async (asked) => {
      const found = await owned.domain(asked);
      if (!found.ok) return found;
      const { domain, project } = found;
      const published = await publishRecords(domains, publisher, domain, recordsOf(project, domain, rules));
      return published.ok ? show(domain, project, asked.now) : published;
    }),

    removeDomain: answer(CONTROL_OPERATIONS.removeDomain, async (asked) => {
      const found = await owned.domain(asked);
      if (!found.ok) return found;
      const changed = asked.precondition?.(domainViewWithRecords(found.domain, found.project, rules, asked.now));
      if (changed !== undefined) return changed;
      const options = { withRedirects: asked.query.withRedirects === true, onlyAsRead: asked.precondition !== undefined };
      const removed = await removeDomain(ports, found.domain, asked.now, options);
      return removed.ok ? show(removed.domain, found.project, asked.now) : removed;
    }),
  };
}

function tooManyVerifications(quota: QuotaStatus, now: number): ActionRefusal {
  const { limit, resetAt } = quota;
  const seconds = retryAfterSeconds(resetAt, now);
  const message = `this account has used its ${limit} verifications of this UTC minute; its domains are checked automatically, or retry in ${seconds} s`;
  return { ...refused('rate_limit_exceeded', message), retryAfterSeconds: seconds, quota };
}
