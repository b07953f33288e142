// Runs the Python programs of docs/api.md unchanged, against a service, and against one whose answers fail or get lost.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { pythonInstalled } from '../support/python.ts';
import { petBody } from '../support/samples.ts';
import { startTestServer } from '../support/test-processes.ts';

const PROGRAMS = [...readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8').matchAll(/```python\n([\s\S]*?)```/g)].map(
  ([, program = '']) => program,
);
const [FIRST_HOUR = '', SYNC = ''] = PROGRAMS;
/** What the second program takes from the first: all before its first request. */
const DEFINITIONS = FIRST_HOUR.slice(0, FIRST_HOUR.indexOf('\nrex, '));

/** Starts a service with this many animals. */
async function startWith(animals: number) {
  const data = testFolder();
  const server = await startTestServer(data);
  const KEY = /petstore_test_\w+/.exec(server.stdout())?.[0] ?? '';
  if (animals > 0) {
    const lines = Array.from({ length: animals }, (_, n) => petBody({ name: `Animal ${n}` }));
    expect((await runCli(data, ['pets', 'import', '-'], lines.join('\n'))).code).toBe(0);
  }
  return { url: server.url, KEY };
}

/** Runs a program. @returns the lines that it prints */
async function python(program: string, environment: Readonly<Record<string, string>>, cwd = testFolder()): Promise<string[]> {
  const { stdout } = await promisify(execFile)('python3', ['-c', program], { cwd, env: { ...process.env, ...environment } });
  return stdout.trim().split('\n').filter(Boolean);
}

type Step = (request: IncomingMessage, response: ServerResponse, forward: () => Promise<Response>) => Promise<unknown> | unknown;

const refuse: Step = (_, response) => response.writeHead(503, { 'retry-after': '1' }).end('{"code":"unavailable","message":"","status":503}');
const loseAnswer: Step = async (request, _, forward) => {
  await forward();
  request.socket.destroy();
};
const cutAnswer: Step = async (request, response, forward) => {
  const text = await (await forward()).text();
  response.writeHead(200, { 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
};
const pass: Step = async (_, response, forward) => {
  const answer = await forward();
  const kept = ['content-type', 'etag', 'link', 'idempotent-replayed'].flatMap((name) => [[name, answer.headers.get(name)]] as const);
  response.writeHead(answer.status, Object.fromEntries(kept.filter(([, value]) => value !== null)) as Record<string, string>);
  response.end(await answer.text());
};

/** Starts a server that handles each request by the next step, and passes all later ones on. @returns its URL, and what it got */
async function startFaulty(target: string, steps: Step[]) {
  const got: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    got.push(`${method} ${headers['idempotency-key'] ?? ''}`.trim());
    const body = method === 'POST' ? await buffer(request) : undefined;
    const forward = async () => {
      const sent = { authorization: headers.authorization, 'content-type': headers['content-type'], 'idempotency-key': headers['idempotency-key'] };
      const defined = Object.entries(sent).filter((each): each is [string, string] => each[1] !== undefined);
      return fetch(`${target}${url}`, { method, headers: defined, ...(body && { body }) });
    };
    await (steps.shift() ?? pass)(request, response, forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

describe.runIf(pythonInstalled)('the Python programs of docs/api.md', () => {
  test('the first adds an animal and lists all pages', async () => {
    const { url, KEY } = await startWith(150);
    const [added = '', ...listed] = await python(FIRST_HOUR, { BASE: url, KEY });
    expect(listed).toHaveLength(151);
    expect(new Set(listed).size).toBe(151);
    expect(listed.at(-1)).toBe(`${added.replace('added ', '')} Rex`);
  });

  test('after a 503, a lost answer and half an answer, the animal is there once', async () => {
    const { url, KEY } = await startWith(0);
    const faulty = await startFaulty(url, [refuse, loseAnswer, pass, cutAnswer]);
    const [added = '', ...listed] = await python(FIRST_HOUR, { BASE: faulty.url, KEY });
    expect(listed).toEqual([`${added.replace('added ', '')} Rex`]);
    const [first] = faulty.got;
    expect(first).toMatch(/^POST [\w-]{36}$/);
    expect(faulty.got).toEqual([first, first, first, 'GET', 'GET']);
  });

  test('a mistake is not sent again', async () => {
    const { url } = await startWith(0);
    const faulty = await startFaulty(url, []);
    await expect(python(FIRST_HOUR, { BASE: faulty.url, KEY: 'petstore_test_unknown' })).rejects.toThrow('401');
    expect(faulty.got).toHaveLength(1);
  });

  test('the second reads only what is new, also after a last page that is full', async () => {
    const { url, KEY } = await startWith(199);
    const folder = testFolder();
    const sync = () => python(DEFINITIONS + SYNC, { BASE: url, KEY }, folder);
    const add = async (name: string) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
      expect((await fetch(`${url}/v1/pets`, { method: 'POST', headers, body: petBody({ name }) })).status).toBe(201);
    };
    expect(await sync()).toHaveLength(199);
    expect(await sync()).toEqual([]);
    await add('Fills the page');
    const page = await sync();
    expect([page.length, page.at(-1)]).toEqual([100, expect.stringContaining('Fills the page')]);
    await add('Begins the next page');
    expect(await sync()).toEqual([expect.stringContaining('Begins the next page')]);
    expect(await sync()).toEqual([]);
  });
});
