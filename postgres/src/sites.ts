// Files of sites, in chunks, with a copy in the data folder of each host that serves them. A deployment never changes, so a copy is never outdated;
// the service removes copies of deleted deployments.

import { Readable } from 'node:stream';
import { type SiteStore, StoreFault, type UploadStore } from 'petstore-platform';
import { createFolderSiteStore, createFolderUploads } from 'petstore-platform/adapters/folder';
import { type DeploymentName, type Manifest, uploadPath } from 'petstore-platform/stores';
import { type Database, durably, type Statement } from './database.ts';

/** Bytes in a chunk, small enough to take only a few milliseconds and little memory. */
const CHUNK = 2 ** 20;
/** Maximum number of chunks that one statement removes. */
const REMOVED_AT_ONCE = 100;
/** Targets per page. */
const PAGE = 500;

const FIND: Statement = { name: 'site_file', text: 'SELECT bytes FROM site_files WHERE project_id = $1 AND deployment_id = $2 AND name = $3' };
const ADD: Statement = {
  text: 'INSERT INTO site_files (project_id, deployment_id, name, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING name',
};
const ADD_CHUNK: Statement = {
  name: 'site_chunk_add',
  text: 'INSERT INTO site_chunks (project_id, deployment_id, name, place, content) VALUES ($1, $2, $3, $4, $5)',
};
const READ_CHUNK: Statement = {
  name: 'site_chunk',
  text: 'SELECT content FROM site_chunks WHERE project_id = $1 AND deployment_id = $2 AND name = $3 AND place = $4',
};
const STORED: Statement = { text: 'SELECT name, bytes FROM site_files WHERE project_id = $1 AND deployment_id = $2 AND name = ANY($3::text[])' };
const BEGIN: Statement = {
  text: `INSERT INTO uploads (project_id, deployment_id, manifest) VALUES ($1, $2, $3)
    ON CONFLICT (project_id, deployment_id) DO UPDATE SET manifest = excluded.manifest`,
};
const MANIFEST: Statement = { text: 'SELECT manifest FROM uploads WHERE project_id = $1 AND deployment_id = $2' };
/** Keeps an upload from being removed until the commit. */
const KEEP: Statement = { text: 'SELECT FROM uploads WHERE project_id = $1 AND deployment_id = $2 FOR KEY SHARE' };
const END: Statement = { text: 'DELETE FROM uploads WHERE project_id = $1 AND deployment_id = $2' };
const OF = 'project_id = $1 AND ($2::text IS NULL OR deployment_id = $2)';
const REMOVE: readonly Statement[] = ['uploads', 'site_files'].map((table) => ({ text: `DELETE FROM ${table} WHERE ${OF}` }));
const REMOVE_CHUNKS: Statement = {
  text: `DELETE FROM site_chunks WHERE ctid = ANY (ARRAY (SELECT ctid FROM site_chunks WHERE ${OF} LIMIT ${REMOVED_AT_ONCE})) RETURNING 1`,
};

