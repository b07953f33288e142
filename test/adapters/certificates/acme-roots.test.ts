// Several ACME authorities in one process: calls to each trust its own root, and never another authority's.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createAcmeAuthority } from '../../../adapters/certificates/acme.ts';
import { createSqliteAcmeOrders, createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { ROOT_FILE } from '../../../adapters/files/data-folder.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { testFolder } from '../../support/folders.ts';

function openStores() {
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  return { orders: createSqliteAcmeOrders(database), vault: createSqliteVault(database), clock: Date.now };
}

/** A directory whose certificate is signed by its own root. */
async function startDirectory(name: string): Promise<{ directory: string; root: string }> {
  const folder = testFolder();
  const { vault } = openStores();
  const issued = vault.get(await (await createDevelopmentAuthority(folder, vault, Date.now)).request('localhost', 'dom_1-g1'));
  const server = createServer({ cert: issued?.chain, key: issued?.privateKey }, (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ meta: { caaIdentities: [name.toUpperCase(), 7] } }));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  return { directory: `https://localhost:${(server.address() as AddressInfo).port}/dir`, root: readFileSync(join(folder, ROOT_FILE), 'utf8') };
}

test('authorities in one process use their own roots, whichever was created last', async () => {
  const [one, other] = await Promise.all([startDirectory('one.example'), startDirectory('other.example')]);
  const authorities = await Promise.all([
    createAcmeAuthority({ ...openStores(), directory: one.directory, extraRoot: one.root }),
    createAcmeAuthority({ ...openStores(), directory: one.directory }),
    createAcmeAuthority({ ...openStores(), directory: one.directory, extraRoot: other.root }),
    createAcmeAuthority({ ...openStores(), directory: other.directory, extraRoot: other.root }),
  ]);
  expect(await Promise.all(authorities.map((authority) => authority.caaIdentity()))).toMatchObject(
    [['one.example'], [], [], ['other.example']].map((issuers) => ({ issuers })),
  );
  const faults = authorities.map(async (authority) => authority.check(await authority.request('www.shop.test', 'dom_1-g1')).catch(String));
  // Calls to trusted authorities fail only because the directory is incomplete.
  const [trusted, untrusted] = [expect.stringContaining('newOrder'), expect.not.stringContaining('newOrder')];
  expect(await Promise.all(faults)).toEqual(
    [trusted, untrusted, untrusted, trusted].map((detail) => ({ kind: 'failed', failure: 'authority_unavailable', detail })),
  );
  const named = await createAcmeAuthority({ ...openStores(), directory: one.directory, issuerNames: ['set.example'] });
  expect(await named.caaIdentity()).toMatchObject({ issuers: ['set.example'], methods: ['http-01'] });
});
