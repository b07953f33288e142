// The control API's operations on the signed-in user.

import { endSessionsInput } from '../inputs.ts';
import { done, me, sessions } from '../shapes.ts';
import { NOTIFICATION_ROWS } from './notifications.ts';
import type { ControlRow } from './row.ts';

export const USER_ROWS = {
  getMe: { method: 'GET', path: '/me', summary: 'The signed-in user, their accounts, and the platform.', status: 200, result: me },
  ...NOTIFICATION_ROWS,
  listSessions: { method: 'GET', path: '/me/sessions', summary: 'Where the user is signed in.', status: 200, result: sessions },
  endSessions: {
    method: 'POST',
    path: '/me/sessions/end',
    summary: "Ends one of the user's sessions, or all but this one.",
    body: endSessionsInput,
    status: 200,
    result: done,
  },
  signOutEverywhere: {
    method: 'POST',
    path: '/me/sign-out',
    summary: "Ends all of the user's sessions at once, including this one.",
    status: 200,
    result: done,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
