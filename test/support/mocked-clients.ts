// SDK clients whose calls a test answers (aws-sdk-client-mock). Each input is first checked against the service's model. If it breaks a rule, it is
// refused, as AWS would refuse it, and the test fails, whatever the code under test does with the error.

import { mockClient } from 'aws-sdk-client-mock';
import { afterEach } from 'vitest';
import { modelOf, violationsOf, violationText } from '../../judge/rules.ts';

interface AnyClient {
  readonly config: { readonly serviceId: string };
}

interface AnyCommand {
  readonly input: unknown;
}

const refusals = new WeakMap<AnyClient, string[]>();
let unreported: string[] = [];

afterEach(() => {
  const texts = takeViolations();
  if (texts.length > 0) throw new Error(`AWS would refuse these requests:\n${texts.join('\n')}`);
});

/** Like mockClient, for a client or for all clients of a class, but with AWS's rules. Call it in a test file or in a module that one imports. */
export const mockedClient: typeof mockClient = (client, options) => {
  const target: object = 'prototype' in client && typeof client.prototype === 'object' && client.prototype !== null ? client.prototype : client;
  // The mock replaces the method of an object behind the client, so that every reset keeps the check.
  const behind: typeof client & { send(...args: unknown[]): unknown } = Object.create(target);
  const mock = mockClient(behind, options);
  Object.assign(target, {
    send(this: AnyClient, command: AnyCommand, ...rest: unknown[]) {
      const texts = problemsWith(this, command);
      if (texts.length === 0) return behind.send.call(this, command, ...rest);
      unreported.push(...texts);
      refusals.set(this, [...refusalsOf(this), ...texts]);
      return Promise.reject(Object.assign(new Error(texts.join('\n')), { name: 'ValidationException' }));
    },
  });
  return mock;
};

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
