import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LockKind, takeLock } from '../../../adapters/files/lock.ts';
import { testFolder } from '../../support/folders.ts';

const MODULE = join(import.meta.dirname, '../../../adapters/files/lock.ts');

/** Another process, which holds a lock until it is killed, although nothing there refers to it. */
async function holdElsewhere(file: string, kind: LockKind) {
  const script = `import { takeLock } from ${JSON.stringify(MODULE)};
    const isTaken = takeLock(${JSON.stringify(file)}, '${kind}') !== undefined;
    setTimeout(() => { gc(); console.log(isTaken); setInterval(() => {}, 1000); });`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  onTestFinished(async () => void (await kill()));
  expect(String((await once(child.stdout, 'data'))[0])).toBe('true\n');
  return kill;
}

const COMPATIBLE: Readonly<Record<LockKind, readonly LockKind[]>> = { shared: ['shared', 'main'], main: ['shared'], alone: [] };

test.each(['shared', 'main', 'alone'] as const)(
  '%s in another process excludes exactly the kinds that it should, until that process is killed',
  async (held) => {
    const file = join(testFolder(), 'lock');
    const kill = await holdElsewhere(file, held);
    for (const kind of ['shared', 'main', 'alone'] as const) {
      const release = takeLock(file, kind);
      expect(release !== undefined, kind).toBe(COMPATIBLE[held].includes(kind));
      release?.();
    }
    await kill();
    const release = takeLock(file, 'alone');
    expect(release).toBeDefined();
    release?.();
  },
);

test('excludes other holders in the same process too, and can be given back twice', () => {
  const file = join(testFolder(), 'lock');
  const release = takeLock(file, 'main');
  expect(takeLock(file, 'main')).toBeUndefined();
  release?.();
  release?.();
  takeLock(file, 'main')?.();
});
