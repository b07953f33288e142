// The programs that the lane needs, and what it downloads once: the generator, libraries for Java, and a Python environment.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { collect } from '../support/children.ts';
import { preparePython } from '../support/python.ts';

/** Survives runs; `rm -r` makes the next run as slow as the first. */
export const CACHE = join(import.meta.dirname, '.cache');

const JSON_NET = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';

/** A program, and how it is found and installed. */
const PROGRAMS = {
  java: { ask: ['javac', '-version'], install: 'a JDK, 17 or newer (Debian: openjdk-17-jdk-headless)' },
  maven: { ask: ['mvn', '--version'], install: 'Maven (Debian: maven)' },
  python: { ask: ['python3', '-m', 'venv', '--help'], install: 'Python 3.10 or newer with venv (Debian: python3 and python3-venv)' },
  go: { ask: ['go', 'version'], install: 'Go 1.25 or newer' },
  cargo: { ask: ['cargo', '--version'], install: 'Rust with Cargo' },
  mono: {
    ask: ['mcs', '--version'],
    install:
      'Mono with Json.NET (Debian: mono-mcs, libmono-system-{net-http,runtime-serialization,componentmodel-dataannotations,web}4.0-cil, libnewtonsoft-json5.0-cil)',
  },
} as const;

export type Program = keyof typeof PROGRAMS;

/** Returns what to install, for the message; undefined if the program is there. */
export function missing(program: Program): string | undefined {
  const { ask, install } = PROGRAMS[program];
  const [command, ...args] = ask;
  const works = spawnSync(command, args).status === 0 && (program !== 'mono' || existsSync(JSON_NET));
  return works ? undefined : install;
}

/** Installs what is not there yet for these programs. @throws Error if it can't be downloaded */
export async function prepareTools(programs: ReadonlySet<Program>): Promise<void> {
  if (programs.has('maven')) await prepareJars();
  if (!programs.has('python')) return;
  preparePython({ folder: join(CACHE, 'python'), requirements: join(import.meta.dirname, 'requirements.txt'), command: 'npm run test:clients' });
}

async function prepareJars(): Promise<void> {
  const stamp = join(CACHE, 'pom.xml');
  const pom = join(import.meta.dirname, 'pom.xml');
  const wanted = readFileSync(pom, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(join(CACHE, 'libraries'), { recursive: true, force: true });
  await run(CACHE, 'mvn', ['-q', '-B', '-f', pom, 'initialize', `-Dfolder=${CACHE}`]);
  writeFileSync(stamp, wanted);
}

/** The Python environment's interpreter. */
export const PYTHON = join(CACHE, 'python/bin/python');

/** What Java's compiler gets as `-classpath`. */
export const CLASSPATH = join(CACHE, 'libraries/*');

/** The libraries of C# clients, as the compiler's arguments. */
export const REFERENCES = [
  ...['System.Net.Http', 'System.Runtime.Serialization', 'System.ComponentModel.DataAnnotations', 'System.Web', JSON_NET].map((name) => `-r:${name}`),
  join(import.meta.dirname, 'csharp/StandIns.cs'),
];

/** Runs a program in a folder until it exits. @returns what it printed @throws Error with that, if it fails */
export async function run(folder: string, program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout()}${stderr()}`);
  return stdout();
}

/**
 * Runs `go`. Generators and clients are compiled with the same options, which `go tool` would ignore, so that packages that they share are compiled once;
 * and without optimization, which takes longer than what is run.
 */
export function runGo(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  return run(folder, 'go', args, { ...environment, GOFLAGS: "-trimpath '-gcflags=all=-N -l'" });
}

/** Adds folders to the paths that Python searches. */
export function pythonPath(folders: readonly string[]): NodeJS.ProcessEnv {
  return { PYTHONPATH: folders.join(delimiter), PYTHONPYCACHEPREFIX: join(CACHE, 'compiled') };
}
