// The parts that several resources of the control API share. Parts with an id have that name in the OpenAPI document. No name starts with New…, which
// generated Go clients use for constructors, and none is Configuration, which generated clients define themselves.

import * as z from 'zod';
import { isDisplayName, MAX_NAME_LENGTH } from '../../core/access/account.ts';
import { isNote, MAX_NOTE_LENGTH } from '../../core/access/plan-requests.ts';
import { PLAN_NAMES, ROLES } from '../../core/access/plans.ts';
import { CURSOR_PATTERN, MAX_PAGE_SIZE } from '../../core/page.ts';
import { PATTERNS } from '../openapi/schemas.ts';

export const time = z.iso.datetime();
export const name = z
  .string('a text')
  .refine(isDisplayName, '1 to 100 characters, not blank, without control characters')
  .meta({ description: 'Display name: not blank, without control characters', minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: PATTERNS.name });
/** Builds the schema of a whole number in a range. @param allowed the range in words */
export function wholeNumber(allowed: string, least: number, most: number) {
  return z.int(allowed).min(least, allowed).max(most, allowed);
}

/** Builds the schema of a message to or from the operator; empty if omitted. @param description what it is for */
export function note(description: string) {
  return z
    .string('a text')
    .refine(isNote, `up to ${MAX_NOTE_LENGTH} characters, on one line`)
    .default('')
    .meta({
      description: `${description}: up to ${MAX_NOTE_LENGTH} characters, without control characters`,
      maxLength: MAX_NOTE_LENGTH,
      pattern: PATTERNS.note,
    });
}
export const accountId = z.string().meta({ description: 'Id of the account' });
export const userId = z.string().meta({ description: 'Id of the user' });
export const keyId = z.string().meta({ description: 'Id of the key, not the key itself' });
export const projectId = z.string().meta({ description: 'Id of the project' });
export const deploymentId = z.string().meta({ description: 'Id of the deployment' });
export const domainId = z.string().meta({ description: 'Id of the domain' });
export const host = z.string().meta({ description: 'Host name: lower case, in ASCII, without a trailing dot' });
export const planName = z.enum(PLAN_NAMES).meta({ id: 'PlanName', description: 'A plan.' });
export const limits = z
  .object({ perMinute: z.int().min(1), perDay: z.int().min(1) })
  .describe("Requests to the catalogue API by all of the account's keys together");
export const role = z
  .enum(ROLES)
  .meta({ id: 'Role', description: 'What a member may do. An owner: everything; a member: everything except what requires the owner role.' });
export const account = z
  .object({
    accountId,
    name: z.string(),
    plan: planName,
    limits,
    role: role.describe("The user's role in the account"),
    planRequest: z
      .object({
        plan: planName,
        note: z.string(),
        requestedAt: time,
        decision: z
          .object({ approved: z.boolean(), reason: z.string().describe('From the operator; may be empty'), at: time })
          .nullable()
          .describe('Null while the request is open'),
      })
      .nullable()
      .describe('The plan that was asked for last; null if none was'),
    suspension: z
      .object({ since: time, reason: z.string().describe('From the operator') })
      .nullable()
      .describe('Set while the operator has suspended the account; otherwise null'),
    secondFactorRequired: z.boolean().describe('Whether members must have signed in with a second factor'),
    createdAt: time,
  })
  .meta({ id: 'Account', description: 'An account: its keys share a quota.' });
export const project = z
  .object({
    projectId,
    accountId,
    name: z.string(),
    target: host.describe("The value of its domains' CNAME records"),
    url: z
      .string()
      .nullable()
      .describe('Its own address, not a custom domain: search engines are asked not to index it; null if the platform has no such addresses'),
    deploymentId: deploymentId.nullable().describe('The current deployment'),
    createdAt: time,
  })
  .meta({ id: 'Project', description: 'Files that are served on domains.' });
/** Maximum number of sign-ins and attempts that are listed. */
export const SIGN_INS = 50;
export const signIn = z
  .object({
    at: time,
    outcome: z
      .enum(['succeeded', 'failed', 'refused', 'reset_requested'])
      .describe('`refused`: after too many attempts; `reset_requested`: a password reset link was requested'),
    method: z.enum(['password', 'code', 'passkey']).nullable().describe('The method used last; null for an emailed link'),
    agent: z.string().describe('The browser and operating system, in words'),
    address: z.string().nullable().describe('IP address; null: several'),
    count: z.int().min(1).describe('Number of similar attempts in this entry, usually within one minute'),
  })
  .meta({ id: 'SignIn', description: 'A sign-in of a user, or similar attempts at one.' });
export const done = z
  .object({ done: z.literal(true).describe('Always true') })
  .meta({ id: 'Done', description: 'Done; there is nothing to report.' });

export const REPORTS_NOTHING = { result: done, example: { response: { done: true } } } as const;

const LIMIT_ALLOWED = `an integer from 1 to ${MAX_PAGE_SIZE}`;
export const CURSOR_ALLOWED = 'the cursor from a next link of this list';

export const pageQuery = z.strictObject({
  limit: z
    .string(LIMIT_ALLOWED)
    .refine((limit) => /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MAX_PAGE_SIZE, LIMIT_ALLOWED)
    .transform(Number)
    .optional()
    .meta({ description: 'Items per page; without it and without a cursor, the whole list', type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE }),
  cursor: z
    .string(CURSOR_ALLOWED)
    .regex(new RegExp(CURSOR_PATTERN), CURSOR_ALLOWED)
    .optional()
    .meta({ description: 'Where the page starts: taken from the `Link` header of the previous page', pattern: CURSOR_PATTERN }),
});
