// Addresses of a stage's users, in its Cognito user pool. Access tokens don't contain the address, so it is read when a message is to be sent.

import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  AdminResetUserPasswordCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  AdminUserGlobalSignOutCommand,
  type AttributeType,
  type CognitoIdentityProviderClient,
  InvalidParameterException,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';
import type { SessionEnder } from '../../core/identity/ports.ts';
import { isEmailAddress } from '../../core/identity/user.ts';
import type { AddressBook } from '../../core/notifications/ports.ts';
import { unlessNamed } from '../aws-errors.ts';

const GONE = 'UserNotFoundException';

/** Creates the address book. A user's id is the `sub` of their tokens, by which Cognito also finds a local user. */
export function createCognitoAddresses(client: CognitoIdentityProviderClient, userPoolId: string): AddressBook {
  return {
    addressOf: async (userId) => {
      const get = new AdminGetUserCommand({ UserPoolId: userPoolId, Username: userId });
      const { Enabled = false, UserAttributes = [] } = (await client.send(get).catch(unlessNamed(GONE))) ?? {};
      const attribute = (name: string) => UserAttributes.find(({ Name }) => Name === name)?.Value ?? '';
      const email = attribute('email');
      return Enabled && attribute('email_verified') === 'true' && isEmailAddress(email) ? email : undefined;
    },
  };
}

// Users of an installation that is moved to this stage. They are created with a random password and without a message.

export interface MovedUsers {
  /** Creates a user for an address, unless there is one. @returns the user's id; undefined if Cognito rejects the address */
  take(email: string): Promise<string | undefined>;
  /** Mails the user a code for choosing the password that they need to sign in; sends it only once, even if called again. */
  askForPassword(userId: string): Promise<void>;
}

/** Creates the port. @param newPassword returns a password that meets the pool's policy */
export function createMovedUsers(client: CognitoIdentityProviderClient, userPoolId: string, newPassword: () => string): MovedUsers {
  const find = (name: string) => client.send(new AdminGetUserCommand({ UserPoolId: userPoolId, Username: name }));
  const idOf = (attributes: readonly AttributeType[] | undefined) => attributes?.find(({ Name }) => Name === 'sub')?.Value ?? '';
  return {
    take: async (email) => {
      const verified = [
        { Name: 'email', Value: email },
        { Name: 'email_verified', Value: 'true' },
      ];
      const create = new AdminCreateUserCommand({ UserPoolId: userPoolId, Username: email, UserAttributes: verified, MessageAction: 'SUPPRESS' });
      const user = await client.send(create).then(
        ({ User }) => ({ id: idOf(User?.Attributes), status: User?.UserStatus }),
        async (error: unknown) => {
          if (error instanceof InvalidParameterException) return undefined;
          if (!(error instanceof UsernameExistsException)) throw error;
          const { UserAttributes, UserStatus } = await find(email);
          return { id: idOf(UserAttributes), status: UserStatus };
        },
      );
      // The user has not signed in yet, or has not verified the address: Cognito mails no codes in these states (API reference, ForgotPassword).
      if (user !== undefined && user.status !== 'CONFIRMED' && user.status !== 'RESET_REQUIRED') {
        const named = { UserPoolId: userPoolId, Username: user.id };
        await client.send(new AdminSetUserPasswordCommand({ ...named, Password: newPassword(), Permanent: true }));
        await client.send(new AdminUpdateUserAttributesCommand({ ...named, UserAttributes: verified }));
      }
      return user?.id;
    },
    askForPassword: async (userId) => {
      if ((await find(userId)).UserStatus === 'RESET_REQUIRED') return;
      await client.send(new AdminResetUserPasswordCommand({ UserPoolId: userPoolId, Username: userId }));
    },
  };
}

// Sessions of a stage's users. Cognito lists them only with device tracking or threat protection, so they can only be ended together.

/** Creates the port. Access tokens stay valid until they expire (Cognito Developer Guide, "Ending user sessions with token revocation"). */
export function createCognitoSessions(client: CognitoIdentityProviderClient, userPoolId: string): SessionEnder {
  return {
    endSessions: async (userId) => {
      // A user who no longer exists has no sessions.
      await client.send(new AdminUserGlobalSignOutCommand({ UserPoolId: userPoolId, Username: userId })).catch(unlessNamed(GONE));
    },
  };
}
