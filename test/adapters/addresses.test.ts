import { AdminGetUserCommand, CognitoIdentityProviderClient, UserNotFoundException } from '@aws-sdk/client-cognito-identity-provider';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createCognitoAddresses } from '../../adapters/identity/cognito.ts';
import { createSqliteUserStore, createUserAddresses } from '../../adapters/identity/sqlite-users.ts';
import { openDatabase } from '../../adapters/store/sqlite/database.ts';
import { addressBookContract } from '../../testing/address-book.ts';
import { testFolder } from '../support/folders.ts';
import { mockedClient } from '../support/mocked-clients.ts';

const cognito = mockedClient(CognitoIdentityProviderClient);
const POOL = 'eu-central-1_AbCdEfGhI';
const book = createCognitoAddresses(new CognitoIdentityProviderClient({ region: 'eu-central-1' }), POOL);
const attributes = (email: string, verified = 'true') => [
  { Name: 'sub', Value: 'usr_ann' },
  { Name: 'email', Value: email },
  { Name: 'email_verified', Value: verified },
];
const answer = (answers: Record<string, object>) => {
  cognito.on(AdminGetUserCommand).rejects(new UserNotFoundException({ message: 'no such user', $metadata: {} }));
  for (const [Username, user] of Object.entries(answers)) cognito.on(AdminGetUserCommand, { UserPoolId: POOL, Username }).resolves(user);
};

beforeEach(() => {
  cognito.reset();
});

addressBookContract(
  test,
  async ({ id, email }, withoutId) => {
    answer({ [id]: { Enabled: true, UserAttributes: attributes(email) }, [withoutId]: { Enabled: true, UserAttributes: [] } });
    return book;
  },
  { name: 'Cognito' },
);

addressBookContract(
  test,
  async (user, withoutId) => {
    const database = openDatabase(testFolder(), 'crash');
    onTestFinished(() => database.close());
    const users = createSqliteUserStore(database);
    await users.add(user, 'password of ann');
    expect(users.get(withoutId)).toBeUndefined();
    return createUserAddresses(users);
  },
  { name: 'embedded' },
);

test('Cognito: no address of a user who is disabled or whose address is not verified or not valid; a fault rejects', async () => {
  answer({
    disabled: { Enabled: false, UserAttributes: attributes('ann@example.com') },
    unverified: { Enabled: true, UserAttributes: attributes('ann@example.com', 'false') },
    odd: { Enabled: true, UserAttributes: attributes('ann@example.com\r\nBcc: eve@example.com') },
  });
  for (const id of ['disabled', 'unverified', 'odd']) expect(await book.addressOf(id)).toBeUndefined();
  cognito.on(AdminGetUserCommand).rejects(Object.assign(new Error('slow down'), { name: 'TooManyRequestsException' }));
  await expect(book.addressOf('usr_ann')).rejects.toThrow('slow down');
});
