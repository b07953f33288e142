// Moves an installation from its data folder to a target that stores all of it: adapters, or a stage on AWS.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, MOVE_LOCK_FILE, MOVING_FOLDER, SITES_FOLDER } from '../../adapters/files/data-folder.ts';
import { takeLock } from '../../adapters/files/lock.ts';
import { NEWEST_VERSION } from '../../adapters/store/sqlite/migrations.ts';
import { countRecords, type DatabaseKind, readRecords } from '../../adapters/store/sqlite/records.ts';
import { MOVED, MOVING } from '../../core/ports.ts';
import type { DeploymentName } from '../../core/projects/ports.ts';
import { RECORD_KINDS, type RecordKindName, type StoredRecord } from '../../core/records/kinds.ts';
import { compareKeys, type RecordTarget, type Synchronized, synchronize } from '../../core/records/synchronize.ts';
import { StoreFault } from '../../core/refusal.ts';
import type { AdapterPorts } from '../adapters.ts';
import { PlatformError } from '../platform.ts';
import { areStopped } from './changes.ts';
import { openAdapters } from './configuration.ts';
import { usable } from './folder-lock.ts';
import { sharedKeysOf } from './shared-keys.ts';

const isDifferent = ({ written, removed }: Synchronized) => written + removed > 0;

/** Whether the accounts are stored elsewhere: there are rows that belong to accounts, but no accounts. */
const ELSEWHERE = 'SELECT NOT EXISTS (SELECT 1 FROM accounts) AND (EXISTS (SELECT 1 FROM members) OR EXISTS (SELECT 1 FROM projects)) AS elsewhere';

/** The ports to which an installation can be moved. */
export type MovePorts = Pick<AdapterPorts, 'records' | 'sites' | 'uploads'> & { readonly installation: Pick<AdapterPorts['installation'], 'keys'> };
const PORTS = ['records', 'installation', 'sites', 'uploads'] as const;

export const KIND_NAMES = Object.keys(RECORD_KINDS) as readonly RecordKindName[];

/** Maximum number of passes while changes continue. Each takes a fraction of the previous one's time. */
const PASSES = 3;
/** Maximum comparisons per kind once changes have stopped. The second finds no difference, unless a record was removed to make room for another. */
const COMPARISONS = 4;
/** How many times a call without an answer is tried, and the pause between two tries. */
const TRIES = 5;
const PAUSE_MS = 1_000;

export interface MovedKind extends Synchronized {
  readonly kind: RecordKindName;
}

/** Where an installation is moved to. */
export interface MoveTarget {
  /** The target, as shown to users. */
  readonly where: string;
  /** Whether the target is as empty as a new installation. */
  isEmpty(): Promise<boolean>;
  /** Stores the installation's secrets and move markers: see InstallationStore. */
  keys: AdapterPorts['installation']['keys'];
  /** Called before each pass over all kinds. */
  beginPass?(): Promise<void>;
  /** Makes the target's records of a kind equal to the source's. */
  synchronize(kind: RecordKindName, onProgress: (records: number) => void): Promise<Synchronized>;
  /** Called once all kinds equal the source's; opens the target to users and clients, unless it rejects. @returns the kinds moved last */
  complete?(): Promise<readonly MovedKind[]>;
  /** Called once completion is stored. Never rejects. */
  welcome?(): Promise<void>;
  close(): Promise<void>;
}

export interface MoveOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Stops changes (and resolves once nothing changes any more), allows them again, and records the completed move. @default changes continue */
  readonly changes?: { readonly stop: () => Promise<void>; readonly allow: () => void; readonly markMoved: () => void };
  readonly onProgress?: (kind: RecordKindName, records: number) => void;
}

/** The data folder, as the source of a move. */
export interface MoveSource {
  readonly dataFolder: string;
  readonly database: DatabaseSync;
  close(): void;
}

/** Prevents other moves of an installation until the process ends. @returns a function that allows them @throws PlatformError if one is running */
export function lockMove(dataFolder: string): () => void {
  const release = usable(dataFolder, () => takeLock(join(dataFolder, MOVE_LOCK_FILE), 'alone'));
  if (release === undefined) throw new PlatformError(`${dataFolder}: a move is running; wait until it ends, or stop its process`);
  return release;
}

/** @throws PlatformError if the folder has no installation, or one of another version */
export function openMoveSource(dataFolder: string): MoveSource {
  const file = join(dataFolder, DATABASE_FILE);
  if (!existsSync(file)) throw new PlatformError(`PETSTORE_DATA: there is no installation in ${dataFolder}; name the folder of one`);
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  const { elsewhere } = version === NEWEST_VERSION ? (database.prepare(ELSEWHERE).get() ?? {}) : {};
  if (version === NEWEST_VERSION && elsewhere === 0) return { dataFolder, database, close: () => database.close() };
  database.close();
  if (elsewhere === 1)
    throw new PlatformError(`${file} has members or projects, but no accounts: they are stored elsewhere; only a whole installation can be moved`);
  throw new PlatformError(
    `${file} has schema ${version}, and this version of petstore has ${NEWEST_VERSION}; start its service once with this version`,
  );
}