/** Creates the site store and the upload store. @param dataFolder where this host's copies are */
export function createSiteStores(database: Database, dataFolder: string): { readonly sites: SiteStore; readonly uploads: Required<UploadStore> } {
  const [copies, arriving] = [createFolderSiteStore(dataFolder), createFolderUploads(dataFolder)];
  const fetching = new Map<string, Promise<void>>();

  /** Stores this host's copy in the database. @returns false if the file's upload has ended or was removed */
  const store = ({ projectId, id }: DeploymentName, name: string, isUpload: boolean): Promise<boolean> =>
    durably(database, async (transaction) => {
      const copy = await copies.get({ projectId, id }, name);
      if (copy === undefined) throw new StoreFault('unavailable', `${name} can't be stored: its copy is gone`);
      if (isUpload && (await transaction.query(KEEP, [projectId, id])).length === 0) return false;
      if ((await transaction.query(ADD, [projectId, id, name, copy.bytes])).length === 0) return true;
      for (let place = 0; place * CHUNK < copy.bytes; place += 1) {
        const chunk = await contentOf(copy.read({ start: place * CHUNK, end: Math.min((place + 1) * CHUNK, copy.bytes) - 1 }));
        await transaction.query(ADD_CHUNK, [projectId, id, name, place, chunk]);
      }
      return true;
    });

  async function* chunksOf({ projectId, id }: DeploymentName, name: string, bytes: number): AsyncGenerator<Uint8Array> {
    for (let place = 0; place * CHUNK < bytes; place += 1) {
      const [row] = await database.query<{ content: Uint8Array }>(READ_CHUNK, [projectId, id, name, place]);
      if (row === undefined) throw new StoreFault('unavailable', `PostgreSQL: ${name} is being removed`);
      yield row.content;
    }
  }

  /** Makes this host's copy of a file, once for all requests that wait for it. */
  async function fetch(deployment: DeploymentName, name: string, bytes: number): Promise<void> {
    const key = `${deployment.id}/${name}`;
    const running = fetching.get(key) ?? copies.put(deployment, name, Readable.from(chunksOf(deployment, name, bytes)), bytes);
    fetching.set(key, running);
    await running.finally(() => fetching.delete(key));
  }

  const missingOf = async ({ projectId, id }: DeploymentName, files: Manifest) => {
    const rows = await database.query<{ name: string; bytes: bigint }>(STORED, [projectId, id, files.map(({ name }) => name)]);
    const stored = new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
    return files.filter(({ name, bytes }) => stored.get(name) !== bytes);
  };
  const manifest = async ({ projectId, id }: DeploymentName): Promise<Manifest | undefined> => {
    const [row] = await database.query<{ manifest: string }>(MANIFEST, [projectId, id]);
    return row && JSON.parse(row.manifest);
  };

  return {
    sites: {
      put: async (deployment, name, source, bytes) => {
        await copies.put(deployment, name, source, bytes);
        // If a file could not be stored, its copy must not be served.
        await store(deployment, name, false).catch(async (error) => {
          await arriving.remove({ projectId: deployment.projectId, deploymentId: deployment.id });
          throw error;
        });
      },
      get: async (deployment, name) => {
        const copy = await copies.get(deployment, name);
        if (copy !== undefined) return copy;
        const [found] = await database.query<{ bytes: bigint }>(FIND, [deployment.projectId, deployment.id, name]);
        if (found === undefined) return undefined;
        await fetch(deployment, name, Number(found.bytes));
        return copies.get(deployment, name);
      },
    },
    uploads: {
      targetsValidMs: arriving.targetsValidMs,
      begin: async ({ projectId, id }, files) => void (await database.query(BEGIN, [projectId, id, JSON.stringify(files)])),
      manifest,
      targets: async (deployment, files, after) => {
        const start = Number(after ?? 0);
        const places = new Map(files.slice(start, start + PAGE).map((file, index) => [file.name, start + index]));
        const missing = await missingOf(deployment, files.slice(start, start + PAGE));
        const items = missing.map(({ name }) => ({ name, url: uploadPath({ deployment, at: places.get(name) ?? 0 }), headers: {} }));
        return { items, next: start + PAGE < files.length ? String(start + PAGE) : undefined };
      },
      missing: async (deployment, files, limit) => (await missingOf(deployment, files)).slice(0, limit).map(({ name }) => name),
      // The file arrives in the data folder, where its size and its digest are checked.
      receive: async (deployment, at, source, confirm) => {
        let files = await arriving.manifest(deployment);
        if (files === undefined) {
          files = await manifest(deployment);
          if (files !== undefined) await arriving.begin(deployment, files);
        }
        const file = files?.[at];
        if (file === undefined) return undefined;
        const received = await arriving.receive(deployment, at, source, confirm);
        if (received !== 'stored' || (await store(deployment, file.name, true))) return received;
        await arriving.remove({ projectId: deployment.projectId, deploymentId: deployment.id });
        return undefined;
      },
      end: async (deployment) => {
        await database.query(END, [deployment.projectId, deployment.id]);
        await arriving.end(deployment);
      },
      remove: async ({ projectId, deploymentId }) => {
        // The manifest is deleted first, so that no more files are accepted.
        for (const statement of REMOVE) await database.query(statement, [projectId, deploymentId ?? null]);
        await arriving.remove({ projectId, deploymentId });
        return (await database.query(REMOVE_CHUNKS, [projectId, deploymentId ?? null])).length < REMOVED_AT_ONCE;
      },
    },
  };
}

async function contentOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
