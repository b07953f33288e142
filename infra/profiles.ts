// The profiles of stages: fixed settings that belong together. `staging` and `production` have their own; any other stage takes
// one of the two.

import type { OperationSettings } from './platform-settings.ts';

export interface Profile extends OperationSettings {
  readonly logRetentionDays: 30 | 365;
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
