// What the operations of the control API give and take, piece by piece. Pieces with an id have that name in the OpenAPI document.
// None is called New…, which is what constructors are called in clients in Go, nor Configuration, which clients have themselves.

import * as z from 'zod';
import { isDisplayName, MAX_NAME_LENGTH } from '../../core/access/account.ts';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { ADVICE_CODES } from '../../core/domains/advice.ts';
import { ACTORS, DIAGNOSIS_CODES } from '../../core/domains/diagnosis.ts';
import { CERTIFICATE_FAILURES, SUSPENSION_REASONS } from '../../core/domains/domain.ts';
import { REDIRECT_STATUSES } from '../../core/domains/redirects.ts';
import { DOMAIN_STATE_NAMES } from '../../core/domains/states.ts';
import { SANDBOX_TYPES } from '../../core/sandbox/records.ts';
import { PATTERNS } from '../openapi/patterns.ts';

export const time = z.iso.datetime();
export const name = z
  .string('a text')
  .refine(isDisplayName, '1 to 100 characters, not blank, without control characters')
  .meta({ description: 'For people: not blank, without control characters', minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: PATTERNS.name });

const accountId = z.string().meta({ description: 'Id of the account', pattern: PATTERNS.accountId });
const userId = z.string().meta({ description: 'Id of the user', pattern: PATTERNS.userId });
export const keyId = z.string().meta({ description: 'Id of the key, not the key itself', pattern: PATTERNS.keyId });
const projectId = z.string().meta({ description: 'Id of the project', pattern: PATTERNS.projectId });
const deploymentId = z.string().meta({ description: 'Id of the deployment', pattern: PATTERNS.deploymentId });
const domainId = z.string().meta({ description: 'Id of the domain', pattern: PATTERNS.domainId });
const host = z.string().meta({ description: 'Host name: lower case, in ASCII, without a dot at the end', maxLength: 253, pattern: PATTERNS.host });

const limits = z
  .object({ perMinute: z.int().min(1), perDay: z.int().min(1) })
  .describe("Requests to the catalogue API: of all of the account's keys together");

export const account = z
  .object({
    accountId,
    name: z.string(),
    plan: z.enum(PLAN_NAMES),
    limits,
    createdAt: time,
  })
  .meta({ id: 'Account', description: 'An account: its keys share a quota, its members may do all that this API does.' });
export const member = z
  .object({ userId, email: z.string().nullable().describe('Null where users are kept elsewhere') })
  .meta({ id: 'Member', description: 'A user who may act for an account.' });
export const project = z
  .object({
    projectId,
    accountId,
    name: z.string(),
    target: host.describe('What the CNAME of its domains says'),
    deploymentId: deploymentId.nullable().describe('The deployment that is served'),
    createdAt: time,
  })
  .meta({ id: 'Project', description: 'Files that are served on domains.' });
export const deployment = z
  .object({
    deploymentId,
    current: z.boolean().describe('Is it the one that is served?'),
    createdAt: time,
    files: z.int().min(0),
    bytes: z.int().min(0),
  })
  .meta({ id: 'Deployment', description: 'The files of a project as they were published once.' });
const record = z
  .object({
    type: z.enum(['CNAME', 'ALIAS', 'TXT']),
    name: z.string(),
    label: z.string().describe('The name as most registrars want it: without the registered domain, @ for that domain itself'),
    value: z.string(),
    ttl: z.int().min(1).describe('Seconds'),
  })
  .meta({ id: 'DnsRecord', description: "A record to set at the domain's DNS provider." });
const state = z.enum(DOMAIN_STATE_NAMES).meta({ id: 'DomainState', description: 'How far a domain is: docs/domain-workflow.md.' });
const diagnosisCode = z
  .enum(DIAGNOSIS_CODES)
  .meta({ id: 'DiagnosisCode', description: 'What is wrong with the DNS of a domain: docs/diagnoses.md.' });
