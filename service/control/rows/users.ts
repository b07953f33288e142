// The control API's operations on the signed-in user.

import { done, me } from '../shapes.ts';
import { NOTIFICATION_ROWS } from './notifications.ts';
import type { ControlRow } from './row.ts';

export const USER_ROWS = {
  getMe: { method: 'GET', path: '/me', summary: 'The signed-in user, their accounts, and the platform.', status: 200, result: me },
  ...NOTIFICATION_ROWS,
  signOutEverywhere: {
    method: 'POST',
    path: '/me/sign-out',
    summary: "Ends all of the user's sessions at once, including this one.",
    status: 200,
    result: done,
  },
} as const satisfies Readonly<Record<string, ControlRow>>;
