// What the operations of the control API give and take, piece by piece.

import * as z from 'zod';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { ADVICE_CODES } from '../../core/domains/advice.ts';
import { ACTORS, DIAGNOSIS_CODES } from '../../core/domains/diagnose.ts';
import { CERTIFICATE_FAILURES, SUSPENSION_REASONS } from '../../core/domains/domain.ts';
import { REDIRECT_STATUSES } from '../../core/domains/redirects.ts';

export const time = z.iso.datetime();
export const name = z.string('a text').min(1, '1 to 100 characters').max(100, '1 to 100 characters');

export const account = z.object({
  accountId: z.string(),
  name: z.string(),
  plan: z.enum(PLAN_NAMES),
  limits: z.object({ perMinute: z.int(), perDay: z.int() }),
  createdAt: time,
});
export const member = z.object({ userId: z.string(), email: z.string().nullable().describe('Null where users are kept elsewhere') });
export const project = z.object({
  projectId: z.string(),
  accountId: z.string(),
  name: z.string(),
  target: z.string().describe('What the CNAME of its domains says'),
  deploymentId: z.string().nullable().describe('The deployment that is served'),
  createdAt: time,
});
export const deployment = z.object({ deploymentId: z.string(), current: z.boolean(), createdAt: time, files: z.int(), bytes: z.int() });
const record = z.object({
  type: z.enum(['CNAME', 'ALIAS', 'TXT']),
  name: z.string(),
  label: z.string().describe('The name as most registrars want it: without the registered domain, @ for that domain itself'),
  value: z.string(),
  ttl: z.int().describe('Seconds'),
});
export const domain = z.object({
  domainId: z.string(),
  host: z.string(),
  projectId: z.string(),
  state: z.string(),
  since: time,
  diagnosis: z.object({ code: z.enum(DIAGNOSIS_CODES), seen: z.string(), fix: z.string(), actor: z.enum(ACTORS) }).nullable(),
  advice: z
    .object({ code: z.enum(ADVICE_CODES), seen: z.string(), fix: z.string(), actor: z.enum(ACTORS) })
    .nullable()
    .describe('What to do, and who must; null if nothing is waited for'),
  nextCheckAt: time.optional(),
  failure: z.enum(CERTIFICATE_FAILURES).optional(),
  detail: z.string().optional(),
  reason: z.enum(SUSPENSION_REASONS).optional(),
  canVerify: z.boolean().describe('Is Verify, or Re-verify, possible now?'),
  certificateLate: z.boolean().describe('No certificate within 30 minutes: check the record and CAA records, then Re-verify'),
  history: z.array(z.object({ state: z.string(), at: time })),
  records: z.array(record).describe('What has to stand in the DNS'),
});
export const configuration = z.object({
  domains: z.object({
    primary: z.string().optional(),
    redirects: z.array(z.object({ from: z.string(), to: z.string(), status: z.literal(REDIRECT_STATUSES) })),
  }),
});
export const key = z.object({
  keyId: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  state: z.enum(['active', 'banned', 'expired']),
  createdAt: time,
  expiresAt: time.nullable(),
  bannedUntil: time.nullable().describe('Null if no ban is in force'),
  lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
});
export const issuedKey = key.extend({ key: z.string().describe('The key itself, only here and only now') });
const window = z.object({ used: z.int(), limit: z.int(), remaining: z.int(), resetAt: time });
export const usage = z.object({
  accountId: z.string(),
  plan: z.enum(PLAN_NAMES),
  minute: window,
  day: window,
  bans: z.array(z.object({ keyId: z.string(), until: time, level: z.int() })),
  history: z
    .object({
      minutes: z.array(z.object({ startsAt: time, admitted: z.int() })),
      days: z.array(z.object({ startsAt: time, admitted: z.int(), refused: z.int().describe('Answered 429; told up to a minute later') })),
    })
    .describe('Oldest first; the last of each is the current one'),
});
export const sandboxRecord = z.object({ name: z.string(), type: z.string(), value: z.string(), ttl: z.int() });
export const done = z.object({ done: z.literal(true) });
