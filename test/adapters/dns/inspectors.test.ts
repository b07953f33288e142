// Zone inspectors: on this machine, and through the function that may read the zones.

import { DatabaseSync } from 'node:sqlite';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { test } from 'vitest';
import { createDnsLookup } from '../../../adapters/dns/lookup.ts';
import { createDelegatedInspector } from '../../../adapters/dns/route53-publisher.ts';
import { createSandboxPublisher, createSqliteSandboxRecords } from '../../../adapters/dns/sandbox.ts';
import { startSandboxServer } from '../../../adapters/dns/sandbox-server.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { createZoneInspector } from '../../../core/domains/records.ts';
import { inspectFor, inspectRequestSchema } from '../../../service/workflow/attempt.ts';
import { type InspectorWorld, zoneInspectorContract } from '../../../testing/zone-inspector.ts';
import { mockedClient } from '../../support/mocked-clients.ts';

const OWNER = 'acc_1';

async function sandbox() {
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const records = createSqliteSandboxRecords(database);
  await records.set({ name: 'mail.shop.test', type: 'A', value: '192.0.2.1', ttl: 60 }, false, OWNER);
  const server = await startSandboxServer({
    host: '127.0.0.1',
    port: 0,
    suffix: 'test',
    records: records.inZone,
    edge: { host: 'edge.petstore.test', address: '127.0.0.1' },
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop();
    return stopped;
  };
  const dns = createDnsLookup({ recursives: [server], authoritativePort: server.port, privateNetworks: true });
  return { dns, publisher: createSandboxPublisher(records, 'test'), stop };
}

async function directWorld(): Promise<InspectorWorld> {
  const { dns, publisher, stop } = await sandbox();
  return {
    inspector: createZoneInspector(dns, publisher),
    ...{ owner: OWNER, host: 'www.shop.test', zone: 'shop.test', nameServer: 'ns.shop.test' },
    fallSilent: stop,
    stop,
  };
}
zoneInspectorContract(test, directWorld, { name: 'on this machine' });

zoneInspectorContract(
  test,
  async () => {
    const { dns, publisher, stop } = await sandbox();
    const lambda = new LambdaClient({ maxAttempts: 1 });
    let isSilent = false;
    mockedClient(lambda)
      .on(InvokeCommand)
      .callsFake(async ({ Payload }: { Payload: Uint8Array }) => {
        if (isSilent) return { FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"timed out"}') };
        const result = await inspectFor({ dns, publisher }, inspectRequestSchema.parse(JSON.parse(Buffer.from(Payload).toString())));
        return { Payload: Buffer.from(JSON.stringify(result)) };
      });
    return {
      inspector: createDelegatedInspector(lambda, 'steps'),
      ...{ owner: OWNER, host: 'www.shop.test', zone: 'shop.test', nameServer: 'ns.shop.test' },
      fallSilent: async () => {
        isSilent = true;
      },
      stop,
    };
  },
  { name: 'delegated' },
);
