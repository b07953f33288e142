// Completion in real shells, and the manual page. Both are made from the descriptions that `--help` shows.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_MEANINGS } from '../../cli/commands/man.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { EXIT_CODES } from '../../cli/context.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { shellsInstalled } from '../support/shells.ts';

const SHELLS = ['bash', 'zsh', 'fish'];
const folder = makeFolder();

const script = (shell: string) => join(folder.path, shell);
const page = join(folder.path, 'petstore.1');

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli('/nonexistent', args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

beforeAll(async () => {
  for (const shell of SHELLS) writeFileSync(script(shell), await printed('completion', shell));
  writeFileSync(page, await printed('man'));
});

afterAll(() => folder.remove());

/** What each shell offers after these words; the last one is being typed. */
const OFFERS: Readonly<Record<string, (words: readonly string[]) => string>> = {
  bash: (words) => {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    return execFileSync('bash', ['-euc', `source ${script('bash')}; ${line}; _petstore || true; printf '%s\\n' "\${COMPREPLY[@]}"`], {
      encoding: 'utf8',
    });
  },
  // The two functions of zsh's completion system that the script ends with, without a terminal.
  zsh: (words) => {
    const system = `compdef() { :; }; _describe() { print -l -- \${found%%:*}; (( $#found )); }; _files() { print FILES; }`;
    const line = `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}`;
    const all = execFileSync('zsh', ['-fc', `${system}; source ${script('zsh')}; ${line}; _petstore || true`], { encoding: 'utf8' });
    return all
      .split('\n')
      .filter((word) => word.startsWith(words.at(-1) ?? ''))
      .join('\n');
  },
  fish: (words) => execFileSync('fish', ['--no-config', '-c', `source ${script('fish')}; complete -C '${words.join(' ')}'`], { encoding: 'utf8' }),
};

const offered = (shell: string, ...words: string[]) =>
  (OFFERS[shell]?.(words) ?? '')
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter((word) => word !== '')
    .toSorted();

describe.runIf(shellsInstalled).each(SHELLS)('%s completes', (shell) => {
  test('commands, also behind an option with a value', () => {
    expect(offered(shell, 'petstore', 'd')).toEqual(['dashboard', 'doctor', 'domains']);
    expect(offered(shell, 'petstore', '--url', 'domains', 'acc')).toEqual(['accounts']);
    expect(offered(shell, 'petstore', 'domains', 've')).toEqual(['verify']);
    const all = offered(shell, 'petstore', '').filter((word) => /^[a-z]/.test(word));
    expect(all).toEqual(expect.arrayContaining(Object.keys(COMMANDS)));
  });

  test('options, and the values of those with choices', () => {
    expect(offered(shell, 'petstore', 'domains', 'watch', '--t')).toEqual(['--timeout']);
    expect(offered(shell, 'petstore', 'pets', 'import', '--format', '')).toEqual(['csv', 'jsonl']);
    expect(offered(shell, 'petstore', 'accounts', 'create', '--plan', 'e')).toEqual(['enterprise']);
    expect(offered(shell, 'petstore', 'completion', 'f')).toEqual(['fish']);
  });
});

describe.runIf(shellsInstalled)('the manual page', () => {
  test('has no errors, and each command with its options', () => {
    execFileSync('mandoc', ['-T', 'lint', '-W', 'error', page]);
    const text = execFileSync('mandoc', ['-T', 'ascii', '-O', 'width=400', page], { encoding: 'utf8' }).replaceAll(/.\x08/g, '');
    for (const command of ['petstore domains watch <host>', 'petstore keys revoke', 'petstore start']) expect(text).toContain(command);
    expect(text).toContain('--timeout <duration>');
  });
});

test('the exit codes mean on the manual page what docs/command-line.md says', () => {
  const rows = [...readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8').matchAll(/^\| (\d) \| (.*?) \|/gm)].map(
    ([, code, meaning]) => [Number(code), meaning],
  );
  const meanings = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT_CODES, string][];
  expect(rows).toEqual(meanings.map(([name, meaning]) => [EXIT_CODES[name], meaning]));
});
