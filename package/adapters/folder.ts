// `petstore-platform/adapters/folder`: published sites and uploads in a folder.

import '../../platforms/node-version.ts';

export { createFolderSiteStore, createFolderUploads, type FolderUploads } from '../../adapters/sites/folder.ts';
