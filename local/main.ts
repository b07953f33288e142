// The embedded service: `npm start`. The second composition root, beside functions/api/handler.ts.

import { randomBytes, randomInt } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { createSqliteUserStore } from '../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../adapters/store/sqlite/stores.ts';
import { createApi } from '../functions/api/create-api.ts';
import { createControlMounts } from './control.ts';
import { openDashboard } from './dashboard.ts';
import { makeDemoAccount } from './demo-account.ts';
import { startDomains } from './domains.ts';
import { startHost } from './host.ts';
import { createPages } from './pages.ts';
import { parseSettings, type Settings } from './settings.ts';

const parsed = parseSettings(process.env);
if (parsed.ok) await run(parsed.settings);
else fail(`settings are wrong:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);

async function run(settings: Settings): Promise<void> {
  const logger = new Logger({ serviceName: 'petstore', logLevel: settings.logLevel });
  const stores = open(settings);
  const users = createSqliteUserStore(stores.database);
  const demo = await makeDemoAccount({ ...stores, users }, randomBytes, Date.now());
  const api = createApi({
    stores,
    clock: Date.now,
    random32: () => randomInt(2 ** 32),
    logger,
    draftHeaders: settings.draftHeaders,
  });
  const pages = createPages(async () => (await stores.accounts.listAccounts()).length >= 0);
  const onFault = (error: unknown) => logger.error('fault of the host', { error });
  const host = await startHost({ api, pages, clock: Date.now, onFault, port: settings.port, host: settings.host }).catch(
    (error: NodeJS.ErrnoException) => {
      stores.close();
      return fail(listenProblem(error, settings));
    },
  );

  const edge = await startDomains(stores, settings, onFault).catch(async (error: NodeJS.ErrnoException) => {
    await host.stop();
    stores.close();
    return fail(error.message);
  });

  const control = await createControlMounts({ stores, settings, origin: host.url, logger, clock: Date.now, onFault });
  host.mount(control.mounts, openDashboard(control.issuer));

  // A terminal's Ctrl-C comes twice: from the terminal and from npm.
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await Promise.all([host.stop(), edge.stop()]);
    stores.close();
    process.exitCode = 0;
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  if (demo !== undefined) {
    console.log(`First start: made the account Demo (plan pro). Its API key, shown only now:\n  ${demo.key}`);
    console.log(`and a user for the dashboard, whose password is shown only now:\n  ${demo.email}  ${demo.password}`);
  }
  console.log(`custom domains at ${edge.description}`);
  console.log(`petstore ready at ${host.url} (dashboard: ${host.url}/, reference: ${host.url}/docs, data: ${settings.dataFolder})`);
}

function open(settings: Settings): ReturnType<typeof openSqliteStores> {
  try {
    return openSqliteStores(settings.dataFolder);
  } catch (error) {
    return fail(`PETSTORE_DATA: can't use ${settings.dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}

function listenProblem(error: NodeJS.ErrnoException, { host, port }: Settings): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `PETSTORE_PORT: ${port} is in use on ${host}; stop what uses it, or choose another port`;
    case 'EACCES':
      return `PETSTORE_PORT: no right to listen on ${port}; choose a port from 1024 up`;
    default:
      return `PETSTORE_HOST: can't listen on ${host}: ${error.message}`;
  }
}

function fail(message: string): never {
  console.error(`petstore: ${message}`);
  process.exit(1);
}
