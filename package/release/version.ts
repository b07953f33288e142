// Writes a release's version everywhere: npm run release -- 0.3.0

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseProblems } from './check.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The files that contain the version, and the text around it. */
const PLACES: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['package.json', /(^ {2}"version": ")[^"]+/m],
  ['client/package.json', /(^ {2}"version": ")[^"]+/m],
  ['package-lock.json', /(^ {2}"version": "|^ {4}"(?:client)?": \{\n {6}"name": "petstore-\w+",\n {6}"version": ")[^"]+/gm],
  ['platforms/version.ts', /(VERSION = ')[^']+/],
  ['examples/own-cdk-app/package.json', /("petstore-platform": ")[^"]+/],
  ['CHANGELOG.md', /(^## )Unreleased$/m],
];

/** Returns the files, updated to a release. @param date such as `2026-12-01` @param read returns a file's text @throws if a file has no version */
export function filesOf(version: string, date: string, read: (file: string) => string): Readonly<Record<string, string>> {
  const entries = PLACES.map(([file, pattern]) => {
    const text = read(file);
    const changed = text.replace(pattern, `$1${version}${file === 'CHANGELOG.md' ? ` - ${date}` : ''}`);
    if (changed === text) throw new Error(`${file}: no version to replace, or it is ${version} already`);
    return [file, changed] as const;
  });
  return Object.fromEntries(entries);
}

if (import.meta.main) {
  const version = process.argv[2] ?? '';
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const files = filesOf(version, new Date().toISOString().slice(0, 10), read);
  const problems = releaseProblems(`v${version}`, (file) => files[file] ?? read(file));
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) for (const [file, text] of Object.entries(files)) writeFileSync(join(ROOT, file), text);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
