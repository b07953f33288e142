// Refuses a release whose tag, versions and changelog differ: npm run -s check:release -- v0.3.0

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const MANIFESTS = ['package.json', 'client/package.json'];

/** Returns what keeps a tag from being released, one sentence each. @param read returns a file's text */
export function releaseProblems(tag: string, read: (file: string) => string): readonly string[] {
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) return [`the tag is ${tag}; allowed: v and a semantic version, such as v0.3.0`];
  const version = tag.slice(1);
  const versions = MANIFESTS.map((file) => [file, (JSON.parse(read(file)) as { version: string }).version] as const);
  return [
    ...versions.filter(([, own]) => own !== version).map(([file, own]) => `${file} has the version ${own}, and the tag is ${tag}`),
    ...(read('CHANGELOG.md').includes(`\n## ${version} - `) ? [] : [`CHANGELOG.md has no heading "## ${version} - <date>"`]),
  ];
}

if (import.meta.main) {
  const problems = releaseProblems(process.argv[2] ?? '', (file) => readFileSync(join(ROOT, file), 'utf8'));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
