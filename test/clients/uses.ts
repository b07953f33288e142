// What the generated clients are used for, against a service that runs: list, create, page to the end, publish a site, add a domain.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE_PREFIX } from '../../service/catalogue/operations.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';
import { runCli, runCliJson, startServerProcess } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';
import { compileTypeScript } from './generators.ts';
import { PYTHON, pythonPath, run, runGo } from './tools.ts';

const USE = join(import.meta.dirname, 'use');

export interface Use {
  /** The generator's name. */
  readonly name: string;
  /** @param folder with the clients @throws Error if a call fails */
  readonly run: (folder: string, environment: NodeJS.ProcessEnv) => Promise<unknown>;
}

export const USES: readonly Use[] = [
  {
    name: 'Python',
    run: (folder, environment) => {
      const clients = ['catalogue', 'control'].map((name) => join(folder, 'python', name));
      return run(folder, PYTHON, [join(USE, 'use.py')], { ...environment, ...pythonPath(clients) });
    },
  },
  {
    name: 'Go, oapi-codegen',
    run: async (folder, environment) => {
      mkdirSync(join(folder, 'use'), { recursive: true });
      copyFileSync(join(USE, 'use.go'), join(folder, 'use/use.go'));
      await runGo(folder, ['run', './use'], environment);
    },
  },
  {
    name: 'TypeScript, fetch',
    run: async (folder, environment) => {
      const sources = join(folder, 'typescript-fetch');
      copyFileSync(join(USE, 'use.ts'), join(sources, 'use.ts'));
      const types = join(import.meta.dirname, '../../node_modules/@types');
      await compileTypeScript(sources, ['use.ts', '--outDir', 'compiled', '--types', 'node', '--typeRoots', types]);
      await run(sources, process.execPath, ['compiled/use.js'], environment);
    },
  },
];

/** Starts the service, and uses each client with an account of its own. @param done gets the error, if a client failed */
export async function useAll(folder: string, uses: readonly Use[], done: (use: Use, error?: Error) => void): Promise<void> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const server = await startServerProcess(data);
  try {
    for (const [index, use] of uses.entries()) {
      const environment = await makeAccount(data, server.url, `client${index}`);
      await use.run(folder, environment).then(
        () => done(use),
        (error: Error) => done(use, error),
      );
    }
  } finally {
    await server.stop();
  }
}

/** An account that may do everything, with a key and a user. @returns what the programs read */
async function makeAccount(data: string, url: string, name: string): Promise<NodeJS.ProcessEnv> {
  const [email, password] = [`${name}@petstore.test`, `the password of ${name}`];
  const limits = ['--per-minute', '10000', '--per-day', '100000'];
  const create = ['accounts', 'create', '--name', name, '--plan', 'enterprise', ...limits];
  const [{ accountId }, { userId }] = await Promise.all([
    runCliJson<{ accountId: string }>(data, create),
    runCliJson<{ userId: string }>(data, ['users', 'create', email, '--password-stdin'], password),
  ]);
  const [{ key }, added] = await Promise.all([
    runCliJson<{ key: string }>(data, ['keys', 'issue', '--account', accountId, '--name', name]),
    runCli(data, ['accounts', 'add-member', accountId, userId]),
  ]);
  if (added.code !== 0) throw new Error(added.stderr);
  const { access_token } = await signIn(url, email, password);
  const catalogue = { PETSTORE_URL: url, PETSTORE_CATALOGUE_URL: `${url}${CATALOGUE_PREFIX}` };
  const urls = { ...catalogue, PETSTORE_CONTROL_URL: `${url}${CONTROL_PREFIX}`, PETSTORE_DEPLOY_URL: `${url}${DEPLOY_PREFIX}` };
  return { ...urls, PETSTORE_KEY: key, PETSTORE_TOKEN: access_token };
}
