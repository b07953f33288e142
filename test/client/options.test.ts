// Options that can't work are refused when a client is made.

import { expect, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { createControlClient, createDeployClient } from '../../client/control.ts';

const baseUrl = 'http://petstore.test';
/** As JavaScript passes what the types refuse, such as an environment variable that is not set. */
const make = (options: object) => () => createClient({ baseUrl, apiKey: 'petstore_test_x', ...options });

test.each([
  [{ apiKey: undefined }, 'apiKey: got undefined; is the environment variable for it set?'],
  [{ apiKey: '' }, 'apiKey: got ""; is the environment variable for it set?'],
  [{ apiKey: 7 }, 'apiKey: got a number; allowed: text'],
  [{ apiKey: () => 'key' }, 'apiKey: got a function; allowed: text'],
  [{ baseUrl: 'localhost' }, 'baseUrl: got "localhost"; allowed: the API\'s URL, such as https://pets.example.com'],
  [{ baseUrl: 'http://' }, 'baseUrl: got "http://"; allowed'],
  [{ baseUrl: undefined }, 'baseUrl: got undefined; allowed'],
  [{ maxAttempts: 0 }, 'maxAttempts: got 0; allowed: an integer of at least 1'],
  [{ maxAttempts: 1.5 }, 'maxAttempts: got 1.5; allowed'],
])('%j is refused', (options, message) => {
  expect(make(options)).toThrow(TypeError);
  expect(make(options)).toThrow(message);
});

test('the clients of the control API refuse the same', () => {
  const token = undefined as unknown as string;
  expect(() => createControlClient({ baseUrl, token })).toThrow('token: got undefined; is the environment variable');
  expect(() => createDeployClient({ baseUrl, deployToken: '' })).toThrow('deployToken: got ""; is the environment variable');
  expect(() => createControlClient({ baseUrl: 'pets.example.com', token: 'x' })).toThrow('baseUrl: got "pets.example.com"');
  expect(() => createControlClient({ baseUrl, token: () => 'x' })).not.toThrow();
});
