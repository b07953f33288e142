// The operator of a stage, who runs `petstore --stage` with the stage's operator role.

import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { Environment } from './run-program.ts';

/** Assumes the role as a principal of its account. @returns the environment variables with its credentials, which are valid for an hour */
export async function assumeOperatorRole(RoleArn: string): Promise<Environment> {
  const sts = new STSClient({});
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'operator' }));
  sts.destroy();
  return {
    AWS_ACCESS_KEY_ID: Credentials?.AccessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: Credentials?.SecretAccessKey ?? '',
    AWS_SESSION_TOKEN: Credentials?.SessionToken ?? '',
  };
}
