// A project's custom domains.

import * as z from 'zod';
import { addDomain, publishRecords, recordsOf, removeDomain, verifyDomain } from '../../../core/domains/actions.ts';
import { ADVICE_CODES } from '../../../core/domains/diagnosis/advice.ts';
import { ACTORS, DIAGNOSIS_CODES } from '../../../core/domains/diagnosis/diagnosis.ts';
import { CERTIFICATE_FAILURES, type Domain, SUSPENSION_REASONS } from '../../../core/domains/domain.ts';
import type { ZoneInspector } from '../../../core/domains/ports.ts';
import { DOMAIN_STATE_NAMES, DOMAIN_STATES } from '../../../core/domains/states.ts';
import type { QuotaStatus } from '../../../core/limits/decide.ts';
import { retryAfterSeconds } from '../../../core/limits/headers.ts';
import { pageByAge } from '../../../core/page.ts';
import type { Project } from '../../../core/projects/project.ts';
import { type ActionRefusal, refused } from '../../../core/refusal.ts';
import { createMinuteLimiter } from '../../admission/minute-limiter.ts';
import type { SitePorts } from '../context.ts';
import * as example from '../examples.ts';
import { answer, type Implementations, ok, okPage, type ResourceRows, resource } from '../operation.ts';
import { domainId, host, pageQuery, projectId, time } from '../shapes.ts';
import { domainViewWithRecords } from '../views.ts';

/** Per account, for all of its domains together. */
const VERIFICATIONS_A_MINUTE = 30;
/** Per account. Each inspection queries name servers. Further domains are added without an inspection; their first check finds out who hosts them. */
const INSPECTIONS_A_MINUTE = 30;

const record = z
  .object({
    type: z.enum(['CNAME', 'ALIAS', 'TXT']),
    name: z.string(),
    label: z.string().describe('The name as most DNS providers expect it: without the registered domain, @ for that domain itself'),
    value: z.string(),
    ttl: z.int().min(1).describe('Seconds'),
  })
  .meta({ id: 'DnsRecord', description: "A record to set at the domain's DNS provider." });
const url = z.string().meta({ description: 'The https URL of a web page' });
const provider = z
  .object({
    id: z.string(),
    name: z.string(),
    steps: z.array(z.string()).describe('What to do there, in order'),
    notes: z.array(z.string()).describe('Known pitfalls there'),
    fields: z.object({ name: z.string(), value: z.string() }).describe('What its form calls the fields'),
    apexAlias: z.string().nullable().describe('What it calls a record that points the registered domain itself to another name; null if it has none'),
    records: z
      .array(z.object({ type: z.string(), name: z.string().describe('Empty if the name field stays empty'), value: z.string(), ttl: z.string() }))
      .describe('The records as its form expects them'),
    link: url,
    automation: url.nullable().describe('About its API, or its support for Domain Connect; null if none is known'),
  })
  .meta({ id: 'DnsProvider', description: "The DNS provider that hosts a domain's zone, and what to do there." });
const state = z.enum(DOMAIN_STATE_NAMES).meta({ id: 'DomainState', description: "A domain's state: docs/domain-workflow.md." });
const diagnosisCode = z.enum(DIAGNOSIS_CODES).meta({ id: 'DiagnosisCode', description: "What is wrong with a domain's DNS; see docs/diagnoses.md." });
const adviceCode = z.enum(ADVICE_CODES).meta({ id: 'AdviceCode', description: 'What a domain waits for, or why it failed; see docs/diagnoses.md.' });
const certificateFailure = z
  .enum(CERTIFICATE_FAILURES)
  .meta({ id: 'CertificateFailure', description: 'Why an attempt to get a certificate failed. Another attempt always follows.' });
