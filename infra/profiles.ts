// The profiles of stages: fixed settings that belong together. `staging` and `production` have their own; any other stage takes
// one of the two.

import type { PetstorePlatformProps, PlatformPipelineProps, PlatformSignInProps } from './platform-props.ts';

type Profile = Pick<PetstorePlatformProps, 'logRetention' | 'retainData' | 'canary' | 'reserveConcurrency' | 'keyMode' | 'throttle'> &
  Pick<PlatformPipelineProps, 'acceptance'> &
  Pick<PlatformSignInProps, 'adminSignIn'>;

export type ProfileName = 'staging' | 'production';

export const PROFILES: Readonly<Record<ProfileName, Required<Profile>>> = {
  staging: {
    logRetention: 30,
    retainData: false,
    canary: false,
    reserveConcurrency: false,
    acceptance: true,
    adminSignIn: true,
    keyMode: 'test',
    throttle: { rate: 500, burst: 1_000 },
  },
  production: {
    logRetention: 365,
    retainData: true,
    canary: true,
    reserveConcurrency: true,
    acceptance: false,
    adminSignIn: false,
    keyMode: 'live',
    throttle: { rate: 5_000, burst: 5_000 },
  },
};

/** Returns whether this is the name of a profile, and so of a stage whose profile can't be changed. */
export function isProfileName(name: string): name is ProfileName {
  return name in PROFILES;
}
