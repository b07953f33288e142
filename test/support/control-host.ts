// The embedded service with its control API in this process, so that what runs is also measured.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { createApi } from '../../functions/api/create-api.ts';
import { createControlMounts } from '../../local/control.ts';
import { type Demo, makeDemoAccount } from '../../local/demo-account.ts';
import { startDomains } from '../../local/domains.ts';
import { startHost } from '../../local/host.ts';
import { parseSettings } from '../../local/settings.ts';
import { seededRandom32 } from './samples.ts';

export interface ControlHost {
  readonly url: string;
  /** Undefined if the folder has accounts already. */
  readonly demo: Demo | undefined;
  /** What the host itself got wrong: should stay empty. */
  readonly faults: readonly unknown[];
  stop(): Promise<void>;
}

/** @param port 0 takes a free one */
export async function startControlHost(folder: string, port = 0): Promise<ControlHost> {
  const parsed = parseSettings({
    PETSTORE_DATA: folder,
    PETSTORE_EDGE_HTTP_PORT: '0',
    PETSTORE_EDGE_HTTPS_PORT: '0',
    PETSTORE_SANDBOX_DNS_PORT: '0',
  });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const { settings } = parsed;
  const stores = openSqliteStores(folder);
  const logger = new Logger({ logLevel: 'SILENT' });
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const demo = await makeDemoAccount({ ...stores, users: createSqliteUserStore(stores.database) }, randomBytes, Date.now());
  const api = createApi({ stores, clock: Date.now, random32: seededRandom32(), logger });
  const host = await startHost({ api, pages: new Map(), clock: Date.now, onFault, port, host: '127.0.0.1' });
  host.mount((await createControlMounts({ stores, settings, origin: host.url, logger, clock: Date.now, onFault })).mounts);
  const domains = await startDomains(stores, settings, onFault);
  return {
    url: host.url,
    demo,
    faults,
    stop: async () => {
      await Promise.all([host.stop(), domains.stop()]);
      stores.close();
    },
  };
}
