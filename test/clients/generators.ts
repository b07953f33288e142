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

export interface Generator {
  readonly name: string;
  readonly needs: readonly Program[];
  /** @throws Error with what the generator or the compiler printed */
  readonly make: (job: Job) => Promise<unknown>;
}

const COMPILER = ['--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--strict'];
const JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const CODE_ONLY = 'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false';

/** OpenAPI Generator, with its defaults unless there are options. @returns the folder of the client */
async function openApiGenerator({ name, document, folder }: Job, language: string, options: readonly string[] = [], to = language): Promise<string> {
  const client = join(folder, to, name);
  const jar = ['-jar', join(CACHE, 'openapi-generator.jar'), 'generate', '-g', language, '-i', document, '-o', client];
  await run(folder, 'java', [...JVM, ...jar, '--global-property', CODE_ONLY, ...options]);
  return client;
}

function java(library: string): Generator {
  const make = async (job: Job) => {
    const client = await openApiGenerator(job, 'java', ['--library', library], `java-${library}`);
    const sources = globSync('src/main/**/*.java', { cwd: client });
    await run(client, 'javac', [
      ...JVM.map((option) => `-J${option}`),
      '-nowarn',
      '-proc:none',
      '-d',
      join(client, 'classes'),
      '-cp',
      CLASSPATH,
      ...sources,
    ]);
  };
  return { name: `Java, ${library}`, needs: ['java', 'maven'], make };
}

export const GENERATORS: readonly Generator[] = [
  {
    name: 'Rust',
    needs: ['java', 'maven', 'cargo'],
    make: async (job) => {
      const client = await openApiGenerator(job, 'rust');
      copyFileSync(join(import.meta.dirname, 'rust/Cargo.lock'), join(client, 'Cargo.lock'));
      // TLS needs OpenSSL's headers, and is the same for all clients.
      await run(client, 'cargo', ['check', '--quiet', '--no-default-features'], { CARGO_TARGET_DIR: join(CACHE, 'cargo') });
    },
  },
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
  {
    name: 'Go',
    needs: ['java', 'maven', 'go'],
    make: async (job) => {
      await openApiGenerator(job, 'go', [
        ...['--additional-properties', 'enumClassPrefix=true,withGoMod=false'],
        ...['--model-name-mappings', 'NewPet=PetInput'],
      ]);
      await runGo(job.folder, ['build', `./go/${job.name}`]);
    },
  },
  java('okhttp-gson'),
  java('native'),
  {
    name: 'C#',
    needs: ['java', 'maven', 'mono'],
    make: async (job) => {
      const framework = 'targetFramework=netstandard2.0,nullableReferenceTypes=false';
      const client = await openApiGenerator(job, 'csharp', ['--library', 'httpclient', '--additional-properties', framework]);
      const sources = globSync('src/Org.OpenAPITools/**/*.cs', { cwd: client });
      await run(client, 'mcs', ['-target:library', '-langversion:latest', '-out:client.dll', ...REFERENCES, ...sources]);
    },
  },
  {
    name: 'Python',
    needs: ['java', 'maven', 'python'],
    make: async (job) => {
      const name = `petstore_${job.name}`;
      const client = await openApiGenerator(job, 'python', ['--package-name', name]);
      const imports = `import importlib, pkgutil, ${name} as client\nfor each in pkgutil.walk_packages(client.__path__, '${name}.'): importlib.import_module(each.name)`;
      await run(client, PYTHON, ['-W', 'error', '-c', imports], pythonPath([client]));
    },
  },
  {
    name: 'TypeScript, fetch',
    needs: ['java', 'maven'],
    make: async (job) => {
      const client = await openApiGenerator(job, 'typescript-fetch', [], 'typescript');
      writeFileSync(join(job.folder, 'typescript/package.json'), '{"type":"commonjs"}');
      await compileTypeScript(client, ['index.ts', '--noEmit']);
    },
  },
];

/** Compiles TypeScript with the repository's compiler. */
export function compileTypeScript(folder: string, args: readonly string[]): Promise<string> {
  const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  return run(folder, process.execPath, [compiler, ...COMPILER, ...args]);
}