const adviceCode = z.enum(ADVICE_CODES).meta({ id: 'AdviceCode', description: 'What a domain waits for, or why it failed: docs/diagnoses.md.' });
const actor = z.enum(ACTORS).meta({ id: 'Actor', description: 'Who must act.' });
const seen = z.string().describe('What was found, in words');
const fix = z.string().describe('What to do, in words');
export const domain = z
  .object({
    domainId,
    host,
    projectId,
    state,
    stateLabel: z.string().describe('The state in words'),
    served: z.boolean().describe("Do visitors get the project's pages there?"),
    inProgress: z.boolean().describe('Does it go on by itself, so that it is worth asking again soon?'),
    since: time.describe('When it came into this state'),
    diagnosis: z.object({ code: diagnosisCode, seen, fix, actor }).nullable().describe('What was seen of its DNS last'),
    advice: z.object({ code: adviceCode, seen, fix, actor }).nullable().describe('What to do, and who must; null if nothing is waited for'),
    nextCheckAt: time.optional().describe('When it is looked at again by itself'),
    failure: z.enum(CERTIFICATE_FAILURES).optional().describe('Why there is no certificate; in the state certificate_failed'),
    detail: z.string().optional().describe("The certificate authority's words; in the state certificate_failed"),
    reason: z.enum(SUSPENSION_REASONS).optional().describe('Why it is not served; in the state suspended'),
    canVerify: z.boolean().describe('Is Verify, or Re-verify, possible now?'),
    certificateLate: z.boolean().describe('No certificate within 30 minutes: check the record and CAA records, then Re-verify'),
    history: z.array(z.object({ state, at: time })).describe('States that it went through; the present one is last'),
    records: z.array(record).describe('What has to stand in the DNS'),
  })
  .meta({ id: 'Domain', description: 'A custom domain of a project.' });
export const configuration = z
  .object({
    domains: z.object({
      primary: host.optional().describe('The main domain of the project'),
      redirects: z.array(z.object({ from: host, to: host, status: z.literal(REDIRECT_STATUSES) })),
    }),
  })
  .meta({ id: 'ProjectConfiguration', description: "A project's primary domain and redirects." });
export const key = z
  .object({
    keyId,
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    state: z.enum(['active', 'banned', 'expired']),
    createdAt: time,
    expiresAt: time.nullable().describe('Null if it does not expire'),
    bannedUntil: time.nullable().describe('Null if no ban is in force'),
    lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
  })
  .meta({ id: 'Key', description: 'An API key, without its text.' });
const keyText = z.string().meta({ description: 'The key itself, only here and only now', pattern: PATTERNS.apiKey });
export const issuedKey = key.extend({ key: keyText }).meta({ id: 'IssuedKey', description: 'A new API key.' });
export const rotatedKey = issuedKey
  .extend({ oldKeyId: keyId, oldExpiresAt: time.describe('Until then both keys work') })
  .meta({ id: 'RotatedKey', description: 'The successor of an API key.' });
const window = z
  .object({ used: z.int().min(0), limit: z.int().min(1), remaining: z.int().min(0), resetAt: time })
  .meta({ id: 'UsageWindow', description: 'The use of one window, a UTC minute or a UTC day.' });
export const usage = z
  .object({
    accountId,
    plan: z.enum(PLAN_NAMES),
    minute: window,
    day: window,
    bans: z.array(z.object({ keyId, until: time, level: z.int().min(0) })),
    history: z
      .object({
        minutes: z.array(z.object({ startsAt: time, admitted: z.int().min(0) })),
        days: z.array(
          z.object({ startsAt: time, admitted: z.int().min(0), refused: z.int().min(0).describe('Answered 429; told up to a minute later') }),
        ),
      })
      .describe('Oldest first; the last of each is the current one'),
  })
  .meta({ id: 'Usage', description: "An account's use of its quota." });
const sandboxType = z.enum(SANDBOX_TYPES);
export const sandboxRecord = z
  .object({ name: z.string(), type: sandboxType, value: z.string(), ttl: z.int().min(1).describe('Seconds') })
  .meta({ id: 'SandboxRecord', description: "A record of the sandbox's DNS." });
const plan = z
  .object({
    plan: z.enum(PLAN_NAMES),
    label: z.string().describe('For people'),
    limits: limits.nullable().describe('Null where they are agreed account by account'),
    projects: z.int().describe('Projects that an account may have'),
    domains: z.int().describe('Custom domains that an account may have; 0: the plan has none'),
  })
  .meta({ id: 'Plan', description: 'What an account may have.' });
export const me = z
  .object({
    userId,
    email: z.string().nullable().describe('Null where it is not known'),
    accounts: z.array(account).describe('Those that the user may act for, oldest first'),
    platform: z.object({
      edgeHost: z.string().describe("The host that all projects' targets are below"),
      httpsPort: z.int().describe('Where domains are served'),
      sandboxSuffix: z.string().nullable().describe("The suffix of the sandbox's names; null where there is no sandbox"),
      plans: z.array(plan).describe('From the smallest to the largest'),
    }),
  })
  .meta({ id: 'Me', description: 'Who is signed in, what they may act for, and where.' });
export const done = z.object({ done: z.literal(true) }).meta({ id: 'Done', description: 'It is done; there is nothing more to say.' });
