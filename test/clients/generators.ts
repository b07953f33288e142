// The generators: how each makes a client from a document, and how the client is compiled.

import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, CLASSPATH, type Program, PYTHON, pythonPath, REFERENCES, run, runGo } from './tools.ts';

/** A document, in a file, and the folder in which its clients are made. */
export interface Job {
  readonly name: 'catalogue' | 'control';
  readonly document: string;
  readonly folder: string;
}

/** What OpenAPI Generator makes, with its defaults where nothing is set: https://openapi-generator.tech/docs/customization */
interface Settings {
  readonly generatorName: string;
  readonly library?: string;
  readonly packageName?: string;
  readonly additionalProperties?: Readonly<Record<string, string>>;
  readonly modelNameMappings?: Readonly<Record<string, string>>;
}

export interface Generator {
  readonly name: string;
  readonly needs: readonly Program[];
  /** For a client by OpenAPI Generator, which makes all of them before `make`. */
  readonly settings?: (job: Job) => Settings;
  /** Compiles the client, after making it if OpenAPI Generator has not. @throws Error with what the generator or the compiler printed */
  readonly make: (job: Job) => Promise<unknown>;
}

const COMPILER = ['--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--strict'];
const JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const CODE_ONLY = { apiDocs: 'false', modelDocs: 'false', apiTests: 'false', modelTests: 'false' };

/** The folder of a client by OpenAPI Generator. */
const clientOf = ({ name, folder }: Job, { generatorName, library = '' }: Settings) => join(folder, `${generatorName}${library}`, name);

/** Makes all clients of OpenAPI Generator in one process, whose start takes as long as a client. @throws Error with what it printed */
export async function makeAll(generators: readonly Generator[], jobs: readonly Job[], folder: string): Promise<void> {
  const all = generators.flatMap(({ settings }) => (settings === undefined ? [] : jobs.map((job) => ({ job, settings: settings(job) }))));
  if (all.length === 0) return;
  const files = all.map(({ job, settings }, index) => {
    const file = join(folder, `generate-${index}.json`);
    const config = { ...settings, inputSpec: job.document, outputDir: clientOf(job, settings), globalProperties: CODE_ONLY };
    writeFileSync(file, JSON.stringify(config));
    return file;
  });
  await run(folder, 'java', [...JVM, '-jar', join(CACHE, 'openapi-generator.jar'), 'batch', '--threads', '2', ...files]);
}

/** @param compile the client in a folder */
function byOpenApiGenerator(
  name: string,
  needs: readonly Program[],
  settings: Settings | ((job: Job) => Settings),
  compile: (client: string, job: Job) => Promise<unknown>,
): Generator {
  const of = (job: Job) => (typeof settings === 'function' ? settings(job) : settings);
  return { name, needs: ['java', 'maven', ...needs], settings: of, make: (job) => compile(clientOf(job, of(job)), job) };
}

function java(library: string): Generator {
  return byOpenApiGenerator(`Java, ${library}`, [], { generatorName: 'java', library }, (client) => {
    const options = [...JVM.map((option) => `-J${option}`), '-nowarn', '-proc:none', '-d', join(client, 'classes'), '-cp', CLASSPATH];
    return run(client, 'javac', [...options, ...globSync('src/main/**/*.java', { cwd: client })]);
  });
}

export const GENERATORS: readonly Generator[] = [
  byOpenApiGenerator('Rust', ['cargo'], { generatorName: 'rust' }, (client) => {
    copyFileSync(join(import.meta.dirname, 'rust/Cargo.lock'), join(client, 'Cargo.lock'));
    // TLS needs OpenSSL's headers, and is the same for all clients.
    return run(client, 'cargo', ['check', '--quiet', '--no-default-features'], { CARGO_TARGET_DIR: join(CACHE, 'cargo') });
  }),
  {
    name: 'Go, ogen',
    needs: ['go'],
    make: async (job) => {
      const client = `ogen/${job.name}`;
      const options = ['--config', join(import.meta.dirname, 'go/ogen.yml'), '--target', client, '--package', job.name, '--clean'];
      await runGo(job.folder, ['run', 'github.com/ogen-go/ogen/cmd/ogen', ...options, job.document]);
      await runGo(job.folder, ['build', `./${client}`]);
    },
  },
  {
    name: 'Go, oapi-codegen',
    needs: ['go'],
    make: async (job) => {
      const client = `oapi/${job.name}`;
      mkdirSync(join(job.folder, client), { recursive: true });
      const options = ['-generate', 'types,client', '-package', job.name, '-o', `${client}/client.go`];
      await runGo(job.folder, ['run', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', ...options, job.document]);
      await runGo(job.folder, ['build', `./${client}`]);
    },
  },
  byOpenApiGenerator(
    'Go',
    ['go'],
    {
      generatorName: 'go',
      additionalProperties: { enumClassPrefix: 'true', withGoMod: 'false' },
      modelNameMappings: { NewPet: 'PetInput' },
    },
    (_client, job) => runGo(job.folder, ['build', `./go/${job.name}`]),
  ),
  java('okhttp-gson'),
  java('native'),
  byOpenApiGenerator(
    'C#',
    ['mono'],
    {
      generatorName: 'csharp',
      library: 'httpclient',
      additionalProperties: { targetFramework: 'netstandard2.0', nullableReferenceTypes: 'false' },
    },
    (client) => {
      const sources = globSync('src/Org.OpenAPITools/**/*.cs', { cwd: client });
      return run(client, 'mcs', ['-target:library', '-langversion:latest', '-out:client.dll', ...REFERENCES, ...sources]);
    },
  ),
  byOpenApiGenerator(
    'Python',
    ['python'],
    ({ name }) => ({ generatorName: 'python', packageName: `petstore_${name}` }),
    (client, { name }) => {
      const imports = `import importlib, pkgutil, petstore_${name} as client\nfor each in pkgutil.walk_packages(client.__path__, 'petstore_${name}.'): importlib.import_module(each.name)`;
      return run(client, PYTHON, ['-W', 'error', '-c', imports], pythonPath([client]));
    },
  ),
  byOpenApiGenerator('TypeScript, fetch', [], { generatorName: 'typescript-fetch' }, (client, job) => {
    writeFileSync(join(job.folder, 'typescript-fetch/package.json'), '{"type":"commonjs"}');
    return compileTypeScript(client, ['index.ts', '--noEmit']);
  }),
];

/** Compiles TypeScript with the repository's compiler. */
export function compileTypeScript(folder: string, args: readonly string[]): Promise<string> {
  const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  return run(folder, process.execPath, [compiler, ...COMPILER, ...args]);
}
