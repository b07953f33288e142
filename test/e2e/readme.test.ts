// Runs the documents' examples unchanged on a first start, and compares their output with what the documents show.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../cli/context.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { testFolder } from '../support/folders.ts';
import { startTestServer } from '../support/test-processes.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Replaces parts that may differ from run to run. */
const stable = (text: string) =>
  text
    .trim()
    .replaceAll('\r', '')
    .replace(/"id":\d+/g, '"id":0')
    .replace(/acc_\w+/g, 'acc_')
    .replace(/"createdAt":"[^"]+"/g, '"createdAt":""')
    .replace(/x-ratelimit-reset: \d+/, 'x-ratelimit-reset: 0');

const minuteNow = () => Math.floor(Date.now() / 60_000);

test.each([
  ['README.md', 3],
  ['docs/api.md', 2],
  ['docs/control-api.md', 1],
])('the commands in %s print the output that it shows', async (file, count) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const examples = [...text.matchAll(/<!-- example -->\n```sh\n([\s\S]*?)```\n\n```\w+\n([\s\S]*?)```/g)];
  expect(examples).toHaveLength(count);
  const before = /<!-- before -->\n```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  let printed: readonly string[];
  let minute: number;
  // Once more, with a new server, if the quota was reset on the way.
  do {
    const server = await startTestServer(testFolder());
    const KEY = /petstore_test_\w+/.exec(server.stdout())?.[0];
    const [, EMAIL, PASSWORD] = /(demo@\S+) +(\S+)/.exec(server.stdout()) ?? [];
    minute = minuteNow();
    printed = examples.map(([, command = '']) =>
      execFileSync('bash', ['-c', `${before}${command}`.replaceAll('http://127.0.0.1:8080', server.url)], {
        env: { ...process.env, KEY, EMAIL, PASSWORD },
        encoding: 'utf8',
      }),
    );
    expect(await server.stop()).toBe(0);
  } while (minuteNow() !== minute);
  expect(printed.map(stable)).toEqual(examples.map(([, , shown = '']) => stable(shown)));
});

/** Placeholders in the documents, and where earlier output contains their values. */
const PLACEHOLDERS: readonly (readonly [placeholder: string, printed: RegExp])[] = [
  ['acc_…', /acc_\w+/g],
  ['prj_…', /prj_\w+/g],
  ['key_…', /key_\w+/g],
  ['….edge.petstore.test', /\w+\.edge\.petstore\.test/g],
];

test.each(['docs/domains.md', 'docs/server/operate.md', 'docs/customers.md'])('the commands in %s run one after the other', async (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const commands = [...text.matchAll(/<!-- run -->\n```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .filter((line) => chromiumInstalled || !line.includes('certutil'));
  expect(commands.length).toBeGreaterThan(7);
  const folder = testFolder();
  const data = join(folder, '.petstore');
  const server = await startTestServer(data);
  const [, httpsPort = ''] = /custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout()) ?? [];
  let printed = '';
  for (const command of commands) {
    let line = command
      .replace(/^(npm run -s petstore --|petstore) /, `'${process.execPath}' '${join(ROOT, 'cli/petstore.ts')}' `)
      .replaceAll('8443', httpsPort);
    for (const [placeholder, pattern] of PLACEHOLDERS) line = line.replaceAll(placeholder, () => printed.match(pattern)?.at(-1) ?? placeholder);
    expect(line, command).not.toContain('…');
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', line], {
      cwd: folder,
      env: { ...process.env, PETSTORE_DATA: data, HOME: folder },
      encoding: 'utf8',
    });
    // Records that are not set yet are no fault of the command.
    expect(line.includes('domains verify') ? [0, EXIT_CODES.unfinished] : [0], `${command}: ${stderr}`).toContain(status);
    printed += stdout;
  }
  if (file === 'docs/domains.md') expect(printed).toContain('<h1>My shop</h1>');
  expect(await server.stop()).toBe(0);
});

test('CI runs every command in the README', () => {
  const commands = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/`(npm [^`]+)`|^(npm .*)$/gm)].map(
    ([, inline, line]) => inline ?? line ?? '',
  );
  const run = readFileSync(join(ROOT, '.ci/run'), 'utf8');
  expect(commands.length).toBeGreaterThan(2);
  const isRun = (command: string) => run.split('\n').some((line) => new RegExp(`(^| )${command}( |$)`).test(line));
  expect(commands.flatMap((each) => each.split(' && ')).filter((command) => !isRun(command))).toEqual([]);
});