const actor = z.enum(ACTORS).meta({ id: 'Actor', description: 'Who must act.' });
const seen = z.string().describe('What was found, as text');
const fix = z.string().describe('What to do, as text');
export const domain = z
  .object({
    domainId,
    host,
    displayHost: z.string().describe('The host as its owner would write it: in Unicode, unless it could then be mistaken for another name'),
    projectId,
    state,
    stateLabel: z.string().describe('The state as text'),
    served: z.boolean().describe("Whether the project's pages are served on it"),
    inProgress: z.boolean().describe('Whether it will change automatically soon, so that polling makes sense'),
    since: time.describe('When this state began'),
    diagnosis: z.object({ code: diagnosisCode, seen, fix, actor }).nullable().describe('The latest result of a DNS check'),
    advice: z.object({ code: adviceCode, seen, fix, actor }).nullable().describe('What to do, and who must act; null if nothing is pending'),
    nextCheckAt: time.optional().describe('When the next automatic check runs'),
    lastFailure: z
      .object({
        code: certificateFailure,
        seen,
        fix,
        actor,
        since: time.describe('When the first of the consecutive failures happened'),
        attempts: z.int().min(1).describe('How many attempts have failed in a row'),
        nextTryAt: time.describe('When the next attempt is made'),
      })
      .nullable()
      .describe('The latest attempt to obtain or renew the certificate, if it failed; null once an attempt succeeds'),
    failure: certificateFailure.optional().describe('Why there is no certificate; only in the state certificate_failed'),
    detail: z.string().optional().describe("The certificate authority's message; only in the state certificate_failed"),
    reason: z.enum(SUSPENSION_REASONS).optional().describe('Why it is not served; only in the state suspended'),
    canPublish: z.boolean().describe('Whether `publish` can set its records: the service may edit its DNS zone'),
    dnsSeenAt: time.nullable().describe('When its DNS was last looked up'),
    certificate: z
      .object({ issuer: z.string(), notBefore: time, notAfter: time, renewsAt: time.describe('From then on it is renewed automatically') })
      .nullable()
      .describe('The certificate that it is served with; null before it is live, and on AWS, which renews certificates itself'),
    companion: z.object({ domainId, host }).nullable().describe('The domain that was added in the same step: the same name with, or without, www'),
    redirectTo: host.nullable().describe('The host to which it will redirect once that host is served; null if no redirect is planned'),
    canVerify: z.boolean().describe('Whether `verify` has an effect now: not for a removed domain, nor while the next step is under way'),
    certificateLate: z.boolean().describe('No certificate within 30 minutes; `advice` says why, and what happens next'),
    history: z.array(z.object({ state, at: time })).describe('Its states so far; the current one is last'),
    records: z.array(record).describe('The records that must exist in the DNS'),
    provider: provider.nullable().describe('Null while unknown'),
  })
  .meta({ id: 'Domain', description: 'A custom domain of a project.' });
const domainInput = z
  .strictObject({
    host: z.string('a host name').describe('As its owner types or pastes it: any case, in Unicode or ASCII, also as a URL'),
    companion: z
      .boolean('true or false')
      .default(false)
      .describe(
        'Also adds the same name with, or without, www, and redirects it to this one once this one is live; only for a registered domain and its www',
      ),
  })
  .meta({ id: 'DomainInput' });
/** Builds a query parameter that is `true` or, by default, `false`. */
function flag(description: string) {
  return z
    .enum(['true', 'false'], 'true or false')
    .transform((text) => text === 'true')
    .optional()
    .describe(description);
}
const removalQuery = z.strictObject({
  withRedirects: flag('Even if it is the primary domain or the target of redirects: these settings are removed too'),
});

