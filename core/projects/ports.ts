// Storage ports for projects: their records, and the files of their deployments.

import type { Readable } from 'node:stream';
import type { DomainConfiguration } from '../domains/configuration.ts';
import type { Deployment, Project } from './project.ts';

/** Deployments are never deleted, so a project may have any number of them, and only this many are listed. */
export const MOST_DEPLOYMENTS_LISTED = 1_000;

/** Every method rejects only with StoreFault (core/store-fault.ts), if storage fails. */
export interface ProjectStore {
  /** Stores a project for an existing account. Returns false if the project's id or token is taken, even by a concurrent call. */
  createProject(project: Project): Promise<boolean>;
  /** Returns a project; undefined if there is none. */
  getProject(id: string): Promise<Project | undefined>;
  /** Projects of one account, or of all accounts; oldest first. */
  listProjects(accountId?: string): Promise<readonly Project[]>;
  /**
   * Adds a deployment whose files are stored, and makes it current from the next request on, in one step. Returns false if there is no such
   * project.
   */
  deploy(deployment: Deployment): Promise<boolean>;
  /** A project's MOST_DEPLOYMENTS_LISTED newest deployments, newest first. */
  listDeployments(projectId: string): Promise<readonly Deployment[]>;
  /** Makes an earlier deployment current from the next request on. Returns false if the project has no such deployment. */
  setCurrentDeployment(projectId: string, deploymentId: string): Promise<boolean>;
  /** Replaces a project's configuration. Returns false if there is no such project. */
  putConfiguration(projectId: string, configuration: DomainConfiguration): Promise<boolean>;
}

/** A file in a deployment. */
export interface SiteFile {
  readonly bytes: number;
  /** Strong validator, quoted (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** Opens a stream of the content. @param range first and last byte, both inclusive. @default the whole file */
  read(range?: { readonly start: number; readonly end: number }): Readable;
}

/**
 * Every method rejects with StoreFault (core/store-fault.ts) if storage fails, and with an Error for an invalid file name
 * (core/projects/site-path.ts).
 */
export interface SiteStore {
  /**
   * Stores one file of a deployment that is not served yet. A deployment's files are stored in the order of their names: if there are both
   * `docs.html` and `docs/index.html`, the first answers for `docs`. If the call rejects, even because the source failed, the file is not stored.
   *
   * @param bytes size of the source
   */
  put(deployment: Pick<Deployment, 'id' | 'projectId'>, name: string, source: Readable, bytes: number): Promise<void>;
  /** Returns a file; undefined if the deployment does not have it. */
  get(deployment: Pick<Deployment, 'id' | 'projectId'>, name: string): Promise<SiteFile | undefined>;
}
