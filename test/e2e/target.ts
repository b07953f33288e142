// What the black-box suite runs against: a service of its own on this machine.

import { makeFolder } from '../support/folders.ts';
import { runCliJson, startServerProcess } from '../support/processes.ts';

export interface Target {
  /** Without `/v1` and without a slash at the end. */
  readonly url: string;
  /** A key of a new account. */
  issueKey(plan: readonly string[], scopes?: string): Promise<{ accountId: string; keyId: string; key: string }>;
  /** Runs `petstore` on the store of the target. */
  petstore<T>(args: readonly string[]): Promise<T>;
  stop(): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const folder = makeFolder();
  const server = await startServerProcess(folder.path);
  const petstore = <T>(args: readonly string[]) => runCliJson<T>(folder.path, args);
  return {
    url: server.url,
    petstore,
    issueKey: async (plan, scopes = 'pets:read,pets:write') => {
      const { accountId } = await petstore<{ accountId: string }>(['accounts', 'create', '--name', 'E2E', '--plan', ...plan]);
      const issued = await petstore<{ keyId: string; key: string }>(['keys', 'issue', '--account', accountId, '--scopes', scopes]);
      return { accountId, ...issued };
    },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

/** A plan that a test suite does not exhaust. */
export const ROOMY = ['enterprise', '--per-minute', '1000000', '--per-day', '1000000'];
