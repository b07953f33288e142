// The shapes of domains, of a project's configuration, and of the sandbox's records.

import * as z from 'zod';
import { ADVICE_CODES } from '../../core/domains/advice.ts';
import { ACTORS, DIAGNOSIS_CODES } from '../../core/domains/diagnosis.ts';
import { CERTIFICATE_FAILURES, SUSPENSION_REASONS } from '../../core/domains/domain.ts';
import { REDIRECT_STATUSES } from '../../core/domains/redirects.ts';
import { DOMAIN_STATE_NAMES } from '../../core/domains/states.ts';
import { SANDBOX_TYPES } from '../../core/sandbox/records.ts';
import { domainId, host, projectId, time } from './shapes.ts';

const record = z
  .object({
    type: z.enum(['CNAME', 'ALIAS', 'TXT']),
    name: z.string(),
    label: z.string().describe('The name as most DNS providers expect it: without the registered domain, @ for that domain itself'),
    value: z.string(),
    ttl: z.int().min(1).describe('Seconds'),
  })
  .meta({ id: 'DnsRecord', description: "A record to set at the domain's DNS provider." });
const url = z.string().meta({ description: 'A page for people, with HTTPS' });
const provider = z
  .object({
    id: z.string(),
    name: z.string(),
    steps: z.array(z.string()).describe('What to do there, in order'),
    notes: z.array(z.string()).describe('What goes wrong there'),
    fields: z.object({ name: z.string(), value: z.string() }).describe('What its form calls the fields'),
    apexAlias: z.string().nullable().describe('What it calls a record that points a domain itself to another name; null if it has none'),
    records: z
      .array(z.object({ type: z.string(), name: z.string().describe('Empty if the field is left empty'), value: z.string(), ttl: z.string() }))
      .describe('The records as its form takes them'),
    link: url,
    automation: url.nullable().describe('About its API, or its support of Domain Connect; null if none is known'),
  })
  .meta({ id: 'DnsProvider', description: "The DNS provider that hosts a domain's zone, and what to do there." });
const state = z.enum(DOMAIN_STATE_NAMES).meta({ id: 'DomainState', description: "A domain's state: docs/domain-workflow.md." });
const diagnosisCode = z.enum(DIAGNOSIS_CODES).meta({ id: 'DiagnosisCode', description: "What is wrong with a domain's DNS: docs/diagnoses.md." });
const adviceCode = z.enum(ADVICE_CODES).meta({ id: 'AdviceCode', description: 'What a domain waits for, or why it failed: docs/diagnoses.md.' });
const certificateFailure = z
  .enum(CERTIFICATE_FAILURES)
  .meta({ id: 'CertificateFailure', description: 'Why an attempt at a certificate failed. Another attempt always follows.' });
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
      .describe('The latest attempt at its certificate, the first one or a renewal, if it failed; null once one has succeeded'),
    failure: certificateFailure.optional().describe('Why there is no certificate; only in the state certificate_failed'),
    detail: z.string().optional().describe("The certificate authority's message; only in the state certificate_failed"),
    reason: z.enum(SUSPENSION_REASONS).optional().describe('Why it is not served; only in the state suspended'),
    canPublish: z.boolean().describe('Whether `publish` can set its records, because the service runs its zone'),
    dnsSeenAt: time.nullable().describe('When its DNS was last looked up'),
    certificate: z
      .object({ issuer: z.string(), notBefore: time, notAfter: time, renewsAt: time.describe('From then on it is renewed automatically') })
      .nullable()
      .describe('The certificate that it is served with; null before it is live, and on AWS, which renews certificates itself'),
    companion: z.object({ domainId, host }).nullable().describe('The domain that was added in the same step: the same name with, or without, www'),
    redirectTo: host.nullable().describe('The host to which it will redirect once that one is served; null if nothing is intended'),
    canVerify: z.boolean().describe('Whether `verify` does anything now: not for a removed domain, nor while the next step is under way'),
    certificateLate: z.boolean().describe('No certificate within 30 minutes; `advice` says why, and what happens next'),
    history: z.array(z.object({ state, at: time })).describe('Its past states; the current one is last'),
    records: z.array(record).describe('The records that must exist in the DNS'),
    provider: provider.nullable().describe('Null while unknown'),
  })
  .meta({ id: 'Domain', description: 'A custom domain of a project.' });
export const configuration = z
  .object({
    domains: z.object({
      primary: host.optional().describe('The main domain of the project'),
      redirects: z.array(z.object({ from: host, to: host, status: z.literal(REDIRECT_STATUSES) })),
    }),
    logs: z
      .object({ access: z.literal(true).describe("Visits are in the operator's access log, with the visitors' addresses; always true") })
      .optional()
      .describe('What is recorded about visitors; nothing without it'),
  })
  .meta({ id: 'ProjectConfiguration', description: "The project's primary domain, its redirects, and what is recorded about visitors" });
const sandboxType = z.enum(SANDBOX_TYPES);
export const sandboxRecord = z
  .object({ name: z.string(), type: sandboxType, value: z.string(), ttl: z.int().min(1).describe('Seconds') })
  .meta({ id: 'SandboxRecord', description: "A record in the sandbox's DNS." });
