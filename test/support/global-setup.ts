// Sets up the integration tier: starts DynamoDB Local for the run and reports missing programs. Suites whose programs are missing are skipped; in
// CI they fail.

import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { chromiumInstalled } from './chromium.ts';
import { delegatedDnsInstalled } from './delegated-dns.ts';
import { type DynamoDbLocal, startDynamoDbLocal } from './dynamodb-local.ts';
import { njsInstalled } from './edge-runtimes.ts';
import { haproxyInstalled } from './haproxy.ts';
import { isInstalled } from './installed.ts';
import { nameServersInstalled } from './name-servers.ts';
import { nginxStreamInstalled } from './nginx.ts';
import { pebbleInstalled } from './pebble.ts';
import { promtoolInstalled } from './promtool.ts';
import { pythonInstalled } from './python.ts';
import { shellsInstalled } from './shells.ts';
import { systemdInstalled } from './systemd.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined if Java is missing. */
    dynamoDbLocal: DynamoDbLocal | undefined;
  }
}

/** The required programs, whether they are installed, and the tests that need them. */
const PROGRAMS: readonly (readonly [programs: string, installed: boolean, suites: string])[] = [
  ['knotd, nsd, unbound, named and dig', nameServersInstalled && delegatedDnsInstalled, 'real name servers'],
  ['pebble', pebbleInstalled, 'a real ACME server'],
  ['chromium and certutil', chromiumInstalled, 'the dashboard and the API reference in a browser'],
  ['njs', njsInstalled, "the functions of CloudFront in CloudFront's dialect"],
  ['nginx with its stream module, and haproxy', nginxStreamInstalled && haproxyInstalled, 'the dashboard behind a proxy'],
  ['systemd-analyze', systemdInstalled, 'the units for systemd'],
  ['zsh, fish and mandoc', shellsInstalled, 'completion in shells, and the manual page'],
  ['promtool', promtoolInstalled, 'the metrics and alert rules for Prometheus'],
  ['python3', pythonInstalled, 'the Python programs of docs/api.md'],
  ['java', isInstalled(spawnSync('java', ['-version']).status === 0), 'DynamoDB Local'],
];

/** Called by Vitest once per run. @returns the teardown */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = PROGRAMS.filter(([, installed]) => !installed);
  for (const [programs, , suites] of missing) console.warn(`${programs}: missing, so nothing is tested on ${suites}`);
  if (missing.some(([programs]) => programs === 'java')) {
    project.provide('dynamoDbLocal', undefined);
    return async () => {};
  }
  const { stop, ...local } = await startDynamoDbLocal();
  project.provide('dynamoDbLocal', local);
  return stop;
}