/** Opens a configuration's adapters, with a folder for the copies that they make. @throws PlatformError if an installation can't be moved there */
export async function openMoveTarget(source: MoveSource, configurationFile: string, clock: () => number): Promise<MoveTarget> {
  const copies = join(source.dataFolder, MOVING_FOLDER);
  const removeCopies = () => rm(copies, { recursive: true, force: true });
  try {
    const { ports, providers, close } = await openAdapters({ configurationFile, dataFolder: copies }, clock, undefined, undefined, true);
    const missing = PORTS.filter((port) => ports[port] === undefined);
    if (missing.length > 0) {
      await close();
      throw new PlatformError(
        `${configurationFile}: no adapter provides ${missing.join(', ')}; an installation can be moved only to adapters that store all of it`,
      );
    }
    return {
      where: `${providers.records}, as ${configurationFile} says`,
      ...adaptersTarget(source, ports as MovePorts, removeCopies),
      close: () => close().finally(removeCopies),
    };
  } catch (error) {
    await removeCopies();
    throw error;
  }
}

/** Creates a target from adapters. @param removeCopies removes the copies that they made on this machine. @default they make none */
export function adaptersTarget(source: MoveSource, ports: MovePorts, removeCopies = async () => {}): Omit<MoveTarget, 'where' | 'close'> {
  return {
    isEmpty: () => ports.records.isEmpty(),
    keys: (name, fresh) => ports.installation.keys(name, fresh),
    synchronize: (kind, onProgress) => {
      const target = kind === 'site_files' ? fileTarget(source, ports, removeCopies) : recordTarget(ports, kind);
      const records = kind === 'site_files' ? filesOf(source) : readRecords(source.database, kind);
      return synchronize(kind, records, target, onProgress);
    },
  };
}

/** Counts what would be moved. */
export function countAll({ database, dataFolder }: MoveSource): Promise<Readonly<Record<RecordKindName, number>>> {
  const counts = KIND_NAMES.map(async (kind) => {
    if (kind !== 'site_files') return [kind, countRecords(database, kind)] as const;
    return [kind, (await Array.fromAsync(filesOf({ database, dataFolder }))).length] as const;
  });
  return Promise.all(counts).then((all) => Object.fromEntries(all) as Record<RecordKindName, number>);
}

/**
 * Moves everything, most of it while the service runs, the rest once changes are stopped. Can be stopped and repeated. @returns the last comparison
 * @throws PlatformError if the target contains something else. If it rejects before the target equals the source, changes are allowed again
 */
export async function moveInstallation(
  source: MoveSource,
  target: Omit<MoveTarget, 'where' | 'close'>,
  { clock, changes, onProgress = () => {} }: MoveOptions,
): Promise<readonly MovedKind[]> {
  await claim(source, target);
  /** @param most maximum number of comparisons, until nothing differs */
  const compare = async (kind: RecordKindName, most: number): Promise<MovedKind> => {
    let found: Synchronized | undefined;
    for (let n = 0; n < most && (found === undefined || isDifferent(found)); n += 1)
      found = await target.synchronize(kind, (records) => onProgress(kind, records));
    return { kind, ...(found as Synchronized) };
  };
  const pass = async (most: number, within: (work: () => Promise<MovedKind>) => Promise<MovedKind>) => {
    await target.beginPass?.();
    const found: MovedKind[] = [];
    for (const kind of KIND_NAMES) found.push(await within(() => compare(kind, most)));
    return found;
  };
  // A read transaction keeps the database's log from being truncated, so while changes continue, each kind has its own short transaction.
  const livePass = () => pass(1, (work) => atOneMoment(source, work));
  let found = await livePass();
  for (let n = 1; n < PASSES && found.some(isDifferent); n += 1) found = await livePass();
  if (changes === undefined) return found;
  await changes.stop();
  try {
    // Admission counters still change, so everything is compared with one snapshot.
    found = await atOneMoment(source, async () => {
      const compared = await pass(COMPARISONS, (work) => work());
      refuseDifferent(compared);
      const last = (await target.complete?.()) ?? [];
      refuseDifferent(last);
      return [...compared.filter(({ kind }) => last.every((each) => each.kind !== kind)), ...last];
    });
  } catch (error) {
    changes.allow();
    throw error;
  }
  // The target may store the mark even if the call fails, and hosts may then start there. Therefore, changes stay stopped here.
  changes.markMoved();
  await target.keys(MOVED, new Date(clock()).toISOString());
  await target.welcome?.();
  return found;
}

