// Where `petstore login` keeps its sessions: a file that only the user can read.

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { CliError } from '../context.ts';
import { REQUEST_MS } from './installation.ts';

const sessionSchema = z.object({
  email: z.string().nullable(),
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
});

/** A session with one installation. */
export type StoredSession = Readonly<z.infer<typeof sessionSchema>>;

const fileSchema = z.record(z.string(), sessionSchema);

/** A command that holds the lock longer than this, in milliseconds, has died: it sends at most three requests, of at most REQUEST_MS each. */
export const LOCK_LASTS_MS = 4 * REQUEST_MS;
const LOCK_POLL_MS = 50;

export interface Credentials {
  /** Returns the session with the installation at this origin. @throws CliError if the file is damaged */
  get(origin: string): StoredSession | undefined;
  /** Stores a session; undefined removes it. */
  set(origin: string, session: StoredSession | undefined): void;
  /** Runs the work while no other command can change the file, because a refresh token is valid only once. */
  locked<T>(work: () => Promise<T>): Promise<T>;
}

/** Returns the file's path: `petstore/credentials.json` in the user's configuration folder (XDG Base Directory Specification). */
export function credentialsPath(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: folder = '' } = environment;
  return join(folder.startsWith('/') ? folder : join(homedir(), '.config'), 'petstore', 'credentials.json');
}

/** Opens the file; it need not exist. */
export function openCredentials(path: string): Credentials {
  const lock = `${path}.lock`;

  function read(): Record<string, StoredSession> {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return {};
      throw new CliError(`${path}: ${error instanceof Error ? error.message : error}`);
    }
    try {
      return fileSchema.parse(JSON.parse(text));
    } catch {
      throw new CliError(`${path} is damaged; delete it and run petstore login again`);
    }
  }

  async function locked<T>(work: () => Promise<T>): Promise<T> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (;;) {
      try {
        mkdirSync(lock);
        break;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      if (Date.now() - changedAt(lock) > LOCK_LASTS_MS) rmSync(lock, { recursive: true, force: true });
      else await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    }
    try {
      return await work();
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }

  return {
    get: (origin) => read()[origin],
    set: (origin, session) => {
      const { [origin]: _, ...others } = read();
      const sessions = session === undefined ? others : { ...others, [origin]: session };
      // Written to a temporary file first, so that an interrupted command leaves the file intact.
      const temporary = `${path}.${process.pid}`;
      writeFileSync(temporary, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, path);
    },
    locked,
  };
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
