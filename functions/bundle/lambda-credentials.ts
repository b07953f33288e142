// Replaces @aws-sdk/credential-provider-node in the bundle. Lambda provides credentials in the environment, so the chain's other providers (files,
// SSO, STS, instance metadata) would only add 90 KB to each cold start.

import { fromEnv } from '@aws-sdk/credential-provider-env';

export const defaultProvider = fromEnv;
