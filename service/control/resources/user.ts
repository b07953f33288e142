// The signed-in user: the accounts they are a member of, their sessions, and their settings for emails.

import * as z from 'zod';
import { PLAN_NAMES } from '../../../core/access/plans.ts';
import { NOTIFICATION_KINDS, type NotificationKind } from '../../../core/notifications/notification.ts';
import { changedMeanwhile, refused } from '../../../core/refusal.ts';
import { quoted } from '../../../core/validate.ts';
import { PATTERNS } from '../../openapi/schemas.ts';
import type { ControlPorts, OwnedLookups } from '../context.ts';
import * as example from '../examples.ts';
import { DONE, type Implementations, ok, type ResourceRows, resource } from '../operation.ts';
import { account, done, limits, planName, REPORTS_NOTHING, SIGN_INS, signIn, time, userId } from '../shapes.ts';
import { accountView, planView, signInView } from '../views.ts';

const plan = z
  .object({
    plan: planName,
    label: z.string().describe('Display name'),
    limits: limits.nullable().describe('Null if agreed per account'),
    projects: z.int().describe('Maximum number of projects per account'),
    domains: z.int().describe('Maximum number of custom domains per account; 0 if the plan has none'),
    deployment: z
      .object({
        files: z.int().min(1),
        fileBytes: z.int().min(1).describe('Of a single file'),
        bytes: z.int().min(1).describe('Of all files together'),
      })
      .describe('Limits for one deployment'),
  })
  .meta({ id: 'Plan', description: 'What a plan allows an account.' });
const me = z
  .object({
    userId,
    email: z.string().nullable().describe('Null if unknown'),
    secondFactor: z.boolean().nullable().describe('Whether this sign-in had a second factor; null if this installation does not know'),
    operator: z.boolean().describe('Whether the user operates the installation'),
    accounts: z.array(account).describe("The user's accounts, oldest first"),
    platform: z.object({
      edgeHost: z.string().describe("The parent of all projects' targets"),
      httpsPort: z.int().describe('Port that domains are served on over HTTPS'),
      sandboxSuffix: z.string().nullable().describe("The suffix of the sandbox's names; null if there is no sandbox"),
      plans: z.array(plan).describe('Smallest first'),
    }),
  })
  .meta({ id: 'Me', description: 'The signed-in user, their accounts, and the platform.' });
const sessions = z
  .object({
    canList: z.boolean().describe('Whether this installation can list sessions; if not, the list is empty, and signOutEverywhere ends all'),
    accessEndsWithinSeconds: z
      .int()
      .min(0)
      .describe('How long a session that is ended can still make requests, until its last access token expires; 0: not at all'),
    sessions: z
      .array(
        z.object({
          sessionId: z.string().meta({ description: 'Not a secret' }),
          client: z.enum(['dashboard', 'command_line']),
          agent: z.string().nullable().describe('The browser and operating system, in words; null if unknown'),
          current: z.boolean().describe('Whether it is the session of this request'),
          begunAt: time,
          usedAt: time.describe('When it was last renewed, at most ten minutes before its last request'),
        }),
      )
      .describe('Most recently used first'),
    signIns: z
      .array(signIn)
      .describe(`The latest ${SIGN_INS} sign-ins and attempts from the last 400 days, newest first; empty if sessions can’t be listed`),
  })
  .meta({ id: 'Sessions', description: 'Where a user is signed in, and recent attempts to sign in.' });
const endSessionsInput = z
  .strictObject({
    sessionId: z
      .string('the id of a session')
      .optional()
      .meta({ description: 'If omitted, all but the session of this request', pattern: PATTERNS.sessionId }),
  })
  .meta({ id: 'EndSessionsInput' });
const kind = z.enum(NOTIFICATION_KINDS, `one of ${NOTIFICATION_KINDS.join(', ')}`).meta({
  id: 'NotificationKind',
  description: 'What an email to the members of an account is about.',
});
const notificationSettings = z
  .object({
    sends: z.boolean().describe('Whether this installation sends emails at all'),
    kinds: z.array(kind).describe('The kinds that the user gets'),
  })
  .meta({ id: 'NotificationSettings', description: 'Which emails the user gets, for all of their accounts.' });
const notificationSettingsInput = z
  .strictObject({
    kinds: z
      .array(z.enum(NOTIFICATION_KINDS, `one of ${NOTIFICATION_KINDS.join(', ')}`), `a list of ${NOTIFICATION_KINDS.join(', ')}`)
      .max(NOTIFICATION_KINDS.length, 'each kind once')
      .describe('The kinds to get; all others are turned off'),
  })
  .meta({ id: 'NotificationSettingsInput' });

const sessionIdExample = 'g4Xk0pV2bQ8sT6uY1wZ3cR5eF7hJ9mN0aB2dL4iO6kE';

