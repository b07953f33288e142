// `petstore-platform/adapters/folder`: published sites and uploads in a folder.

import '../../platforms/node-version.ts';

export { createFolderSiteStore } from '../../adapters/sites/folder.ts';
export { createFolderUploads, type FolderUploads } from '../../adapters/sites/folder-uploads.ts';
