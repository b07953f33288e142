// What projects need of storage: their records, and the files of their deployments.

import type { Readable } from 'node:stream';
import type { DomainConfiguration } from '../domains/configuration.ts';
import type { Deployment, Project } from './project.ts';

/** Every method rejects with StoreFault (core/store-fault.ts) if storage fails, and with nothing else. */
export interface ProjectStore {
  /** Stores a project of an account that there is, unless its id or its token is taken, by a concurrent one too: then false. */
  createProject(project: Project): Promise<boolean>;
  getProject(id: string): Promise<Project | undefined>;
  /** Of one account, or of all; oldest first. */
  listProjects(accountId?: string): Promise<readonly Project[]>;
  /** Adds a deployment whose files are stored, and serves it from the next request on, in one step. False if there is no such project. */
  deploy(deployment: Deployment): Promise<boolean>;
  /** Newest first. */
  listDeployments(projectId: string): Promise<readonly Deployment[]>;
  /** Serves an earlier deployment from the next request on. False if the project has no such deployment. */
  setCurrentDeployment(projectId: string, deploymentId: string): Promise<boolean>;
  /** False if there is no such project. */
  putConfiguration(projectId: string, configuration: DomainConfiguration): Promise<boolean>;
}

/** A file of a deployment. */
export interface SiteFile {
  readonly bytes: number;
  /** Strong validator, quoted (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** @param range first and last byte, both included. @default the whole file */
  read(range?: { readonly start: number; readonly end: number }): Readable;
}

/** Every method rejects with StoreFault (core/store-fault.ts) if storage fails, and with an Error for what is no name (core/projects/site-path.ts). */
export interface SiteStore {
  /**
   * Stores one file of a deployment that is not yet served. Files of a deployment come in the order of their names: of
   * `docs.html` and `docs/index.html` the first answers for `docs`. If it rejects, also with a fault of the source, the file is not there.
   *
   * @param bytes that the source has
   */
  put(deployment: Pick<Deployment, 'id' | 'projectId'>, name: string, source: Readable, bytes: number): Promise<void>;
  get(deployment: Pick<Deployment, 'id' | 'projectId'>, name: string): Promise<SiteFile | undefined>;
}
