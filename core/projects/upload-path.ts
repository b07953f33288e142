// The paths, below the control API's, that take the files of uploads on one machine.

import type { DeploymentName } from './ports.ts';

export interface UploadPath {
  readonly deployment: DeploymentName;
  /** The file's position in the manifest. */
  readonly at: number;
}

/** Returns the path that takes a file. */
export function uploadPath({ deployment: { projectId, id }, at }: UploadPath): string {
  return `/projects/${projectId}/uploads/${id}/files/${at}`;
}

/** Reads such a path. @returns undefined for any other path */
export function parseUploadPath(path: string): UploadPath | undefined {
  const [, projectId, id, at] = /^\/projects\/([0-9A-Za-z_]+)\/uploads\/([0-9A-Za-z_]+)\/files\/(\d{1,6})$/.exec(path) ?? [];
  return projectId === undefined || id === undefined ? undefined : { deployment: { projectId, id }, at: Number(at) };
}
