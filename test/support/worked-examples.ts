// The worked examples of CONTRIBUTING.md: diffs, and the commands that follow them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface WorkedExample {
  readonly title: string;
  /** All diffs, for `git apply`. */
  readonly diff: string;
  /** Lines for a shell, in order. */
  readonly commands: readonly string[];
}

/** Reads the sections with diffs. @param root of the repository */
export function workedExamples(root: string): readonly WorkedExample[] {
  const sections = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(/^## /m);
  return sections.flatMap((section) => {
    const blocks = (language: string) =>
      [...section.matchAll(new RegExp(`^(\`{3,})${language}\\n([\\s\\S]*?)^\\1$`, 'gm'))].map(([, , text = '']) => text);
    const title = section.slice(0, section.indexOf('\n'));
    const diff = blocks('diff').join('');
    return diff === '' ? [] : [{ title, diff, commands: blocks('sh').join('').trim().split('\n') }];
  });
}

/** Applies an example's diffs to the files in a folder. @returns what was wrong with them; empty if nothing was @param options such as `--check` */
export function applyExample(folder: string, { diff }: WorkedExample, ...options: readonly string[]): string {
  const { status, stderr } = spawnSync('git', ['apply', ...options], { cwd: folder, input: diff, encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}
