// Users in the stage's pool, signed in without the pool's sign-in pages, which the emulator lacks.

import {
  AdminCreateUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import type { ControlOutputs } from './cdk.ts';

const cognito = new CognitoIdentityProviderClient({});

export interface UserTokens {
  readonly access: string;
  readonly id: string;
}

/** Creates a user. @returns their tokens */
export async function signInAs(email: string, { userPoolId, clientId }: ControlOutputs): Promise<UserTokens> {
  const password = 'Correct-horse-7';
  const user = { UserPoolId: userPoolId, Username: email };
  const UserAttributes = [
    { Name: 'email', Value: email },
    { Name: 'email_verified', Value: 'true' },
  ];
  await cognito.send(new AdminCreateUserCommand({ ...user, MessageAction: 'SUPPRESS', UserAttributes }));
  await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password: password, Permanent: true }));
  const { AuthenticationResult } = await cognito.send(
    new AdminInitiateAuthCommand({
      UserPoolId: userPoolId,
      ClientId: clientId,
      AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: email, PASSWORD: password },
    }),
  );
  return { access: AuthenticationResult?.AccessToken ?? '', id: AuthenticationResult?.IdToken ?? '' };
}
