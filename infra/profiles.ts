// The profiles of stages: fixed settings that belong together. `staging` and `production` have their own; any other stage takes
// one of the two.

import type { KeyMode } from '../core/access/api-key.ts';

export interface Profile {
  readonly logRetentionDays: 30 | 365;
  /** Retain tables and logs when a stack is deleted, and protect tables against deletion. */
  readonly retainData: boolean;
  /** Shift traffic gradually, and shift it back if an alarm goes off. */
  readonly canary: boolean;
  /** Reserve concurrency for functions whose flood would take the API's. Impossible in a new AWS account, whose quota is 10. */
  readonly reserveConcurrency: boolean;
  /** Run the black-box suite against the stage; it creates its own accounts and animals. */
  readonly acceptance: boolean;
  /** Let callers with credentials of the AWS account sign in to the dashboard with a user's password, as tests of a deployment do. */
  readonly adminSignIn: boolean;
  /** The mode of new keys. */
  readonly keyMode: KeyMode;
  /** Safety limit for the whole stage, in requests a second; accounts have their own limits. */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

export type ProfileName = 'staging' | 'production';

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  staging: {
    logRetentionDays: 30,
    retainData: false,
    canary: false,
    reserveConcurrency: false,
    acceptance: true,
    adminSignIn: true,
    keyMode: 'test',
    throttle: { rate: 500, burst: 1_000 },
  },
  production: {
    logRetentionDays: 365,
    retainData: true,
    canary: true,
    reserveConcurrency: true,
    acceptance: false,
    adminSignIn: false,
    keyMode: 'live',
    throttle: { rate: 5_000, burst: 5_000 },
  },
};

export const DEFAULT_PROFILE: ProfileName = 'staging';

/** Returns whether this is the name of a profile, and so of a stage whose profile can't be changed. */
export function isProfileName(name: string): name is ProfileName {
  return name in PROFILES;
}