function refuseDifferent(kinds: readonly MovedKind[]): void {
  const different = kinds.filter(isDifferent).map(({ kind }) => kind);
  if (different.length > 0)
    throw new PlatformError(`${different.join(', ')}: what is stored there still differs; run petstore doctor, then petstore move again`);
}

/** Makes sure that the target is new, or that this installation is already being moved there, and stores its keys in the target. */
async function claim({ database, dataFolder }: MoveSource, target: Pick<MoveTarget, 'isEmpty' | 'keys'>): Promise<void> {
  const keys = sharedKeysOf(dataFolder);
  const first = database.prepare('SELECT id FROM accounts ORDER BY created_at, id LIMIT 1').get() ?? null;
  // An installation that only serves the API has no keys.
  const identity = createHash('sha256')
    .update(JSON.stringify(keys.length > 0 ? keys : first))
    .digest('hex');
  const [moving, moved] = [await target.keys(MOVING), await target.keys(MOVED)];
  if (moved !== undefined && moving === identity && areStopped(dataFolder))
    throw new PlatformError(`the move was completed at ${moved}: start the hosts there`);
  if (moved !== undefined)
    throw new PlatformError(
      `an installation was moved there at ${moved}; what has changed there since would be lost: name an empty database, schema or stage`,
    );
  const another = new PlatformError(
    'another installation is being moved there, or the keys of this one have changed since its move began; name an empty database, schema or stage',
  );
  if (![undefined, identity].includes(moving)) throw another;
  if (moving === undefined && !(await target.isEmpty()))
    throw new PlatformError('there is an installation already, which would be replaced; name an empty database, schema or stage');
  for (const { name, content } of keys)
    if (![undefined, content].includes(await target.keys(name)))
      throw new PlatformError(`there are other keys (${name}) already: a service was started there; name an empty database, schema or stage`);
  if ((await target.keys(MOVING, identity)) !== identity) throw another;
  for (const { name, content } of keys) await target.keys(name, content);
}

/** Runs work with a consistent snapshot of the source. */
async function atOneMoment<T>({ database }: MoveSource, work: () => Promise<T>): Promise<T> {
  database.exec('BEGIN');
  try {
    return await work();
  } finally {
    database.exec('ROLLBACK');
  }
}

/** Retries calls that got no answer, which is safe, because each try stores or removes the same records. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !(error instanceof StoreFault)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function recordTarget({ records }: MovePorts, kind: DatabaseKind): RecordTarget {
  return {
    page: (after) => patiently(() => records.page(kind, after)),
    put: (put) => patiently(() => records.put(kind, put)),
    remove: (removed) => patiently(() => records.remove(kind, removed)),
  };
}

function fileTarget({ dataFolder }: MoveSource, { records, sites, uploads }: MovePorts, removeCopies: () => Promise<void>): RecordTarget {
  return {
    page: (after) => patiently(() => records.page('site_files', after)),
    put: async (files) => {
      for (const [projectId, id, name, bytes] of files as readonly [string, string, string, bigint][])
        await storeFile(sites, { projectId, id }, name, join(dataFolder, SITES_FOLDER, projectId, id, name), Number(bytes)).finally(removeCopies);
    },
    remove: async (files) => {
      // A deployment's files never change, so if one is gone, all are.
      for (const [projectId, deploymentId] of new Map((files as readonly [string, string][]).map((file) => [file[1], file])).values())
        while (!(await uploads.remove({ projectId, deploymentId })));
    },
  };
}

/** Stores a file from this machine. The next pass leaves out deployments that are removed meanwhile. */
export async function storeFile(sites: MovePorts['sites'], deployment: DeploymentName, name: string, path: string, bytes: number): Promise<void> {
  if (existsSync(path)) await sites.put(deployment, name, createReadStream(path), bytes);
}

/** Yields the files of all deployments, in the order of their names. */
export async function* filesOf({ database, dataFolder }: Pick<MoveSource, 'database' | 'dataFolder'>): AsyncGenerator<StoredRecord> {
  const deployments = database.prepare('SELECT project_id, id FROM deployments ORDER BY project_id, id').all() as {
    project_id: string;
    id: string;
  }[];
  for (const { project_id: projectId, id } of deployments) {
    const folder = join(dataFolder, SITES_FOLDER, projectId, id);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const files: StoredRecord[] = [];
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined) files.push([projectId, id, relative(folder, path).split(sep).join('/'), BigInt(found.size)]);
    }
    yield* files.sort((one, other) => compareKeys('site_files', one, other));
  }
}
