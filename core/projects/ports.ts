// Storage ports for projects: their records, and the files of their deployments.

import type { Readable } from 'node:stream';
import type { DomainConfiguration } from '../domains/configuration.ts';
import type { Page } from '../page.ts';
import type { Manifest } from './manifest.ts';
import type { Deployment, Project } from './project.ts';

/** Only this many of a project's deployments are listed. */
export const MOST_DEPLOYMENTS_LISTED = 1_000;

/**
 * Every method rejects only with StoreFault, if storage fails. Times are in milliseconds since 1970. `read` is what was read; if it is given, and has
 * changed since, the method changes nothing and returns false.
 */
export interface ProjectStore {
  /** Stores a project for an existing account. Returns false if the project's id or token is taken, even by a concurrent call. */
  createProject(project: Project): Promise<boolean>;
  /** Returns a project; undefined if there is none. */
  getProject(id: string): Promise<Project | undefined>;
  /** Returns the projects of one account, or of all accounts, oldest first. */
  listProjects(accountId?: string): Promise<readonly Project[]>;
  /**
   * Adds a deployment whose files are stored, and makes it current in one step, from the next request on. If it was uploaded, cancels its removal.
   * Returns false if the removal is due at the deployment's creation, or has begun, or if there is no such project.
   */
  deploy(deployment: Deployment, from?: 'upload'): Promise<boolean>;
  /** Returns a deployment; undefined if the project does not have it. */
  getDeployment(deployment: DeploymentName): Promise<Deployment | undefined>;
  /** Returns the total size of a project's deployments, its uploads, and files not removed yet, in bytes. */
  bytesStored(projectId: string): Promise<number>;
  /** Returns a project's MOST_DEPLOYMENTS_LISTED newest deployments, newest first. */
  listDeployments(projectId: string): Promise<readonly Deployment[]>;
  /** Makes an earlier deployment current from the next request on, and sets its `servedAt`. Returns false if the project has no such deployment. */
  setCurrentDeployment(projectId: string, deploymentId: string, now: number): Promise<boolean>;
  /** Pins or unpins a deployment. Returns false if the project has no such deployment. */
  setPinned(deployment: DeploymentName, pinned: boolean): Promise<boolean>;
  /** Deletes a deployment, and schedules its files' removal, in one step. Returns false if it does not exist, or is current or pinned. */
  deleteDeployment(deployment: DeploymentName, now: number): Promise<boolean>;
  /** Replaces a project's configuration. Returns false if there is no such project. */
  putConfiguration(projectId: string, configuration: DomainConfiguration, read?: DomainConfiguration): Promise<boolean>;
  /** Changes a project's display name. Returns false if there is no such project. */
  rename(projectId: string, name: string, read?: Project): Promise<boolean>;
  /**
   * Deletes a project, and schedules the removal of all of its files, in one step. Its token stays reserved for PROJECT_TOMBSTONE_MS, because records
   * may still point to it. Returns false if there is no such project.
   */
  deleteProject(project: Pick<Project, 'id' | 'accountId' | 'token'>, now: number, read?: Project): Promise<boolean>;
}

/** Files to be removed: those of a deployment that was deleted or not published in time, or all files of a deleted project. */
export interface FileRemoval {
  readonly projectId: string;
  /** Undefined for all files of the project. */
  readonly deploymentId: string | undefined;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** Maximum total size of the files; 0 if unknown. */
  readonly bytes: number;
}

/** The queue of removals. Every method rejects only with StoreFault, if storage fails. */
export interface FileRemovalStore {
  /** Schedules a removal, replacing any earlier time. */
  schedule(removal: FileRemoval): Promise<void>;
  /** Returns a project's removals, in any order. */
  ofProject(projectId: string): Promise<readonly FileRemoval[]>;
  /** Returns a page of all removals, in any order. @param after `next` of the previous page. @default the first page */
  list(after?: string): Promise<Page<FileRemoval>>;
  /**
   * Begins a removal that is due; from now on, the deployment can't be published.
   *
   * @returns the time at which the removal began, perhaps in an earlier call; undefined if there is no such removal, or it is not due
   */
  begin(removal: FileRemoval, now: number): Promise<number | undefined>;
  /** Deletes a removal that is done, and everything stored about the deployments of a deleted project. Idempotent. */
  finish(removal: FileRemoval): Promise<void>;
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
 * Every method rejects with StoreFault if storage fails, and with an Error for an invalid file name: names are relative, with `/` between segments,
 * none of which is empty, `.` or `..`.
 */
export interface SiteStore {
  /**
   * Stores one file of a deployment that is not served yet. A deployment's files are stored in the order of their names: if there are both
   * `docs.html` and `docs/index.html`, the former is served for `docs`. If the call rejects, even because the source failed, the file is not stored.
   *
   * @param bytes size of the source
   */
  put(deployment: DeploymentName, name: string, source: Readable, bytes: number): Promise<void>;
  /** Returns a file; undefined if the deployment does not have it. */
  get(deployment: DeploymentName, name: string): Promise<SiteFile | undefined>;
}

/** A request that a client sends to store one file of an upload. A file may have several targets, and is sent to each. */
export interface UploadTarget {
  readonly name: string;
  /** An absolute URL, or a path below the control API's base path, which requires the caller's access token. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Files of deployments that clients upload themselves. A file is stored only if its size and digest match the manifest. Every method rejects with
 * StoreFault if storage fails.
 */
export interface UploadStore {
  /** How long a target stays valid, in milliseconds, even if the upload is removed meanwhile. */
  readonly targetsValidMs: number;
  /** Stores the manifest of a deployment that is not published yet. */
  begin(deployment: DeploymentName, manifest: Manifest): Promise<void>;
  /** Returns the manifest; undefined if there is no such upload, or if it has ended. */
  manifest(deployment: DeploymentName): Promise<Manifest | undefined>;
  /**
   * Returns a page of targets whose files are not stored yet; a page may be empty even if others follow.
   *
   * @param after `next` of the previous page. @default the first page
   */
  targets(deployment: DeploymentName, manifest: Manifest, after?: string): Promise<Page<UploadTarget>>;
  /** Returns the names of files that are not stored yet. @param limit maximum number of names */
  missing(deployment: DeploymentName, manifest: Manifest, limit: number): Promise<readonly string[]>;
  /**
   * Stores an upload's file that is sent to the control API; does not read a file that is already stored, nor store a file of a removed upload.
   *
   * @param at its position in the manifest
   * @param confirm called once the content has arrived and is correct; if it rejects, nothing is stored, and `receive` rejects as well
   * @returns undefined if there is no such upload or file. @default files are sent elsewhere
   */
  receive?(deployment: DeploymentName, at: number, source: Readable, confirm?: () => Promise<void>): Promise<Received | undefined>;
  /** Deletes the manifest; from now on, no new targets are returned. Idempotent. */
  end(deployment: DeploymentName): Promise<void>;
  /** Removes a deployment's files, or all files of a project, with their manifests. Idempotent. @returns false if there is more to remove */
  remove(files: Pick<FileRemoval, 'projectId' | 'deploymentId'>): Promise<boolean>;
}

/** `wrong`: the content is not what the manifest announced. `busy`: too many files are arriving at once. */
export type Received = 'stored' | 'wrong' | 'busy';

export type DeploymentName = Pick<Deployment, 'id' | 'projectId'>;
