// Runs DynamoDB Local as a single process for a whole run. It starts in the background: only suites that use it wait for it, so a slow or broken
// JVM fails only those suites.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';
import { freePort } from './ports.ts';

const EMULATOR = join(import.meta.dirname, '../dynamodb-local/node_modules/amplify-dynamodb-simulator/emulator');
/** A generous limit: the JVM starts while tests use both cores. */
const START_TIMEOUT_MS = 50_000;

/** Passes the address to suites in other processes. */
export interface DynamoDbLocal {
  readonly port: number;
  /** The time by which it must be listening, in milliseconds since 1970. Suites that start later don't wait again. */
  readonly readyBy: number;
  /** Written if the process exits, with the reason. */
  readonly faultFile: string;
}

/** Starts the process without waiting until it is listening. */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal & { stop(): Promise<void> }> {
  if (!existsSync(join(EMULATOR, 'DynamoDBLocal.jar'))) throw new Error(`no DynamoDBLocal.jar in ${EMULATOR}; run npm run install:dynamodb-local`);
  const port = await freePort();
  const folder = makeFolder();
  const faultFile = join(folder.path, 'fault');
  // The optimizing compiler and a concurrent collector take twice the processor time in runs as short as these.
  const options = [
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-Djava.library.path=./DynamoDBLocal_lib',
    '-jar',
    'DynamoDBLocal.jar',
    '-inMemory',
    '-sharedDb',
    '-port',
    String(port),
  ];
  const child: ChildProcess = spawn('java', [...options, '-disableTelemetry'], { cwd: EMULATOR, stdio: 'ignore' });
  child.once('error', (error) => writeFileSync(faultFile, `DynamoDB Local: ${error.message}`));
  child.once('exit', (code, signal) => writeFileSync(faultFile, `DynamoDB Local ended with ${signal ?? code}`));
  return {
    port,
    readyBy: Date.now() + START_TIMEOUT_MS,
    faultFile,
    stop: async () => {
      child.removeAllListeners('exit');
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      folder.remove();
    },
  };
}

/** Waits until it is listening. @throws Error if it has exited or is not listening within 50 s */
export async function dynamoDbReady({ port, readyBy, faultFile }: DynamoDbLocal): Promise<void> {
  while (!(await connects(port))) {
    if (existsSync(faultFile)) throw new Error(readFileSync(faultFile, 'utf8'));
    if (Date.now() > readyBy) throw new Error(`DynamoDB Local does not listen after ${START_TIMEOUT_MS / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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
