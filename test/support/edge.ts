// The real edge server in this process, with a project that has pages.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../adapters/certificates/development.ts';
import { createOwnAddresses } from '../../adapters/edge/own-addresses.ts';
import { type EdgeServer, startEdgeServer } from '../../adapters/edge/server.ts';
import { createSqliteEdgeMap, createSqliteOwnAddresses } from '../../adapters/edge/sqlite-edge.ts';
import { ROOT_FILE } from '../../adapters/files/data-folder.ts';
import { createFolderSiteStore } from '../../adapters/sites/folder.ts';
import { createKeptForms } from '../../adapters/sites/kept-forms.ts';
import { openSqliteStores, type SqliteStores } from '../../adapters/store/sqlite/stores.ts';
import type { CertificateAuthority } from '../../core/domains/ports.ts';
import { EMPTY_CONFIGURATION, type Project } from '../../core/projects/project.ts';
import { currentOf } from '../../testing/projects.ts';
import { NOON, sampleAccount } from '../../testing/samples.ts';
import { makeInstallation } from './folders.ts';

export const DEPLOYMENT = { id: 'dpl_1', projectId: 'prj_1' };

type Options = Partial<Parameters<typeof startEdgeServer>[0]> & {
  /** Makes the own addresses of projects below this name. @default none */
  readonly ownBelow?: string;
  /** What own addresses ask for certificates. @default the development authority */
  readonly wrapAuthority?: (authority: CertificateAuthority) => CertificateAuthority;
  /** The project's token. @default not one of an own address */
  readonly token?: string;
  /** The project's files, by name. @default one page */
  readonly files?: Readonly<Record<string, string | Buffer>>;
};

export interface TestEdge extends EdgeServer {
  /** The folder with the stores, the published files and the root. */
  readonly folder: string;
  readonly stores: SqliteStores;
  /** The project that has the files, and one of its deployments. */
  readonly project: Project;
  /** PEM of the root that signs its certificates. */
  readonly ca: string;
  readonly vault: ReturnType<typeof createSqliteVault>;
  /** Faults in the edge itself; should stay empty. */
  readonly faults: readonly unknown[];
  /** Removes the certificates of deleted projects' own addresses. */
  forgetDeleted(): Promise<void>;
  /**
   * Serves a project at this host as well.
   *
   * @param certificate in the vault. @default one from the development authority
   * @param of the project. @default the one that has the files
   */
  serve(host: string, certificate?: string, of?: Project): Promise<void>;
}

/** Starts an edge on free ports, with one project and its deployment. */
export async function startTestEdge({
  files = { 'index.html': 'page' },
  ownBelow,
  wrapAuthority = (authority) => authority,
  token = 't',
  ...options
}: Options = {}): Promise<TestEdge> {
  const folder = makeInstallation();
  const stores = openSqliteStores(folder.path);
  const vault = createSqliteVault(stores.database);
  const authority = await createDevelopmentAuthority(folder.path, vault, options.clock ?? Date.now);
  const sites = createFolderSiteStore(folder.path);
  const account = sampleAccount();
  const project: Project = {
    id: DEPLOYMENT.projectId,
    accountId: account.id,
    name: 'Shop',
    token,
    createdAt: NOON,
    currentDeploymentId: undefined,
    configuration: EMPTY_CONFIGURATION,
  };
  await stores.accounts.createAccount(account);
  await stores.projects.createProject(project);
  let bytes = 0;
  for (const [name, content] of Object.entries(files)) {
    await sites.put(DEPLOYMENT, name, Readable.from([Buffer.from(content)]), Buffer.byteLength(content));
    bytes += Buffer.byteLength(content);
  }
  await stores.projects.deploy({ ...DEPLOYMENT, createdAt: NOON, files: Object.keys(files).length, bytes });
  const faults: unknown[] = [];
  const own =
    ownBelow === undefined
      ? {}
      : {
          own: createOwnAddresses({
            store: createSqliteOwnAddresses(stores.database),
            edgeHost: ownBelow,
            authority: wrapAuthority(authority),
            vault,
            clock: options.clock ?? Date.now,
            onFault: (error) => faults.push(error),
          }),
        };
  const server = await startEdgeServer({
    host: '127.0.0.1',
    httpPort: 0,
    httpsPort: 0,
    map: createSqliteEdgeMap(stores.database),
    vault,
    sites,
    forms: createKeptForms(folder.path, { clock: Date.now, onFault: (error) => faults.push(error) }),
    onFault: (error) => faults.push(error),
    clock: Date.now,
    onLimit: (message) => faults.push(message),
    ...own,
    ...options,
  });
  return {
    ...server,
    ...{ folder: folder.path, stores, project },
    forgetDeleted: async () => own.own?.forgetUnused(),
    ca: readFileSync(join(folder.path, ROOT_FILE), 'utf8'),
    vault,
    faults,
    serve: async (host, certificate, of = project) => {
      await server.edge.attach(
        { id: `dom_${host}`, host, projectId: of.id },
        currentOf(of, [host]),
        certificate ?? (await authority.request(host, `dom_${host}`)),
      );
    },
    stop: async () => {
      await server.stop();
      stores.close();
      folder.remove();
    },
  };
}
