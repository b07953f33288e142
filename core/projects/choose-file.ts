// Chooses which of a deployment's files to serve for a request.

import { siteFilesFor } from './manifest.ts';
import type { SiteFile, SiteStore } from './ports.ts';
import type { Deployment } from './project.ts';

/** The project's page for requests that match no file. */
const MISSING_PAGE = '404.html';

export interface ChosenFile {
  /** 404 if the file is the project's page for missing files. */
  readonly status: 200 | 404;
  readonly name: string;
  readonly file: SiteFile;
}

/**
 * Returns the first file that matches the path, or else the deployment's `404.html`; undefined if the deployment has neither.
 *
 * @param path the request's path, percent-encoded, with its leading slash, without the query
 * @throws StoreFault if storage fails
 */
export async function chooseFile(
  path: string,
  sites: Pick<SiteStore, 'get'>,
  deployment: Pick<Deployment, 'id' | 'projectId'>,
): Promise<ChosenFile | undefined> {
  for (const name of siteFilesFor(path)) {
    const file = await sites.get(deployment, name);
    if (file !== undefined) return { status: 200, name, file };
  }
  const file = await sites.get(deployment, MISSING_PAGE);
  return file === undefined ? undefined : { status: 404, name: MISSING_PAGE, file };
}