export const USER_OPERATIONS = resource('user', {
  getMe: {
    route: 'GET /me',
    summary: 'The signed-in user, their accounts, and the platform.',
    description: "The token's user, the accounts they are a member of, and the platform's names, port and plans.",
    response: 'The user.',
    result: me,
    example: {
      response: {
        userId: example.userId,
        email: 'ann@example.com',
        secondFactor: true,
        operator: false,
        accounts: [example.account],
        platform: { edgeHost: 'edge.petstore.test', httpsPort: 8_443, sandboxSuffix: 'test', plans: PLAN_NAMES.map(planView) },
      },
    },
  },
  getNotificationSettings: {
    route: 'GET /me/notifications',
    summary: 'Which emails the user gets.',
    description: 'A user who has not chosen gets all kinds, including those that are added later. Emails are sent to the members of an account.',
    response: 'The settings.',
    result: notificationSettings,
    example: { response: { sends: true, kinds: [...NOTIFICATION_KINDS] } },
  },
  updateNotificationSettings: {
    route: 'PUT /me/notifications',
    summary: 'Chooses which emails the user gets.',
    description: 'Applies to all accounts of the user, and to no other member.',
    response: 'The stored settings.',
    body: notificationSettingsInput,
    result: notificationSettings,
    example: {
      body: { kinds: ['domain_failed', 'domain_lost', 'key_banned'] },
      response: { sends: true, kinds: ['domain_failed', 'domain_lost', 'key_banned'] },
    },
  },
  listSessions: {
    route: 'GET /me/sessions',
    summary: "The user's sessions and recent sign-in attempts.",
    description: 'Browsers and command lines that can renew their access. Cognito does not list sessions: on AWS the list is empty.',
    response: 'The sessions.',
    result: sessions,
    example: {
      response: {
        canList: true,
        accessEndsWithinSeconds: 0,
        sessions: [
          {
            sessionId: sessionIdExample,
            client: 'dashboard',
            agent: 'Firefox on Windows',
            current: true,
            begunAt: example.monday,
            usedAt: example.tuesday,
          },
          {
            sessionId: sessionIdExample.replace('4', '5'),
            client: 'command_line',
            agent: 'Safari on macOS',
            current: false,
            begunAt: example.monday,
            usedAt: example.monday,
          },
        ],
        signIns: example.signIns,
      },
    },
  },
  endSessions: {
    route: 'POST /me/sessions/end',
    summary: "Ends one of the user's sessions, or all but this one.",
    description:
      'Takes effect at once. Ending a browser’s session also ends those of command lines that were signed in with it. Where sessions can’t be listed, returns 404: use signOutEverywhere.',
    response: 'The sessions have ended.',
    errors: ['not_found'],
    body: endSessionsInput,
    needsRecentSignIn: true,
    result: done,
    example: { body: { sessionId: sessionIdExample }, response: { done: true } },
  },
  signOutEverywhere: {
    route: 'POST /me/sign-out',
    summary: "Ends all of the user's sessions at once, including this one.",
    description:
      'No session can be renewed any more. Access tokens that were issued before are refused at once; on AWS, they work until they expire, ten minutes at most.',
    response: 'All sessions have ended.',
    needsRecentSignIn: true,
    ...REPORTS_NOTHING,
  },
} as const satisfies ResourceRows);

/** Implements the operations on the user. Only kinds of emails that are turned off are stored, so users get kinds added by later releases. */
export function userHandlers(
  { rules, sandbox, directory, sessions, operators, knowsSecondFactors, notificationSettings, sendsMail, httpsPort }: ControlPorts,
  owned: OwnedLookups,
): Implementations<typeof USER_OPERATIONS> {
  const settingsView = (muted: readonly NotificationKind[]) => ({
    sends: sendsMail,
    kinds: NOTIFICATION_KINDS.filter((kind) => !muted.includes(kind)),
  });
  return {
    getMe: async ({ caller }) =>
      ok({
        userId: caller.id,
        email: caller.email ?? null,
        secondFactor: knowsSecondFactors ? caller.hasSecondFactor === true : null,
        operator: operators.includes(caller.id),
        accounts: (await owned.accountsOf(caller)).map(accountView),
        platform: { edgeHost: rules.edge.host, httpsPort, sandboxSuffix: sandbox?.suffix ?? null, plans: PLAN_NAMES.map(planView) },
      }),

    getNotificationSettings: async ({ caller }) => ok(settingsView(await notificationSettings.mutedBy(caller.id))),

    updateNotificationSettings: async ({ caller, body: { kinds }, precondition }) => {
      const muted = NOTIFICATION_KINDS.filter((kind) => !kinds.includes(kind));
      const read = precondition && (await notificationSettings.mutedBy(caller.id));
      const changed = read && precondition(settingsView(read));
      if (changed !== undefined) return changed;
      return (await notificationSettings.mute(caller.id, muted, read)) ? ok(settingsView(muted)) : changedMeanwhile('the settings');
    },

    listSessions: async ({ caller }) => {
      if (sessions === undefined) return ok({ canList: false, accessEndsWithinSeconds: caller.tokenSeconds ?? 0, sessions: [], signIns: [] });
      const all = (await sessions.listSessions(caller.id)).map(({ id, client, agent = null, begunAt, usedAt }) => ({
        sessionId: id,
        client,
        agent,
        current: id === caller.sessionId,
        begunAt: new Date(begunAt).toISOString(),
        usedAt: new Date(usedAt).toISOString(),
      }));
      const signIns = (await sessions.listSignIns(caller.id, SIGN_INS)).map(signInView);
      return ok({ canList: true, accessEndsWithinSeconds: 0, sessions: all, signIns });
    },

    endSessions: async ({ caller, body: { sessionId } }) => {
      if (sessions === undefined) return refused('not_found', 'this installation does not list sessions; signOutEverywhere ends all of them');
      if (sessionId !== undefined)
        return (await sessions.endSession(caller.id, sessionId)) ? DONE : refused('not_found', `no session ${quoted(sessionId)}; it may have ended`);
      if (caller.sessionId === undefined)
        return refused('conflict', 'this session began before the service kept a list of sessions; sign in again first');
      await sessions.endOtherSessions(caller.id, caller.sessionId);
      return DONE;
    },

    signOutEverywhere: async ({ caller }) => {
      await directory.endSessions(caller);
      return DONE;
    },
  };
}
