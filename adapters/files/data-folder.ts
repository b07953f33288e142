// The names of the files and folders in a data folder.

/** The database; SQLite's `-wal` and `-shm` files are beside it. */
export const DATABASE_FILE = 'petstore.db';
/** The keys with which tokens and cookies are signed. */
export const IDENTITY_KEYS_FILE = 'identity-keys.json';
/** The root of the development authority, which browsers trust. */
export const ROOT_FILE = 'development-ca.pem';
export const ROOT_KEY_FILE = 'development-ca.key';
/** All files with keys, or that belong to them. */
export const KEY_FILES: readonly string[] = [IDENTITY_KEYS_FILE, ROOT_FILE, ROOT_KEY_FILE];
/** Deployed files: `sites/<project>/<deployment>/<name>`. A deployment never changes. */
export const SITES_FOLDER = 'sites';
/** Manifests of uploads in progress, and files that are arriving. */
export const UPLOADS_FOLDER = 'uploads';
/** Compressed forms of large files: `compressed/<project>/<deployment>/…`. They can be recreated. */
export const FORMS_FOLDER = 'compressed';
/** Copies of the database from before the latest upgrades. */
export const UPGRADES_FOLDER = 'upgrades';
/** Files that a restore has copied from its backup, until all are in place. */
export const RESTORING_FOLDER = 'restoring';
/** Temporary copies that a move makes; they can be recreated. */
export const MOVING_FOLDER = 'moving';
/** Locked during a move, and while a move is being undone; has no content. */
export const MOVE_LOCK_FILE = 'move.lock';
/** Locked by everything that serves from the folder; has no content. */
export const LOCK_FILE = 'service.lock';
/** Which process serves from the folder, and where. */
export const SERVICE_FILE = 'service.json';
/** When the last backup was completed, for the metrics. */
export const LAST_BACKUP_FILE = 'last-backup.json';
/** Says why the installation accepts no changes; absent if it accepts them. */
export const CHANGES_STOPPED_FILE = 'changes-stopped.json';
/** Locked by everything that may change the installation; has no content. */
export const CHANGES_LOCK_FILE = 'changes.lock';
