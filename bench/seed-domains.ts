// Data folders with custom domains, for benchmarks: an account whose project has one page, and domains in any state.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createSqliteVault } from '../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../adapters/certificates/development.ts';
import { createSqliteEdgeMap } from '../adapters/edge/sqlite-edge.ts';
import { createFolderSiteStore } from '../adapters/sites/folder.ts';
import { openSqliteStores, type SqliteStores } from '../adapters/store/sqlite/stores.ts';
import type { Account } from '../core/access/account.ts';
import { type Domain, type DomainState, newDomain } from '../core/domains/domain.ts';
import { EMPTY_CONFIGURATION, type Project } from '../core/projects/project.ts';
import { UNLIMITED } from './seed.ts';

/** 20 bytes. */
const PAGE = '<h1>Hello, pets</h1>';

export interface DomainsFolder {
  readonly path: string;
  readonly stores: SqliteStores;
  /** Adds an account with a separate project. */
  addProject(name: string): Promise<Project>;
  addDomain(project: Project, host: string, state: DomainState): Promise<Domain>;
  /** Adds a domain that stays live for longer than any run. */
  addLiveDomain(project: Project, host: string): Promise<Domain>;
  /** Closes the stores and deletes the folder. */
  remove(): void;
}

/** Creates a temporary data folder without domains. */
export function makeDomainsFolder(): DomainsFolder {
  const path = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  const stores = openSqliteStores(path);
  const sites = createFolderSiteStore(path);
  const now = Date.now();

  async function addDomain(project: Project, host: string, state: DomainState): Promise<Domain> {
    const id = `dom_${host.replaceAll('.', '')}`;
    const domain = { ...newDomain({ id, host, projectId: project.id, accountId: project.accountId }, now), state };
    await stores.domains.addDomain(domain);
    return domain;
  }

  return {
    path,
    stores,
    addProject: async (name) => {
      const account: Account = { id: `acc_${name}`, name, plan: 'enterprise', limits: UNLIMITED, createdAt: now };
      await stores.accounts.createAccount(account);
      const project: Project = {
        id: `prj_${name}`,
        accountId: account.id,
        name,
        token: name,
        createdAt: now,
        currentDeploymentId: undefined,
        configuration: EMPTY_CONFIGURATION,
      };
      await stores.projects.createProject(project);
      const deployment = { id: `dpl_${name}`, projectId: project.id };
      await sites.put(deployment, 'index.html', Readable.from([PAGE]), PAGE.length);
      await stores.projects.deploy({ ...deployment, createdAt: now, files: 1, bytes: PAGE.length });
      return project;
    },
    addDomain,
    addLiveDomain: async (project, host) => {
      const authority = await createDevelopmentAuthority(path, createSqliteVault(stores.database), Date.now);
      const certificate = await authority.request(host, `${host}-g1`);
      createSqliteEdgeMap(stores.database).set(host, { projectId: project.id, certificate });
      return addDomain(project, host, { name: 'live', since: now, certificate, misses: 0, nextCheckAt: now + 86_400_000 });
    },
    remove: () => {
      stores.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