const recordExample = { type: 'CNAME', name: example.host, label: 'www', value: example.target, ttl: 3_600 } as const;
const providerExample = {
  id: 'gandi',
  name: 'Gandi',
  steps: ['Choose the domain in your list of domains.', 'Open DNS Records.', 'Choose Add.', 'Enter each record below, and save.'],
  notes: ['The dot at the end is part of the value.'],
  fields: { name: 'Name', value: 'Hostname' },
  apexAlias: 'ALIAS',
  records: [{ type: 'CNAME', name: 'www', value: `${example.target}.`, ttl: '3600' }],
  link: 'https://docs.gandi.net/en/domain_names/common_operations/dns_records.html',
  automation: 'https://api.gandi.net/docs/livedns/',
};
const addedExample = {
  domainId: example.domainId,
  host: example.host,
  displayHost: example.host,
  projectId: example.projectId,
  state: 'awaiting_dns',
  stateLabel: DOMAIN_STATES.awaiting_dns.label,
  served: false,
  inProgress: false,
  since: example.tuesday,
  diagnosis: null,
  advice: {
    code: 'awaiting_dns',
    seen: `${example.host} was added; its records have not been checked yet`,
    fix: 'set the records shown here at your DNS provider, then verify',
    actor: 'owner',
  },
  canPublish: false,
  certificate: null,
  companion: null,
  redirectTo: null,
  dnsSeenAt: example.tuesday,
  canVerify: true,
  certificateLate: false,
  lastFailure: null,
  history: [{ state: 'awaiting_dns', at: example.tuesday }],
  records: [recordExample],
  provider: providerExample,
} as const;
const verifyingExample = {
  ...addedExample,
  state: 'verifying',
  stateLabel: DOMAIN_STATES.verifying.label,
  inProgress: true,
  since: '2026-03-03T10:20:00.000Z',
  advice: { code: 'checking_dns', seen: 'the DNS is being checked', fix: 'nothing: wait for the result', actor: 'nobody' },
  nextCheckAt: '2026-03-03T10:20:00.000Z',
  history: [...addedExample.history, { state: 'verifying', at: '2026-03-03T10:20:00.000Z' }],
} as const;
const missingExample = {
  code: 'not_found',
  seen: `no record at ${example.host}`,
  fix: `add the record: CNAME, name www, value ${example.target}`,
  actor: 'owner',
} as const;
const waitingExample = { ...verifyingExample, diagnosis: missingExample, advice: missingExample, nextCheckAt: '2026-03-03T10:20:30.000Z' } as const;
const removingExample = {
  ...addedExample,
  state: 'removing',
  stateLabel: DOMAIN_STATES.removing.label,
  inProgress: true,
  since: '2026-03-04T08:00:00.000Z',
  advice: { code: 'removing', seen: `${example.host} is no longer served`, fix: 'nothing: the teardown is in progress', actor: 'nobody' },
  canVerify: false,
  history: [...addedExample.history, { state: 'removing', at: '2026-03-04T08:00:00.000Z' }],
} as const;

export const DOMAIN_OPERATIONS = resource('domains', {
  listDomains: {
    route: 'GET /projects/{projectId}/domains',
    summary: 'Domains, oldest first.',
    description: "The project's domains, oldest first, each with its state and advice.",
    response: 'The domains.',
    query: pageQuery,
    paged: true,
    result: z.array(domain),
    example: { response: [waitingExample] },
  },
  addDomain: {
    route: 'POST /projects/{projectId}/domains',
    summary: 'Adds a domain; the response has the records to set.',
    description:
      'Set the records in the response at your DNS provider, then verify. Requires a paid plan (Pro or above) and a deployment; without them, returns 409.',
    response: 'The new domain, in the state `awaiting_dns`.',
    creates: true,
    body: domainInput,
    result: domain,
    example: { body: { host: example.host }, response: addedExample },
  },
  getDomain: {
    route: 'GET /projects/{projectId}/domains/{domainId}',
    summary: 'A domain.',
    description: 'While a domain changes automatically, `nextCheckAt` is when to fetch it again.',
    response: 'The domain.',
    result: domain,
    example: { response: waitingExample },
  },
  verifyDomain: {
    route: 'POST /projects/{projectId}/domains/{domainId}/verify',
    summary: 'Verify: checks the DNS now; the rest follows automatically.',
    description:
      'Returns at once. Before the domain is live, the returned state is usually `verifying`: once the DNS is right, the certificate is issued and the domain goes live. A served domain keeps its state, and its record is checked; a domain whose certificate is being issued is returned as it is. What fails is tried again automatically, so one call is enough. At most 6 times a minute for a domain and 30 for an account; beyond that, returns 429.',
    response: 'The domain.',
    result: domain,
    example: { response: verifyingExample },
  },
  publishRecords: {
    route: 'POST /projects/{projectId}/domains/{domainId}/publish',
    summary: "Sets the domain's records, if the platform manages their zone.",
    description: 'If the platform does not manage the zone, returns 409: set the records at your DNS provider.',
    response: 'The domain. Its records are set.',
    result: domain,
    example: { response: waitingExample },
  },
  removeDomain: {
    route: 'DELETE /projects/{projectId}/domains/{domainId}',
    summary: 'Stops serving the domain at once and deletes what was created for it.',
    description:
      'Traffic has stopped when the response arrives. Removing the primary domain or the target of a redirect requires `withRedirects`; without it, returns 409.',
    response: 'The domain, in the state `removing` or `removed`.',
    query: removalQuery,
    result: domain,
    example: { response: removingExample },
  },
} as const satisfies ResourceRows);

