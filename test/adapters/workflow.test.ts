// Executions of the state machine, with a client that says what an emulator does not.

import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { createStepFunctionsWorkflow } from '../../adapters/workflow/step-functions.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { checkInput } from '../support/aws-reference/inputs.ts';
import { NOON } from '../support/samples.ts';

const client = mockClient(SFNClient);
const workflow = createStepFunctionsWorkflow(new SFNClient({ region: 'us-east-1' }), 'arn:machine');
const domain = { ...newDomain({ id: 'dom_1', host: 'www.shop.dev', projectId: 'prj_1', accountId: 'acc_1' }, NOON), generation: 3 };

beforeEach(() => void client.reset());

test('are named after the domain and its generation, and one that is there already is no fault', async () => {
  client
    .on(StartExecutionCommand)
    .resolvesOnce({})
    .rejects(new ExecutionAlreadyExists({ message: 'exists', $metadata: {} }));
  await workflow.start(domain);
  await workflow.start(domain);
  await workflow.restart(domain, NOON);
  for (const { args } of client.commandCalls(StartExecutionCommand)) checkInput('stepfunctions:StartExecution', args[0].input);
  const names = client.commandCalls(StartExecutionCommand).map(({ args: [command] }) => [command.input.name, command.input.input]);
  const input = '{"domainId":"dom_1","generation":3}';
  expect(names).toEqual([
    ['dom_1-g3', input],
    ['dom_1-g3', input],
    [`dom_1-g3-r${NOON / 3_600_000}`, input],
  ]);
});

test('any other refusal is a fault', async () => {
  client.on(StartExecutionCommand).rejects(new Error('throttled'));
  await expect(workflow.start(domain)).rejects.toThrow('throttled');
});
