// Runs CloudFront Functions as deployed, in Node and in njs, which implements the language of the runtime cloudfront-js-2.0: ES 5.1 and some later
// features. CloudFront deploys syntax that Node accepts and njs does not without a warning, and then answers every request with 503.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder } from './folders.ts';
import { isInstalled } from './installed.ts';

export type Runtime = 'node' | 'njs';

export const njsInstalled = isInstalled(spawnSync('njs', ['-v']).status === 0);

/**
 * Passes each event to a function's `handler`, one after the other, in one process.
 *
 * @param code of the function
 * @param map the contents of its KeyValueStore
 * @throws Error with the runtime's message, if it rejects the code or an event fails
 */
export async function runEdgeFunction(
  runtime: Runtime,
  code: string,
  events: readonly object[],
  map: Readonly<Record<string, string>> = {},
): Promise<readonly unknown[]> {
  const folder = makeFolder();
  try {
    // njs finds the runtime's own module under its bare name, Node finds it as a package.
    const store = `const map = ${JSON.stringify(map)};
const get = async (key) => { if (map[key] === undefined) throw new Error('KeyNotFound'); return map[key]; };
export default { kvs: () => ({ get: get }) };`;
    const asPackage = join(folder.path, 'node_modules/cloudfront');
    mkdirSync(asPackage, { recursive: true });
    writeFileSync(join(folder.path, 'cloudfront'), store);
    writeFileSync(join(asPackage, 'index.js'), store);
    writeFileSync(join(asPackage, 'package.json'), '{ "type": "module", "main": "index.js" }');
    const script = join(folder.path, 'function.mjs');
    writeFileSync(script, `${code}\n${driver(events)}`);
    return await run(runtime === 'node' ? [process.execPath, script] : ['njs', '-p', folder.path, script]);
  } finally {
    folder.remove();
  }
}

/** In characters. njs 0.7.9 limits what it prints at once to 2 KiB. */
const LINE = 1_000;

/**
 * Appended to the function in the same file, because the function exports nothing. Each result is one or more lines; the last one begins with `=`. A
 * loop with `await` would crash njs 0.7.9.
 */
const driver = (events: readonly object[]) => `const events = ${JSON.stringify(events)};
function print(text) {
  for (let at = 0; at < text.length; at += ${LINE}) console.log((at + ${LINE} < text.length ? '+' : '=') + text.slice(at, at + ${LINE}));
}
function answerFrom(index) {
  if (index === events.length) return undefined;
  return Promise.resolve(handler(events[index])).then((answer) => {
    print(JSON.stringify(answer));
    return answerFrom(index + 1);
  });
}
answerFrom(0);`;

async function run([program = '', ...args]: readonly string[]): Promise<readonly unknown[]> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [status, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  // njs writes its errors to standard output.
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${errors}${out}`);
  return out
    .trim()
    .split(/(?<=^=.*)\n/m)
    .map((lines) => JSON.parse(lines.replace(/^[+=]/gm, '').replaceAll('\n', '')));
}
