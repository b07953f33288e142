// The control API's limit per user across processes, with the counter in DynamoDB Local.

import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createDynamoDbProjectStores } from '../../../adapters/store/dynamodb/stores.ts';
import type { ControlPorts } from '../../../service/control/context.ts';
import { createControl } from '../../../service/control/create-control.ts';
import { NOON } from '../../../testing/samples.ts';
import { dynamoDbEndpoint, makeTables } from '../../support/dynamodb.ts';
import { controlEvent } from '../../support/function-environments.ts';

/** Requests of a user at a time, as many as a browser or a script opens connections. */
const AT_A_TIME = 50;

describe.runIf(dynamoDbEndpoint !== undefined)('two processes of the control API', () => {
  test('admit exactly 600 of 700 concurrent requests of one user, and refuse the others with 429', async () => {
    const { clients, tables } = await makeTables();
    const newProcess = () => {
      const ports = {
        ...createDynamoDbProjectStores(clients, tables),
        rules: { edge: { host: 'e' } },
        httpsPort: 443,
        operators: [],
      } as unknown as ControlPorts;
      return createControl({ ports, clock: () => NOON, logger: new Logger({ logLevel: 'SILENT' }) });
    };
    const processes = [newProcess(), newProcess()] as const;
    const answers: { statusCode: number; headers: Record<string, string>; body: string }[] = [];
    let sent = 0;
    const client = async () => {
      while (sent < 700) {
        const process = processes[sent % 2] ?? processes[0];
        sent += 1;
        answers.push(await process(controlEvent('GET', '/me', { claims: { sub: 'usr_1' } }), {} as Context));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, client));
    const [admitted, refused] = [200, 429].map((status) => answers.filter(({ statusCode }) => statusCode === status));
    expect([admitted?.length, refused?.length]).toEqual([600, 100]);
    expect(new Set(admitted?.map(({ headers }) => headers['x-ratelimit-remaining'])).size).toBe(600);
    for (const { headers, body } of refused ?? []) {
      expect(headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0' });
      expect(JSON.parse(body)).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    }
  });
});
