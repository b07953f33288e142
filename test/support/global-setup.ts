// Starts DynamoDB Local once for the whole run, from the jar that an npm package carries. It needs Java; without it the
// suites that talk to DynamoDB are skipped, and say so; likewise those on real name servers, in a browser, in njs and behind nginx. In CI what is
// missing is a failure.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { chromiumInstalled } from './chromium.ts';
import { delegatedDnsInstalled } from './delegated-dns.ts';
import { njsInstalled } from './edge-runtimes.ts';
import { nameServersInstalled } from './name-servers.ts';
import { nginxInstalled } from './nginx.ts';
import { pebbleInstalled } from './pebble.ts';
import { freePort } from './ports.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where DynamoDB Local listens; undefined if there is no Java. */
    dynamoDbEndpoint: string | undefined;
  }
}

const EMULATOR = join(import.meta.dirname, '../../node_modules/amplify-dynamodb-simulator/emulator');
const START_TIMEOUT_MS = 20_000;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!nameServersInstalled || !delegatedDnsInstalled || !pebbleInstalled) {
    if (process.env.CI) throw new Error('CI needs Knot DNS, NSD, Unbound, BIND, dig and Pebble');
    console.warn(
      'No knotd, nsd, unbound, named, dig or pebble on the path: suites on real servers are skipped. Install knot, nsd, unbound, bind9, bind9-dnsutils and pebble.',
    );
  }
  if (!chromiumInstalled) {
    if (process.env.CI) throw new Error('CI needs Chromium and certutil');
    console.warn('No chromium or certutil: suites in a browser are skipped. Install chromium and libnss3-tools.');
  }
  if (!njsInstalled) {
    if (process.env.CI) throw new Error('CI needs njs for the functions of CloudFront');
    console.warn("No njs on the path: the functions of CloudFront are not tried in CloudFront's dialect. Install njs.");
  }
  if (!nginxInstalled) {
    if (process.env.CI) throw new Error('CI needs nginx');
    console.warn('No nginx: the dashboard is not tried behind a proxy. Install nginx.');
  }
  if (spawnSync('java', ['-version']).status !== 0) {
    if (process.env.CI) throw new Error('CI needs Java 17 for DynamoDB Local');
    console.warn('No Java on the path: the suites on DynamoDB Local are skipped. Install Java 17 to run them.');
    project.provide('dynamoDbEndpoint', undefined);
    return async () => {};
  }
  if (!existsSync(join(EMULATOR, 'DynamoDBLocal.jar'))) throw new Error(`no DynamoDBLocal.jar in ${EMULATOR}; run npm ci`);
  const port = await freePort();
  const options = [
    '-Djava.library.path=./DynamoDBLocal_lib',
    '-jar',
    'DynamoDBLocal.jar',
    '-inMemory',
    '-sharedDb',
    '-port',
    String(port),
    '-disableTelemetry',
  ];
  const child = spawn('java', options, { cwd: EMULATOR, stdio: 'ignore' });
  await listening(child, port);
  project.provide('dynamoDbEndpoint', `http://127.0.0.1:${port}`);
  return async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`DynamoDB Local ended with ${child.exitCode}`);
    if (await connects(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`DynamoDB Local does not listen after ${START_TIMEOUT_MS / 1000} s`);
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.end());
  });
}
