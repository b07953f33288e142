// Idle connections: proxies keep them open, and they do not delay the service's exit.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startHost } from '../../local/host.ts';
import { startTestHost } from '../support/host.ts';

test("the host keeps idle connections longer than nginx's default of 60 s", async () => {
  const host = await startTestHost();
  const { headers } = await fetch(`${host.url}/v1/openapi.json`);
  expect(Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
  await host.stop();
});

/** Less than the grace period, after which all connections are closed. */
const TIMEOUT_MS = 8_000;

test('stopping closes idle connections, and connections whose requests are answered meanwhile', { timeout: TIMEOUT_MS }, async () => {
  const answers: (() => void)[] = [];
  const host = await startHost({
    api: async () => Promise.reject(new Error('not asked')),
    pages: new Map(),
    clock: Date.now,
    onFault: () => {},
    onLimit: () => {},
    port: 0,
    host: '127.0.0.1',
  });
  host.mount([{ prefix: '/slow/', serve: (_request, response) => void answers.push(() => response.end('done')) }]);
  const { port } = new URL(host.url);
  const ask = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    await once(socket, 'connect');
    socket.write(`GET /slow/x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    return { socket, text: () => text };
  };
  const waiting = await ask();
  await expect.poll(() => answers.length).toBe(1);
  answers[0]?.();
  await expect.poll(waiting.text).toContain('done');
  const underWay = await ask();
  await expect.poll(() => answers.length).toBe(2);
  const ended = host.stop();
  answers[1]?.();
  // The client does not close either of them.
  await ended;
  expect(underWay.text()).toContain('done');
});
