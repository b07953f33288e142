// The worked examples in docs/worked-examples/: diffs, and the commands that follow them.

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

/** Reads the pages with diffs, by name. @param root of the repository */
export function workedExamples(root: string): readonly WorkedExample[] {
  // In the order of CONTRIBUTING.md: what one example writes, the commands of the next ones need.
  const listed = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/docs\/worked-examples\/\w+\.md/g);
  const pages = [...new Set([...listed].map(([page]) => page))];
  return pages.flatMap((file) => {
    const page = readFileSync(join(root, file), 'utf8');
    const blocks = (language: string) =>
      [...page.matchAll(new RegExp(`^(\`{3,})${language}\\n([\\s\\S]*?)^\\1$`, 'gm'))].map(([, , text = '']) => text);
    const title = page.slice('# '.length, page.indexOf('\n'));
    const diff = blocks('diff').join('');
    return diff === '' ? [] : [{ title, diff, commands: blocks('sh').join('').trim().split('\n') }];
  });
}

/** Applies an example's diffs to the files in a folder. @returns what was wrong with them; empty if nothing was @param options such as `--check` */
export function applyExample(folder: string, { diff }: WorkedExample, ...options: readonly string[]): string {
  const { status, stderr } = spawnSync('git', ['apply', ...options], { cwd: folder, input: diff, encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}
