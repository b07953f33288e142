// SDK clients whose calls a test answers (aws-sdk-client-mock). Each input is first checked against the service's model. If it breaks a rule, it is
// refused, as AWS would refuse it, and the test fails, whatever the code under test does with the error.

import { mockClient } from 'aws-sdk-client-mock';
import { modelOf, violationsOf, violationText } from '../../judge/rules.ts';
import { type FileHooks, HOOKS } from './setup.ts';

interface AnyClient {
  readonly config: { readonly serviceId: string };
}

/** A request of any service. */
export interface AnyCommand {
  readonly input: object;
}

const refusals = new WeakMap<AnyClient, string[]>();
let unreported: string[] = [];

/** What was mocked, with the method that it had of its own. */
const mocked = new Map<object, PropertyDescriptor | undefined>();

// Files of a project may share a process, in which this module is loaded once: a hook of its own would be one of the first file alone.
HOOKS.add({
  afterEach: () => {
    const texts = takeViolations();
    if (texts.length > 0) throw new Error(`AWS would refuse these requests:\n${texts.join('\n')}`);
  },
  // A class that stays mocked would answer the next file's calls.
  afterAll: () => {
    for (const [target, own] of mocked) {
      if (own === undefined) Reflect.deleteProperty(target, 'send');
      else Object.defineProperty(target, 'send', own);
    }
    mocked.clear();
  },
} satisfies FileHooks);

/** Like mockClient, for a client or for all clients of a class, but with AWS's rules. Call it in a test file or in a module that one imports. */
export const mockedClient: typeof mockClient = (client, options) => {
  const target: object = 'prototype' in client && typeof client.prototype === 'object' && client.prototype !== null ? client.prototype : client;
  // The mock replaces the method of an object behind the client, so that every reset keeps the check.
  const behind: typeof client & { send(...args: unknown[]): unknown } = Object.create(target);
  const mock = mockClient(behind, options);
  if (!mocked.has(target)) mocked.set(target, Object.getOwnPropertyDescriptor(target, 'send'));
  check(target, function (...args) {
    return behind.send.apply(this, args);
  });
  return mock;
};

/** Lets a function answer a client's requests that AWS would accept. For services in memory: a mock compares each request with every answer it knows. */
export function answeredClient<Client extends object>(client: Client, answer: (command: AnyCommand) => Promise<unknown>): Client {
  check(client, answer);
  return client;
}

/** Checks the requests of a client, or of a class, given by its prototype. Those that break no rule are answered. */
function check(target: object, answer: (this: AnyClient, command: AnyCommand, ...rest: unknown[]) => unknown): void {
  Object.assign(target, {
    send(this: AnyClient, command: AnyCommand, ...rest: unknown[]) {
      const texts = problemsWith(this, command);
      if (texts.length === 0) return answer.call(this, command, ...rest);
      unreported.push(...texts);
      refusals.set(this, [...refusalsOf(this), ...texts]);
      return Promise.reject(Object.assign(new Error(texts.join('\n')), { name: 'ValidationException' }));
    },
  });
}

/** The violations of a client's requests, one line each. */
export function refusalsOf(client: AnyClient): readonly string[] {
  return refusals.get(client) ?? [];
}

/** The violations since the last call, one line each. The running test no longer fails because of them. */
export function takeViolations(): readonly string[] {
  const texts = [...new Set(unreported)];
  unreported = [];
  return texts;
}

function problemsWith({ config }: AnyClient, command: AnyCommand): readonly string[] {
  const [service, model] = modelOf(config.serviceId);
  return violationsOf(model, service, operationOf(command), command.input).map(violationText);
}

/** The operation of a command, such as `GetItem`. */
export function operationOf(command: object): string {
  return command.constructor.name.replace(/Command$/, '');
}
