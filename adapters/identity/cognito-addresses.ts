// Addresses of a stage's users, in its Cognito user pool. Access tokens have no address, so it is read when a message is to be sent.

import { AdminGetUserCommand, type CognitoIdentityProviderClient, UserNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
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
