// A PostgreSQL of the tests' own: a data folder that is deleted, and a port that is free.

import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface PostgresServer {
  /** Of a database and a superuser that exist. */
  readonly url: string;
  /** Of the process that starts all others. */
  readonly pid: () => number;
  /** Ends it as a crash does, and starts it again on the same data. */
  restart(): Promise<void>;
  /** Ends it as a crash does. */
  crash(): Promise<void>;
  /** Stops all of its processes without ending them: it is as silent as a machine whose network is gone. */
  silence(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the folder with PostgreSQL's programs; undefined if it is not installed. */
export function postgresPrograms(): string | undefined {
  const folders = [...globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed(), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => globSync(join(folder, 'initdb')).length === 1 && globSync(join(folder, 'postgres')).length === 1);
}

/** Creates and starts a server. @param programs what `postgresPrograms` returned */
export async function startPostgres(programs: string, settings: readonly string[] = []): Promise<PostgresServer> {
  return startServer(programs, settings, (data, user) => {
    const args = ['-D', data, '-U', 'petstore', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
    execFileSync(join(programs, 'initdb'), args, { ...user, stdio: ['ignore', 'ignore', 'inherit'], cwd: dirname(data) });
  });
}

export interface Standby extends PostgresServer {
  /** Makes it the primary, as a cluster manager does when the old one is gone. */
  promote(): void;
}

/** Creates and starts a standby on which each commit of the primary has to be before it is acknowledged. @param url under which it reaches the primary */
export async function startStandby(programs: string, primary: PostgresServer, url = primary.url): Promise<Standby> {
  const from = `${url}?application_name=standby`;
  // Once it is the primary, it must not wait for a standby of its own.
  const standby = await startServer(programs, [`primary_conninfo=${from}`, 'synchronous_standby_names='], (data, user) =>
    promisify(execFile)(join(programs, 'pg_basebackup'), ['-d', from, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'], {
      ...user,
      cwd: dirname(data),
    }),
  );
  const sql = (server: PostgresServer, statement: string) =>
    execFileSync(join(programs, 'psql'), ['-At', '-c', statement, server.url], { encoding: 'utf8' }).trim();
  sql(primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  sql(primary, 'SELECT pg_reload_conf()');
  for (const end = Date.now() + 30_000; sql(primary, 'SELECT sync_state FROM pg_stat_replication') !== 'sync'; ) {
    if (Date.now() > end) throw new Error('the standby did not follow within 30 seconds');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { ...standby, promote: () => void sql(standby, 'SELECT pg_promote()') };
}

type User = { readonly uid?: number; readonly gid?: number };

async function startServer(programs: string, settings: readonly string[], create: (data: string, user: User) => unknown): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  // It refuses to be run by root: Debian's package has a user for it.
  const user: User = userInfo().uid === 0 ? userOf('postgres') : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  await create(data, user);
  const url = `postgres://petstore@127.0.0.1:${port}/postgres`;

  let server: ChildProcess | undefined;
  const silent: number[] = [];
  const pid = () => server?.pid ?? 0;
  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    for (const pid of silent.splice(0)) process.kill(pid, 'SIGCONT');
    server.kill(signal);
    await ended;
  };
  const start = async () => {
    const all = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings];
    const options = all.flatMap((setting) => ['-c', setting]);
    const child = spawn(join(programs, 'postgres'), ['-D', data, ...options], { ...user, cwd: folder, stdio: 'ignore' });
    server = child;
    const kill = () => child.kill('SIGTERM');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    await untilItAnswers(programs, port);
  };
  await start();
  // An immediate shutdown: all processes end without a checkpoint, and the next start recovers, as after a crash.
  const crash = () => end('SIGQUIT');
  return {
    url,
    pid,
    crash,
    silence: () => {
      const workers = readFileSync(`/proc/${pid()}/task/${pid()}/children`, 'utf8').trim().split(' ').map(Number);
      for (const each of [pid(), ...workers]) silent.push(each);
      for (const each of silent) process.kill(each, 'SIGSTOP');
    },
    start,
    restart: async () => {
      await crash();
      await start();
    },
    stop: async () => {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function userOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (option: string) => Number(execFileSync('id', [option, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function untilItAnswers(programs: string, port: number): Promise<void> {
  for (const end = Date.now() + 30_000; ; ) {
    const { status } = spawnSync(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port), '-d', 'postgres', '-U', 'petstore']);
    if (status === 0) return;
    if (Date.now() > end) throw new Error('PostgreSQL did not get ready within 30 seconds');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
