// The ACME client beside an authority whose answers make no sense: each is a failure that is told and passes, and never a fault.

import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createAcmeAuthority } from '../../../adapters/certificates/acme.ts';
import { certificateRequest, newPrivateKey } from '../../../adapters/certificates/acme-account.ts';
import { createSqliteAcmeOrders, createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { ROOT_FILE } from '../../../adapters/files/data-folder.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { AuthoritySilent } from '../../../core/domains/ports.ts';
import { makeFolder } from '../../support/folders.ts';
import { createTestIssuer } from '../../support/lives/test-issuer.ts';

const HOST = 'www.shop.dev';
const DAY_MS = 86_400_000;

interface Answer {
  readonly status?: number;
  readonly location?: string;
  readonly json?: unknown;
  readonly text?: string;
}

/** Answers by path, instead of those of a working authority, at which each order is ready. */
type Answers = (base: string) => Readonly<Record<string, Answer>>;

/** Starts an authority that checks nothing, and a client of it. */
async function startAuthority(answers: Answers) {
  const folder = makeFolder();
  mkdirSync(folder.path, { recursive: true });
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const vault = createSqliteVault(database);
  const development = await createDevelopmentAuthority(folder.path, vault, Date.now);
  const own = vault.get(await development.request('localhost', 'dom_0-g1'));
  const asked: string[] = [];
  const server = createServer({ cert: own?.chain, key: own?.privateKey }, ({ url = '' }, response) => {
    const base = `https://localhost:${(server.address() as AddressInfo).port}`;
    asked.push(url);
    const working: Record<string, Answer> = {
      '/directory': { json: { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/new-order` } },
      '/nonce': {},
      '/account': { status: 201, json: { status: 'valid' }, location: `${base}/account/1` },
      '/new-order': { status: 201, json: { status: 'ready' }, location: `${base}/order` },
      '/order': { json: { status: 'ready', authorizations: [], finalize: `${base}/finalize` } },
    };
    const { status = 200, location, json, text = '' } = answers(base)[url] ?? working[url] ?? { status: 404 };
    response.writeHead(status, {
      'replay-nonce': `nonce${asked.length}`,
      'content-type': json === undefined ? 'text/plain' : 'application/json',
      ...(location !== undefined && { location }),
    });
    response.end(json === undefined ? text : JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    database.close();
    folder.remove();
  });
  const orders = createSqliteAcmeOrders(database);
  const directory = `https://localhost:${(server.address() as AddressInfo).port}/directory`;
  const extraRoot = readFileSync(join(folder.path, ROOT_FILE), 'utf8');
  return { authority: await createAcmeAuthority({ directory, extraRoot, orders, vault, clock: Date.now }), orders, directory, asked };
}

const pending = (authorization: unknown): Answers => {
  return (base) => ({
    '/order': { json: { status: 'pending', authorizations: [`${base}/authorization`], finalize: `${base}/finalize` } },
    '/authorization': { json: authorization },
  });
};
const valid = (text: string): Answers => {
  return (base) => ({ '/order': { json: { status: 'valid', certificate: `${base}/certificate` } }, '/certificate': { text } });
};

test.each<[string, Answers]>([
  ['an order that is null', () => ({ '/order': { json: null } })],
  ['an order without a state', () => ({ '/order': { json: {} } })],
  ['a ready order without a URL to go on', () => ({ '/order': { json: { status: 'ready' } } })],
  ['an authorization that is null', pending(null)],
  ['an authorization without challenges', pending({ status: 'pending', identifier: { value: HOST } })],
  ['an authorization on this machine', () => ({ '/order': { json: { status: 'pending', authorizations: ['http://127.0.0.1:1/'] } } })],
  ['a page instead of the certificate', valid('<html>maintenance</html>')],
])('%s: the authority is silent, and the order goes on', async (_name, answers) => {
  const { authority, orders } = await startAuthority(answers);
  const reference = await authority.request(HOST, 'dom_1-g1');
  await expect(authority.check(reference)).rejects.toThrow(AuthoritySilent);
  expect(orders.get(reference)).toMatchObject({ url: expect.stringContaining('/order'), failure: undefined });
});

test.each<[string, Answers]>([
  ['an account that is elsewhere', (base) => ({ '/account': { status: 302, location: `${base}/maintenance` } })],
  ['an order that is elsewhere', (base) => ({ '/new-order': { status: 302, location: `${base}/maintenance` } })],
  ['an order that is nowhere', () => ({ '/new-order': { status: 201, json: {}, location: '' } })],
  ['a directory without URLs', () => ({ '/directory': { json: { newNonce: 'nonce', newAccount: 'http://localhost/', newOrder: {} } } })],
])('%s: nothing of it is kept, and another attempt follows', async (_name, answers) => {
  const { authority, orders, directory } = await startAuthority(answers);
  const reference = await authority.request(HOST, 'dom_1-g1');
  expect(await authority.check(reference)).toMatchObject({ kind: 'failed', failure: 'authority_unavailable' });
  expect([orders.get(reference)?.url, orders.account(directory)?.url?.includes('maintenance') ?? false]).toEqual([undefined, false]);
});

test('an address that is none is not shown to the owner', async () => {
  const error = { type: 'connection', detail: 'no answer' };
  const challenges = [{ type: 'http-01', url: 'u', token: 't', status: 'invalid', error, validationRecord: [{ addressUsed: 'shop:80' }] }];
  const { authority } = await startAuthority(pending({ status: 'invalid', identifier: { value: HOST }, challenges }));
  const status = await authority.check(await authority.request(HOST, 'dom_1-g1'));
  expect(status).toEqual({ kind: 'failed', failure: 'validation', detail: 'no answer' });
});

test.each(['name', 'key'])('a certificate for another %s is not used, and another order follows', async (what) => {
  let chain = '';
  const { authority, orders } = await startAuthority((base) => valid(chain)(base));
  const reference = await authority.request(HOST, 'dom_1-g1');
  const key = orders.get(reference)?.privateKey ?? '';
  const request = what === 'name' ? certificateRequest.create('www.other.dev', key) : certificateRequest.create(HOST, newPrivateKey());
  const issuer = await createTestIssuer();
  chain = (await issuer.issue(await request, Date.now() - DAY_MS, Date.now() + DAY_MS)).chain;
  expect(await authority.check(reference)).toMatchObject({ kind: 'failed', failure: 'other', detail: expect.stringContaining(`the wrong ${what}`) });
});

test('of thousands of authorizations, a few are looked at', async () => {
  const { authority, asked } = await startAuthority((base) => {
    const authorizations = Array.from({ length: 5_000 }, (_, at) => `${base}/authorization?${at}`);
    return { '/order': { json: { status: 'invalid', authorizations, error: { type: 'caa', detail: 'forbidden' } } } };
  });
  await authority.check(await authority.request(HOST, 'dom_1-g1')).catch(() => {});
  expect(asked.length).toBeLessThan(20);
});
