// The published contract suite, against a server that answers as Cloudflare's API does, and what is special about Cloudflare.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { RecordPublisher } from 'petstore-platform';
import { type PublisherWorld, recordPublisherContract } from 'petstore-platform/testing';
import { cloudflareDns } from '../src/index.ts';
import { type CloudflareServer, startCloudflare, TOKEN } from './cloudflare-server.ts';

const OWNER = 'acc_0000000001';
const ZONES = { 'shop.dev': OWNER, 'theirs.shop.dev': 'acc_0000000002' };
const running: CloudflareServer[] = [];
after(() => Promise.all(running.map((server) => server.stop())));

async function start(perPage?: number): Promise<CloudflareServer> {
  const server = await startCloudflare(['theirs.shop.dev', 'shop.dev'], perPage);
  running.push(server);
  return server;
}

async function open(url: string, options: Partial<Parameters<typeof cloudflareDns>[0]> = {}): Promise<RecordPublisher> {
  const { ports } = await cloudflareDns({ token: TOKEN, zones: ZONES, url, ...options }).open({
    clock: Date.now,
    actor: () => ({ kind: 'service' }),
    dataFolder: '.petstore',
  });
  return ports.recordPublisher;
}

async function world(): Promise<PublisherWorld> {
  const server = await start(1);
  return {
    publisher: await open(server.url),
    owner: OWNER,
    zone: 'shop.dev',
    foreign: 'www.theirs.shop.dev',
    elsewhere: 'www.nobody.dev',
    records: () =>
      server
        .records()
        .map(({ type, name, content }) =>
          type === 'CNAME' && name === 'shop.dev' ? `ALIAS ${name}` : `${type} ${name} ${content.replaceAll('"', '')}`,
        )
        .toSorted(),
    set: async (type, name, value) => server.set(type, name, value),
    refuse: (name) => {
      server.refuse.name = name;
      return () => {
        server.refuse.name = undefined;
      };
    },
  };
}

recordPublisherContract(test, world, { name: 'Cloudflare' });

const CNAME = { type: 'CNAME', name: 'www.shop.dev', value: 'x.edge.petstore.dev', ttl: 3_600 } as const;

test('proxies nothing, and keeps the time to live', async () => {
  const server = await start();
  await (await open(server.url)).publish(OWNER, 'shop.dev', [CNAME, { ...CNAME, type: 'ALIAS', name: 'shop.dev' }]);
  assert.deepEqual(
    server.records().map(({ name, type, proxied, ttl }) => [name, type, proxied, ttl]),
    [
      ['www.shop.dev', 'CNAME', false, 3_600],
      ['shop.dev', 'CNAME', false, 3_600],
    ],
  );
});

test('an apex may have other records beside a flattened CNAME', async () => {
  const server = await start();
  server.set('MX', 'shop.dev', 'mail.shop.dev');
  assert.deepEqual(await (await open(server.url)).publish(OWNER, 'shop.dev', [{ ...CNAME, type: 'ALIAS', name: 'shop.dev' }]), { kind: 'published' });
});

test('rejects with the reason while the API refuses, is down or answers something else, and works again afterwards', async () => {
  const server = await start();
  const publisher = await open(server.url);
  for (const [everything, reason] of [
    ['rate', /POST|GET \/zones\/\w+\/dns_records: HTTP 429: Please wait/],
    ['outage', /GET \/zones\/\w+\/dns_records: fetch failed/],
    ['garbage', /GET \/zones\/\w+\/dns_records: HTTP 502$/],
  ] as const) {
    server.refuse.everything = everything;
    await assert.rejects(publisher.publish(OWNER, 'www.shop.dev', [CNAME]), { name: 'CloudflareError', message: reason });
  }
  server.refuse.everything = undefined;
  assert.deepEqual(await publisher.publish(OWNER, 'www.shop.dev', [CNAME]), { kind: 'published' });
});

test('is refused with a sentence before the service starts, which does not show the token', async () => {
  const { url } = await start();
  await assert.rejects(open(url, { token: 'wrong' }), { message: 'Cloudflare: GET /zones: HTTP 403: Invalid access token (9109)' });
  await assert.rejects(open(url, { token: '' }), { message: 'token: empty; allowed: a Cloudflare API token' });
  await assert.rejects(open(url, { zones: { 'other.dev': OWNER } }), { message: /^the token has no access to a zone other\.dev;/ });
  await assert.rejects(open(url, { zones: { 'Shop.dev': 'me' } }), {
    message: /^zones: got "Shop\.dev"; allowed: .*; zones: got "me"; allowed: account ids/,
  });
});
