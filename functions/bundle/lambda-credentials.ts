// Stands in for @aws-sdk/credential-provider-node in the bundle: Lambda hands a function its credentials in the
// environment, so the chain's other links (files, SSO, STS, instance metadata) are 90 KB that no cold start should read.

import { fromEnv } from '@aws-sdk/credential-provider-env';

export const defaultProvider = fromEnv;