/** Implements the operations on domains. */
export function domainHandlers(ports: SitePorts): Implementations<typeof DOMAIN_OPERATIONS> {
  const { domains, rules, publisher, randomBytes } = ports;
  const verifications = createMinuteLimiter(VERIFICATIONS_A_MINUTE);
  const inspections = createMinuteLimiter(INSPECTIONS_A_MINUTE);
  const inspector = (now: number): ZoneInspector => ({
    inspect: async (accountId, host) => (inspections.count(accountId, now) ? ports.inspector.inspect(accountId, host) : undefined),
  });
  const viewOf = (domain: Domain, project: Project, now: number) => domainViewWithRecords(domain, project, rules, now);
  return {
    listDomains: async ({ project, query, now }) => {
      const page = pageByAge(await domains.listDomains(project.id), 'oldest first', query);
      return okPage(page, (domain) => viewOf(domain, project, now));
    },

    addDomain: async ({ project, body: { host, companion }, now }) => {
      const added = await addDomain(ports, project, host, rules, randomBytes, now, { inspector: inspector(now), companion });
      return answer(added, ({ domain }) => viewOf(domain, project, now));
    },

    getDomain: async ({ domain, project, now }) => ok(viewOf(domain, project, now)),

    verifyDomain: async ({ domain, project, now }) => {
      const { accountId } = domain;
      const quota = verifications.quota(accountId, now);
      if (!verifications.count(accountId, now)) return tooManyVerifications(quota, now);
      const verified = await verifyDomain(ports, domain, now);
      if (verified.ok) return ok(viewOf(verified.domain, project, now));
      // A verification is counted first, so that concurrent requests are limited as well; the count is taken back if nothing was done.
      verifications.takeBack(accountId, now);
      return verified;
    },

    publishRecords: async ({ domain, project, now }) =>
      answer(await publishRecords(domains, publisher, domain, recordsOf(project, domain, rules)), () => viewOf(domain, project, now)),

    removeDomain: async ({ caller, domain, project, query: { withRedirects }, now, precondition }) => {
      const options = { withRedirects: withRedirects === true, onlyAsRead: precondition !== undefined, by: { id: caller.id, rules } };
      return answer(await removeDomain(ports, domain, now, options), (removed) => viewOf(removed.domain, project, now));
    },
  };
}

function tooManyVerifications(quota: QuotaStatus, now: number): ActionRefusal {
  const { limit, resetAt } = quota;
  const seconds = retryAfterSeconds(resetAt, now);
  const message = `this account has used its ${limit} verifications for this UTC minute; its domains are checked automatically, or you can retry in ${seconds} s`;
  return { ...refused('rate_limit_exceeded', message), retryAfterSeconds: seconds, quota };
}
