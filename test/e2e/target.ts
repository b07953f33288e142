// The target of the black-box suite: a new service on this machine, or the deployed stage that E2E_STAGE and E2E_URL name. E2E_CONNECTIONS limits
// the number of concurrent connections, for front ends that accept fewer than AWS does.

import { makeFolder } from '../support/folders.ts';
import { runCliJson, startServerProcess } from '../support/processes.ts';

export interface Target {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  /** How many connections may be open at once. */
  readonly connections: number;
  /** A key for a new account. */
  issueKey(plan: readonly string[], scopes?: string): Promise<IssuedKey>;
  /** Another key for the given account. */
  addKey(accountId: string, scopes?: string): Promise<IssuedKey>;
  /** Runs `petstore` on the target's store. */
  petstore<T>(args: readonly string[]): Promise<T>;
  stop(): Promise<void>;
}

export interface IssuedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** A plan that a test suite does not exhaust. */
export const ROOMY = ['enterprise', '--per-minute', '1000000', '--per-day', '1000000'];

/** The stage that the environment names, or a new service on this machine. @throws Error if only one of E2E_URL and E2E_STAGE is set */
export async function startTarget(): Promise<Target> {
  const { E2E_URL: url, E2E_STAGE: stage, E2E_CONNECTIONS: connections = '500' } = process.env;
  if ((url === undefined) !== (stage === undefined)) throw new Error('E2E_URL and E2E_STAGE go together');
  return url !== undefined && stage !== undefined ? deployed(url, stage, Number(connections)) : embedded();
}

function deployed(url: string, stage: string, connections: number): Target {
  const folder = makeFolder();
  const petstore = <T>(args: readonly string[]) => runCliJson<T>(folder.path, ['--stage', stage, ...args]);
  return { url: url.replace(/\/$/, ''), connections, ...keysBy(petstore), stop: async () => folder.remove() };
}

async function embedded(): Promise<Target> {
  const folder = makeFolder();
  const server = await startServerProcess(folder.path);
  return {
    url: server.url,
    connections: 500,
    ...keysBy((args) => runCliJson(folder.path, args)),
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

function keysBy(petstore: Target['petstore']): Pick<Target, 'petstore' | 'issueKey' | 'addKey'> {
  const addKey: Target['addKey'] = async (accountId, scopes = 'pets:read,pets:write') => {
    const issued = await petstore<{ keyId: string; key: string }>(['keys', 'issue', '--account', accountId, '--scopes', scopes]);
    return { accountId, ...issued };
  };
  return {
    petstore,
    addKey,
    issueKey: async (plan, scopes) => {
      const { accountId } = await petstore<{ accountId: string }>(['accounts', 'create', '--name', 'E2E', '--plan', ...plan]);
      return addKey(accountId, scopes);
    },
  };
}
