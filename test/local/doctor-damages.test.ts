// Damage to an installation that the service has made: `petstore doctor` finds it, and its advice, followed to the letter, mends it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBackup } from '../../platforms/embedded/backup/create-backup.ts';
import { examine } from '../../platforms/embedded/doctor/examine.ts';
import type { Finding } from '../../platforms/embedded/doctor/finding.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { command, commandJson } from '../support/command-line.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { DAMAGES, FORMER, HOST, type Installation, PAGE } from '../support/damages.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/folders.ts';
import { petBody } from '../support/samples.ts';

const ROOT = join(import.meta.dirname, '../..');
const FREE = { PETSTORE_PORT: '0', PETSTORE_EDGE_HTTP_PORT: '0', PETSTORE_EDGE_HTTPS_PORT: '0', PETSTORE_SANDBOX_DNS_PORT: '0' };

let original: { readonly path: string; readonly remove: () => void };
let made: Pick<Installation, 'projectId' | 'deploymentId'> & { readonly key: string };

const call = async (service: ControlHost, key: string, body?: string) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/v1/pets`, { headers, ...(body !== undefined && { method: 'POST', body }) });
  return { status: response.status, body: await response.json() };
};

beforeAll(async () => {
  original = makeFolder();
  const data = join(original.path, 'data');
  const site = join(original.path, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), PAGE);
  const service = await startControlHost(data);
  const key = service.demo?.key ?? '';
  expect((await call(service, key, petBody({ name: 'Rex', categoryId: 1 }))).status).toBe(201);
  const [account] = await commandJson<{ accountId: string }[]>(data, ['accounts', 'list']);
  const { projectId } = await commandJson<{ projectId: string }>(data, [
    'projects',
    'create',
    '--account',
    account?.accountId ?? '',
    '--name',
    'Shop',
    '--empty',
  ]);
  const { deploymentId } = await commandJson<{ deploymentId: string }>(data, ['projects', 'deploy', projectId, site]);
  for (const host of [HOST, FORMER]) {
    for (const args of [
      ['add', host, '--project', projectId],
      ['publish', host],
      ['verify', host],
    ])
      await commandJson(data, ['domains', ...args]);
    expect((await command(data, ['domains', 'watch', host])).stdout).toMatch(/: live\n/);
  }
  await commandJson(data, ['domains', 'remove', FORMER, '--yes']);
  await service.stop();
  made = { projectId, deploymentId, key };
  mkdirSync(join(original.path, 'bin'));
  writeFileSync(join(original.path, 'bin/petstore'), `#!/bin/sh\nexec ${process.execPath} ${ROOT}/cli/petstore.ts "$@"\n`, { mode: 0o755 });
});

afterAll(() => original.remove());

async function copyOfInstallation(madeAt = Date.now()): Promise<Installation> {
  const folder = mkdtempSync(join(original.path, 'copy-'));
  const [data, backups] = [join(folder, 'data'), join(folder, 'backups')];
  cpSync(join(original.path, 'data'), data, { recursive: true });
  chmodSync(data, 0o700);
  const { folder: backup } = await createBackup({ dataFolder: data, target: backups, version: '0.0.0', clock: () => madeAt });
  return { ...made, data, backups, backup, site: join(original.path, 'site'), clock: Date.now, user: process.getuid?.() ?? 0, environment: {} };
}

/** What `petstore doctor` prints, except for what depends on the machine. */
async function examined({ data, clock, user, environment }: Installation, full = false): Promise<readonly Finding[]> {
  const parsed = parseSettings({ ...FREE, PETSTORE_DATA: data, ...environment });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const findings = await examine({ settings: parsed.settings, full, clock, user });
  return findings.filter(({ check, state }) => state !== 'ok' && !['space', 'open files'].includes(check));
}

/** Does what advice says; a service that it has started runs until what it has to do is done. */
async function follow(at: Installation, { check, action = '' }: Finding): Promise<void> {
  const command = /\brun: (.+)$/.exec(action)?.[1]?.replace(/FOLDER-OF-\w+/, at.site);
  const isStarted = /\b(?:re)?start the service\b/.test(action);
  if (command === undefined && !isStarted) throw new Error(`advice with nothing to do: ${action}`);
  const service = isStarted ? await startControlHost(at.data, 0, at.environment) : undefined;
  try {
    if (command !== undefined) await inShell(at, command, /\bas root, run: /.test(action));
    const found = async () => (await examined(at)).filter((each) => each.check === check);
    if (isStarted) await eventually(found, (findings) => expect(findings).toEqual([]));
  } finally {
    await service?.stop();
  }
}

async function inShell({ data }: Installation, command: string, isAsRoot: boolean): Promise<void> {
  const shell = isAsRoot && process.getuid?.() !== 0 ? ['sudo', '-n', 'sh', '-c', command] : ['sh', '-c', command];
  const { PATH = '' } = process.env;
  const env = { ...process.env, ...FREE, NODE_V8_COVERAGE: undefined, PETSTORE_DATA: data, PATH: `${join(original.path, 'bin')}:${PATH}` };
  const child = spawn(shell[0] as string, shell.slice(1), { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  expect([code, command], output).toEqual([0, command]);
}

/** The service has the animal and serves the site. */
async function expectService(at: Installation): Promise<void> {
  const service = await startControlHost(at.data, 0, at.environment);
  try {
    expect(await call(service, made.key)).toMatchObject({ status: 200, body: [{ name: 'Rex' }] });
    const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(service.edge ?? '')?.[1]);
    expect(await page(port, readFileSync(join(at.data, 'development-ca.pem')))).toBe(PAGE);
    expect(service.faults).toEqual([]);
  } finally {
    await service.stop();
  }
}

async function page(port: number, ca: Buffer): Promise<string> {
  const visit = request({ host: '127.0.0.1', port, servername: HOST, headers: { host: HOST }, ca, agent: false }).end();
  const [response] = await once(visit, 'response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return body;
}

test('nothing is found in the installation itself, which then serves', async () => {
  const at = await copyOfInstallation();
  for (const full of [false, true]) expect(await examined(at, full)).toEqual([]);
  await expectService(at);
  expect(await examined(at)).toEqual([]);
});

describe.concurrent('damage is found and mended if', () => {
  test.each(DAMAGES)('$what', async ({ damage, check, found, advice = /./, full, person }) => {
    const at = await copyOfInstallation();
    await damage(at);
    const findings = await examined(at, full);
    expect(findings).toContainEqual(expect.objectContaining({ check, found: expect.stringMatching(found) }));
    const finding = findings.find((each) => each.check === check && found.test(each.found)) as Finding;
    expect(finding.action).toMatch(advice);
    if (person === undefined) await follow(at, finding);
    else {
      expect(finding.action).toMatch(person[0]);
      await person[1](at);
    }
    const left = async () => (await examined(at, full)).filter((each) => each.state === 'problem' || each.found === finding.found);
    // What follows from the same damage, such as the next folder that another user owns.
    for (const next of (await left()).slice(0, 1)) await follow(at, next);
    expect(await left()).toEqual([]);
    await expectService(at);
  });
});
