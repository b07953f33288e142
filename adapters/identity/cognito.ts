// Addresses of a stage's users, in its Cognito user pool. Access tokens have no address, so it is read when a message is to be sent.

import {
  AdminGetUserCommand,
  AdminUserGlobalSignOutCommand,
  type CognitoIdentityProviderClient,
  UserNotFoundException,
} from '@aws-sdk/client-cognito-identity-provider';
import type { SessionEnder } from '../../core/identity/ports.ts';
import { isEmailAddress } from '../../core/identity/user.ts';
import type { AddressBook } from '../../core/notifications/ports.ts';

/** Creates the address book. A user's id is the `sub` of their tokens, by which Cognito also finds a local user. */
export function createCognitoAddresses(client: CognitoIdentityProviderClient, userPoolId: string): AddressBook {
  return {
    addressOf: async (userId) => {
      try {
        const { Enabled = false, UserAttributes = [] } = await client.send(new AdminGetUserCommand({ UserPoolId: userPoolId, Username: userId }));
        const attribute = (name: string) => UserAttributes.find(({ Name }) => Name === name)?.Value ?? '';
        const email = attribute('email');
        return Enabled && attribute('email_verified') === 'true' && isEmailAddress(email) ? email : undefined;
      } catch (error) {
        if (error instanceof UserNotFoundException) return undefined;
        throw error;
      }
    },
  };
}

// Sessions of a stage's users, which Cognito keeps. It lists them only with device tracking or threat protection, so all that can be done is to end all.

/**
 * Creates the port. Refresh tokens are revoked; access tokens pass API Gateway's authorizer until they expire (Cognito Developer Guide, "Ending user
 * sessions with token revocation").
 */
export function createCognitoSessions(client: CognitoIdentityProviderClient, userPoolId: string): SessionEnder {
  return {
    endSessions: async (userId) => {
      try {
        await client.send(new AdminUserGlobalSignOutCommand({ UserPoolId: userPoolId, Username: userId }));
      } catch (error) {
        // Who no longer exists has no sessions.
        if (!(error instanceof UserNotFoundException)) throw error;
      }
    },
  };
}
