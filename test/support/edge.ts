// The real edge server in this process, with a project that has one page.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createDevelopmentAuthority, ROOT_FILE } from '../../adapters/certificates/development.ts';
import { type CertificateVault, createSqliteVault } from '../../adapters/certificates/sqlite-vault.ts';
import { type EdgeServer, startEdgeServer } from '../../adapters/edge/server.ts';
import { createSqliteEdgeMap } from '../../adapters/edge/sqlite-map.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { EMPTY_CONFIGURATION } from '../../core/projects/project.ts';
import { makeFolder } from './folders.ts';
import { NOON, sampleAccount } from './samples.ts';

export interface TestEdge extends EdgeServer {
  /** PEM of the root of its certificates. */
  readonly ca: string;
  readonly vault: CertificateVault;
  /** What the edge itself got wrong: should stay empty. */
  readonly faults: readonly unknown[];
  /** Serves the page at this host too. @param certificate of the vault; one of the development authority if it is left out */
  serve(host: string, certificate?: string): Promise<void>;
}

export async function startTestEdge(options: Partial<Parameters<typeof startEdgeServer>[0]> = {}): Promise<TestEdge> {
  const folder = makeFolder();
  const stores = openSqliteStores(folder.path);
  const vault = createSqliteVault(stores.database);
  const authority = await createDevelopmentAuthority(folder.path, vault, Date.now);
  const sites = createFolderSiteStore(folder.path);
  const account = sampleAccount();
  const project = {
    id: 'prj_1',
    accountId: account.id,
    name: 'Shop',
    token: 't',
    createdAt: NOON,
    currentDeploymentId: undefined,
    configuration: EMPTY_CONFIGURATION,
  };
  await stores.accounts.createAccount(account);
  await stores.projects.createProject(project);
  const deployment = { id: 'dpl_1', projectId: project.id };
  await sites.put(deployment, 'index.html', Readable.from(['page']), 4);
  await stores.projects.deploy({ ...deployment, createdAt: NOON, files: 1, bytes: 4 });
  const faults: unknown[] = [];
  const server = await startEdgeServer({
    host: '127.0.0.1',
    httpPort: 0,
    httpsPort: 0,
    map: createSqliteEdgeMap(stores.database),
    vault,
    projects: stores.projects,
    sites,
    onFault: (error) => faults.push(error),
    clock: Date.now,
    onLimit: (message) => faults.push(message),
    ...options,
  });
  return {
    ...server,
    ca: readFileSync(join(folder.path, ROOT_FILE), 'utf8'),
    vault,
    faults,
    serve: async (host, certificate) => {
      await server.edge.attach({ id: `dom_${host}`, host }, project, certificate ?? (await authority.request(host, `dom_${host}`)));
    },
    stop: async () => {
      await server.stop();
      stores.close();
      folder.remove();
    },
  };
}
