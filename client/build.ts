// Compiles the package to JavaScript with declarations, in dist/, because Node refuses TypeScript in node_modules, and browsers refuse it everywhere.

import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDER = import.meta.dirname;

/** @throws Error with the compiler's messages */
function build(): void {
  const host: ts.ParseConfigFileHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => fail([problem]) };
  const config = ts.getParsedCommandLineOfConfigFile(join(FOLDER, 'tsconfig.json'), {}, host);
  if (config === undefined) throw new Error('client/tsconfig.json can not be read');
  rmSync(join(FOLDER, 'dist'), { recursive: true, force: true });
  const program = ts.createProgram(config.fileNames, config.options);
  // The compiler rewrites `./gate.ts` to `./gate.js` only in JavaScript, not in declarations.
  const { diagnostics } = program.emit(undefined, (name, text) => {
    ts.sys.writeFile(name, name.endsWith('.d.ts') ? text.replace(/(from '|import\(['"])(\.[^'"]*)\.ts(?=['"])/g, '$1$2.js') : text);
  });
  const problems = [...config.errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) fail(problems);
  copyFileSync(join(FOLDER, '../LICENSE'), join(FOLDER, 'LICENSE'));
}

function fail(problems: readonly ts.Diagnostic[]): never {
  throw new Error(
    ts.formatDiagnostics(problems, { getCanonicalFileName: (name) => name, getCurrentDirectory: () => FOLDER, getNewLine: () => '\n' }),
  );
}

build();
